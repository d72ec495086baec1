// A heap of pairs, opened from the nearest.
#include <fathom/detect/trees/dual_tree_bound.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom {

namespace {

bool farther(const PartPairs::Pair& p, const PartPairs::Pair& q) {
    return std::tie(p.gap, p.a, p.b) > std::tie(q.gap, q.a, q.b);
}

} // namespace

PartPairs::PartPairs(PartTree& a, PartTree& b, const Pose& b_in_a)
    : a_(a), b_(b), b_in_a_(b_in_a), turn_(b_in_a.rotation.toRotationMatrix()) {
    const Sphere of_a = a.ball(0), of_b = b.ball(0);
    slack_ = 1e-14 * (of_a.center.norm() + of_a.radius + of_b.center.norm() + of_b.radius + b_in_a.translation.norm());
    heap_.push_back({gap(0, 0, -HUGE_VAL, Vec3::Zero()), 0, 0});
}

double PartPairs::gap(Index a, Index b, double enough, const Vec3& way) const {
    const Sphere p = a_.ball(a), q = b_.ball(b);
    const Vec3 between = b_in_a_ * q.center - p.center;
    const double apart = between.norm();
    double least = apart - p.radius - q.radius;
    const auto along = [&](const Vec3& u) {
        return between.dot(u) - a_.reach(a, u) - b_.reach(b, turn_.transpose() * -u);
    };
    if (least < enough && apart > 0 && !way.isZero()) least = std::max({least, along(way), along(between / apart)});
    return least - slack_;
}

void PartPairs::open_nearest(double enough, const Vec3& way) {
    std::pop_heap(heap_.begin(), heap_.end(), farther);
    const Pair top = heap_.back();
    heap_.pop_back();
    bool of_a = a_.ball(top.a).radius >= b_.ball(top.b).radius;
    PartTree::Parts parts = of_a ? a_.open(top.a) : b_.open(top.b);
    if (parts.last) of_a = !of_a, parts = of_a ? a_.open(top.a) : b_.open(top.b);
    if (parts.last) aside_ = std::min(aside_, top.gap);
    made_ += parts.count;
    for (Index k = 0; k < parts.count; ++k) {
        const Index a = of_a ? parts.first + k : top.a, b = of_a ? top.b : parts.first + k;
        const double least = std::max(top.gap, gap(a, b, enough, way));
        if (least >= enough) {
            aside_ = std::min(aside_, least);
            continue;
        }
        heap_.push_back({least, a, b});
        std::push_heap(heap_.begin(), heap_.end(), farther);
    }
}

} // namespace fathom
