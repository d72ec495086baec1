// A heap of nodes ordered by their distance from a convex body.
#include <fathom/detect/trees/convex_bound.h>

#include <fathom/base/rounding.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom {

namespace {

bool farther_part(const ConvexBound::Part& p, const ConvexBound::Part& q) {
    return std::tie(p.gap, p.node) > std::tie(q.gap, q.node);
}

} // namespace

ConvexBound::ConvexBound(const convex::Body& body, const Field& field, const Pose& body_in_cells, BoundingTree& cells)
    : body_(body), field_(field), body_in_cells_(body_in_cells), cells_(cells) {
    const Sphere all = cells.sphere(0);
    slack_ = position_rounding(all.center.norm(), all.radius, body_in_cells.translation.norm()) +
             4 * position_rounding(body.extent, body.radius, body.placement.translation.norm());
    heap_.push_back(part(0, HUGE_VAL, Vec3::Zero()));
}

ConvexBound::Part ConvexBound::part(Index node, double sufficient, const Vec3& direction) {
    ++evaluations_;
    Part result{-HUGE_VAL, node};
    const Vec3 center = cells_.sphere(node).center;
    const Vec3 outward_normal =
        body_in_cells_.rotate(field_.sample(body_in_cells_.to_local(center)).gradient).stableNormalized();
    for (const Vec3& u : {outward_normal, direction}) {
        if (!(std::abs(u.squaredNorm() - 1) < 1e-12) || result.gap >= sufficient) continue;
        const Vec3 in_core = body_.placement.rotate_to_local(body_in_cells_.rotate_to_local(u));
        const Vec3 support = body_in_cells_ * (body_.placement * convex::certain_support(body_, in_core).point);
        const double gap = u.dot(center - support) - body_.radius - cells_.reach(node, -u) - slack_;
        if (gap > result.gap) result.gap = gap, result.normal = u;
    }
    return result;
}

void ConvexBound::open_nearest(double sufficient, const Vec3& direction) {
    std::pop_heap(heap_.begin(), heap_.end(), farther_part);
    const Part top = heap_.back();
    heap_.pop_back();
    if (!top.normal.isZero()) cells_.aim(-top.normal); // the planes of its parts suit the direction
    const BoundingTree::Parts parts = cells_.open(top.node);
    if (parts.last) aside_ = std::min(aside_, top.gap);
    for (Index k = 0; k < parts.count; ++k) {
        Part next = part(parts.first + k, sufficient, direction);
        next.gap = std::max(next.gap, top.gap);
        if (next.gap >= sufficient) {
            aside_ = std::min(aside_, next.gap);
            continue;
        }
        heap_.push_back(next);
        std::push_heap(heap_.begin(), heap_.end(), farther_part);
    }
}

} // namespace fathom
