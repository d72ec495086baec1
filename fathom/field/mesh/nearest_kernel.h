// SIMD kernel for the closest points of eight query points on one triangle, used to build grids.
// A triangle is stored in its own frame (axis u along its longest edge, v to its third corner, height h over its
// plane), so a point costs three dot products and a planar problem. Single precision, relative to a nearby origin; see
// distance_error().
#pragma once

#include <fathom/base/vec.h>

#include <array>
#include <cstdint>
#include <span>

namespace fathom {

// (u, v, h) of a point p is (p, 1) . rows. The corners are at (0, 0), (length, 0) and (apex_u, apex_v), in the unit of
// the points.
struct alignas(16) FlatTriangle {
    float u[4], v[4], h[4];
    float length; // length of the longest edge
    float apex_u, apex_v;
    float side_u;    // the edge from the second corner to the apex is (side_u, apex_v)
    float per_left;  // 1 / squared length of the edge from the first corner to the apex, or 0
    float per_right; // the same for the edge from the second corner to the apex
    // A point projects into the triangle if its edge functions reach this: 0, or huge for a degenerate triangle.
    float over;
};

// Frame and shape of a triangle in metres, computed once; seen_from() makes a FlatTriangle from it for any origin and
// unit.
struct PlacedTriangle {
    Vec3 start;             // first corner
    float u[3], v[3], h[3]; // axes
    double length, apex_u, apex_v;
};
// Accepts any triangle, including degenerate ones.
[[nodiscard]] PlacedTriangle placed_triangle(const std::array<Vec3, 3>& corners);
[[nodiscard]] FlatTriangle seen_from(const PlacedTriangle& placed, const Vec3& origin, double units_per_metre);

// Upper bound on the error of distances between points and triangles within `reach` of the origin, whose points of
// interest are at most `far` apart. It covers the rounding of coordinates, of the frame and of about twenty operations:
// 8 units of 2^-24 each way.
[[nodiscard]] constexpr double distance_error(double reach, double far) { return 0x1p-21 * (reach + far); }

// Points in groups of eight SIMD lanes.
struct alignas(32) EightPoints {
    float x[8], y[8], z[8];
};

struct alignas(32) EightBoxes {
    EightPoints centers;
    EightPoints halves; // half side lengths
};

// Scratch space for one group of centres against a list of triangles.
struct alignas(32) EightNearest {
    float squared[8], x[8], y[8], z[8]; // squared distance, and the closest point of the triangle
};

// For each of eight boxes and each listed triangle, whether it may be the closest to some point of the box: bit k of
// masks[i] is for box k and triangle list[i]. `margin` (squared length) covers rounding. Scratch and masks have the
// list's length.
//
// Let q be the point of all triangles closest to the centre c, at distance d, and s any point of a triangle: p is as
// near to s as to q only if |c - s|^2 <= d^2 + 2 (p - c).(s - q). In a box with half sides h, the right side is at most
// d^2 + 2 h.|s - q|, per axis. The closest point s0 of a triangle is tested in place of all its points, since |c - s|^2
// >= |c - s0|^2 + |s - s0|^2. So the remaining triangles lie near q, however far away c is.
void sift(std::span<const FlatTriangle> triangles, std::span<const Index> list, const EightBoxes& boxes, float margin,
          std::span<EightNearest> scratch, std::span<std::uint8_t> masks);

// Closest of the listed triangles for each point: squared distance, and index in the list (the first of equals).
void nearest(std::span<const FlatTriangle> triangles, std::span<const Index> list, const EightPoints& points,
             std::array<float, 8>& squared, std::array<std::int32_t, 8>& who);

} // namespace fathom
