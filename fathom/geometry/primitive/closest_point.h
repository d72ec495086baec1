// Closest points of points, segments, triangles and tetrahedra (closed, solid). Metres; thread-safe.
// Every finite input is valid: segments of length 0, triangles without area, flat tetrahedra. Distances are accurate to
// about 1e-12 of the largest coordinate difference, 1e-8 of it in slivers; coordinates above 1e100 exceed the range of
// double. Ties: corners before edges before faces, lower indices before higher ones. Method: Voronoi regions (Ericson
// 2005), with a comparison of all boundaries if a shape is nearly degenerate.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/base/vec.h>

#include <array>
#include <cstdint>

namespace fathom {

// The feature of a triangle that a point lies on. Edge k joins corner k and corner (k + 1) mod 3.
enum class TriangleFeature : std::uint8_t { corner_0, corner_1, corner_2, edge_0, edge_1, edge_2, face };

struct ClosestOnSegment {
    Vec3 point;
    double fraction; // in [0,1] from start to end; 0 for a segment of length 0
    double squared_distance;
};
[[nodiscard]] ClosestOnSegment closest_point(const Vec3& p, const Segment& segment);

struct ClosestOnTriangle {
    Vec3 point;
    Vec3 barycentric; // weights of the corners: not negative, sum 1, exactly 0 for corners outside the feature
    double squared_distance;
    TriangleFeature feature;
};
[[nodiscard]] ClosestOnTriangle closest_point(const Vec3& p, const std::array<Vec3, 3>& triangle);

struct ClosestOnTetrahedron {
    Vec3 point;                        // p itself if it is inside
    std::array<double, 4> barycentric; // weights of the corners for `point`: not negative, sum 1
    double squared_distance;           // 0 inside
    bool inside;                       // exact; false for a flat tetrahedron
};
[[nodiscard]] ClosestOnTetrahedron closest_point(const Vec3& p, const std::array<Vec3, 4>& tetrahedron);

// Closest points of two shapes, and their distance. Swapping the shapes swaps the points, bit for bit.
struct ClosestPair {
    Vec3 point_a;
    Vec3 point_b;
    double squared_distance;
};
struct ClosestOnSegments : ClosestPair {
    double fraction_a; // parameter of point_a on a
    double fraction_b;
};
// Parallel segments: the first of the closest pairs, with end points of the segments before interior points.
[[nodiscard]] ClosestOnSegments closest_points(const Segment& a, const Segment& b);

// If the shapes intersect (decided exactly), the distance is 0 and both points are the same common point: the middle of
// the common segment.
[[nodiscard]] ClosestPair closest_points(const Segment& a, const std::array<Vec3, 3>& b);
[[nodiscard]] ClosestPair closest_points(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

// A point of a triangle as weights of its corners.

// Barycentric weights of the point of the triangle's plane closest to `point`; negative weights are set to 0 and the
// sum is normalised to 1. A third each if the triangle has no area.
[[nodiscard]] inline Vec3 triangle_shares(const std::array<Vec3, 3>& corners, const Vec3& point) {
    const Vec3 e = corners[1] - corners[0], f = corners[2] - corners[0], d = point - corners[0];
    const double ee = e.dot(e), ef = e.dot(f), ff = f.dot(f), de = d.dot(e), df = d.dot(f), det = ee * ff - ef * ef;
    if (!(det > 0)) return Vec3::Constant(1.0 / 3);
    const double s = (ff * de - ef * df) / det, t = (ee * df - ef * de) / det;
    const Vec3 shares = Vec3(1 - s - t, s, t).cwiseMax(0);
    return shares / shares.sum();
}

} // namespace fathom
