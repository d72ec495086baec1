// The connected parts of a surface: triangles that share vertices, after those at exactly equal
// positions are merged. Parts are numbered by their first triangle. O(n); the same result for any number of threads.
#pragma once

#include <fathom/geometry/mesh/adjacency.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace fathom {

// How a surface hangs together: vertices at exactly equal positions count as one, whatever their
// indices. Triangles that name a (merged) vertex twice are points or lines: they have no edges and belong to no part.
// O(n log k) for k triangles round a vertex; parallel; the same result for any number of threads.

enum class EdgeKind {
    joined,       // two triangles that agree about the outside
    open,         // one triangle
    non_manifold, // more than two triangles
    clashing      // two triangles that run along it the same way: one of them is wound wrongly
};

struct SurfaceTopology {
    std::vector<Index> merged;       // each vertex -> the lowest index at its position
    std::vector<Triangle> triangles; // of the mesh, with merged vertices
    EdgeTable edges;                 // of those

    // Triangles round a vertex that hang together across its edges make a fan; a regular vertex has one, an unused
    // vertex none, and one where surfaces touch in a point several. By vertex index; merged-away vertices have none.
    std::vector<Index> fans;

    [[nodiscard]] EdgeKind kind(std::size_t edge) const;

    // As many sides run along the edge as against it. Where that holds for all edges, the volume is well defined.
    [[nodiscard]] bool balanced(std::size_t edge) const;
};

[[nodiscard]] SurfaceTopology surface_topology(const TriangleMesh& mesh);

struct Component {
    Index first_triangle = no_index;
    std::size_t triangle_count = 0;
    Box bounds{};
    bool closed = false; // every edge joins two triangles that agree about the outside
    double area = 0;     // m^2
    double volume = 0;   // m^3, signed; 0 unless closed, and where it is below rounding
    std::optional<Index>
        genus{}; // handles, of closed parts; surfaces that touch in a vertex are counted as pulled apart
};

struct Components {
    std::vector<Component> parts;
    std::vector<Index> part_of_triangle; // no_index for a triangle that names a vertex twice
    Lists triangles_of_part;
};

[[nodiscard]] Components components(const TriangleMesh& mesh);
[[nodiscard]] Components components(const TriangleMesh& mesh, const SurfaceTopology& topology);

// Closed parts of negative volume, but for cavities: those that lie where the other closed parts wind at least once
// round, so that taking their inside away leaves nothing negative. Increasing. O(n) and a little more for each such
// part.
[[nodiscard]] std::vector<Index> inside_out_parts(const TriangleMesh& mesh, const Components& components);

} // namespace fathom
