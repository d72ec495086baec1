// Builder functions of analytic shapes, one each: auto f = smooth_union(sphere(1), box({1, 2, 3}), 0.2);
// All are in the namespace fathom::shapes. Shapes are centred on the origin, and an axis of symmetry is along z. Sizes
// and heights are full extents, not halves. Metres, radians. Distances are exact inside and outside unless stated
// otherwise; AnalyticExpression::distance_kind() returns the kind. Numbers are checked: Error{invalid_argument} names
// the shape, the number and its range.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/analytic/analytic_expression.h>

#include <span>

namespace fathom::shapes {

// ---- Solids
[[nodiscard]] AnalyticExpression sphere(double radius);
[[nodiscard]] AnalyticExpression box(const Vec3& size);
[[nodiscard]] AnalyticExpression rounded_box(const Vec3& size, double radius); // outer size
// The edges of a box as bars; exact outside.
[[nodiscard]] AnalyticExpression box_frame(const Vec3& size, double thickness);
[[nodiscard]] AnalyticExpression ellipsoid(const Vec3& radii); // lower bound on the distance
// Exact inside if tube <= radius; this also holds for the two shapes below.
[[nodiscard]] AnalyticExpression torus(double radius, double tube);
// Part of a torus with round ends, from -angle to +angle about +x.
[[nodiscard]] AnalyticExpression capped_torus(double angle, double radius, double tube);
// Link of a chain along z; `length` is that of its straight part.
[[nodiscard]] AnalyticExpression link(double length, double radius, double tube);
[[nodiscard]] AnalyticExpression cylinder(double radius, double height);
[[nodiscard]] AnalyticExpression infinite_cylinder(double radius);
[[nodiscard]] AnalyticExpression cone(double radius, double height); // tip up, origin at half height
[[nodiscard]] AnalyticExpression infinite_cone(double angle);        // half angle; tip at the origin, opens downward
[[nodiscard]] AnalyticExpression capped_cone(double bottom_radius, double top_radius, double height);
// `height` is the distance between the centres of the two end spheres.
[[nodiscard]] AnalyticExpression rounded_cone(double bottom_radius, double top_radius, double height);
[[nodiscard]] AnalyticExpression capsule(const Vec3& a, const Vec3& b, double radius);
// `radius` reaches to the corners, one of which is on +x.
[[nodiscard]] AnalyticExpression hexagonal_prism(double radius, double height);
[[nodiscard]] AnalyticExpression triangular_prism(double radius, double height);
[[nodiscard]] AnalyticExpression octahedron(double radius);
[[nodiscard]] AnalyticExpression pyramid(double size, double height); // square base, origin at half height
[[nodiscard]] AnalyticExpression heart(); // Liu et al. 2024, equation 7: 30 m wide, not a distance

// ---- Half-space, and sheets without thickness (distances >= 0; round() thickens them)
// Half-space; inside where normal . p / |normal| <= offset.
[[nodiscard]] AnalyticExpression plane(const Vec3& normal, double offset);
[[nodiscard]] AnalyticExpression disk(double radius);
[[nodiscard]] AnalyticExpression triangle(const Vec3& a, const Vec3& b, const Vec3& c);
// Planar and convex, corners in order.
[[nodiscard]] AnalyticExpression quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// ---- Profiles in the x-y plane, and solids made from them
[[nodiscard]] AnalyticExpression circle(double radius);
[[nodiscard]] AnalyticExpression rectangle(const Vec2& size);
// Inside by the even-odd rule; edges must not overlap.
[[nodiscard]] AnalyticExpression polygon(std::span<const Vec2> corners);
// `radius` reaches to the corners, one of which is on +x.
[[nodiscard]] AnalyticExpression regular_polygon(int sides, double radius);
[[nodiscard]] AnalyticExpression star(int points, double radius, double inner_radius);
[[nodiscard]] AnalyticExpression translate2(const Vec2& move, const AnalyticExpression& profile);
[[nodiscard]] AnalyticExpression rotate2(double angle, const AnalyticExpression& profile);
[[nodiscard]] AnalyticExpression extrude(double height, const AnalyticExpression& profile);
[[nodiscard]] AnalyticExpression infinite_extrude(const AnalyticExpression& profile);
// The line x = -offset of the profile becomes the z axis.
[[nodiscard]] AnalyticExpression revolve(double offset, const AnalyticExpression& profile);

// ---- Combinations; they also accept profiles. A union is exact outside, an intersection or difference exact inside.
[[nodiscard]] AnalyticExpression union_of(std::vector<AnalyticExpression> shapes);
[[nodiscard]] AnalyticExpression union_of(const AnalyticExpression& a, const AnalyticExpression& b);
[[nodiscard]] AnalyticExpression intersection(const AnalyticExpression& a, const AnalyticExpression& b);
[[nodiscard]] AnalyticExpression difference(const AnalyticExpression& a, const AnalyticExpression& b);
[[nodiscard]] AnalyticExpression complement(const AnalyticExpression& shape);
// Blended where the two values differ by less than `width`; a union swells by at most width / 4. The values are lower
// bounds.
[[nodiscard]] AnalyticExpression smooth_union(const AnalyticExpression& a, const AnalyticExpression& b, double width);
[[nodiscard]] AnalyticExpression smooth_intersection(const AnalyticExpression& a, const AnalyticExpression& b,
                                                     double width);
[[nodiscard]] AnalyticExpression smooth_difference(const AnalyticExpression& a, const AnalyticExpression& b,
                                                   double width);

// ---- Placement; the kind of distance does not change
[[nodiscard]] AnalyticExpression transform(const Pose& pose, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression translate(const Vec3& move, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression rotate(double angle, const Vec3& axis, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression scale(double factor, const AnalyticExpression& shape);
// The part of the shape on the normal's side of the plane through the origin, and its mirror image.
[[nodiscard]] AnalyticExpression mirror(const Vec3& normal, const AnalyticExpression& shape);
// Copies at multiples of `spacing`; 0 means no repetition along that axis. The shape must fit into its cell and, unless
// it is symmetric there, be exact outside. The limited form has `count` copies along each axis, centred.
[[nodiscard]] AnalyticExpression repeat(const Vec3& spacing, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression repeat_limited(const Vec3& spacing, const Eigen::Vector3i& count,
                                                const AnalyticExpression& shape);
// Accepts any shape; every second cell is a mirror image.
[[nodiscard]] AnalyticExpression repeat_mirrored(const Vec3& spacing, const AnalyticExpression& shape);

// ---- Deformation
// Rotates (x, y) by rate * z (twist) or by rate * x (bend) within `radius` of the z axis; the rest is cut off. The
// values are not distances: lipschitz() is the child's times (s + sqrt(s^2 + 4)) / 2, or times 1 + s, with s = |rate| *
// radius.
[[nodiscard]] AnalyticExpression twist(double rate, double radius, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression bend(double rate, double radius, const AnalyticExpression& shape);
// The shape is cut in the middle and pulled apart.
[[nodiscard]] AnalyticExpression elongate(const Vec3& length, const AnalyticExpression& shape);
// "Onion": a wall with the original surface in its middle.
[[nodiscard]] AnalyticExpression shell(double thickness, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression round(double radius, const AnalyticExpression& shape); // grown by a sphere

} // namespace fathom::shapes
