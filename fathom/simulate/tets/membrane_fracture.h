// A surface of springs that tears where it is stretched too far: a sheet, a skin (Marchal et al. 2004, figure 14).
// Mesh, network and state change together: point k is vertex k, area t is triangle t, and every edge has one spring,
// across which at most one other spring resists bending. The surface separates along edges: a point becomes several at
// the same position with the same velocity, and its mass is distributed by area at rest. So mass, momentum and angular
// momentum are preserved up to rounding; the springs of the two halves of an edge together are as stiff as the original
// and have its rest length, also if that has crept. For solids see spring_fracture.h. Not thread-safe. Metres,
// kilograms, seconds.
#pragma once

#include <fathom/geometry/edit/surface_edit.h>
#include <fathom/simulate/tets/spring_fracture.h>

#include <limits>

namespace fathom {

struct MembraneBreakOptions {
    double strain = 0.3; // limit: a spring breaks when longer than 1 + this times its rest length
    // Maximum number of springs that break in one call, the most stretched first.
    std::size_t max_broken = std::numeric_limits<std::size_t>::max();
};

class BreakableMembrane {
public:
    // In its rest shape. Throws Error as EditableSurface and surface_network() do.
    explicit BreakableMembrane(const TriangleMesh& rest, const SurfaceMaterial& material = {});

    [[nodiscard]] const EditableSurface& surface() const { return surface_; } // in the shape of state()
    // Springs keep their numbers; deleted ones are `removed`.
    [[nodiscard]] const SpringNetwork& network() const { return network_; }
    [[nodiscard]] const SpringState& state() const { return state_; }
    [[nodiscard]] const SurfaceTear& last_edit() const { return edit_; }
    [[nodiscard]] const NetworkChanges& last_changes() const { return changes_; } // made by the last edit

    void set_state(SpringState state);        // Error as check(state, network())
    void fix(Index point, bool fixed = true); // duplicates are fixed if their origin is; Error{index_out_of_range}
    // Conversion to a world that continues from the current state, and back: follow() copies positions, velocities and
    // crept rest lengths from a world with this network.
    [[nodiscard]] SpringWorld world(const SpringOptions& options = {}) const;
    void follow(const SpringWorld& world);
    void set_rest(Index spring, double length) { set_rest_length(network_, spring, length); }

    void separate(std::span<const Index> sides); // as EditableSurface does
    // At an end of a spring past the limit, the triangles round the point are separated by the plane perpendicular to
    // the direction of the largest stretch of its springs, along existing edges; BreakReport::opened counts those
    // edges, including scored ones. Call once per step. O(springs). Throws Error{invalid_argument} for options out of
    // range.
    BreakReport break_stretched(const MembraneBreakOptions& options = {});

    // Numbers the pieces in network().part; returns their count. O(n).
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

    // Topology of an edge: the sides that lie on it (the second may be no_index), and the spring across it, or
    // no_index.
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
    std::vector<Edging> edging_;   // by spring; empty for bending springs
};

} // namespace fathom
