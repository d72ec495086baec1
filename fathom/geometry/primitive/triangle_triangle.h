// Intersection of two triangles. All results and kinds are exact for every finite input: closed (touching in a point
// counts), including coplanar pairs and triangles without area. Thread-safe.
// Method: Guigue & Devillers 2003 (signs of orient3d; the two intervals on the common line are also compared by
// orient3d). Cost: about 70 ns for pairs in general position, 0.2 to 1.5 us for touching, coplanar and flat ones.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/primitive/segment_triangle.h>

#include <array>

namespace fathom {

// Exact properties of one triangle: whether it has area, along which axis to project it, and the segment that it
// degenerates to. The exact tests use these when everything lies in one plane or on one line. Thread-safe.

// The axis (0, 1, 2) along which the projection keeps the triangle's area, the one that keeps most as far as rounding
// allows; -1 for a triangle without area.
[[nodiscard]] int projection_axis(const std::array<Vec3, 3>& triangle);

// On a line the lexicographic order of the coordinates is the order of the points.
[[nodiscard]] inline bool precedes(const Vec3& p, const Vec3& q) {
    if (p[0] != q[0]) return p[0] < q[0];
    if (p[1] != q[1]) return p[1] < q[1];
    return p[2] < q[2];
}

// The segment (or point) covered by a triangle without area: from its first to its last corner in the order of
// precedes().
[[nodiscard]] Segment spine(const std::array<Vec3, 3>& triangle);

// Whether three points are collinear.
[[nodiscard]] bool collinear(const Vec3& a, const Vec3& b, const Vec3& c);

// Whether p is in the closed triangle. All four points must be coplanar, and the projection of the triangle along
// `axis` must have area.
[[nodiscard]] bool contains_in_plane(const std::array<Vec3, 3>& triangle, const Vec3& p, int axis);

[[nodiscard]] bool triangles_overlap(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

// The intersection of two triangles. A crossing is a segment or a point. For coplanar triangles with a common area it
// is the pair of its points that are farthest apart. Ends at corners equal those corners exactly; other ends are
// rounded.
struct TriangleOverlap {
    OverlapKind kind = OverlapKind::none;
    Segment segment; // start == end for a point; undefined for none
};
[[nodiscard]] TriangleOverlap triangle_overlap(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

// Whether two triangles of a mesh intersect beyond the corners and the edge they share (equal by index or by position).
// True for neighbours folded flat onto each other and for duplicates, false for regular neighbours. A triangle without
// area is treated as the segment or point that it covers.
[[nodiscard]] bool triangles_cross(const TriangleMesh& mesh, Index i, Index j);
[[nodiscard]] bool triangles_cross(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

} // namespace fathom
