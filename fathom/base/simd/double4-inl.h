// Four doubles as one value: a SIMD vector where the target has one so wide, else an array. The compiler
// does not find these by itself. Include it only from a file that Highway's foreach_target compiles.
// NOLINTBEGIN(llvm-header-guard)
#if defined(FATHOM_DETECT_FOUR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_DETECT_FOUR_INL_H_
#undef FATHOM_DETECT_FOUR_INL_H_
#else
#define FATHOM_DETECT_FOUR_INL_H_
#endif
// NOLINTEND

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32

struct Four {
    using Lanes = hn::CappedTag<double, 4>;
    using Ints = hn::CappedTag<std::int32_t, 4>;
    hn::Vec<Lanes> v;

    static HWY_INLINE Four load(const double* p) { return {hn::LoadU(Lanes(), p)}; }
    static HWY_INLINE Four load(const std::int32_t* p) { return {hn::PromoteTo(Lanes(), hn::LoadU(Ints(), p))}; }
    static HWY_INLINE Four all(double x) { return {hn::Set(Lanes(), x)}; }
    HWY_INLINE void store(double* p) const { hn::StoreU(v, Lanes(), p); }
    HWY_INLINE void store_truncated(std::int32_t* p) const { hn::StoreU(hn::DemoteTo(Ints(), v), Ints(), p); }

    friend HWY_INLINE Four operator+(Four a, Four b) { return {hn::Add(a.v, b.v)}; }
    friend HWY_INLINE Four operator-(Four a, Four b) { return {hn::Sub(a.v, b.v)}; }
    friend HWY_INLINE Four operator*(Four a, Four b) { return {hn::Mul(a.v, b.v)}; }
    friend HWY_INLINE Four min(Four a, Four b) { return {hn::Min(a.v, b.v)}; }
    friend HWY_INLINE Four max(Four a, Four b) { return {hn::Max(a.v, b.v)}; }
    friend HWY_INLINE Four floor(Four a) { return {hn::Floor(a.v)}; }
    // b where x == t, else a.
    friend HWY_INLINE Four where_equal(Four x, Four t, Four b, Four a) {
        return {hn::IfThenElse(hn::Eq(x.v, t.v), b.v, a.v)};
    }
    HWY_INLINE double least() const { return hn::GetLane(hn::MinOfLanes(Lanes(), v)); }
    HWY_INLINE double most() const { return hn::GetLane(hn::MaxOfLanes(Lanes(), v)); }
    // Lanes 0 and 2, or 1 and 3, of a, then of b.
    friend HWY_INLINE Four evens(Four a, Four b) { return {hn::ConcatEven(Lanes(), b.v, a.v)}; }
    friend HWY_INLINE Four odds(Four a, Four b) { return {hn::ConcatOdd(Lanes(), b.v, a.v)}; }
};

#else

struct Four {
    std::array<double, 4> v;

    template <class F>
    static HWY_INLINE Four each(const F& f) {
        return {{f(0), f(1), f(2), f(3)}};
    }

    static HWY_INLINE Four load(const double* p) { return {{p[0], p[1], p[2], p[3]}}; }
    static HWY_INLINE Four load(const std::int32_t* p) {
        return {{double(p[0]), double(p[1]), double(p[2]), double(p[3])}};
    }
    static HWY_INLINE Four all(double x) { return {{x, x, x, x}}; }
    HWY_INLINE void store(double* p) const { std::copy(v.begin(), v.end(), p); }
    HWY_INLINE void store_truncated(std::int32_t* p) const {
        for (std::size_t k = 0; k < 4; ++k) p[k] = static_cast<std::int32_t>(v[k]);
    }

    friend HWY_INLINE Four operator+(const Four& a, const Four& b) {
        return each([&](std::size_t k) { return a.v[k] + b.v[k]; });
    }
    friend HWY_INLINE Four operator-(const Four& a, const Four& b) {
        return each([&](std::size_t k) { return a.v[k] - b.v[k]; });
    }
    friend HWY_INLINE Four operator*(const Four& a, const Four& b) {
        return each([&](std::size_t k) { return a.v[k] * b.v[k]; });
    }
    friend HWY_INLINE Four min(const Four& a, const Four& b) {
        return each([&](std::size_t k) { return std::min(a.v[k], b.v[k]); });
    }
    friend HWY_INLINE Four max(const Four& a, const Four& b) {
        return each([&](std::size_t k) { return std::max(a.v[k], b.v[k]); });
    }
    friend HWY_INLINE Four floor(const Four& a) {
        return each([&](std::size_t k) { return std::floor(a.v[k]); });
    }
    friend HWY_INLINE Four where_equal(const Four& x, const Four& t, const Four& b, const Four& a) {
        return each([&](std::size_t k) { return x.v[k] == t.v[k] ? b.v[k] : a.v[k]; });
    }
    HWY_INLINE double least() const { return std::min(std::min(v[0], v[1]), std::min(v[2], v[3])); }
    HWY_INLINE double most() const { return std::max(std::max(v[0], v[1]), std::max(v[2], v[3])); }
    friend HWY_INLINE Four evens(const Four& a, const Four& b) { return {{a.v[0], a.v[2], b.v[0], b.v[2]}}; }
    friend HWY_INLINE Four odds(const Four& a, const Four& b) { return {{a.v[1], a.v[3], b.v[1], b.v[3]}}; }
};

#endif

HWY_INLINE Four lerp(Four a, Four b, double t) { return a + Four::all(t) * (b - a); }

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
