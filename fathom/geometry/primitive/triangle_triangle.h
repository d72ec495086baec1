// Do two triangles meet, and in what? All yes/no answers and kinds are exact for every finite input:
// closed (touching in a point counts), coplanar pairs and triangles without area included. Thread-safe.
// Method: Guigue & Devillers 2003 (signs of orient3d; the two spans on the common line are compared by orient3d too).
// Cost: about 70 ns for pairs in general position, 0.2 to 1.5 us for touching, coplanar and flat ones.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/primitive/segment_triangle.h>

#include <array>

namespace fathom {

// Exact questions about one triangle: has it area, along which axis is the area seen, and what is left
// of it if it has none? The exact tests fall back on these when everything lies in one plane or on one line.
// Thread-safe.

// The axis (0, 1, 2) whose removal keeps the triangle's area, the one that keeps most where rounding can tell; -1 for a
// triangle of no area.
[[nodiscard]] int projection_axis(const std::array<Vec3, 3>& triangle);

// Along a line the lexicographic order of the coordinates is the order of the points.
[[nodiscard]] inline bool precedes(const Vec3& p, const Vec3& q) {
    if (p[0] != q[0]) return p[0] < q[0];
    if (p[1] != q[1]) return p[1] < q[1];
    return p[2] < q[2];
}

// The segment (or point) that a triangle of no area is: from its first to its last corner in the order of precedes().
[[nodiscard]] Segment spine(const std::array<Vec3, 3>& triangle);

// Do three points lie on a line?
[[nodiscard]] bool collinear(const Vec3& a, const Vec3& b, const Vec3& c);

// Is p in the closed triangle? All four must lie in one plane, and the triangle must have area seen along `axis`.
[[nodiscard]] bool contains_in_plane(const std::array<Vec3, 3>& triangle, const Vec3& p, int axis);

[[nodiscard]] bool triangles_overlap(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

// What two triangles share. A crossing is a segment or a point. Coplanar triangles that share area give the two points
// of it that lie farthest apart. Ends at corners are those corners exactly; other ends are rounded.
struct TriangleOverlap {
    OverlapKind kind = OverlapKind::none;
    Segment segment; // start == end for a point; meaningless for none
};
[[nodiscard]] TriangleOverlap triangle_overlap(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

// Do two triangles of a mesh meet anywhere beyond the corners and the edge they share (the same by index or by
// position)? Neighbours that fold flat onto each other do, clean neighbours do not, a double of a triangle does. For
// triangles without area the same question is asked of the segment or point that they are.
[[nodiscard]] bool triangles_cross(const TriangleMesh& mesh, Index i, Index j);
[[nodiscard]] bool triangles_cross(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

} // namespace fathom
