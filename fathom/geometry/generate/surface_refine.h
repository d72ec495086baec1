// Remeshing of closed triangle meshes for the generators: relaxation, edge collapse to a target count, edge flips,
// subdivision.
#pragma once

#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <functional>

namespace fathom {

// ---- Tangential relaxation: every vertex moves in its tangent plane towards the centroid of its neighbours and is
// projected back onto the surface. The rounds are Jacobi iterations in parallel, so the result does not depend on the
// thread count.

// The neighbours of each vertex, in the order of the triangles.
struct VertexRings {
    std::vector<std::uint32_t> start;           // vertex v has the entries start[v] .. start[v + 1]
    std::vector<std::array<Index, 2>> opposite; // the other two corners of a triangle at v, in its orientation

    [[nodiscard]] std::span<const std::array<Index, 2>> around(std::size_t v) const {
        return std::span(opposite).subspan(start[v], start[v + 1] - start[v]);
    }
};
[[nodiscard]] VertexRings vertex_rings(const TriangleMesh& mesh);

struct RelaxOptions {
    int rounds = 5;
    double step = 0.5;                // fraction of the displacement to the centroid of the neighbours
    std::span<const char> fixed = {}; // nonzero: the vertex does not move; empty: no vertex is fixed
};

// Position of a vertex after its tangential step, before the projection onto the surface.
[[nodiscard]] Vec3 relaxed_position(const TriangleMesh& mesh, const VertexRings& rings, std::size_t v, double step);

// True if moving v to p flips no triangle around v.
[[nodiscard]] bool keeps_facing(const TriangleMesh& mesh, const VertexRings& rings, std::size_t v, const Vec3& p);

// `onto_surface(p)` returns a point of the surface near p. A vertex does not move if that would flip a triangle.
template <class OntoSurface>
void relax(TriangleMesh& mesh, const RelaxOptions& options, OntoSurface&& onto_surface) {
    const VertexRings rings = vertex_rings(mesh);
    std::vector<Vec3> moved(mesh.vertices.size());
    for (int round = 0; round < options.rounds; ++round) {
        parallel_for(mesh.vertices.size(), 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t v = begin; v < end; ++v) {
                moved[v] = mesh.vertices[v];
                if (!options.fixed.empty() && options.fixed[v]) continue;
                const Vec3 p = onto_surface(relaxed_position(mesh, rings, v, options.step));
                if (keeps_facing(mesh, rings, v, p)) moved[v] = p;
            }
        });
        mesh.vertices.swap(moved);
    }
}

// ---- Edge collapse, edge flips, subdivision.

struct CollapseOptions {
    std::size_t triangles = 1000; // stop at or below this number of triangles
    // Target edge length, up to a constant factor. The edge that is shortest relative to it is collapsed first.
    std::function<double(const Vec3&)> size;
    std::function<Vec3(const Vec3&)> onto_surface; // projects the midpoint of a collapsed edge onto the surface
};

// Collapses edges until the target count is reached. The mesh remains a closed manifold of the same genus (link
// condition), and no triangle is flipped. Stops early if no edge can be collapsed. Deterministic. O(n log n), one
// thread.
[[nodiscard]] TriangleMesh collapsed(const TriangleMesh& mesh, const CollapseOptions& options);

// Flips edges if that increases the smallest angle of the two triangles, in up to `rounds` passes. Returns the number
// of flips.
std::size_t flip_edges(TriangleMesh& mesh, int rounds);

// Divides every triangle into four. The new vertices are the midpoints of the edges and follow the old ones. O(n).
[[nodiscard]] TriangleMesh split_four(const TriangleMesh& mesh);

// Cosine of the smallest angle of a triangle (1: degenerate, 1/2: equilateral).
[[nodiscard]] double sharpest_cosine(const std::array<Vec3, 3>& corners);

} // namespace fathom
