// What the generators share: checks of their arguments, points on circles, the icosphere.
// Only correctly rounded operations are used, so the shapes have the same bytes on every platform.
#pragma once

#include <fathom/geometry/generate/generate.h>

#include <string_view>

namespace fathom {

// Throw Error{invalid_argument} that names the option and the range, Error{too_large} past max_generated_elements.
void check_number(std::string_view option, double value, double minimum, double maximum);
void check_length(std::string_view option, double value);
void check_count(std::string_view option, std::size_t value, std::size_t minimum, std::size_t maximum);
void check_total(std::string_view shape, double elements);

// (cos, sin) of k/n of a full turn, exactly symmetric in the eight octants. n > 0.
[[nodiscard]] Vec2 unit_circle(std::size_t k, std::size_t n);

// How many pieces of about `edge` a length is cut into, at least `minimum`.
[[nodiscard]] std::size_t pieces(double length, double edge, std::size_t minimum = 1);

// The two triangles of the quadrilateral a, b, c, d (counter-clockwise), cut along a-c, or along b-d where `other`.
void add_quad(std::vector<Triangle>& triangles, Index a, Index b, Index c, Index d, bool other = false);

// The unit sphere: an icosahedron with corners at +z and -z whose edges are cut into `resolution` pieces.
[[nodiscard]] TriangleMesh unit_icosphere(std::size_t resolution);

// The icosahedron itself: 12 unit corners, the first at +z and the last at -z, 20 outward faces.
[[nodiscard]] TriangleMesh unit_icosahedron();

// Smooth noise in about [-1, 1] (Perlin 2002 on a hashed lattice), C2, zero at lattice points, unit lattice. Seeded.
[[nodiscard]] double lattice_noise(const Vec3& p, std::uint64_t seed);

} // namespace fathom
