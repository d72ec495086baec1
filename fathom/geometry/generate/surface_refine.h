// Edits of closed triangle meshes that the generators need: collapse to a count, flip for shape, split.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <functional>

namespace fathom {

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
