// Room: detect. Where the value of one trilinear cell is at most a level, along a straight piece: all of it, no root missed.
// Method: along a line a trilinear function is a cubic, and its Bernstein coefficients are means of the function at the corners
// of the box that the piece spans (the polar form): convex combinations, so rounding stays at a few units in the last place.
// Coefficients on one side decide a piece at once, one change of sign means one root (Descartes), anything else is halved.
#pragma once

#include <fathom/base/vec.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {

// Of the value minus the level, over a piece whose parameter runs in [0,1].
struct CellCubic {
    std::array<double, 4> b; // Bernstein coefficients
    double largest;          // |corner value - level| of the cell

    // What rounding can do to the coefficients and all that is made of them, with room to spare.
    [[nodiscard]] double rounding() const { return 0x1p-46 * largest; }
};

// `values` as in GridCell; `from` and `to` in [0,1]^3.
// Inlined so that it is compiled for the SIMD target of its caller.
[[nodiscard, gnu::always_inline]] inline CellCubic cell_cubic(const std::array<double, 8>& values, double level, const Vec3& from, const Vec3& to) {
    const auto lerp = [](double a, double b, double t) { return a + t * (b - a); };
    CellCubic cubic{};
    std::array<double, 8> x; // by y, z (corners) and then the end of the piece along x
    for (std::size_t k = 0; k < 4; ++k) {
        const double low = values[2 * k] - level, high = values[2 * k + 1] - level;
        cubic.largest = std::max(cubic.largest, std::max(std::abs(low), std::abs(high)));
        x[k] = lerp(low, high, from[0]);
        x[k + 4] = lerp(low, high, to[0]);
    }
    std::array<double, 8> y; // by z (corners), the end along x (bit 1) and along y (bit 2)
    for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t at = (k & 1) * 2 + (k >> 1) * 4;
        y[k] = lerp(x[at], x[at + 1], from[1]);
        y[k + 4] = lerp(x[at], x[at + 1], to[1]);
    }
    std::array<double, 8> z; // by the ends along x, y, z
    for (std::size_t k = 0; k < 4; ++k) {
        z[k] = lerp(y[2 * k], y[2 * k + 1], from[2]);
        z[k + 4] = lerp(y[2 * k], y[2 * k + 1], to[2]);
    }
    cubic.b = {z[0], (z[1] + z[2] + z[4]) * (1.0 / 3), (z[3] + z[5] + z[6]) * (1.0 / 3), z[7]};
    return cubic;
}

// The sub-intervals of [0,1] that were found; a cubic has no more than two.
struct CellContacts {
    std::array<std::array<double, 2>, 2> spans;
    int count = 0;
};

// With `slack` >= cubic.rounding(): every parameter where the exact cubic is <= 0 is in the answer, and at every parameter of the
// answer it is <= 3 * slack. Touching counts. At most a few hundred operations, mostly under a hundred.
[[nodiscard]] CellContacts cell_contacts(const CellCubic& cubic, double slack);

// The start of the first of those intervals; above 1 where there is none.
[[nodiscard]] double first_cell_contact(const CellCubic& cubic, double slack);

} // namespace fathom
