// Does a segment meet a triangle, and where? The yes/no and the kind are exact for every finite input:
// closed (touching counts), triangles without area and segments without length included. Thread-safe.
// Method: signs of orient3d (Guigue & Devillers 2003); orient2d where the segment lies in the plane.
#pragma once

#include <fathom/base/primitives.h>

#include <array>

namespace fathom {

// Do two segments meet? Exact and closed: touching counts, and a segment may be a point.
// Cost: one orient3d when they do not lie in a plane, a few orient2d more when they do. Thread-safe.

[[nodiscard]] bool segments_overlap(const Segment& a, const Segment& b);

// What two shapes have in common.
enum class OverlapKind { none, point, segment, area };

[[nodiscard]] bool segment_overlaps_triangle(const Segment& segment, const std::array<Vec3, 3>& triangle);

// Fractions along the segment in [0,1]; `first` == `last` for a point. A crossing of the plane has them, and its
// barycentric coordinates, to about 1e-12; a segment in the plane of the triangle to rounding of its own clipping.
struct SegmentTriangleOverlap {
    OverlapKind kind = OverlapKind::none; // none, point or segment
    double first = 0;
    double last = 0;
    Vec3 barycentric = Vec3::Zero(); // of the point at `first`: weights of the corners, sum 1
};
[[nodiscard]] SegmentTriangleOverlap segment_triangle_overlap(const Segment& segment,
                                                              const std::array<Vec3, 3>& triangle);

} // namespace fathom
