// Interval operations that need case distinctions.
#include <fathom/base/interval.h>

#include <fathom/base/vec.h>

#include <numbers>

namespace fathom {

namespace {

constexpr int libm_steps = 4;

double product(double a, double b) { return a == 0 || b == 0 ? 0.0 : a * b; }

// Whether [lower, upper] may contain offset + k * 2 pi for an integer k. Conservative: errs towards true.
bool may_hold_phase(const Interval& a, double offset) {
    constexpr double turn = 2 * std::numbers::pi;
    // Rounding of the division and of pi shifts the phase by less than this.
    const double slack = 1e-14 * (1 + std::max(std::abs(a.lower), std::abs(a.upper)));
    return std::floor((a.upper - offset + slack) / turn) >= std::ceil((a.lower - offset - slack) / turn);
}

Interval clamped(const Interval& a, double low, double high) {
    return {std::max(a.lower, low), std::min(a.upper, high)};
}

// A monotonically increasing function, evaluated at both ends.
template <class F>
Interval growing(const Interval& a, F f) {
    return widened({f(a.lower), f(a.upper)}, libm_steps);
}

template <class F>
Interval wave(const Interval& a, F f, double peak, double trough) {
    if (a.empty()) return a;
    if (!(a.width() < 7) || std::max(std::abs(a.lower), std::abs(a.upper)) > 1e6) return {-1, 1};
    const double x = f(a.lower), y = f(a.upper);
    Interval r = widened({std::min(x, y), std::max(x, y)}, libm_steps);
    if (may_hold_phase(a, peak)) r.upper = 1;
    if (may_hold_phase(a, trough)) r.lower = -1;
    return clamped(r, -1, 1);
}

} // namespace

Interval operator*(const Interval& a, const Interval& b) {
    const double p = product(a.lower, b.lower), q = product(a.lower, b.upper);
    const double r = product(a.upper, b.lower), s = product(a.upper, b.upper);
    return widened({std::min({p, q, r, s}), std::max({p, q, r, s})});
}

Interval operator/(const Interval& a, const Interval& b) {
    if (b.lower > 0 || b.upper < 0) {
        const double p = a.lower / b.lower, q = a.lower / b.upper, r = a.upper / b.lower, s = a.upper / b.upper;
        if (std::isnan(p) || std::isnan(q) || std::isnan(r) || std::isnan(s)) return Interval::all(); // inf / inf
        return widened({std::min({p, q, r, s}), std::max({p, q, r, s})});
    }
    if (b.lower == 0 && b.upper > 0 && a.lower >= 0) return {std::max(0.0, next_down(a.lower / b.upper)), infinity};
    if (b.lower == 0 && b.upper > 0 && a.upper <= 0) return {-infinity, std::min(0.0, next_up(a.upper / b.upper))};
    return Interval::all();
}

Interval square(const Interval& a) {
    const Interval m = abs(a);
    return {std::max(0.0, next_down(m.lower * m.lower)), next_up(m.upper * m.upper)};
}

Interval sqrt(const Interval& a) {
    if (a.upper < 0) return Interval::none();
    const double low = a.lower <= 0 ? 0.0 : std::max(0.0, next_down(std::sqrt(a.lower)));
    return {low, next_up(std::sqrt(a.upper))};
}

Interval exp(const Interval& a) {
    const Interval r = growing(a, [](double x) { return std::exp(x); });
    return {std::max(0.0, r.lower), r.upper};
}

Interval log(const Interval& a) {
    if (a.upper < 0) return Interval::none();
    return growing({std::max(0.0, a.lower), a.upper}, [](double x) { return std::log(x); });
}

Interval sin(const Interval& a) {
    return wave(
        a, [](double x) { return std::sin(x); }, std::numbers::pi / 2, -std::numbers::pi / 2);
}

Interval cos(const Interval& a) {
    return wave(
        a, [](double x) { return std::cos(x); }, 0.0, std::numbers::pi);
}

Interval tanh(const Interval& a) {
    return clamped(growing(a, [](double x) { return std::tanh(x); }), -1, 1);
}

Interval atan(const Interval& a) {
    return growing(a, [](double x) { return std::atan(x); });
}

Interval power(const Interval& a, int exponent) {
    if (exponent == 0) return 1.0;
    const Interval base = exponent % 2 == 0 ? abs(a) : a;
    Interval r = base;
    for (int i = 1; i < exponent; ++i) r = r * base;
    return exponent % 2 == 0 ? Interval{std::max(0.0, r.lower), r.upper} : r;
}

} // namespace fathom
