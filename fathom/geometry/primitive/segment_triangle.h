// Intersection of a segment and a triangle, and of two segments. The result and its kind are exact for every finite
// input: closed (touching counts), including triangles without area and segments of length 0. Thread-safe.
// Method: signs of orient3d (Guigue & Devillers 2003); orient2d if the segment lies in the plane of the triangle.
#pragma once

#include <fathom/base/primitives.h>

#include <array>

namespace fathom {

// Whether two segments intersect. Exact and closed: touching counts, and a segment may be a point.
// Cost: one orient3d if they are not coplanar, a few more orient2d if they are. Thread-safe.
[[nodiscard]] bool segments_overlap(const Segment& a, const Segment& b);

// The kind of the intersection of two shapes.
enum class OverlapKind { none, point, segment, area };

[[nodiscard]] bool segment_overlaps_triangle(const Segment& segment, const std::array<Vec3, 3>& triangle);

// Parameters along the segment in [0,1]; `first` == `last` for a point. For a crossing of the plane they and the
// barycentric coordinates are accurate to about 1e-12; for a segment in the plane of the triangle up to the rounding of
// its clipping.
struct SegmentTriangleOverlap {
    OverlapKind kind = OverlapKind::none; // none, point or segment
    double first = 0;
    double last = 0;
    Vec3 barycentric = Vec3::Zero(); // of the point at `first`: weights of the corners, sum 1
};
[[nodiscard]] SegmentTriangleOverlap segment_triangle_overlap(const Segment& segment,
                                                              const std::array<Vec3, 3>& triangle);

} // namespace fathom
