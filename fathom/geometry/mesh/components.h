// Topology and connected components of a surface. Triangles are connected if they share vertices, after vertices at
// exactly equal positions are merged. Components are numbered by their first triangle. O(n); the same result for any
// number of threads.
#pragma once

#include <fathom/geometry/mesh/adjacency.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace fathom {

// Topology of a surface: vertices at exactly equal positions count as one, independent of their indices. Triangles that
// use a (merged) vertex twice are points or lines: they have no edges and belong to no component. O(n log k) for k
// triangles around a vertex; parallel; the same result for any number of threads.
enum class EdgeKind {
    joined,       // two triangles with consistent winding
    open,         // one triangle
    non_manifold, // more than two triangles
    clashing      // two triangles that traverse it in the same direction: one of them is wound wrongly
};

struct SurfaceTopology {
    std::vector<Index> merged;       // per vertex: the lowest index at its position
    std::vector<Triangle> triangles; // those of the mesh, with merged vertices
    EdgeTable edges;                 // edges of `triangles`

    // A fan is a set of triangles around a vertex that are connected across its edges. A regular vertex has one fan, an
    // unused vertex none, a vertex where surfaces touch in a point several. Indexed by vertex; vertices merged into
    // another have none.
    std::vector<Index> fans;

    [[nodiscard]] EdgeKind kind(std::size_t edge) const;

    // Equal numbers of sides traverse the edge in both directions. If this holds for all edges, the volume is well
    // defined.
    [[nodiscard]] bool balanced(std::size_t edge) const;
};

[[nodiscard]] SurfaceTopology surface_topology(const TriangleMesh& mesh);

struct Component {
    Index first_triangle = no_index;
    std::size_t triangle_count = 0;
    Box bounds{};
    bool closed = false; // every edge joins two triangles with consistent winding
    double area = 0;     // m^2
    double volume = 0;   // m^3, signed; 0 unless closed, and if below rounding
    // Number of handles of a closed component; surfaces that touch in a vertex count as separated there.
    std::optional<Index> genus{};
};

struct Components {
    std::vector<Component> parts;
    std::vector<Index> part_of_triangle; // no_index for a triangle that uses a vertex twice
    Lists triangles_of_part;
};

[[nodiscard]] Components components(const TriangleMesh& mesh);
[[nodiscard]] Components components(const TriangleMesh& mesh, const SurfaceTopology& topology);

// Closed components of negative volume that are not cavities. A cavity lies where the other closed components have a
// winding number of at least 1, so that removing its inside leaves nothing negative. Increasing. O(n), plus a small
// cost for each such component.
[[nodiscard]] std::vector<Index> inside_out_parts(const TriangleMesh& mesh, const Components& components);

} // namespace fathom
