// A heap of node pairs ordered by distance.
#include <fathom/detect/trees/dual_tree_bound.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/bounds/octants.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace fathom {

// ---- BoundingTree: subdivision of the leaves of a solid's tree, with a cache.

namespace {

constexpr Index triangle_bit = 0x8000'0000u; // set: a triangle, by its position in the tree; else a node

} // namespace

Sphere BoundingTree::round(const Cell& cell) { return {cell.box.center(), outward(cell.box.half().norm())}; }

Sphere BoundingTree::sphere(Index id) const {
    if (surface_) {
        if (id & triangle_bit) return surface_->sphere(id & ~triangle_bit);
        return {surface_->tree().sphere(surface_->tree().nodes()[id]).center, surface_->reach(id)};
    }
    if (id < solid_->nodes().size()) return solid_->sphere(solid_->nodes()[id]);
    return round(cell(id));
}

double BoundingTree::reach(Index id, const Vec3& direction) const {
    if (surface_) {
        const Sphere all = sphere(id);
        if (!(id & triangle_bit)) return all.radius;
        double farthest = -HUGE_VAL;
        for (const Vec3& corner : surface_->corners(id & ~triangle_bit))
            farthest = std::max(farthest, direction.dot(corner - all.center));
        return std::min(all.radius, farthest + position_rounding(all.center.norm(), all.radius));
    }
    if (id < solid_->nodes().size()) return solid_->reach(solid_->nodes()[id], direction);
    const Cell& part = cell(id);
    const double to_faces = outward(part.box.half().dot(direction.cwiseAbs()));
    return std::min(to_faces, capped_reach(round(part).radius, part.plane.offset, part.plane.normal.dot(direction)));
}

BoundingTree::Parts BoundingTree::open(Index id) {
    if (surface_) {
        if (id & triangle_bit) return {};
        const SphereNode& node = surface_->tree().nodes()[id];
        return {node.first | (node.is_leaf() ? triangle_bit : 0), static_cast<Index>(node.size()), false};
    }
    if (id < solid_->nodes().size()) {
        const FieldSphereNode& node = solid_->nodes()[id];
        if (node.children > 0) return {node.first, node.children, false};
        const Sphere all = solid_->sphere(node);
        if (all.radius <= min_radius_) return {};
        if (const auto known = of_leaves_.find(id); known != of_leaves_.end()) return known->second;
        return of_leaves_[id] = cut(Box::around(all.center, Vec3::Constant(all.radius)));
    }
    const std::size_t place = id - solid_->nodes().size();
    if (round(cells_[place]).radius <= min_radius_) return {};
    if (!cells_[place].opened) {
        const Parts parts = cut(cells_[place].box);
        cells_[place].parts = parts;
        cells_[place].opened = true;
    }
    return cells_[place].parts;
}

BoundingTree::Parts BoundingTree::cut(const Box& box) {
    std::array<Box, 8> boxes;
    std::array<Interval, 8> ranges;
    std::array<PlaneOver, 8> planes;
    const std::size_t count = octants(box, boxes);
    if (count == 1) return {};
    solid_->clearance().bounds_of(std::span(boxes).first(count), std::span(ranges).first(count),
                                  std::span(planes).first(count));
    range_evaluations_ += count;
    const std::size_t before = cells_.size();
    for (std::size_t k = 0; k < count; ++k) {
        const Cell part{.box = boxes[k], .plane = planes[k]};
        if (ranges[k].lower > 0 || planes[k].offset < -round(part).radius) continue;
        cells_.push_back(part);
    }
    return {static_cast<Index>(solid_->nodes().size() + before), static_cast<Index>(cells_.size() - before), false};
}

// ---- DualTreeBound

namespace {

bool farther(const DualTreeBound::Pair& p, const DualTreeBound::Pair& q) {
    return std::tie(p.gap, p.a, p.b) > std::tie(q.gap, q.a, q.b);
}

} // namespace

DualTreeBound::DualTreeBound(BoundingTree& a, BoundingTree& b, const Pose& b_in_a)
    : a_(a), b_(b), b_in_a_(b_in_a), rotation_(b_in_a.rotation.toRotationMatrix()) {
    const Sphere of_a = a.sphere(0), of_b = b.sphere(0);
    slack_ =
        position_rounding(of_a.center.norm(), of_a.radius, of_b.center.norm(), of_b.radius, b_in_a.translation.norm());
    heap_.push_back({gap(0, 0, -HUGE_VAL, Vec3::Zero()), 0, 0});
}

double DualTreeBound::gap(Index a, Index b, double sufficient, const Vec3& direction) const {
    const Sphere p = a_.sphere(a), q = b_.sphere(b);
    const Vec3 between = b_in_a_ * q.center - p.center;
    const double apart = between.norm();
    double least = apart - p.radius - q.radius;
    const auto along = [&](const Vec3& u) {
        return between.dot(u) - a_.reach(a, u) - b_.reach(b, rotation_.transpose() * -u);
    };
    if (least < sufficient && apart > 0 && !direction.isZero())
        least = std::max({least, along(direction), along(between / apart)});
    return least - slack_;
}

void DualTreeBound::open_nearest(double sufficient, const Vec3& direction) {
    std::pop_heap(heap_.begin(), heap_.end(), farther);
    const Pair top = heap_.back();
    heap_.pop_back();
    bool of_a = a_.sphere(top.a).radius >= b_.sphere(top.b).radius;
    BoundingTree::Parts parts = of_a ? a_.open(top.a) : b_.open(top.b);
    if (parts.last) of_a = !of_a, parts = of_a ? a_.open(top.a) : b_.open(top.b);
    if (parts.last) aside_ = std::min(aside_, top.gap);
    made_ += parts.count;
    for (Index k = 0; k < parts.count; ++k) {
        const Index a = of_a ? parts.first + k : top.a, b = of_a ? top.b : parts.first + k;
        const double least = std::max(top.gap, gap(a, b, sufficient, direction));
        if (least >= sufficient) {
            aside_ = std::min(aside_, least);
            continue;
        }
        heap_.push_back({least, a, b});
        std::push_heap(heap_.begin(), heap_.end(), farther);
    }
}

} // namespace fathom
