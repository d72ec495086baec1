// Four doubles as one value: a SIMD vector if the target has one of that width, otherwise an array. Compilers do not
// vectorise these patterns by themselves. Include it only from a file that Highway's foreach_target compiles.
#if defined(FATHOM_DETECT_FOUR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_DETECT_FOUR_INL_H
#undef FATHOM_DETECT_FOUR_INL_H
#else
#define FATHOM_DETECT_FOUR_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32

struct Double4 {
    using Lanes = hn::CappedTag<double, 4>;
    using Ints = hn::CappedTag<std::int32_t, 4>;
    hn::Vec<Lanes> v;

    static HWY_INLINE Double4 load(const double* p) { return {hn::LoadU(Lanes(), p)}; }
    static HWY_INLINE Double4 load(const std::int32_t* p) { return {hn::PromoteTo(Lanes(), hn::LoadU(Ints(), p))}; }
    static HWY_INLINE Double4 all(double x) { return {hn::Set(Lanes(), x)}; }
    HWY_INLINE void store(double* p) const { hn::StoreU(v, Lanes(), p); }
    HWY_INLINE void store_truncated(std::int32_t* p) const { hn::StoreU(hn::DemoteTo(Ints(), v), Ints(), p); }

    friend HWY_INLINE Double4 operator+(Double4 a, Double4 b) { return {hn::Add(a.v, b.v)}; }
    friend HWY_INLINE Double4 operator-(Double4 a, Double4 b) { return {hn::Sub(a.v, b.v)}; }
    friend HWY_INLINE Double4 operator*(Double4 a, Double4 b) { return {hn::Mul(a.v, b.v)}; }
    friend HWY_INLINE Double4 min(Double4 a, Double4 b) { return {hn::Min(a.v, b.v)}; }
    friend HWY_INLINE Double4 max(Double4 a, Double4 b) { return {hn::Max(a.v, b.v)}; }
    friend HWY_INLINE Double4 floor(Double4 a) { return {hn::Floor(a.v)}; }
    // b where x == t, otherwise a.
    friend HWY_INLINE Double4 where_equal(Double4 x, Double4 t, Double4 b, Double4 a) {
        return {hn::IfThenElse(hn::Eq(x.v, t.v), b.v, a.v)};
    }
    HWY_INLINE double min() const { return hn::GetLane(hn::MinOfLanes(Lanes(), v)); }
    HWY_INLINE double max() const { return hn::GetLane(hn::MaxOfLanes(Lanes(), v)); }
    // Lanes 0 and 2 (evens) or 1 and 3 (odds) of a, followed by those of b.
    friend HWY_INLINE Double4 evens(Double4 a, Double4 b) { return {hn::ConcatEven(Lanes(), b.v, a.v)}; }
    friend HWY_INLINE Double4 odds(Double4 a, Double4 b) { return {hn::ConcatOdd(Lanes(), b.v, a.v)}; }
};

#else

struct Double4 {
    std::array<double, 4> v;

    template <class F>
    static HWY_INLINE Double4 each(const F& f) {
        return {{f(0), f(1), f(2), f(3)}};
    }

    static HWY_INLINE Double4 load(const double* p) { return {{p[0], p[1], p[2], p[3]}}; }
    static HWY_INLINE Double4 load(const std::int32_t* p) {
        return {{static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2]),
                 static_cast<double>(p[3])}};
    }
    static HWY_INLINE Double4 all(double x) { return {{x, x, x, x}}; }
    HWY_INLINE void store(double* p) const { std::copy(v.begin(), v.end(), p); }
    HWY_INLINE void store_truncated(std::int32_t* p) const {
        for (std::size_t k = 0; k < 4; ++k) p[k] = static_cast<std::int32_t>(v[k]);
    }

    friend HWY_INLINE Double4 operator+(const Double4& a, const Double4& b) {
        return each([&](std::size_t k) { return a.v[k] + b.v[k]; });
    }
    friend HWY_INLINE Double4 operator-(const Double4& a, const Double4& b) {
        return each([&](std::size_t k) { return a.v[k] - b.v[k]; });
    }
    friend HWY_INLINE Double4 operator*(const Double4& a, const Double4& b) {
        return each([&](std::size_t k) { return a.v[k] * b.v[k]; });
    }
    friend HWY_INLINE Double4 min(const Double4& a, const Double4& b) {
        return each([&](std::size_t k) { return std::min(a.v[k], b.v[k]); });
    }
    friend HWY_INLINE Double4 max(const Double4& a, const Double4& b) {
        return each([&](std::size_t k) { return std::max(a.v[k], b.v[k]); });
    }
    friend HWY_INLINE Double4 floor(const Double4& a) {
        return each([&](std::size_t k) { return std::floor(a.v[k]); });
    }
    friend HWY_INLINE Double4 where_equal(const Double4& x, const Double4& t, const Double4& b, const Double4& a) {
        return each([&](std::size_t k) { return x.v[k] == t.v[k] ? b.v[k] : a.v[k]; });
    }
    HWY_INLINE double min() const { return std::min(std::min(v[0], v[1]), std::min(v[2], v[3])); }
    HWY_INLINE double max() const { return std::max(std::max(v[0], v[1]), std::max(v[2], v[3])); }
    friend HWY_INLINE Double4 evens(const Double4& a, const Double4& b) { return {{a.v[0], a.v[2], b.v[0], b.v[2]}}; }
    friend HWY_INLINE Double4 odds(const Double4& a, const Double4& b) { return {{a.v[1], a.v[3], b.v[1], b.v[3]}}; }
};

#endif

HWY_INLINE Double4 lerp(Double4 a, Double4 b, double t) { return a + Double4::all(t) * (b - a); }

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
