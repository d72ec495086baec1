// Visits of Bvh for callers without SIMD code: one indirect call per id.
#include <fathom/index/bvh.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/index/bvh_visit.cpp"
#include <hwy/foreach_target.h>

#include <fathom/index/bvh_visit-inl.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

HWY_ATTR bool visit_box(const Bvh& tree, const Box& box, CallableRef<bool(std::uint32_t)> visitor) {
    return visit_overlapping(PlainNodes{tree.nodes()}, 0, LocalBox(tree.frame(), box), visitor);
}

HWY_ATTR bool visit_point(const Bvh& tree, const LocalPoint& point, double limit, CallableRef<double(Index)> visitor) {
    return visit_limited(tree, point, limit, visitor);
}
HWY_ATTR bool visit_line(const Bvh& tree, const LocalRay& ray, double limit, CallableRef<double(Index)> visitor) {
    return visit_limited(tree, ray, limit, visitor);
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(visit_box);
HWY_EXPORT(visit_point);
HWY_EXPORT(visit_line);

bool Bvh::visit_overlapping_leaves(const Box& box, CallableRef<bool(std::uint32_t)> visitor) const {
    if (empty() || box.empty()) return true;
    return HWY_DYNAMIC_DISPATCH(visit_box)(*this, box, visitor);
}

bool Bvh::visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const {
    return visit_overlapping_leaves(box, [&](std::uint32_t leaf) {
        for (Index k = leaf_begin(leaf); k < leaf_begin(leaf + 1); ++k)
            if ((!keeps_boxes() || box_at(k).overlaps(box)) && !visitor(order_[k])) return false;
        return true;
    });
}

bool Bvh::visit_ray(const Ray& ray, double t_max, CallableRef<double(Index)> visitor) const {
    const LocalRay local(frame_, ray);
    if (empty() || local.misses || !(t_max >= 0)) return true;
    return HWY_DYNAMIC_DISPATCH(visit_line)(*this, local, t_max, visitor);
}

bool Bvh::visit_nearest(const Vec3& point, double squared_radius, CallableRef<double(Index)> visitor) const {
    if (empty() || !point.allFinite() || !(squared_radius >= 0)) return true;
    return HWY_DYNAMIC_DISPATCH(visit_point)(*this, LocalPoint(frame_, point), squared_radius, visitor);
}

} // namespace fathom
#endif
