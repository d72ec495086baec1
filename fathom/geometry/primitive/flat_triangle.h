// Exact questions about one triangle: has it area, along which axis is the area seen, and what is left
// of it if it has none? The exact tests fall back on these when everything lies in one plane or on one line.
// Thread-safe.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/exact/predicates.h>

#include <array>

namespace fathom {

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

} // namespace fathom
