// Helpers shared by the generators: argument checks, points on circles, the icosphere, noise.
// They use correctly rounded operations only, so the shapes have the same bytes on every platform.
#pragma once

#include <fathom/geometry/generate/generate.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

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

// ---- Kuhn's subdivision of a cube into six tetrahedra, one for each permutation of the axes along an edge path from
// (0,0,0) to (1,1,1). Neighbouring cubes agree on their common face.

using LatticeIndex = std::array<std::size_t, 3>;

struct KuhnWalk {
    std::array<std::size_t, 3> axes;
    bool even; // parity of the permutation; an odd one gives a tetrahedron of negative volume
};

inline constexpr std::array<KuhnWalk, 6> kuhn_walks = {{{{0, 1, 2}, true},
                                                        {{1, 2, 0}, true},
                                                        {{2, 0, 1}, true},
                                                        {{0, 2, 1}, false},
                                                        {{1, 0, 2}, false},
                                                        {{2, 1, 0}, false}}};

// The corners along the path through the cube whose lowest corner is `cell`, ordered for positive volume.
[[nodiscard]] constexpr std::array<LatticeIndex, 4> corners_of(const LatticeIndex& cell, const KuhnWalk& walk) {
    std::array<LatticeIndex, 4> corners{cell, cell, cell, cell};
    for (std::size_t k = 0; k < 3; ++k) {
        corners[k + 1] = corners[k];
        ++corners[k + 1][walk.axes[k]];
    }
    if (!walk.even) std::swap(corners[1], corners[2]);
    return corners;
}

// ---- Building blocks of surfaces of revolution: profiles of lines and arcs, and the vertex rings of the generated
// mesh.

// The vertices of one profile point: `count` consecutive vertices from `first` on, around the axis from +x towards +y.
// A pole has one vertex.
struct Ring {
    Index first;
    std::size_t count;

    [[nodiscard]] Index vertex(std::size_t k) const { return first + static_cast<Index>(k % count); }
};

// Returns the same surface as lathe(profile, options), and the ring of each profile point in `rings`.
[[nodiscard]] TriangleMesh lathe(std::span<const Vec2> profile, const LatheOptions& options, std::vector<Ring>& rings);

// A profile sampled at distances of about `edge` (m). Its corners are always included.
class Profile {
public:
    Profile(const Vec2& start, double edge) : edge_(edge) { points_.push_back(start); }

    Profile& line_to(const Vec2& end);

    // Adds an arc around `center` from the last point. The angles are in hundredths of a full turn, >= 0, measured from
    // the direction of increasing radius towards +z.
    Profile& arc(const Vec2& center, double radius, int from, int to);

    Profile& end_on_axis(); // sets the radius of the last point to exactly 0, which removes rounding errors

    [[nodiscard]] const std::vector<Vec2>& points() const { return points_; }

private:
    double edge_;
    std::vector<Vec2> points_;
};

// Length of one edge of a circle of `segments` edges (m).
[[nodiscard]] double edge_around(double radius, std::size_t segments);

// Throws Error{too_large} before any work if a surface of this area with edges of length `edge` has too many triangles.
void check_area(std::string_view shape, double area, double edge);

} // namespace fathom
