// Places spread over a surface of triangles that stand for all of it: vertices, middles of edges,
// middles of faces. By the rule of seven points (exact for cubics): 1/20, 2/15 and 9/20 of a triangle's area each. For
// coupling.cpp.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <vector>

namespace fathom {

struct SurfaceSample {
    std::array<Index, 3> vertices{}; // the first `count` of them, equally
    std::size_t count = 0;
    double share =
        0; // of what pushes a vertex by as much as its own mass (or stiffness) says; about 1 in sum for a vertex within
    double area = 0; // m^2, in the shape that they were made in
    Vec3 place = Vec3::Zero();
};

// Vertices first, by number (without area where no triangle has them), then edges, then faces. O(n log n).
[[nodiscard]] std::vector<SurfaceSample> surface_samples(std::span<const Vec3> vertices,
                                                         std::span<const Triangle> triangles);
// Moves them along with the vertices; areas stay.
void move_samples(std::vector<SurfaceSample>& samples, std::span<const Vec3> vertices);

} // namespace fathom
