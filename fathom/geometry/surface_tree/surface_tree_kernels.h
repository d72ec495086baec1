// The queries of SurfaceTree that run in SIMD, one table of functions for the CPU at hand.
#pragma once

#include <fathom/geometry/surface_tree/triangle_exact.h>
#include <fathom/geometry/surface_tree/triangle_pack8.h>

namespace fathom {

// All on a tree that holds something; max_distance, t_max >= 0.

// out[k] for points[k], for the k of `order` one after another: quickest where neighbours in the order are neighbours
// in space.
void visit_closest(const SurfaceView& surface, std::span<const Vec3> points, std::span<const Index> order,
                   double max_distance, std::span<ClosestPoint> out);
void visit_first_hit(const SurfaceView& surface, std::span<const Ray> rays, double t_max, std::span<SurfaceHit> out);
[[nodiscard]] bool visit_any_hit(const SurfaceView& surface, const Ray& ray, double t_max);

// Every triangle that a ray meets in [0, t_max], in no promised order, and those where it lies on a border; false
// stops.
void visit_all_hits(const SurfaceView& surface, const Ray& ray, double t_max,
                    CallableRef<bool(const RayMeeting&)> visitor);

} // namespace fathom
