// Edits of closed triangle meshes that the generators need: collapse to a count, flip for shape, split.
#pragma once

#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <functional>

namespace fathom {

// Evens out the triangles of a closed mesh: every vertex moves in its tangent plane toward the middle
// of its neighbours and is put back on the surface. Jacobi rounds in parallel, so the result does not depend on the
// thread count.

// The neighbours of each vertex, in the order of the triangles.
struct VertexRings {
    std::vector<std::uint32_t> start;           // vertex v: entries start[v] .. start[v + 1]
    std::vector<std::array<Index, 2>> opposite; // the other two corners of a triangle around v, in its direction

    [[nodiscard]] std::span<const std::array<Index, 2>> around(std::size_t v) const {
        return std::span(opposite).subspan(start[v], start[v + 1] - start[v]);
    }
};
[[nodiscard]] VertexRings vertex_rings(const TriangleMesh& mesh);

struct RelaxOptions {
    int rounds = 5;
    double step = 0.5;                // part of the way to the middle of the neighbours
    std::span<const char> fixed = {}; // nonzero: this vertex stays; empty: none
};

// The tangential step of one vertex: where it wants to go, before it is put back on the surface.
[[nodiscard]] Vec3 relaxed_position(const TriangleMesh& mesh, const VertexRings& rings, std::size_t v, double step);

// True where moving v to p leaves every triangle around v facing as it did.
[[nodiscard]] bool keeps_facing(const TriangleMesh& mesh, const VertexRings& rings, std::size_t v, const Vec3& p);

// `onto_surface(p)` gives the point of the surface near p. Vertices whose move would turn a triangle over stay.
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

struct CollapseOptions {
    std::size_t triangles = 1000;            // stop at or below this many
    std::function<double(const Vec3&)> size; // wanted edge length, up to a factor; the shortest against it goes first
    std::function<Vec3(const Vec3&)> onto_surface; // where the middle of a collapsed edge goes
};

// Collapses edges until the count is met. Keeps the mesh a closed manifold of the same genus (link condition) and turns
// no triangle over; stops early where nothing more can go. Deterministic. O(n log n), one thread.
[[nodiscard]] TriangleMesh collapsed(const TriangleMesh& mesh, const CollapseOptions& options);

// Flips edges where that raises the smallest angle of the two triangles, up to `rounds` sweeps. Returns how many.
std::size_t flip_edges(TriangleMesh& mesh, int rounds);

// Every triangle becomes four; new vertices in the middle of the edges, after the old ones. O(n).
[[nodiscard]] TriangleMesh split_four(const TriangleMesh& mesh);

// The smallest angle of a triangle, as its cosine (1: none left, 1/2: equilateral).
[[nodiscard]] double sharpest_cosine(const std::array<Vec3, 3>& corners);

} // namespace fathom
