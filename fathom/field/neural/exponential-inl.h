// Building blocks of e^x on vectors of floats, shared by kernels and proofs. The polynomial is a weighted minimax fit.
// Include this file only from a file that Highway's foreach_target compiles.
#if defined(FATHOM_FIELD_EXPONENTIAL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_FIELD_EXPONENTIAL_INL_H
#undef FATHOM_FIELD_EXPONENTIAL_INL_H
#else
#define FATHOM_FIELD_EXPONENTIAL_INL_H
#endif

#include <hwy/highway.h>

#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {
namespace {

// Adding this constant yields a float whose low bits are those of the nearest integer plus the exponent bias of a
// float.
inline constexpr float exponent_shift = 0x1.8p23F + 127;
template <class Tag>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<Tag> power_of_two(Tag tag, hwy::HWY_NAMESPACE::Vec<Tag> shifted) {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::RebindToSigned<Tag> ints;
    return hn::BitCast(tag, hn::ShiftLeft<23>(hn::BitCast(ints, shifted)));
}

// e^r - 1 for |r| <= ln(2) / 2, with a relative error of 2^-24.
template <class Tag>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<Tag> small_expm1(Tag tag, hwy::HWY_NAMESPACE::Vec<Tag> r) {
    namespace hn = hwy::HWY_NAMESPACE;
    auto q = hn::MulAdd(hn::Set(tag, 0.001390130608342588F), r, hn::Set(tag, 0.008363200351595879F));
    q = hn::MulAdd(q, r, hn::Set(tag, 0.04166685417294502F));
    q = hn::MulAdd(q, r, hn::Set(tag, 0.16666576266288757F));
    q = hn::MulAdd(q, r, hn::Set(tag, 0.5F));
    return hn::MulAdd(hn::Mul(r, r), q, r);
}

// e^x = power * (1 + rest) for `least` <= x <= 0, where e^least is a normal number; below `least`, the value at
// `least`. Relative error of e^x: 2^-22, plus 2^-23 |x| from the rounding of x.
template <class Tag>
struct SplitExponential {
    hwy::HWY_NAMESPACE::Vec<Tag> power, rest;
};
template <class Tag>
HWY_INLINE SplitExponential<Tag> split_exponential(Tag tag, hwy::HWY_NAMESPACE::Vec<Tag> x, float least) {
    namespace hn = hwy::HWY_NAMESPACE;
    const auto bounded = hn::Max(hn::Set(tag, least), x);
    const auto shifted = hn::MulAdd(bounded, hn::Set(tag, std::numbers::log2e_v<float>), hn::Set(tag, exponent_shift));
    const auto n = hn::Sub(shifted, hn::Set(tag, exponent_shift));
    return {power_of_two(tag, shifted),
            small_expm1(tag, hn::NegMulAdd(n, hn::Set(tag, std::numbers::ln2_v<float>), bounded))};
}

} // namespace
} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
