// The contact of two triangles that overlap: where (exactly judged, see triangle_triangle.h), the
// normals of both, and the shortest way out: the direction and length of the least move of `a` after which the two only
// touch. Metres. Method: the way out of two convex bodies is along a normal of a face or a product of two edges (or of
// an edge and a face, for triangles in one plane); all are tried. Cost: that of triangle_overlap() and about 0.3 us.
// Thread-safe. Not for closed bodies: how deep a body sits in another is asked of the bodies, not of their triangles.
#pragma once

#include <fathom/geometry/primitive/triangle_triangle.h>

namespace fathom {

struct TriangleContact {
    OverlapKind kind = OverlapKind::none;
    Segment segment;              // shared by both; start == end for a point; meaningless for none
    Vec3 normal_a = Vec3::Zero(); // unit, of the side from which corners run counter-clockwise; zero without area
    Vec3 normal_b = Vec3::Zero();
    Vec3 way_out = Vec3::Zero(); // unit; `a` moved along it by `depth` only touches `b`. Zero where nothing has extent
    double depth = 0;            // (m) least over all directions; 0 for triangles that share a plane or only touch
};
// kind none leaves the rest as it is, but for the normals, which are always set.
[[nodiscard]] TriangleContact triangle_contact(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

} // namespace fathom
