// Activations on vectors of floats, with their derivatives. Error bounds: see activation_error in network.h.
// Polynomials are weighted minimax fits. Include this file only from a file that Highway's foreach_target compiles.
#if defined(FATHOM_FIELD_NETWORK_FUNCTIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_FIELD_NETWORK_FUNCTIONS_INL_H
#undef FATHOM_FIELD_NETWORK_FUNCTIONS_INL_H
#else
#define FATHOM_FIELD_NETWORK_FUNCTIONS_INL_H
#endif

#include <fathom/field/neural/exponential-inl.h>
#include <hwy/highway.h>

#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, 16>; // the tiles of packed weights are 16 wide
using F = hn::Vec<Floats>;
inline constexpr Floats floats;
using Halves = hn::Half<Floats>; // without vectors, the same as Floats
using Doubles = hn::Rebind<double, Halves>;

HWY_INLINE F set(float x) { return hn::Set(floats, x); }
HWY_INLINE F zero() { return hn::Zero(floats); }

// e^x - 1 for x <= 0; unspecified for x > 0. Below -20 it is -1 to the last bit.
HWY_INLINE F negative_expm1(F x) {
    const auto e = split_exponential(floats, x, -20.0F);
    return hn::MulAdd(e.power, e.rest, hn::Sub(e.power, set(1.0F)));
}

HWY_INLINE F relu(F x) { return hn::Max(zero(), x); }
HWY_INLINE F relu_slope(F y) { return hn::IfThenElseZero(hn::Gt(y, zero()), set(1.0F)); }

HWY_INLINE F elu(F x, F parameter) {
    return hn::IfThenElse(hn::Gt(x, zero()), x, hn::Mul(parameter, negative_expm1(x)));
}
HWY_INLINE F elu_slope(F y, F parameter) { return hn::IfThenElse(hn::Gt(y, zero()), set(1.0F), hn::Add(y, parameter)); }

HWY_INLINE F tanh(F x) {
    const F e = negative_expm1(hn::Mul(set(-2.0F), hn::Abs(x)));
    return hn::CopySign(hn::Div(e, hn::Add(e, set(2.0F))), x);
}
HWY_INLINE F tanh_slope(F y) { return hn::NegMulAdd(y, y, set(1.0F)); }

// Quotient and remainder of factor * x by `period`, in double, where the product of two floats is exact.
struct Reduction {
    double factor, period, least; // least: lower limit of the quotient
    double max_left;              // |remainder| is clamped to this where the quotient is too large to leave one
    bool modulo_four;
};
HWY_INLINE void reduce_half(hn::Vec<Halves> x, const Reduction& by, hn::Vec<Halves>& count, hn::Vec<Halves>& rest) {
    const Doubles d;
    const auto u = hn::Mul(hn::PromoteTo(d, x), hn::Set(d, by.factor));
    auto n = hn::Max(hn::Set(d, by.least), hn::Round(hn::Mul(u, hn::Set(d, 1 / by.period))));
    const auto left = hn::NegMulAdd(n, hn::Set(d, by.period), u);
    rest = hn::DemoteTo(Halves(), hn::Min(hn::Set(d, by.max_left), hn::Max(hn::Set(d, -by.max_left), left)));
    if (by.modulo_four) n = hn::NegMulAdd(hn::Floor(hn::Mul(n, hn::Set(d, 0.25))), hn::Set(d, 4), n);
    count = hn::DemoteTo(Halves(), n);
}
HWY_INLINE void reduce(F x, const Reduction& by, F& count, F& rest) {
#if HWY_TARGET == HWY_SCALAR
    reduce_half(x, by, count, rest);
#else
    hn::Vec<Halves> low_count, low_rest, high_count, high_rest;
    reduce_half(hn::LowerHalf(x), by, low_count, low_rest);
    reduce_half(hn::UpperHalf(Halves(), x), by, high_count, high_rest);
    count = hn::Combine(floats, high_count, low_count);
    rest = hn::Combine(floats, high_rest, low_rest);
#endif
}

// sin and cos of factor * x.
HWY_INLINE void sine_and_cosine(F x, float factor, F& sine, F& cosine) {
    const Reduction quarters{factor, 0.5 * std::numbers::pi, -0x1p200, 0.25 * std::numbers::pi * (1 + 0x1p-20), true};
    F quarter, r;
    reduce(x, quarters, quarter, r);
    const F z = hn::Mul(r, r);
    F s = hn::MulAdd(set(-0.00019586854614317417F), z, set(0.008332742378115654F));
    s = hn::MulAdd(s, z, set(-0.166666641831398F));
    s = hn::MulAdd(hn::Mul(s, z), r, r);
    F c = hn::MulAdd(set(2.4547103748773225e-05F), z, set(-0.0013888298999518156F));
    c = hn::MulAdd(c, z, set(0.0416666641831398F));
    c = hn::MulAdd(hn::Mul(z, z), c, hn::NegMulAdd(set(0.5F), z, set(1.0F)));
    const auto first = hn::Eq(quarter, set(1.0F)), second = hn::Eq(quarter, set(2.0F)),
               third = hn::Eq(quarter, set(3.0F));
    const auto odd = hn::Or(first, third), below = hn::Or(second, third), left = hn::Or(first, second);
    const F up = hn::IfThenElse(odd, c, s), along = hn::IfThenElse(odd, s, c);
    sine = hn::IfThenElse(below, hn::Neg(up), up);
    cosine = hn::IfThenElse(left, hn::Neg(along), along);
}

// log(1 + e^(parameter x)) / parameter and its derivative.
HWY_INLINE void softplus(F x, float parameter, F& value, F& slope) {
    const Reduction halvings{-static_cast<double>(parameter), std::numbers::ln2, -126,
                             0.5 * std::numbers::ln2 * (1 + 0x1p-20), false};
    F n, r;
    reduce(hn::Abs(x), halvings, n, r);
    const F power = power_of_two(floats, hn::Add(n, set(exponent_shift)));
    const F e = hn::MulAdd(power, small_expm1(floats, r), power); // e^-|parameter x|
    const F s = hn::Div(e, hn::Add(e, set(2.0F)));                // log(1 + e) = 2 artanh(s), s <= 1/3
    const F z = hn::Mul(s, s);
    F g = hn::MulAdd(set(0.13433165848255157F), z, set(0.14117152988910675F));
    g = hn::MulAdd(g, z, set(0.20003825426101685F));
    g = hn::MulAdd(g, z, set(0.33333319425582886F));
    const F logarithm = hn::MulAdd(hn::Mul(g, z), s, s);
    value = hn::MulAdd(logarithm, set(2 / parameter), hn::Max(zero(), x));
    const F share = hn::Div(set(1.0F), hn::Add(e, set(1.0F)));
    slope = hn::IfThenElse(hn::Gt(x, zero()), share, hn::Mul(e, share));
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
