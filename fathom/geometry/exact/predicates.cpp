// Signs of determinants. The exact path of the filters uses plain integer arithmetic, because all coordinates are
// integers after scaling by a power of two, and a determinant of integers has no rounding.
#include <fathom/geometry/exact/predicates.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace fathom {

namespace {

using Limb = std::uint64_t;
__extension__ using DoubleLimb = unsigned __int128;
__extension__ using SignedDoubleLimb = __int128;

// Sign and magnitude; only the lowest `count` limbs are in use, and the highest of them is not 0.
template <int Capacity>
struct Integer {
    int sign = 0;
    int count = 0;
    std::array<Limb, Capacity> limb{};

    void trim(int used) {
        count = used;
        while (count > 0 && limb[static_cast<std::size_t>(count - 1)] == 0) --count;
        if (count == 0) sign = 0;
    }
    [[nodiscard]] Limb at(int i) const { return i < count ? limb[static_cast<std::size_t>(i)] : 0; }
};

template <int A>
int compare_magnitudes(const Integer<A>& x, const Integer<A>& y) {
    if (x.count != y.count) return x.count < y.count ? -1 : 1;
    for (int i = x.count - 1; i >= 0; --i)
        if (x.at(i) != y.at(i)) return x.at(i) < y.at(i) ? -1 : 1;
    return 0;
}

template <int A>
Integer<A + 1> add_magnitudes(const Integer<A>& x, const Integer<A>& y) {
    Integer<A + 1> sum;
    const int used = std::max(x.count, y.count);
    DoubleLimb carry = 0;
    for (int i = 0; i < used; ++i) {
        carry += static_cast<DoubleLimb>(x.at(i)) + y.at(i);
        sum.limb[static_cast<std::size_t>(i)] = static_cast<Limb>(carry);
        carry >>= 64;
    }
    sum.limb[static_cast<std::size_t>(used)] = static_cast<Limb>(carry);
    sum.sign = 1;
    sum.trim(used + 1);
    return sum;
}

// |x| - |y| for |x| >= |y|.
template <int A>
Integer<A + 1> subtract_magnitudes(const Integer<A>& x, const Integer<A>& y) {
    Integer<A + 1> difference;
    Limb borrow = 0;
    for (int i = 0; i < x.count; ++i) {
        const DoubleLimb step = static_cast<DoubleLimb>(x.at(i)) - y.at(i) - borrow;
        difference.limb[static_cast<std::size_t>(i)] = static_cast<Limb>(step);
        borrow = static_cast<Limb>(step >> 64) & 1;
    }
    difference.sign = 1;
    difference.trim(x.count);
    return difference;
}

// x + factor * y with factor +1 or -1.
template <int A>
Integer<A + 1> combine(const Integer<A>& x, const Integer<A>& y, int factor) {
    const int y_sign = y.sign * factor;
    const bool add = x.sign * y_sign >= 0;
    const bool x_leads = compare_magnitudes(x, y) >= 0;
    Integer<A + 1> result = add       ? add_magnitudes(x, y)
                            : x_leads ? subtract_magnitudes(x, y)
                                      : subtract_magnitudes(y, x);
    result.sign *= x_leads ? x.sign : y_sign;
    return result;
}

template <int A, int B>
Integer<A + B> operator*(const Integer<A>& x, const Integer<B>& y) {
    Integer<A + B> product;
    for (int i = 0; i < x.count; ++i) {
        DoubleLimb carry = 0;
        for (int j = 0; j < y.count; ++j) {
            Limb& target = product.limb[static_cast<std::size_t>(i + j)];
            carry += static_cast<DoubleLimb>(x.at(i)) * y.at(j) + target;
            target = static_cast<Limb>(carry);
            carry >>= 64;
        }
        product.limb[static_cast<std::size_t>(i + y.count)] = static_cast<Limb>(carry);
    }
    product.sign = x.sign * y.sign;
    product.trim(x.count + y.count);
    return product;
}

// A double is digits * 2^exponent. NaN and infinity are treated as large numbers.
struct Digits {
    Limb digits;
    int exponent;
};
Digits digits_of(double x) {
    const Limb bits = std::bit_cast<Limb>(x);
    const int field = static_cast<int>((bits >> 52) & 0x7ff);
    const Limb fraction = bits & ((Limb{1} << 52) - 1);
    if (field == 0) return {fraction, -1074};
    return {fraction | (Limb{1} << 52), field - 1075};
}

// The bit range of a set of coordinates: all are integers after division by 2^lowest, below 2^width.
struct BitRange {
    int lowest = 0;
    int width = 0;
};
template <std::size_t N>
BitRange bit_range(const std::array<double, N>& values) {
    int lowest = std::numeric_limits<int>::max();
    int highest = std::numeric_limits<int>::min();
    for (const double x : values) {
        const auto [digits, exponent] = digits_of(x);
        if (digits == 0) continue;
        lowest = std::min(lowest, exponent + std::countr_zero(digits));
        highest = std::max(highest, exponent + static_cast<int>(std::bit_width(digits)));
    }
    if (lowest > highest) return {};
    return {lowest, highest - lowest};
}

template <int A>
Integer<A> scaled(double x, int lowest) {
    Integer<A> result;
    auto [digits, exponent] = digits_of(x);
    if (digits == 0) return result;
    const int zeros = std::countr_zero(digits);
    digits >>= zeros;
    const int shift = exponent + zeros - lowest;
    const std::size_t first = static_cast<std::size_t>(shift / 64);
    result.limb[first] = digits << (shift % 64);
    if (shift % 64 != 0 && first + 1 < result.limb.size()) result.limb[first + 1] = digits >> (64 - shift % 64);
    result.sign = std::signbit(x) ? -1 : 1;
    result.trim(static_cast<int>(std::min<std::size_t>(first + 2, A)));
    return result;
}

// Three sizes. 60 bits suffice for most meshes, whose coordinates have similar exponents or few digits; 256 bits
// suffice for exponents within about 60 digits; the last suffices for any finite double.
constexpr int word_bits = 60;
constexpr int usual_limbs = 4;
constexpr int all_limbs = 33;
static_assert(all_limbs * 64 >= 1024 + 1074);

struct Determinant {
    int sign;
    double value;
};

std::int64_t scaled_word(double x, int lowest) {
    const auto [digits, exponent] = digits_of(x);
    if (digits == 0) return 0;
    const int shift = exponent - lowest;
    const auto magnitude = static_cast<std::int64_t>(shift >= 0 ? digits << shift : digits >> -shift);
    return std::signbit(x) ? -magnitude : magnitude;
}

// high * 2^64 + low. Each part is the sum of three products below 2^125.
Determinant rounded(SignedDoubleLimb high, SignedDoubleLimb low, int exponent) {
    high += low >> 64;
    auto rest = static_cast<Limb>(low);
    const int sign = high < 0 ? -1 : high != 0 || rest != 0 ? 1 : 0;
    if (sign < 0) { // use the magnitude, so that the parts do not cancel in double
        rest = ~rest + 1;
        high = ~high + (rest == 0 ? 1 : 0);
    }
    return {sign, sign * std::ldexp(static_cast<double>(high) * 0x1p64 + static_cast<double>(rest), exponent)};
}

Determinant word_determinant2(const std::array<double, 6>& p, int lowest) {
    std::array<SignedDoubleLimb, 4> d; // b - a, c - a
    for (std::size_t i = 0; i < 4; ++i) d[i] = scaled_word(p[i + 2], lowest) - scaled_word(p[i % 2], lowest);
    return rounded(0, d[0] * d[3] - d[1] * d[2], 2 * lowest);
}

Determinant word_determinant3(const std::array<double, 12>& p, int lowest) {
    std::array<std::array<std::int64_t, 3>, 3> row; // b - a, c - a, d - a: below 2^61
    for (std::size_t k = 0; k < 3; ++k) {
        const std::int64_t origin = scaled_word(p[k], lowest);
        for (std::size_t r = 0; r < 3; ++r) row[r][k] = scaled_word(p[3 * (r + 1) + k], lowest) - origin;
    }
    SignedDoubleLimb high = 0;
    SignedDoubleLimb low = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3;
        const std::size_t k = (i + 2) % 3;
        const SignedDoubleLimb minor =
            static_cast<SignedDoubleLimb>(row[0][j]) * row[1][k] - static_cast<SignedDoubleLimb>(row[0][k]) * row[1][j];
        high += (minor >> 64) * row[2][i];
        low += static_cast<SignedDoubleLimb>(static_cast<Limb>(minor)) * row[2][i];
    }
    return rounded(high, low, 3 * lowest);
}

template <int A>
Determinant rounded(const Integer<A>& x, int exponent) {
    double leading = 0;
    const int last = std::max(0, x.count - 3);
    for (int i = x.count - 1; i >= last; --i) leading = leading * 0x1p64 + static_cast<double>(x.at(i));
    return {x.sign, x.sign * std::ldexp(leading, 64 * last + exponent)};
}

template <int A>
Determinant determinant2(const std::array<double, 6>& p, int lowest) {
    std::array<Integer<A>, 6> q;
    for (std::size_t i = 0; i < 6; ++i) q[i] = scaled<A>(p[i], lowest);
    const auto first = combine(q[2], q[0], -1) * combine(q[5], q[1], -1);
    const auto second = combine(q[3], q[1], -1) * combine(q[4], q[0], -1);
    return rounded(combine(first, second, -1), 2 * lowest);
}

template <int A>
Determinant determinant3(const std::array<double, 12>& p, int lowest) {
    std::array<std::array<Integer<A + 1>, 3>, 3> row; // b - a, c - a, d - a
    for (std::size_t k = 0; k < 3; ++k) {
        const Integer<A> origin = scaled<A>(p[k], lowest);
        for (std::size_t r = 0; r < 3; ++r) row[r][k] = combine(scaled<A>(p[3 * (r + 1) + k], lowest), origin, -1);
    }
    const auto term = [&](std::size_t i) {
        const std::size_t j = (i + 1) % 3;
        const std::size_t k = (i + 2) % 3;
        return combine(row[0][j] * row[1][k], row[0][k] * row[1][j], -1) * row[2][i];
    };
    const auto partial = combine(term(0), term(1), 1);
    const auto last = term(2);
    Integer<3 * A + 5> widened;
    std::copy(last.limb.begin(), last.limb.end(), widened.limb.begin());
    widened.sign = last.sign;
    widened.count = last.count;
    return rounded(combine(partial, widened, 1), 3 * lowest);
}

Determinant exact2(const Vec2& a, const Vec2& b, const Vec2& c) {
    const std::array<double, 6> p = {a[0], a[1], b[0], b[1], c[0], c[1]};
    const BitRange range = bit_range(p);
    if (range.width <= word_bits) return word_determinant2(p, range.lowest);
    if (range.width <= 64 * usual_limbs) return determinant2<usual_limbs>(p, range.lowest);
    return determinant2<all_limbs>(p, range.lowest);
}

Determinant exact3(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    // Points in an axis-aligned plane are common in designed geometry; they are decided without arithmetic.
    for (int k = 0; k < 3; ++k)
        if (a[k] == b[k] && a[k] == c[k] && a[k] == d[k]) return {0, 0.0};
    const std::array<double, 12> p = {a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], d[0], d[1], d[2]};
    const BitRange range = bit_range(p);
    if (range.width <= word_bits) return word_determinant3(p, range.lowest);
    if (range.width <= 64 * usual_limbs) return determinant3<usual_limbs>(p, range.lowest);
    return determinant3<all_limbs>(p, range.lowest);
}

} // namespace

int orient2d_exact(const Vec2& a, const Vec2& b, const Vec2& c) { return exact2(a, b, c).sign; }

int orient3d_exact(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) { return exact3(a, b, c, d).sign; }

int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    const double first = (b[0] - a[0]) * (c[1] - a[1]);
    const double second = (b[1] - a[1]) * (c[0] - a[0]);
    const double value = first - second;
    // Four roundings on each product: below 4u/(1 - 4u) of the magnitudes. The pad exceeds underflow.
    const double bound = 5 * 0x1p-53 * (std::abs(first) + std::abs(second) + 0x1p-1000);
    if (value > bound) return 1;
    if (value < -bound) return -1;
    return orient2d_exact(a, b, c);
}

int orient2d(const Vec3& a, const Vec3& b, const Vec3& c, int axis) {
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    return orient2d(Vec2(a[i], a[j]), Vec2(b[i], b[j]), Vec2(c[i], c[j]));
}

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) { return PlaneSide(a, b, c)(d); }

double orient3d_value(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const auto [value, bound] = PlaneSide(a, b, c).estimate(d);
    if (std::abs(value) * 1e-12 > bound) return value;
    return exact3(a, b, c, d).value;
}

} // namespace fathom
