// Exact results for tests, computed independently of the library: convex hulls overlap if a linear program is feasible
// (simplex method, Bland's rule, integers throughout), and triangles are clipped in rational numbers.
#pragma once

#include <fathom/base/vec.h>

#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace fathom::testing {

__extension__ using Int128 = __int128;

inline void divide_exactly(mpz_class& x, const mpz_class& y) {
    mpz_divexact(x.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
}
inline void divide_exactly(Int128& x, const Int128& y) { x /= y; }

// Is there x >= 0 with matrix * x = right, for right >= 0? Phase one of the simplex method in the fraction-free form of
// Edmonds and Bareiss: every entry is a minor of the input, so divisions are exact; Bland's rule ends it.
template <class Number>
class Programme {
public:
    Programme(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), table_((rows + 1) * (columns + 1)), basis_(rows) {
        for (std::size_t i = 0; i < rows; ++i) basis_[i] = columns + i;
    }

    Number& at(std::size_t row, std::size_t column) { return table_[row * (columns_ + 1) + column]; }
    Number& right(std::size_t row) { return at(row, columns_); }

    bool feasible() {
        for (std::size_t j = 0; j <= columns_; ++j)
            for (std::size_t i = 0; i < rows_; ++i) at(rows_, j) += at(i, j);
        for (std::size_t column = entering(); column < columns_; column = entering()) pivot(leaving(column), column);
        return right(rows_) == 0;
    }

private:
    std::size_t entering() {
        std::size_t j = 0;
        while (j < columns_ && !(at(rows_, j) > 0)) ++j;
        return j;
    }

    std::size_t leaving(std::size_t column) {
        std::size_t best = rows_;
        for (std::size_t i = 0; i < rows_; ++i) {
            if (!(at(i, column) > 0)) continue;
            if (best == rows_) {
                best = i;
                continue;
            }
            left_ = right(i) * at(best, column);
            other_ = right(best) * at(i, column);
            if (left_ < other_ || (left_ == other_ && basis_[i] < basis_[best])) best = i;
        }
        return best;
    }

    void pivot(std::size_t row, std::size_t column) {
        const Number pivot = at(row, column);
        for (std::size_t i = 0; i <= rows_; ++i) {
            if (i == row) continue;
            const Number factor = at(i, column);
            for (std::size_t j = 0; j <= columns_; ++j) {
                Number& entry = at(i, j);
                entry *= pivot;
                left_ = factor * at(row, j);
                entry -= left_;
                divide_exactly(entry, previous_);
            }
        }
        basis_[row] = column; // artificial variables have no columns: once out they stay out
        previous_ = pivot;
    }

    std::size_t rows_;
    std::size_t columns_;
    std::vector<Number> table_;
    std::vector<std::size_t> basis_;
    Number previous_ = 1;
    Number left_ = 0;
    Number other_ = 0;
};

// Doubles as whole numbers of one unit, a power of two small enough for all of them.
struct WholeNumbers {
    std::vector<mpz_class> values;
    std::size_t bits = 0; // of the largest
};
inline WholeNumbers whole_numbers(std::span<const double> values) {
    int lowest = 1 << 20; // above every exponent
    for (const double x : values) {
        int exponent = 0;
        double fraction = std::frexp(x, &exponent);
        if (fraction == 0) continue;
        const auto digits = static_cast<std::int64_t>(std::ldexp(fraction, 53));
        lowest = std::min(lowest, exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(digits)));
    }
    WholeNumbers result;
    for (const double x : values) {
        int exponent = 0;
        const double fraction = std::frexp(x, &exponent);
        mpz_class number(std::ldexp(fraction, 53));
        const int shift = exponent - 53 - lowest;
        if (fraction != 0 && shift > 0) number <<= static_cast<mp_bitcnt_t>(shift);
        if (fraction != 0 && shift < 0) number >>= static_cast<mp_bitcnt_t>(-shift);
        result.bits = std::max(result.bits, mpz_sizeinbase(number.get_mpz_t(), 2));
        result.values.push_back(std::move(number));
    }
    return result;
}

inline WholeNumbers whole_numbers(std::span<const Vec3> a, std::span<const Vec3> b) {
    std::vector<double> values;
    for (const auto points : {a, b})
        for (const Vec3& p : points) values.insert(values.end(), {p[0], p[1], p[2]});
    return whole_numbers(values);
}

template <class Number, class Convert>
bool hulls_meet(const WholeNumbers& x, std::size_t a_count, std::size_t b_count, Convert&& convert) {
    Programme<Number> programme(5, a_count + b_count);
    for (std::size_t j = 0; j < a_count + b_count; ++j) {
        const bool of_a = j < a_count;
        for (std::size_t k = 0; k < 3; ++k) {
            const mpz_class relative = x.values[3 * j + k] - x.values[k]; // to the first corner: smaller numbers
            programme.at(k, j) = convert(of_a ? relative : mpz_class(-relative));
        }
        programme.at(of_a ? 3 : 4, j) = 1;
    }
    programme.right(3) = 1;
    programme.right(4) = 1;
    return programme.feasible();
}

// Whether the closed convex hulls of two point sets share a point. Exact, for hulls of any dimension.
inline bool hulls_meet(std::span<const Vec3> a, std::span<const Vec3> b) {
    const WholeNumbers x = whole_numbers(a, b);
    // Minors of 5 rows stay below 2^(3 bits + 13), the products of two fit.
    if (x.bits <= 12)
        return hulls_meet<Int128>(x, a.size(), b.size(), [](const mpz_class& n) { return Int128{n.get_si()}; });
    return hulls_meet<mpz_class>(x, a.size(), b.size(), [](const mpz_class& n) { return n; });
}

// Do two cones with one apex share a ray? Rays run from the apex through the points; those of `a` must not add up to
// nothing. A line through the apex is given as two opposite rays.
inline bool cones_meet(std::span<const std::array<mpz_class, 3>> a, std::span<const std::array<mpz_class, 3>> b,
                       std::size_t counted) {
    Programme<mpz_class> programme(4, a.size() + b.size());
    for (std::size_t j = 0; j < a.size() + b.size(); ++j)
        for (std::size_t k = 0; k < 3; ++k)
            programme.at(k, j) = j < a.size() ? a[j][k] : mpz_class(-b[j - a.size()][k]);
    for (std::size_t j = 0; j < counted; ++j) programme.at(3, j) = 1; // of these rays of `a` some is needed
    programme.right(3) = 1;
    return programme.feasible();
}

// --- Rational vectors ---

using ExactVec = std::array<mpq_class, 3>;

inline ExactVec exact(const Vec3& p) { return {mpq_class(p[0]), mpq_class(p[1]), mpq_class(p[2])}; }
inline ExactVec operator-(const ExactVec& a, const ExactVec& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline mpq_class dot(const ExactVec& a, const ExactVec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline ExactVec cross(const ExactVec& a, const ExactVec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vec3 rounded(const ExactVec& p) { return {p[0].get_d(), p[1].get_d(), p[2].get_d()}; }

// Six times the volume of a tetrahedron.
inline mpq_class exact_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return dot(cross(exact(b) - exact(a), exact(c) - exact(a)), exact(d) - exact(a));
}

// The part of a convex polygon (or segment, or point) with normal . (p - origin) >= 0.
inline std::vector<ExactVec> clipped(const std::vector<ExactVec>& polygon, const ExactVec& origin,
                                     const ExactVec& normal) {
    std::vector<ExactVec> kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const ExactVec& p = polygon[i];
        const ExactVec& q = polygon[(i + 1) % polygon.size()];
        const mpq_class from = dot(normal, p - origin);
        const mpq_class to = dot(normal, q - origin);
        if (from >= 0) kept.push_back(p);
        if ((from < 0 && to > 0) || (from > 0 && to < 0)) {
            const mpq_class t = from / (from - to);
            kept.push_back({p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2])});
        }
    }
    std::vector<ExactVec> distinct;
    for (const ExactVec& p : kept)
        if (std::find(distinct.begin(), distinct.end(), p) == distinct.end()) distinct.push_back(p);
    return distinct;
}

// Points on a line, three or more, become the two ends.
inline std::vector<ExactVec> without_inner_points(std::vector<ExactVec> points) {
    const ExactVec none{};
    for (std::size_t k = 2; k < points.size(); ++k)
        if (cross(points[1] - points[0], points[k] - points[0]) != none) return points;
    if (points.size() > 2) {
        std::sort(points.begin(), points.end());
        points = {points.front(), points.back()};
    }
    return points;
}

// The corners of what `t`, any triangle, shares with `other`, a triangle with area: none, one, two, or a polygon.
inline std::vector<ExactVec> common_part(const std::array<Vec3, 3>& t, const std::array<Vec3, 3>& other) {
    const std::array<ExactVec, 3> o = {exact(other[0]), exact(other[1]), exact(other[2])};
    const ExactVec normal = cross(o[1] - o[0], o[2] - o[0]);
    const ExactVec opposite = {-normal[0], -normal[1], -normal[2]};
    std::vector<ExactVec> part = {exact(t[0]), exact(t[1]), exact(t[2])};
    part = clipped(clipped(part, o[0], normal), o[0], opposite);
    for (std::size_t k = 0; k < 3; ++k) part = clipped(part, o[k], cross(normal, o[(k + 1) % 3] - o[k]));
    return without_inner_points(part);
}

// Solves matrix * x = right by elimination; false where the matrix is singular.
inline bool solve(std::vector<std::vector<mpq_class>>& matrix, std::vector<mpq_class>& right) {
    const std::size_t n = right.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        while (pivot < n && sgn(matrix[pivot][k]) == 0) ++pivot;
        if (pivot == n) return false;
        std::swap(matrix[k], matrix[pivot]);
        std::swap(right[k], right[pivot]);
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k || sgn(matrix[i][k]) == 0) continue;
            const mpq_class factor = matrix[i][k] / matrix[k][k];
            for (std::size_t j = k; j < n; ++j) matrix[i][j] -= factor * matrix[k][j];
            right[i] -= factor * right[k];
        }
    }
    for (std::size_t k = 0; k < n; ++k) right[k] /= matrix[k][k];
    return true;
}

inline std::vector<ExactVec> chosen(std::span<const Vec3> points, unsigned mask) {
    std::vector<ExactVec> result;
    for (std::size_t k = 0; k < points.size(); ++k)
        if (mask >> k & 1) result.push_back(exact(points[k]));
    return result;
}

// Squared distance of the affine hulls of a and b where it is reached at points with weights >= 0, else -1.
inline mpq_class squared_distance_inside(const std::vector<ExactVec>& a, const std::vector<ExactVec>& b) {
    std::vector<ExactVec> column;
    for (std::size_t i = 1; i < a.size(); ++i) column.push_back(a[i] - a[0]);
    for (std::size_t j = 1; j < b.size(); ++j) column.push_back(b[0] - b[j]);
    const ExactVec between = b[0] - a[0];
    std::vector<std::vector<mpq_class>> matrix(column.size(), std::vector<mpq_class>(column.size()));
    std::vector<mpq_class> x(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) {
        for (std::size_t j = 0; j < column.size(); ++j) matrix[i][j] = dot(column[i], column[j]);
        x[i] = dot(column[i], between);
    }
    if (!solve(matrix, x)) return -1;
    mpq_class a_rest = 1;
    mpq_class b_rest = 1;
    ExactVec gap = between;
    for (std::size_t i = 0; i < column.size(); ++i) {
        if (sgn(x[i]) < 0) return -1;
        (i + 1 < a.size() ? a_rest : b_rest) -= x[i];
        for (std::size_t k = 0; k < 3; ++k) gap[k] -= x[i] * column[i][k];
    }
    return sgn(a_rest) < 0 || sgn(b_rest) < 0 ? mpq_class(-1) : dot(gap, gap);
}

// Squared distance of two convex hulls: the least over all pairs of faces, tried one by one.
inline mpq_class squared_distance(std::span<const Vec3> a, std::span<const Vec3> b) {
    mpq_class best = -1;
    for (unsigned a_mask = 1; a_mask < 1u << a.size(); ++a_mask)
        for (unsigned b_mask = 1; b_mask < 1u << b.size(); ++b_mask) {
            if (std::popcount(a_mask) + std::popcount(b_mask) > 5) continue; // dimensions beyond three add nothing
            const mpq_class found = squared_distance_inside(chosen(a, a_mask), chosen(b, b_mask));
            if (sgn(found) >= 0 && (sgn(best) < 0 || found < best)) best = found;
        }
    return best;
}

} // namespace fathom::testing
