// Planar meshes in z = 0 whose triangles face +z: discs, cuts through discs and rectangles (make_cloth), and torn
// versions of both as a membrane simulation produces them (after Marchal et al. 2004, figure 8).
// As in generate.h, arguments are checked, lengths are in metres, and the bytes are the same on every platform.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/generate/generate.h>

#include <span>

namespace fathom {

struct DiscOptions {
    double radius = 1;
    std::size_t nodes = 486; // at least 7, met exactly; rings around the centre with edges of about equal length
};
[[nodiscard]] TriangleMesh make_disc(const DiscOptions& options = {});

// Separates neighbouring triangles if the segment between their centroids crosses a blade (projected along z). A vertex
// on the cut is duplicated, with one copy for each group of triangles around it that are still connected; positions do
// not change. O(n blades).
[[nodiscard]] TriangleMesh cut_open(const TriangleMesh& mesh, std::span<const Segment> blades);

// Torn sheets with exactly `nodes` nodes after the cuts; at least 100. Error{invalid_argument} if no mesh has that
// many. Not convex; three components, one of them slit; about 2 m wide.
[[nodiscard]] TriangleMesh make_torn_disc(std::size_t nodes = 486);
[[nodiscard]] TriangleMesh make_torn_rectangle(std::size_t nodes = 1000);

} // namespace fathom
