// A solid of springs and volumes that breaks where it is stretched too far, and that can be cut.
// Mesh, network and state change together: point k is vertex k, volume t is tetrahedron t, and every edge has one
// spring. An edit changes only its surroundings. New points on an edge interpolate rest position, position and velocity
// of its ends; masses follow the volume at rest, so mass, momentum and centre of mass are preserved up to rounding
// (angular momentum only approximately: a point between two others does not have their spin). Springs get their
// stiffness as solid_network() distributes it; existing edges keep their rest length, also if it has crept, and halves
// of an edge share it. Not thread-safe. Metres, kilograms, seconds.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/geometry/edit/tet_cut.h>
#include <fathom/simulate/springs/spring_world.h>

#include <limits>
#include <unordered_map>

namespace fathom {

// Fracture rule of solids (this file) and membranes (membrane_fracture.h), by springs past a limit. At the end of such
// a spring with the larger tension, or at the other end if that separates nothing, all elements round the point are
// separated by the plane perpendicular to the direction of the strongest tension (the tensor of O'Brien & Hodgins 1999,
// here of strains).

struct BreakReport {
    std::size_t stretched = 0; // springs or faces past the limit
    std::size_t broken = 0;    // number of those that broke
    std::size_t held = 0;      // springs that cannot be separated: at both ends all elements are on one side
    std::size_t opened = 0;    // faces (edges of membranes), including scored ones
    double largest_strain = 0;
};

// (length - rest) / rest; 0 for springs that are not edges.
[[nodiscard]] double strain(const Spring& spring, const SpringState& state);

// Elements past a limit with minus their strain, so that sorting puts the largest first.
using Strained = std::vector<std::pair<double, Index>>;
void note(Strained& list, double strain, Index element, double limit, BreakReport& report);

// Faces or edges to be opened, in the order of springs, the most stretched first; a point separates once per call, and
// at most `max_broken` springs break. O(springs). springs_at(point) returns the springs that end there, in a fixed
// order. across(point, direction) returns the faces or edges between the elements on the two sides of the plane.
[[nodiscard]] std::vector<Index> parted_at_springs(const SpringNetwork& network, const SpringState& state, double limit,
                                                   std::size_t max_broken,
                                                   CallableRef<std::vector<Index>(Index)> springs_at,
                                                   CallableRef<std::vector<Index>(Index, const Vec3&)> across,
                                                   BreakReport& report);

enum class BreakRule {
    springs, // separates the tetrahedra round an end of a stretched spring, along existing faces (parted_at_springs)
    // Opens a face if the material is stretched across it past the limit, in the mean of its two tetrahedra.
    faces
};

struct BreakOptions {
    BreakRule rule = BreakRule::springs;
    double strain = 0.3; // limit: 1 + this times the rest length
    // Maximum number of springs or faces that break in one call, the most stretched first.
    std::size_t max_broken = std::numeric_limits<std::size_t>::max();
};

class BreakableSolid {
public:
    // The body at rest. Throws Error as EditableTetMesh and solid_network() do, and {invalid_argument} for a
    // tetrahedron without volume.
    explicit BreakableSolid(const TetMesh& rest, const SolidMaterial& material = {});

    [[nodiscard]] const EditableTetMesh& mesh() const { return mesh_; } // in the shape of state()
    // Unused points, springs and volumes have no stiffness and no mass, and are fixed.
    [[nodiscard]] const SpringNetwork& network() const { return network_; }
    [[nodiscard]] const SpringState& state() const { return state_; }
    [[nodiscard]] const TetEdit& last_edit() const { return edit_; }
    [[nodiscard]] const NetworkChanges& last_changes() const { return changes_; } // made by the last edit

    void set_state(SpringState state); // Error as check(state, network())
    // Duplicates are fixed if their origin is, points on an edge if both ends are.
    void fix(Index point, bool fixed = true);
    // Conversion to a world that continues from the current state, and back: follow() copies positions, velocities and
    // crept rest lengths from a world with this network.
    [[nodiscard]] SpringWorld world(const SpringOptions& options = {}) const;
    void follow(const SpringWorld& world);
    void set_rest(Index spring, double length) { set_rest_length(network_, spring, length); }

    // In the current shape; errors and reports as the functions of these names.
    CutReport cut(const CutPlane& plane, const CutOptions& options = {});
    CutReport cut(const TriangleMesh& surface, const CutOptions& options = {});
    void separate(std::span<const Index> faces);
    void remove(std::span<const Index> tets); // removes their mass too
    // Call once per step. O(springs), or O(faces), plus the tetrahedra round the fracture. Throws
    // Error{invalid_argument} for options out of range.
    BreakReport break_stretched(const BreakOptions& options = {});

    // Numbers the pieces in network().part; returns their count. O(n).
    std::size_t number_parts();

private:
    using EdgeKey = std::uint64_t;
    struct Before;
    void apply();
    void add_points(Before& before);
    void renew_volumes(Before& before);
    void renew_masses(const Before& before);
    void renew_springs(const Before& before);
    void add_spring(Index a, Index b, double rest);
    void stiffen(Index spring);
    [[nodiscard]] double rest_volume(Index tet) const;
    [[nodiscard]] std::vector<Index> springs_at(Index point) const;
    [[nodiscard]] std::vector<Index> faces_across(Index point, const Vec3& direction) const;
    [[nodiscard]] double stretch_along(Index tet, const Vec3& direction) const;
    [[nodiscard]] double strain_across(Index face) const;
    [[nodiscard]] std::vector<Index> stretched_faces(const BreakOptions& options, BreakReport& report) const;

    SolidMaterial material_;
    EditableTetMesh mesh_;
    SpringNetwork network_;
    SpringState state_;
    TetEdit edit_;
    NetworkChanges changes_;
    std::vector<double> excess_; // mass of each point beyond that of its tetrahedra (SolidMaterial::min_mass)
    std::unordered_map<EdgeKey, Index> spring_of_;
    std::vector<Index> free_springs_;
};

} // namespace fathom
