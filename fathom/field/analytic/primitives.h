// Shapes by formula, one function each: auto f = smooth_union(sphere(1), box({1, 2, 3}), 0.2);
// Names live in fathom::shapes. Centred on the origin; what has an axis stands along z. Sizes and heights are whole,
// not halves. Metres, radians. Exact distances inside and outside unless said otherwise; Formula::distance_kind()
// tells. Numbers are checked: Error{invalid_argument} names the shape, the number and its range.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/analytic/analytic_expression.h>

#include <span>

namespace fathom::shapes {

// ---- Solids
[[nodiscard]] Formula sphere(double radius);
[[nodiscard]] Formula box(const Vec3& size);
[[nodiscard]] Formula rounded_box(const Vec3& size, double radius);  // outer size
[[nodiscard]] Formula box_frame(const Vec3& size, double thickness); // the edges of a box as bars; exact outside
[[nodiscard]] Formula ellipsoid(const Vec3& radii);                  // lower bound on the distance
[[nodiscard]] Formula torus(double radius, double tube); // inside exact while tube <= radius, also those below
[[nodiscard]] Formula capped_torus(double angle, double radius,
                                   double tube); // round ends, `angle` to either side of +x
[[nodiscard]] Formula link(double length, double radius,
                           double tube); // of a chain along z; `length` of its straight part
[[nodiscard]] Formula cylinder(double radius, double height);
[[nodiscard]] Formula infinite_cylinder(double radius);
[[nodiscard]] Formula cone(double radius, double height); // tip up, origin halfway up
[[nodiscard]] Formula infinite_cone(double angle);        // half angle; tip in the origin, opens downward
[[nodiscard]] Formula capped_cone(double bottom_radius, double top_radius, double height);
[[nodiscard]] Formula rounded_cone(double bottom_radius, double top_radius,
                                   double height); // height between the balls' centres
[[nodiscard]] Formula capsule(const Vec3& a, const Vec3& b, double radius);
[[nodiscard]] Formula hexagonal_prism(double radius, double height); // radius to the corners, one of them on +x
[[nodiscard]] Formula triangular_prism(double radius, double height);
[[nodiscard]] Formula octahedron(double radius);
[[nodiscard]] Formula pyramid(double size, double height); // square base, origin halfway up
[[nodiscard]] Formula heart();                             // paper 2, equation 7: 30 m wide, no distance at all

// ---- Half space and sheets without thickness (distances >= 0; round() thickens them)
[[nodiscard]] Formula plane(const Vec3& normal, double offset); // inside where normal . p / |normal| <= offset
[[nodiscard]] Formula disk(double radius);
[[nodiscard]] Formula triangle(const Vec3& a, const Vec3& b, const Vec3& c);
[[nodiscard]] Formula quad(const Vec3& a, const Vec3& b, const Vec3& c,
                           const Vec3& d); // flat and convex, corners in order

// ---- Profiles in the x-y plane, and solids of them
[[nodiscard]] Formula circle(double radius);
[[nodiscard]] Formula rectangle(const Vec2& size);
[[nodiscard]] Formula
polygon(std::span<const Vec2> corners); // inside by the even-odd rule; edges must not lie on one another
[[nodiscard]] Formula regular_polygon(int sides, double radius); // radius to the corners, one of them on +x
[[nodiscard]] Formula star(int points, double radius, double inner_radius);
[[nodiscard]] Formula translate2(const Vec2& move, const Formula& profile);
[[nodiscard]] Formula rotate2(double angle, const Formula& profile);
[[nodiscard]] Formula extrude(double height, const Formula& profile);
[[nodiscard]] Formula infinite_extrude(const Formula& profile);
[[nodiscard]] Formula revolve(double offset, const Formula& profile); // the profile's x = -offset becomes the z axis

// ---- Combinations; they take profiles too. A union is exact outside, an intersection or difference exact inside.
[[nodiscard]] Formula union_of(std::vector<Formula> shapes);
[[nodiscard]] Formula union_of(const Formula& a, const Formula& b);
[[nodiscard]] Formula intersection(const Formula& a, const Formula& b);
[[nodiscard]] Formula intersection_of(std::vector<Formula> shapes);
[[nodiscard]] Formula difference(const Formula& a, const Formula& b);
[[nodiscard]] Formula complement(const Formula& shape);
// Blended where the two differ by less than `width`; a union swells by at most width / 4. Lower bounds.
[[nodiscard]] Formula smooth_union(const Formula& a, const Formula& b, double width);
[[nodiscard]] Formula smooth_intersection(const Formula& a, const Formula& b, double width);
[[nodiscard]] Formula smooth_difference(const Formula& a, const Formula& b, double width);

// ---- Placement; distances stay what they were
[[nodiscard]] Formula transform(const Pose& pose, const Formula& shape);
[[nodiscard]] Formula translate(const Vec3& move, const Formula& shape);
[[nodiscard]] Formula rotate(double angle, const Vec3& axis, const Formula& shape);
[[nodiscard]] Formula scale(double factor, const Formula& shape);
// What lies on the normal's side of the plane through the origin, and its mirror image.
[[nodiscard]] Formula mirror(const Vec3& normal, const Formula& shape);
// Copies at multiples of `spacing`; 0 does not repeat along that axis. The shape must fit into its cell and, unless it
// is symmetric there, be exact outside. The limited form has `count` copies along each axis, centred.
[[nodiscard]] Formula repeat(const Vec3& spacing, const Formula& shape);
[[nodiscard]] Formula repeat_limited(const Vec3& spacing, const Eigen::Vector3i& count, const Formula& shape);
[[nodiscard]] Formula repeat_mirrored(const Vec3& spacing,
                                      const Formula& shape); // any shape; every second cell a mirror image

// ---- Deformation
// Turns (x, y) by rate * z, or by rate * x, within `radius` of the z axis; beyond is cut off. No distances: lipschitz()
// is the child's times (s + sqrt(s^2 + 4)) / 2, or times 1 + s, with s = |rate| * radius.
[[nodiscard]] Formula twist(double rate, double radius, const Formula& shape);
[[nodiscard]] Formula bend(double rate, double radius, const Formula& shape);
[[nodiscard]] Formula elongate(const Vec3& length, const Formula& shape); // cut in the middle and pulled apart
[[nodiscard]] Formula shell(double thickness,
                            const Formula& shape);                // "onion": a wall with the old surface in its middle
[[nodiscard]] Formula round(double radius, const Formula& shape); // grown by a ball

} // namespace fathom::shapes
