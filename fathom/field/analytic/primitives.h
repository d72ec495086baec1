// Shapes by formula, one function each: auto f = smooth_union(sphere(1), box({1, 2, 3}), 0.2);
// Names live in fathom::shapes. Centred on the origin; what has an axis stands along z. Sizes and heights are whole,
// not halves. Metres, radians. Exact distances inside and outside unless said otherwise;
// AnalyticExpression::distance_kind() tells. Numbers are checked: Error{invalid_argument} names the shape, the number
// and its range.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/analytic/analytic_expression.h>

#include <span>

namespace fathom::shapes {

// ---- Solids
[[nodiscard]] AnalyticExpression sphere(double radius);
[[nodiscard]] AnalyticExpression box(const Vec3& size);
[[nodiscard]] AnalyticExpression rounded_box(const Vec3& size, double radius); // outer size
[[nodiscard]] AnalyticExpression box_frame(const Vec3& size,
                                           double thickness);  // the edges of a box as bars; exact outside
[[nodiscard]] AnalyticExpression ellipsoid(const Vec3& radii); // lower bound on the distance
[[nodiscard]] AnalyticExpression torus(double radius,
                                       double tube); // inside exact while tube <= radius, also those below
[[nodiscard]] AnalyticExpression capped_torus(double angle, double radius,
                                              double tube); // round ends, `angle` to either side of +x
[[nodiscard]] AnalyticExpression link(double length, double radius,
                                      double tube); // of a chain along z; `length` of its straight part
[[nodiscard]] AnalyticExpression cylinder(double radius, double height);
[[nodiscard]] AnalyticExpression infinite_cylinder(double radius);
[[nodiscard]] AnalyticExpression cone(double radius, double height); // tip up, origin halfway up
[[nodiscard]] AnalyticExpression infinite_cone(double angle);        // half angle; tip in the origin, opens downward
[[nodiscard]] AnalyticExpression capped_cone(double bottom_radius, double top_radius, double height);
[[nodiscard]] AnalyticExpression rounded_cone(double bottom_radius, double top_radius,
                                              double height); // height between the balls' centres
[[nodiscard]] AnalyticExpression capsule(const Vec3& a, const Vec3& b, double radius);
[[nodiscard]] AnalyticExpression hexagonal_prism(double radius,
                                                 double height); // radius to the corners, one of them on +x
[[nodiscard]] AnalyticExpression triangular_prism(double radius, double height);
[[nodiscard]] AnalyticExpression octahedron(double radius);
[[nodiscard]] AnalyticExpression pyramid(double size, double height); // square base, origin halfway up
[[nodiscard]] AnalyticExpression heart(); // paper 2, equation 7: 30 m wide, no distance at all

// ---- Half space and sheets without thickness (distances >= 0; round() thickens them)
[[nodiscard]] AnalyticExpression plane(const Vec3& normal,
                                       double offset); // inside where normal . p / |normal| <= offset
[[nodiscard]] AnalyticExpression disk(double radius);
[[nodiscard]] AnalyticExpression triangle(const Vec3& a, const Vec3& b, const Vec3& c);
[[nodiscard]] AnalyticExpression quad(const Vec3& a, const Vec3& b, const Vec3& c,
                                      const Vec3& d); // flat and convex, corners in order

// ---- Profiles in the x-y plane, and solids of them
[[nodiscard]] AnalyticExpression circle(double radius);
[[nodiscard]] AnalyticExpression rectangle(const Vec2& size);
[[nodiscard]] AnalyticExpression
polygon(std::span<const Vec2> corners); // inside by the even-odd rule; edges must not lie on one another
[[nodiscard]] AnalyticExpression regular_polygon(int sides, double radius); // radius to the corners, one of them on +x
[[nodiscard]] AnalyticExpression star(int points, double radius, double inner_radius);
[[nodiscard]] AnalyticExpression translate2(const Vec2& move, const AnalyticExpression& profile);
[[nodiscard]] AnalyticExpression rotate2(double angle, const AnalyticExpression& profile);
[[nodiscard]] AnalyticExpression extrude(double height, const AnalyticExpression& profile);
[[nodiscard]] AnalyticExpression infinite_extrude(const AnalyticExpression& profile);
[[nodiscard]] AnalyticExpression
revolve(double offset, const AnalyticExpression& profile); // the profile's x = -offset becomes the z axis

// ---- Combinations; they take profiles too. A union is exact outside, an intersection or difference exact inside.
[[nodiscard]] AnalyticExpression union_of(std::vector<AnalyticExpression> shapes);
[[nodiscard]] AnalyticExpression union_of(const AnalyticExpression& a, const AnalyticExpression& b);
[[nodiscard]] AnalyticExpression intersection(const AnalyticExpression& a, const AnalyticExpression& b);
[[nodiscard]] AnalyticExpression intersection_of(std::vector<AnalyticExpression> shapes);
[[nodiscard]] AnalyticExpression difference(const AnalyticExpression& a, const AnalyticExpression& b);
[[nodiscard]] AnalyticExpression complement(const AnalyticExpression& shape);
// Blended where the two differ by less than `width`; a union swells by at most width / 4. Lower bounds.
[[nodiscard]] AnalyticExpression smooth_union(const AnalyticExpression& a, const AnalyticExpression& b, double width);
[[nodiscard]] AnalyticExpression smooth_intersection(const AnalyticExpression& a, const AnalyticExpression& b,
                                                     double width);
[[nodiscard]] AnalyticExpression smooth_difference(const AnalyticExpression& a, const AnalyticExpression& b,
                                                   double width);

// ---- Placement; distances stay what they were
[[nodiscard]] AnalyticExpression transform(const Pose& pose, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression translate(const Vec3& move, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression rotate(double angle, const Vec3& axis, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression scale(double factor, const AnalyticExpression& shape);
// What lies on the normal's side of the plane through the origin, and its mirror image.
[[nodiscard]] AnalyticExpression mirror(const Vec3& normal, const AnalyticExpression& shape);
// Copies at multiples of `spacing`; 0 does not repeat along that axis. The shape must fit into its cell and, unless it
// is symmetric there, be exact outside. The limited form has `count` copies along each axis, centred.
[[nodiscard]] AnalyticExpression repeat(const Vec3& spacing, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression repeat_limited(const Vec3& spacing, const Eigen::Vector3i& count,
                                                const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression
repeat_mirrored(const Vec3& spacing,
                const AnalyticExpression& shape); // any shape; every second cell a mirror image

// ---- Deformation
// Turns (x, y) by rate * z, or by rate * x, within `radius` of the z axis; beyond is cut off. No distances: lipschitz()
// is the child's times (s + sqrt(s^2 + 4)) / 2, or times 1 + s, with s = |rate| * radius.
[[nodiscard]] AnalyticExpression twist(double rate, double radius, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression bend(double rate, double radius, const AnalyticExpression& shape);
[[nodiscard]] AnalyticExpression elongate(const Vec3& length,
                                          const AnalyticExpression& shape); // cut in the middle and pulled apart
[[nodiscard]] AnalyticExpression
shell(double thickness,
      const AnalyticExpression& shape); // "onion": a wall with the old surface in its middle
[[nodiscard]] AnalyticExpression round(double radius, const AnalyticExpression& shape); // grown by a ball

} // namespace fathom::shapes
