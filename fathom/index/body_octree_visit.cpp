// Visits of a body octree: those of Bvh, over nodes that edits may have moved.
#include <fathom/index/body_octree.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/index/body_octree_visit.cpp"
#include <hwy/foreach_target.h>

#include <fathom/index/bvh_visit-inl.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

HWY_ATTR bool body_box(const BodyOctree& tree, const Box& box, CallableRef<bool(std::uint32_t)> visitor) {
    return visit_overlapping(PlainNodes{tree.nodes()}, 0, LocalBox(tree.frame(), box), visitor);
}
HWY_ATTR bool body_point(const BodyOctree& tree, const LocalPoint& point, double limit,
                         CallableRef<double(Index)> visitor) {
    return visit_limited(tree, point, limit, visitor);
}
HWY_ATTR bool body_ray(const BodyOctree& tree, const LocalRay& ray, double limit, CallableRef<double(Index)> visitor) {
    return visit_limited(tree, ray, limit, visitor);
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(body_box);
HWY_EXPORT(body_point);
HWY_EXPORT(body_ray);

bool BodyOctree::visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const {
    if (empty() || box.empty()) return true;
    return HWY_DYNAMIC_DISPATCH(body_box)(*this, box, [&](std::uint32_t number) {
        for (const Index primitive : leaf(number))
            if (primitive_box(primitive).overlaps(box) && !visitor(primitive)) return false;
        return true;
    });
}

bool BodyOctree::visit_ray(const Ray& ray, double t_max, CallableRef<double(Index)> visitor) const {
    const LocalRay local(frame_, ray);
    if (empty() || local.misses || !(t_max >= 0)) return true;
    return HWY_DYNAMIC_DISPATCH(body_ray)(*this, local, t_max, visitor);
}

bool BodyOctree::visit_nearest(const Vec3& point, double squared_radius, CallableRef<double(Index)> visitor) const {
    if (empty() || !point.allFinite() || !(squared_radius >= 0)) return true;
    return HWY_DYNAMIC_DISPATCH(body_point)(*this, LocalPoint(frame_, point), squared_radius, visitor);
}

} // namespace fathom
#endif
