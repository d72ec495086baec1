// How a surface hangs together: vertices at exactly equal positions count as one, whatever their
// indices. Triangles that name a (merged) vertex twice are points or lines: they have no edges and belong to no part.
// O(n log k) for k triangles round a vertex; parallel; the same result for any number of threads.
#pragma once

#include <fathom/geometry/mesh/adjacency.h>

namespace fathom {

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

} // namespace fathom
