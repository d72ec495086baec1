// Three-component vectors of SIMD lanes. Include it only from a file that Highway's foreach_target compiles.
#if defined(FATHOM_GEOMETRY_FLOATS3_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_GEOMETRY_FLOATS3_INL_H
#undef FATHOM_GEOMETRY_FLOATS3_INL_H
#else
#define FATHOM_GEOMETRY_FLOATS3_INL_H
#endif

#include <fathom/index/bvh_visit-inl.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

struct Vec3Lanes {
    Floats x, y, z;
};

HWY_INLINE Vec3Lanes load3(const float (&rows)[3][8], int lane) {
    const Lanes8 d;
    return {hn::Load(d, rows[0] + lane), hn::Load(d, rows[1] + lane), hn::Load(d, rows[2] + lane)};
}
HWY_INLINE Vec3Lanes set3(const float (&v)[3]) {
    const Lanes8 d;
    return {hn::Set(d, v[0]), hn::Set(d, v[1]), hn::Set(d, v[2])};
}
HWY_INLINE Vec3Lanes add3(const Vec3Lanes& a, const Vec3Lanes& b) {
    return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE Vec3Lanes sub3(const Vec3Lanes& a, const Vec3Lanes& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
