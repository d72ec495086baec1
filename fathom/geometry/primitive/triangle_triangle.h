// Do two triangles meet, and in what? All yes/no answers and kinds are exact for every finite input:
// closed (touching in a point counts), coplanar pairs and triangles without area included. Thread-safe.
// Method: Guigue & Devillers 2003 (signs of orient3d; the two spans on the common line are compared by orient3d too).
// Cost: about 70 ns for pairs in general position, 0.2 to 1.5 us for touching, coplanar and flat ones.
#pragma once

#include <fathom/geometry/primitive/segment_triangle.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

namespace fathom {

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
