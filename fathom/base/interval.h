// Intervals [lower, upper] with outward rounding: every operation encloses the exact result.
// Each operation is rounded to nearest and then widened by one unit in the last place (four for the functions of libm,
// whose stated errors are below that), so the rounding mode is never changed. An empty interval has lower > upper.
// Thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fathom {

// The next double above / below. Infinities stay; the largest finite value steps to infinity.
[[nodiscard]] inline double next_up(double x) {
    if (!(x < std::numeric_limits<double>::infinity())) return x; // +inf and NaN
    if (x == 0) return std::numeric_limits<double>::denorm_min();
    const auto bits = std::bit_cast<std::int64_t>(x);
    return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}
[[nodiscard]] inline double next_down(double x) { return -next_up(-x); }

// The nearest float that is not below / not above x.
[[nodiscard]] inline float float_up(double x) {
    const float f = static_cast<float>(x);
    return static_cast<double>(f) < x ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}
[[nodiscard]] inline float float_down(double x) { return -float_up(-x); }

struct Interval {
    double lower = 0;
    double upper = 0;

    constexpr Interval() = default;
    // Implicit on purpose: a number is an interval.
    constexpr Interval(double value) : lower(value), upper(value) {} // NOLINT(google-explicit-constructor)
    constexpr Interval(double low, double high) : lower(low), upper(high) {}

    [[nodiscard]] static constexpr Interval all() {
        return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    }
    [[nodiscard]] static constexpr Interval none() {
        return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    }

    [[nodiscard]] constexpr bool empty() const { return !(lower <= upper); }
    [[nodiscard]] constexpr bool contains(double x) const { return lower <= x && x <= upper; }
    [[nodiscard]] constexpr bool contains(const Interval& o) const { return lower <= o.lower && o.upper <= upper; }
    [[nodiscard]] constexpr bool overlaps(const Interval& o) const { return lower <= o.upper && o.lower <= upper; }
    [[nodiscard]] constexpr double width() const { return upper - lower; }
    [[nodiscard]] constexpr double middle() const { return 0.5 * lower + 0.5 * upper; }
    friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

[[nodiscard]] inline Interval widened(const Interval& a, int steps = 1) {
    Interval r = a;
    for (int i = 0; i < steps; ++i) r = {next_down(r.lower), next_up(r.upper)};
    return r;
}

[[nodiscard]] inline Interval operator-(const Interval& a) { return {-a.upper, -a.lower}; }
[[nodiscard]] inline Interval operator+(const Interval& a, const Interval& b) {
    return widened({a.lower + b.lower, a.upper + b.upper});
}
[[nodiscard]] inline Interval operator-(const Interval& a, const Interval& b) {
    return widened({a.lower - b.upper, a.upper - b.lower});
}

[[nodiscard]] inline Interval hull(const Interval& a, const Interval& b) {
    return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}
[[nodiscard]] inline Interval intersection(const Interval& a, const Interval& b) {
    return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}
[[nodiscard]] inline Interval min(const Interval& a, const Interval& b) {
    return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
}
[[nodiscard]] inline Interval max(const Interval& a, const Interval& b) {
    return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}
[[nodiscard]] inline Interval abs(const Interval& a) {
    if (a.lower >= 0) return a;
    if (a.upper <= 0) return -a;
    return {0, std::max(-a.lower, a.upper)};
}

[[nodiscard]] Interval operator*(const Interval& a, const Interval& b); // 0 * inf is 0
[[nodiscard]] Interval operator/(const Interval& a, const Interval& b); // all() if b contains 0 in its interior
[[nodiscard]] Interval square(const Interval& a);
[[nodiscard]] Interval sqrt(const Interval& a); // the part of `a` below 0 is dropped
[[nodiscard]] Interval exp(const Interval& a);
[[nodiscard]] Interval log(const Interval& a); // the part of `a` below 0 is dropped
[[nodiscard]] Interval sin(const Interval& a);
[[nodiscard]] Interval cos(const Interval& a);
[[nodiscard]] Interval tanh(const Interval& a);
[[nodiscard]] Interval atan(const Interval& a);
[[nodiscard]] Interval power(const Interval& a, int exponent); // exponent >= 0

} // namespace fathom
