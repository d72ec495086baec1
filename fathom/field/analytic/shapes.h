// Room: field. Shapes by formula, one function each: auto f = smooth_union(sphere(1), box({1, 2, 3}), 0.2);
// Names live in fathom::shapes. Centred on the origin; what has an axis stands along z. Sizes and heights are whole, not
// halves. Metres, radians. Exact distances inside and outside unless said otherwise; Shape::distance_kind() tells.
// Numbers are checked: Error{invalid_argument} names the shape, the number and its range.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/analytic/shape.h>

#include <span>

namespace fathom::shapes {

// ---- Solids
[[nodiscard]] Shape sphere(double radius);
[[nodiscard]] Shape box(const Vec3& size);
[[nodiscard]] Shape rounded_box(const Vec3& size, double radius); // outer size
[[nodiscard]] Shape box_frame(const Vec3& size, double thickness); // the edges of a box as bars; exact outside
[[nodiscard]] Shape ellipsoid(const Vec3& radii);                 // lower bound on the distance
[[nodiscard]] Shape torus(double radius, double tube);            // inside exact while tube <= radius, also those below
[[nodiscard]] Shape capped_torus(double angle, double radius, double tube); // round ends, `angle` to either side of +x
[[nodiscard]] Shape link(double length, double radius, double tube); // of a chain along z; `length` of its straight part
[[nodiscard]] Shape cylinder(double radius, double height);
[[nodiscard]] Shape infinite_cylinder(double radius);
[[nodiscard]] Shape cone(double radius, double height);           // tip up, origin halfway up
[[nodiscard]] Shape infinite_cone(double angle);                  // half angle; tip in the origin, opens downward
[[nodiscard]] Shape capped_cone(double bottom_radius, double top_radius, double height);
[[nodiscard]] Shape rounded_cone(double bottom_radius, double top_radius, double height); // height between the balls' centres
[[nodiscard]] Shape capsule(const Vec3& a, const Vec3& b, double radius);
[[nodiscard]] Shape hexagonal_prism(double radius, double height);  // radius to the corners, one of them on +x
[[nodiscard]] Shape triangular_prism(double radius, double height);
[[nodiscard]] Shape octahedron(double radius);
[[nodiscard]] Shape pyramid(double size, double height);          // square base, origin halfway up
[[nodiscard]] Shape heart();                                      // paper 2, equation 7: 30 m wide, no distance at all

// ---- Half space and sheets without thickness (distances >= 0; round() thickens them)
[[nodiscard]] Shape plane(const Vec3& normal, double offset);     // inside where normal . p / |normal| <= offset
[[nodiscard]] Shape disk(double radius);
[[nodiscard]] Shape triangle(const Vec3& a, const Vec3& b, const Vec3& c);
[[nodiscard]] Shape quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d); // flat and convex, corners in order

// ---- Profiles in the x-y plane, and solids of them
[[nodiscard]] Shape circle(double radius);
[[nodiscard]] Shape rectangle(const Vec2& size);
[[nodiscard]] Shape polygon(std::span<const Vec2> corners);       // inside by the even-odd rule; edges must not lie on one another
[[nodiscard]] Shape regular_polygon(int sides, double radius);    // radius to the corners, one of them on +x
[[nodiscard]] Shape star(int points, double radius, double inner_radius);
[[nodiscard]] Shape translate2(const Vec2& move, const Shape& profile);
[[nodiscard]] Shape rotate2(double angle, const Shape& profile);
[[nodiscard]] Shape extrude(double height, const Shape& profile);
[[nodiscard]] Shape infinite_extrude(const Shape& profile);
[[nodiscard]] Shape revolve(double offset, const Shape& profile); // the profile's x = -offset becomes the z axis

// ---- Combinations; they take profiles too. A union is exact outside, an intersection or difference exact inside.
[[nodiscard]] Shape union_of(std::vector<Shape> shapes);
[[nodiscard]] Shape union_of(const Shape& a, const Shape& b);
[[nodiscard]] Shape intersection(const Shape& a, const Shape& b);
[[nodiscard]] Shape intersection_of(std::vector<Shape> shapes);
[[nodiscard]] Shape difference(const Shape& a, const Shape& b);
[[nodiscard]] Shape complement(const Shape& shape);
// Blended where the two differ by less than `width`; a union swells by at most width / 4. Lower bounds.
[[nodiscard]] Shape smooth_union(const Shape& a, const Shape& b, double width);
[[nodiscard]] Shape smooth_intersection(const Shape& a, const Shape& b, double width);
[[nodiscard]] Shape smooth_difference(const Shape& a, const Shape& b, double width);

// ---- Placement; distances stay what they were
[[nodiscard]] Shape transform(const Pose& pose, const Shape& shape);
[[nodiscard]] Shape translate(const Vec3& move, const Shape& shape);
[[nodiscard]] Shape rotate(double angle, const Vec3& axis, const Shape& shape);
[[nodiscard]] Shape scale(double factor, const Shape& shape);
// What lies on the normal's side of the plane through the origin, and its mirror image.
[[nodiscard]] Shape mirror(const Vec3& normal, const Shape& shape);
// Copies at multiples of `spacing`; 0 does not repeat along that axis. The shape must fit into its cell and, unless it is
// symmetric there, be exact outside. The limited form has `count` copies along each axis, centred.
[[nodiscard]] Shape repeat(const Vec3& spacing, const Shape& shape);
[[nodiscard]] Shape repeat_limited(const Vec3& spacing, const Eigen::Vector3i& count, const Shape& shape);
[[nodiscard]] Shape repeat_mirrored(const Vec3& spacing, const Shape& shape); // any shape; every second cell a mirror image

// ---- Deformation
// Turns (x, y) by rate * z, or by rate * x, within `radius` of the z axis; beyond is cut off. No distances: lipschitz() is
// the child's times (s + sqrt(s^2 + 4)) / 2, or times 1 + s, with s = |rate| * radius.
[[nodiscard]] Shape twist(double rate, double radius, const Shape& shape);
[[nodiscard]] Shape bend(double rate, double radius, const Shape& shape);
[[nodiscard]] Shape elongate(const Vec3& length, const Shape& shape); // cut in the middle and pulled apart
[[nodiscard]] Shape shell(double thickness, const Shape& shape);      // "onion": a wall with the old surface in its middle
[[nodiscard]] Shape round(double radius, const Shape& shape);         // grown by a ball

} // namespace fathom::shapes
