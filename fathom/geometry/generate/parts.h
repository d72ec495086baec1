// Helpers shared by the generators: argument checks, points on circles, the icosphere, noise.
// They use correctly rounded operations only, so the shapes have the same bytes on every platform.
#pragma once

#include <fathom/geometry/generate/generate.h>

#include <string_view>

namespace fathom {

// These throw Error{invalid_argument}, which names the option and the range, and Error{too_large} above
// max_generated_elements.
void check_number(std::string_view option, double value, double minimum, double maximum);
void check_length(std::string_view option, double value);
void check_count(std::string_view option, std::size_t value, std::size_t minimum, std::size_t maximum);
void check_total(std::string_view shape, double elements);

// (cos, sin) of the angle 2 pi k/n, exactly symmetric in the eight octants. n > 0.
[[nodiscard]] Vec2 unit_circle(std::size_t k, std::size_t n);

// Number of pieces of length about `edge` that a length is divided into; at least `minimum`.
[[nodiscard]] std::size_t pieces(double length, double edge, std::size_t minimum = 1);

// Appends the two triangles of the quadrilateral a, b, c, d (counter-clockwise), split along a-c, or along b-d if
// `other` is true.
void add_quad(std::vector<Triangle>& triangles, Index a, Index b, Index c, Index d, bool other = false);

// The unit sphere: an icosahedron with corners at +z and -z whose edges are divided into `resolution` pieces.
[[nodiscard]] TriangleMesh unit_icosphere(std::size_t resolution);

// The icosahedron itself: 12 unit corners, the first at +z and the last at -z, 20 outward faces.
[[nodiscard]] TriangleMesh unit_icosahedron();

// Smooth noise in about [-1, 1] (Perlin 2002 on a hashed unit lattice): C2 and zero at the lattice points.
[[nodiscard]] double lattice_noise(const Vec3& p, std::uint64_t seed);

} // namespace fathom
