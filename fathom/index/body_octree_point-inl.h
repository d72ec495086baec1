// Points of a body octree as vectors of four doubles, for its SIMD kernels.
// Include it only from a file that Highway's foreach_target compiles.
#if defined(FATHOM_INDEX_BODY_OCTREE_POINT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_INDEX_BODY_OCTREE_POINT_INL_H
#undef FATHOM_INDEX_BODY_OCTREE_POINT_INL_H
#else
#define FATHOM_INDEX_BODY_OCTREE_POINT_INL_H
#endif

#include <fathom/base/vec.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// x, y, z and one unused lane, in as many parts as the target needs.
using PointLanes = hn::CappedTag<double, 4>;
using PointDoubles = hn::Vec<PointLanes>;

HWY_INLINE std::size_t point_step() { return hn::Lanes(PointLanes()); }

// Loads the lanes of a point from `part` on. Reads nothing behind z, where the caller's memory may end: the fourth lane
// is zero, or z again.
HWY_INLINE PointDoubles load_point(const Vec3* points, Index id, std::size_t part) {
    const PointLanes d;
    const double* const at = points[id].data();
    if (hn::Lanes(d) == 4) return hn::MaskedLoad(hn::FirstN(d, 3), d, at);
    return part + hn::Lanes(d) <= 3 ? hn::LoadU(d, at + part) : hn::Set(d, at[2]);
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
