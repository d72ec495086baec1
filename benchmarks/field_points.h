// Where the benchmarks ask fields.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <vector>

namespace fathom::bench {

[[nodiscard]] std::vector<Vec3> random_points(const Box& box, std::size_t count);
// Within `reach` (m) of the surface, spread evenly over the triangles.
[[nodiscard]] std::vector<Vec3> near_points(const TriangleMesh& mesh, double reach, std::size_t count);
// Straight tracks of 100 points, `step` (m) apart, that start anywhere in the box and stay in it.
[[nodiscard]] std::vector<Vec3> track_points(const Box& box, double step, std::size_t count);

} // namespace fathom::bench
