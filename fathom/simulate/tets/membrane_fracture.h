// A surface of springs that tears where it is stretched too far: a sheet, a skin (Marchal et al. 2004,
// figure 14). Mesh, network and state change together: point k is vertex k, area t is triangle t, and every edge has
// one spring, across which at most one other resists bending. What parts is parted along edges: a point becomes several
// in the same place with the same velocity, and its mass is shared out by area at rest. So mass, momentum and angular
// momentum are kept to rounding, and the springs of the two halves of an edge are as stiff together as the one was, and
// rest at its length, also where that has crept. The same for solids: spring_fracture.h. Not thread-safe. Metres,
// kilograms, seconds.
#pragma once

#include <fathom/geometry/edit/surface_edit.h>
#include <fathom/simulate/tets/spring_fracture.h>

#include <limits>

namespace fathom {

struct MembraneBreakOptions {
    double strain = 0.3; // the limit: longer than 1 + this times the length at rest
    std::size_t most =
        std::numeric_limits<std::size_t>::max(); // springs that break in one call, the most stretched first
};

class BreakableMembrane {
public:
    // At rest. Errors as EditableSurface and surface_network().
    explicit BreakableMembrane(const TriangleMesh& rest, const SurfaceMaterial& material = {});

    [[nodiscard]] const EditableSurface& surface() const { return surface_; } // in the shape of state()
    [[nodiscard]] const SpringNetwork& network() const {
        return network_;
    } // springs keep their numbers; gone ones are `removed`
    [[nodiscard]] const SpringState& state() const { return state_; }
    [[nodiscard]] const SurfaceTear& last_edit() const { return edit_; }
    [[nodiscard]] const NetworkChanges& last_changes() const { return changes_; } // by it

    void set_state(SpringState state);        // Error as check(state, network())
    void fix(Index point, bool fixed = true); // twins are fixed as their origin; Error{index_out_of_range}
    // A world that goes on from here, and back: places, velocities and crept rest lengths of a world with this network.
    [[nodiscard]] SpringWorld world(const SpringOptions& options = {}) const;
    void follow(const SpringWorld& world);
    void set_rest(Index spring, double length) { set_rest_length(network_, spring, length); }

    void separate(std::span<const Index> sides); // as EditableSurface does
    // At an end of a spring past the limit, the triangles round the point are parted by the plane across the direction
    // in which its springs are stretched most, along existing edges; BreakReport::opened counts those, scored ones too.
    // Once a step. O(springs). Error{invalid_argument} for options out of range.
    BreakReport break_stretched(const MembraneBreakOptions& options = {});

    // Numbers the pieces in network().part; returns how many there are. O(n).
    std::size_t number_parts();

private:
    void apply();
    void add_twins();
    void share_mass(Index origin, std::span<const SurfaceTear::Twin> twins);
    void renew_edge(Index side);
    void stiffen(Index spring);
    [[nodiscard]] double rest_area(Index triangle) const;
    [[nodiscard]] std::vector<Index> springs_at(Index point) const;
    [[nodiscard]] std::vector<Index> sides_across(Index point, const Vec3& direction) const;

    // Of an edge: the sides that lie on it (the second may be no_index), and the spring across it, or no_index.
    struct Edging {
        std::array<Index, 2> sides = {no_index, no_index};
        Index bending = no_index;
    };

    SurfaceMaterial material_;
    EditableSurface surface_;
    SpringNetwork network_;
    SpringState state_;
    SurfaceTear edit_;
    NetworkChanges changes_;
    std::vector<Index> spring_of_; // by side
    std::vector<Edging> edging_;   // by spring; of those that bend, none
};

} // namespace fathom
