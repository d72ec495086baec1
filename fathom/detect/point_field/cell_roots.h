// Contact intervals of a straight piece of a path in one trilinear cell: all parameters at which the value is at most a
// level; no root is missed.
// Method: along a line a trilinear function is a cubic. Its Bernstein coefficients are means of the function at the
// corners of the box that the piece spans (the polar form): convex combinations, so the rounding error is a few units
// in the last place. Coefficients of one sign decide a piece at once, one change of sign means one root (Descartes),
// and other pieces are halved.
#pragma once

#include <fathom/base/rounding.h>
#include <fathom/base/vec.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom::point_field {

// The cubic of the value minus the level over a piece whose parameter runs in [0, 1].
struct CellCubic {
    std::array<double, 4> b; // Bernstein coefficients
    double largest;          // maximum of |corner value - level| of the cell

    // Generous bound on the rounding error of the coefficients and of values computed from them.
    [[nodiscard]] double rounding() const { return rounding_error(128) * largest; }
};

// `values` as in GridCell; `from` and `to` in [0, 1]^3. Inlined so that it is compiled for the SIMD target of its
// caller.
[[nodiscard, gnu::always_inline]] inline CellCubic cell_cubic(const std::array<double, 8>& values, double level,
                                                              const Vec3& from, const Vec3& to) {
    const auto lerp = [](double a, double b, double t) { return a + t * (b - a); };
    CellCubic cubic{};
    std::array<double, 8> x; // by corner along y and z, then by end of the piece along x
    for (std::size_t k = 0; k < 4; ++k) {
        const double low = values[2 * k] - level, high = values[2 * k + 1] - level;
        cubic.largest = std::max(cubic.largest, std::max(std::abs(low), std::abs(high)));
        x[k] = lerp(low, high, from[0]);
        x[k + 4] = lerp(low, high, to[0]);
    }
    std::array<double, 8> y; // by corner along z, end along x (bit 1) and end along y (bit 2)
    for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t at = (k & 1) * 2 + (k >> 1) * 4;
        y[k] = lerp(x[at], x[at + 1], from[1]);
        y[k + 4] = lerp(x[at], x[at + 1], to[1]);
    }
    std::array<double, 8> z; // by ends along x, y, z
    for (std::size_t k = 0; k < 4; ++k) {
        z[k] = lerp(y[2 * k], y[2 * k + 1], from[2]);
        z[k + 4] = lerp(y[2 * k], y[2 * k + 1], to[2]);
    }
    cubic.b = {z[0], (z[1] + z[2] + z[4]) * (1.0 / 3), (z[3] + z[5] + z[6]) * (1.0 / 3), z[7]};
    return cubic;
}

// The contact intervals in [0, 1]; a cubic has at most two.
struct CellContacts {
    std::array<std::array<double, 2>, 2> spans;
    int count = 0;
};

namespace detail {

using Bernstein = std::array<double, 4>;

// For a cubic that falls from above 0 to 0 or below through one root: a parameter at or before the root with a value of
// at most `window`.
[[nodiscard, gnu::always_inline]] inline double fall(const Bernstein& c, double window) {
    const double a1 = 3 * (c[1] - c[0]), a2 = 3 * (c[2] - 2 * c[1] + c[0]), a3 = (c[3] - c[0]) - 3 * (c[2] - c[1]);
    double low = 0, high = 1, x = c[0] / (c[0] - c[3]);
    if (c[0] <= window) return 0;
    for (int k = 0; k < 100; ++k) {
        const double value = ((a3 * x + a2) * x + a1) * x + c[0];
        if (value > 0 && value <= window) return x;
        (value > 0 ? low : high) = x;
        const double slope = (3 * a3 * x + 2 * a2) * x + a1;
        x -= (value - 0.5 * window) / slope;
        if (!(x > low && x < high)) x = 0.5 * (low + high);
        if (!(x > low && x < high)) break; // adjacent doubles
    }
    return low;
}

// Bit k: coefficient k is <= 0.
[[nodiscard, gnu::always_inline]] inline unsigned contact_bits(const Bernstein& c) {
    return static_cast<unsigned>(c[0] <= 0) | static_cast<unsigned>(c[1] <= 0) << 1 |
           static_cast<unsigned>(c[2] <= 0) << 2 | static_cast<unsigned>(c[3] <= 0) << 3;
}

// Whether adjacent bits differ exactly once.
[[nodiscard]] constexpr bool one_change(unsigned bits) {
    const unsigned changes = (bits ^ (bits >> 1)) & 7;
    return changes == 1 || changes == 2 || changes == 4;
}

[[nodiscard]] double first_of_halves(const Bernstein& c, double window);
void all_of(const Bernstein& c, double window, double start, double width, int depth, CellContacts& out);

} // namespace detail

// Signs of the coefficients and the root after three Newton steps, computed without branches; most pieces need no more.
// It is computed in advance for many pieces in a row.
struct CellAnalysis {
    detail::Bernstein c; // coefficients minus the slack
    unsigned bits;       // detail::contact_bits()
    double root;         // if c changes sign once: the root, measured from the end that is not in contact
    double value;        // of the cubic at `root`

    // Coefficient k is number k ^ turn() from the end that is not in contact.
    [[nodiscard]] std::size_t turn() const { return 3 * (bits & 1); }
};

// Everything except the root.
[[nodiscard, gnu::always_inline]] inline CellAnalysis signs_of(const CellCubic& cubic, double slack) {
    const auto& b = cubic.b;
    CellAnalysis analysis{{b[0] - slack, b[1] - slack, b[2] - slack, b[3] - slack}, 0, 0, 0};
    analysis.bits = detail::contact_bits(analysis.c);
    return analysis;
}

// Three Newton steps from the secant towards the value `aim`, for many cubics: a loop that the compiler vectorizes.
// Coefficient j of cubic k is c[j][k]; coefficient 0 belongs to the end that is not in contact.
[[gnu::always_inline]] inline void newton(const std::array<const double*, 4>& c, const double* __restrict aim,
                                          std::size_t count, double* __restrict root, double* __restrict value) {
    const double* __restrict c0 = c[0], * __restrict c1 = c[1], * __restrict c2 = c[2], * __restrict c3 = c[3];
    for (std::size_t k = 0; k < count; ++k) {
        const double a1 = 3 * (c1[k] - c0[k]), a2 = 3 * (c2[k] - 2 * c1[k] + c0[k]),
                     a3 = (c3[k] - c0[k]) - 3 * (c2[k] - c1[k]);
        double x = c0[k] / (c0[k] - c3[k]), v = ((a3 * x + a2) * x + a1) * x + c0[k];
        for (int step = 0; step < 3; ++step) {
            x -= (v - aim[k]) / ((3 * a3 * x + 2 * a2) * x + a1);
            v = ((a3 * x + a2) * x + a1) * x + c0[k];
        }
        root[k] = x;
        value[k] = v;
    }
}

[[nodiscard, gnu::always_inline]] inline CellAnalysis analyze(const CellCubic& cubic, double slack) {
    CellAnalysis analysis = signs_of(cubic, slack);
    const std::size_t turn = analysis.turn();
    const double aim = 0.5 * slack;
    newton({&analysis.c[turn], &analysis.c[1 ^ turn], &analysis.c[2 ^ turn], &analysis.c[3 ^ turn]}, &aim, 1,
           &analysis.root, &analysis.value);
    return analysis;
}

namespace detail {

// Any parameter with a value in (0, slack] is accepted: before the only root, all values are above 0.
[[nodiscard, gnu::always_inline]] inline double root_of(const CellAnalysis& analysis, double slack) {
    if (analysis.value > 0 && analysis.value <= slack && analysis.root >= 0 && analysis.root <= 1) return analysis.root;
    const std::size_t turn = analysis.turn();
    return fall({analysis.c[turn], analysis.c[1 ^ turn], analysis.c[2 ^ turn], analysis.c[3 ^ turn]}, slack);
}

} // namespace detail

// With `slack` >= cubic.rounding(): the result contains every parameter where the exact cubic is <= 0, and the cubic is
// <= 3 * slack at every parameter of the result. Touching counts. Cost: usually below a hundred operations, at most a
// few hundred.
[[nodiscard, gnu::always_inline]] inline CellContacts cell_contacts(const CellAnalysis& analysis, double slack) {
    CellContacts out;
    if (analysis.bits == 0) return out;
    if (analysis.bits == 15) return {{{{0, 1}, {}}}, 1};
    if (!detail::one_change(analysis.bits)) {
        detail::all_of(analysis.c, slack, 0, 1, 0, out);
        return out;
    }
    const double root = detail::root_of(analysis, slack);
    const bool rises = analysis.bits & 1;
    out.spans[0] = {rises ? 0 : root, rises ? 1 - root : 1};
    out.count = 1;
    return out;
}
[[nodiscard]] inline CellContacts cell_contacts(const CellCubic& cubic, double slack) {
    return cell_contacts(analyze(cubic, slack), slack);
}

// The start of the first of these intervals; above 1 if there is none.
[[nodiscard, gnu::always_inline]] inline double first_cell_contact(const CellAnalysis& analysis, double slack) {
    if (analysis.bits == 0) return 2;
    if (analysis.bits & 1) return 0;
    return detail::one_change(analysis.bits) ? detail::root_of(analysis, slack)
                                             : detail::first_of_halves(analysis.c, slack);
}
[[nodiscard]] inline double first_cell_contact(const CellCubic& cubic, double slack) {
    return first_cell_contact(analyze(cubic, slack), slack);
}

} // namespace fathom::point_field
