// Eight points meet one triangle: the SIMD step under the building of grids.
// A triangle lies in a frame of its own (axis u along its longest edge, v to its third corner, height over its plane),
// so a point costs three dot products and a problem in the plane. Floats, relative to a nearby origin; see
// distance_error().
#pragma once

#include <fathom/base/vec.h>

#include <array>
#include <cstdint>
#include <span>

namespace fathom {

// (u, v, h) of a point p = (p, 1) . rows. Corners at (0, 0), (length, 0) and (apex_u, apex_v), in the unit of the
// points.
struct alignas(16) FlatTriangle {
    float u[4], v[4], h[4];
    float length; // of the longest edge
    float apex_u, apex_v;
    float side_u;    // from the second corner to the apex: (side_u, apex_v)
    float per_left;  // 1 / squared length of the edge from the first corner to the apex, or 0
    float per_right; // of the edge from the second corner to the apex
    float over;      // a point is over the triangle where its edge functions reach this: 0, or huge for a flat one
};

// A triangle's frame and shape in metres, found once; seen_from() then makes a FlatTriangle for any origin and unit.
struct PlacedTriangle {
    Vec3 start;             // first corner
    float u[3], v[3], h[3]; // axes
    double length, apex_u, apex_v;
};
// Any triangle will do, without area too.
[[nodiscard]] PlacedTriangle placed_triangle(const std::array<Vec3, 3>& corners);
[[nodiscard]] FlatTriangle seen_from(const PlacedTriangle& triangle, const Vec3& origin, double units_per_metre);

// Distances of points and triangles within `reach` of the origin, whose points of interest are `far` apart at most, are
// off by no more than this. Rounding of coordinates, of the frame and of some twenty operations: 8 units in 2^-24 each
// way.
[[nodiscard]] constexpr double distance_error(double reach, double far) { return 0x1p-21 * (reach + far); }

// Points in groups of eight lanes.
struct alignas(32) EightPoints {
    float x[8], y[8], z[8];
};

struct alignas(32) EightBoxes {
    EightPoints centers;
    EightPoints halves; // of their sides
};

// Room for one group of centres against a list of triangles.
struct alignas(32) EightNearest {
    float squared[8], x[8], y[8], z[8]; // squared distance, and the nearest point of the triangle
};

// For each of eight boxes and each listed triangle: may it be nearest to some point of the box? Bit k of masks[i]
// speaks of box k and triangle list[i]. `margin` (squared length) covers rounding. Scratch and masks have the list's
// length.
//
// With q the point of all triangles nearest to the centre c, at distance d, and s any point of a triangle: p is as near
// to s as to q only where |c - s|^2 <= d^2 + 2 (p - c).(s - q). In a box with half sides h, that is at most d^2 + 2
// h.|s - q|, axis by axis. The nearest point s0 of a triangle stands for all of its points, as |c - s|^2 >= |c - s0|^2
// + |s - s0|^2. So the triangles kept lie round q, however far away c is.
void sift(std::span<const FlatTriangle> triangles, std::span<const Index> list, const EightBoxes& boxes, float margin,
          std::span<EightNearest> scratch, std::span<std::uint8_t> masks);

// The nearest of the listed triangles for each point: squared distance, and place in the list (the first of equals).
void nearest(std::span<const FlatTriangle> triangles, std::span<const Index> list, const EightPoints& points,
             std::array<float, 8>& squared, std::array<std::int32_t, 8>& who);

} // namespace fathom
