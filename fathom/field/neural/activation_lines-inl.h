// Linear bounds of activations: over the interval of inputs that can reach a unit, a straight line replaces the
// activation, together with a bound on its error. The bounds are sound for exact values and for the float kernels, see
// range_kernels.cpp. Include this file only from a file that Highway's foreach_target compiles.
#if defined(FATHOM_FIELD_ACTIVATION_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_FIELD_ACTIVATION_LINES_INL_H
#undef FATHOM_FIELD_ACTIVATION_LINES_INL_H
#else
#define FATHOM_FIELD_ACTIVATION_LINES_INL_H
#endif

#include <fathom/field/neural/exponential-inl.h>
#include <fathom/field/neural/network.h>
#include <fathom/field/neural/range_program.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// A tile is at least two vectors, so that enough sums run at a time to hide their latency.
using D = hn::CappedTag<float, range_tile / 2>;
using V = hn::Vec<D>;
inline constexpr D d;

inline constexpr float product_margin = 0x1p-22F; // four roundings
inline constexpr float function_margin = 0x1p-20F;
inline constexpr float kernel_error = static_cast<float>(activation_error);
// Smallest slope of a curved activation: logarithms stay finite, and products of slopes stay normal numbers.
inline constexpr float min_slope = 0x1p-20F;
inline constexpr float min_width = 1e-30F;
inline constexpr float largest_phase = 30000; // the vector sine is specified up to 39000

HWY_INLINE V set(float x) { return hn::Set(d, x); }
HWY_INLINE V zero() { return hn::Zero(d); }
HWY_INLINE V larger(V a, V b) { return hn::Max(hn::Abs(a), hn::Abs(b)); }
HWY_INLINE V select(hn::Mask<D> mask, V yes, V no) { return hn::IfThenElse(mask, yes, no); }

struct Reach {
    V lower, upper;
};
// On the unit's input interval the activation is slope * input + offset, within +-error.
struct Line {
    V slope, offset, error, state;
};

// half: half-width of the interval. size: upper bound on the magnitude of the values.
HWY_INLINE Reach reach_of(V base, V half, V size) {
    const V out = hn::MulAdd(size, set(2 * product_margin), half);
    return {hn::Sub(base, out), hn::Add(base, out)};
}

HWY_INLINE V secant(V low, V high, const Reach& r, V most) {
    const V width = hn::Max(hn::Sub(r.upper, r.lower), set(min_width));
    return hn::Min(hn::Max(hn::Div(hn::Sub(high, low), width), set(min_slope)), most);
}

// The residue lies in [least, most]; both were computed from numbers of magnitude `size`.
HWY_INLINE Line line(V slope, V least, V most, V size, V error) {
    const V half = set(0.5F);
    const V offset = hn::Mul(half, hn::Add(least, most));
    const V width = hn::Mul(half, hn::Sub(most, least));
    return {slope, offset, hn::Add(hn::MulAdd(size, set(function_margin), width), error), zero()};
}

// The line lies midway between the chord through both ends and its parallel through 0. The margin also covers the
// rounding of the slope, which moves the ends by at most two units in the last place of r.upper <= 2 slope *
// larger(ends).
HWY_INLINE Line line_of_relu(const Reach& r) {
    const auto on = hn::Ge(r.lower, zero()), off = hn::Le(r.upper, zero()), decided = hn::Or(on, off);
    const V below = hn::Neg(r.lower), slope = hn::Div(r.upper, hn::Add(r.upper, below)); // NaN only if decided
    const V half = hn::Mul(hn::Mul(slope, set(0.5F)), below);
    const V error = hn::MulAdd(hn::Mul(slope, set(4 * product_margin)), hn::Max(r.upper, below), half);
    return {select(on, set(1), hn::IfThenZeroElse(off, slope)), hn::IfThenZeroElse(decided, half),
            hn::IfThenZeroElse(decided, error),
            select(on, set(unit_is_linear), hn::IfThenElseZero(off, set(unit_is_off)))};
}

// Below 0 the residue a (e^x - 1) - slope x is convex. Its minimum slope - a - slope log(slope / a) lies where a e^x =
// slope. If that point lies left of the upper end h, log(slope / a) = h + log(1 + t) with -1 < t <= 0, and any odd
// number of terms of the series of log(1 + t) is an upper bound of it. Otherwise the minimum is the value at h.
HWY_INLINE Line line_of_elu(const Reach& r, float parameter) {
    const V a = set(parameter), one = set(1);
    const V below_high = hn::Min(r.upper, zero());
    const auto e_low = split_exponential(d, hn::Min(r.lower, zero()), -87),
               e_high = split_exponential(d, below_high, -87);
    const auto elu = [&](V x, const SplitExponential<D>& e) HWY_ATTR {
        return select(hn::Gt(x, zero()), x, hn::Mul(a, hn::MulAdd(e.power, e.rest, hn::Sub(e.power, one))));
    };
    const V low = elu(r.lower, e_low), high = elu(r.upper, e_high);
    const V slope = secant(low, high, r, hn::Max(a, one));
    const V at_low = hn::Sub(low, hn::Mul(slope, r.lower)), at_high = hn::Sub(high, hn::Mul(slope, r.upper));
    const V t = hn::Sub(hn::Div(slope, hn::Mul(a, hn::MulAdd(e_high.power, e_high.rest, e_high.power))), one);
    V series = hn::MulAdd(t, set(0.2F), set(-0.25F));
    series = hn::MulAdd(t, series, set(1.0F / 3));
    series = hn::MulAdd(t, series, set(-0.5F));
    series = hn::MulAdd(t, hn::MulAdd(t, series, one), below_high);
    const V at_turn = select(hn::Lt(t, zero()), hn::Sub(hn::Sub(slope, a), hn::Mul(slope, series)), at_low);
    const V at_zero = hn::IfThenZeroElse(hn::And(hn::Lt(r.lower, zero()), hn::Gt(r.upper, zero())), at_low);
    const V least = hn::Min(hn::Min(at_low, at_high), hn::Min(at_turn, at_zero));
    const V most = hn::Max(hn::Max(at_low, at_high), at_zero);
    const V largest = larger(low, high);
    // Half of the margin is enough for these exponentials: the error of the values is up to 7 * 2^-24 a and 5 * 2^-24
    // slope |reach|, at the turning point also 12 * 2^-24 slope. It is larger only where the slope is far below a.
    const V size =
        hn::Mul(set(0.5F), hn::MulAdd(slope, hn::Add(larger(r.lower, r.upper), set(2)), hn::Add(a, largest)));
    const V error = hn::Mul(set(kernel_error * 1.0001F), hn::Max(one, hn::MulAdd(a, set(function_margin), largest)));
    const Line curved = line(slope, least, most, size, error);
    const auto on = hn::Ge(r.lower, zero());
    return {select(on, one, curved.slope), hn::IfThenZeroElse(on, curved.offset), select(on, error, curved.error),
            select(on, set(unit_is_linear), zero())};
}

// The residue tanh x - slope x has its extrema where tanh^2 = 1 - slope: the maximum on the right, the minimum on the
// left.
HWY_INLINE Line line_of_tanh(const Reach& r) {
    const V one = set(1);
    const auto tanh = [&](V x) HWY_ATTR { return hn::Tanh(d, hn::Min(hn::Max(x, set(-20)), set(20))); };
    const V low = tanh(r.lower), high = tanh(r.upper);
    const V slope = secant(low, high, r, one);
    const V at_low = hn::Sub(low, hn::Mul(slope, r.lower)), at_high = hn::Sub(high, hn::Mul(slope, r.upper));
    const V height = hn::Sqrt(hn::Max(hn::Sub(one, slope), zero()));
    const V turn = hn::Log(d, hn::Div(hn::Add(one, height), hn::Sqrt(slope)));
    const V slack = hn::Mul(hn::Add(one, turn), set(0x1p-16F)), value = hn::Sub(height, hn::Mul(slope, turn));
    const auto reached = [&](V at) HWY_ATTR {
        return hn::And(hn::Ge(hn::Add(at, slack), r.lower), hn::Le(hn::Sub(at, slack), r.upper));
    };
    const V most = hn::Max(hn::Max(at_low, at_high), select(reached(turn), value, at_low));
    const V least = hn::Min(hn::Min(at_low, at_high), select(reached(hn::Neg(turn)), hn::Neg(value), at_low));
    const V size = hn::Add(set(2), hn::Mul(slope, larger(r.lower, r.upper)));
    return line(slope, least, most, size, set(kernel_error * 1.0001F));
}

// max(x, 0) + log(1 + e^-|kx|) / k.
HWY_INLINE V softplus(V x, V k) {
    const V phase = hn::Max(hn::Neg(hn::Abs(hn::Mul(k, x))), set(-87));
    return hn::Add(hn::Max(x, zero()), hn::Div(hn::Log1p(d, hn::Exp(d, phase)), k));
}

// Softplus is convex: the residue has its minimum where the derivative, the logistic function of k x, equals the slope
// of the line.
HWY_INLINE Line line_of_softplus(const Reach& r, float parameter) {
    const V k = set(parameter), one = set(1);
    const V low = softplus(r.lower, k), high = softplus(r.upper, k);
    const V slope = secant(low, high, r, set(1 - 0x1p-23F)), rest = hn::Sub(one, slope);
    const V at_low = hn::Sub(low, hn::Mul(slope, r.lower)), at_high = hn::Sub(high, hn::Mul(slope, r.upper));
    const V log_slope = hn::Log(d, slope), log_rest = hn::Log(d, rest);
    const V turn = hn::Div(hn::Sub(log_slope, log_rest), k);
    const V slack = hn::Mul(hn::Add(hn::Div(hn::Add(one, hn::Abs(log_slope)), k), hn::Abs(turn)), set(0x1p-12F));
    const auto turns = hn::And(hn::Ge(hn::Add(turn, slack), r.lower), hn::Le(hn::Sub(turn, slack), r.upper));
    const V lowest = hn::Neg(hn::Div(hn::Add(hn::Mul(slope, log_slope), hn::Mul(rest, log_rest)), k));
    const V least = hn::Min(hn::Min(at_low, at_high), select(turns, lowest, at_low));
    const V size = hn::Add(hn::Add(larger(low, high), hn::Div(set(2), k)), hn::Mul(slope, larger(r.lower, r.upper)));
    const V error = hn::Mul(set(kernel_error * 1.0001F), hn::Max(one, hn::Mul(hn::Max(low, high), set(1.0001F))));
    return line(slope, least, hn::Max(at_low, at_high), size, error);
}

// sin(m + t) = sin m + cos m * s t + sin m (cos t - 1) + cos m (sin t - s t) with s = sin h / h for |t| <= h < pi. The
// third term has one sign, and sin t - s t is at most sqrt(1 - s^2) - s acos s. For small h, where that expression
// cancels, it is at most h^3 / (9 sqrt 3) + h^5 / 120 by the series of the sine.
HWY_INLINE Line line_of_sine(const Reach& r, float parameter) {
    const V k = set(parameter), one = set(1), half = set(0.5F);
    const V middle = hn::Mul(half, hn::Add(r.lower, r.upper)), m = hn::Mul(k, middle);
    const V size = hn::Mul(k, larger(r.lower, r.upper));
    const V h = hn::MulAdd(size, set(product_margin), hn::Mul(k, hn::Mul(half, hn::Sub(r.upper, r.lower))));
    const auto wide = hn::Or(hn::Ge(h, set(3.14F)), hn::Ge(hn::Add(size, h), set(largest_phase)));
    const V safe_h = hn::Max(select(wide, one, h), set(min_width)), safe_m = hn::IfThenZeroElse(wide, m);
    const V sin_m = hn::Sin(d, safe_m), cos_m = hn::Cos(d, safe_m);
    const V s = hn::Min(hn::Max(hn::Div(hn::Sin(d, safe_h), safe_h), zero()), one);
    const V drop = hn::Mul(half, hn::Max(hn::Sub(one, hn::Cos(d, safe_h)), zero()));
    const V square = hn::Mul(safe_h, safe_h);
    const V narrow_bulge = hn::Mul(hn::Mul(safe_h, square), hn::MulAdd(square, set(1.0F / 119), set(0.0642F)));
    const V wide_bulge = hn::Sub(hn::Sqrt(hn::Max(hn::Sub(one, hn::Mul(s, s)), zero())), hn::Mul(s, hn::Acos(d, s)));
    const V bulge = select(hn::Lt(safe_h, one), narrow_bulge, hn::Max(wide_bulge, zero()));
    const V slope = hn::Mul(k, hn::Mul(cos_m, s));
    const V offset = hn::Sub(hn::Mul(sin_m, hn::Sub(one, drop)), hn::Mul(slope, middle));
    const V margin =
        hn::Add(hn::MulAdd(size, set(2 * product_margin), hn::Mul(hn::Add(one, safe_h), set(function_margin))),
                set(kernel_error));
    const V error = hn::Add(hn::MulAdd(hn::Abs(sin_m), drop, hn::Mul(hn::Abs(cos_m), bulge)), margin);
    const auto flat = hn::Or(wide, hn::Ge(error, one));
    return {hn::IfThenZeroElse(flat, slope), hn::IfThenZeroElse(flat, offset),
            select(flat, set(1 + 2 * kernel_error), error), zero()};
}

HWY_INLINE Line line_of(const Reach& r, Activation activation, float parameter) {
    switch (activation) {
    case Activation::none:
        return {set(1), zero(), zero(), set(unit_is_linear)};
    case Activation::relu:
        return line_of_relu(r);
    case Activation::elu:
        return line_of_elu(r, parameter);
    case Activation::tanh:
        return line_of_tanh(r);
    case Activation::sine:
        return line_of_sine(r, parameter);
    default:
        return line_of_softplus(r, parameter);
    }
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per target
