// Lower bound on distance: over pairs of nodes of two trees, or over the nodes of one tree above a half-space.
#include <fathom/detect/query/distance_lower_bound.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/query/compound.h>
#include <fathom/detect/trees/dual_tree_bound.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

BoundingTree parts_of(const Shape& shape, double min_radius) {
    if (has_surface(shape.kind())) return BoundingTree(shape.surface());
    return BoundingTree(shape.solid(), min_radius);
}

double gap_of_trees(BoundingTree a, BoundingTree b, const Pose& b_in_a, const Vec3& direction,
                    const GapOptions& options) {
    if (a.empty() || b.empty()) return 0;
    DualTreeBound pairs(a, b, b_in_a);
    Directions directions;
    directions.add(direction);
    if (directions.count > 0) {
        a.aim(direction, a.sphere(0).center);
        b.aim(b_in_a.rotate_to_local(-direction), b.sphere(0).center);
    }
    for (std::size_t opened = 0; opened < options.effort && pairs.bound() < options.sufficient && pairs.open();
         ++opened)
        pairs.open_nearest(options.sufficient, directions);
    return pairs.bound();
}

struct Height {
    double least; // lower bound on the height above the plane (m)
    Index part;   // node

    bool operator<(const Height& other) const { return least > other.least; } // the lowest is on top of the heap
};

double gap_over_plane(BoundingTree parts, const Pose& in_plane, const Shape::HalfSpace& plane,
                      const GapOptions& options) {
    if (parts.empty()) return 0;
    const Vec3 down = in_plane.rotate_to_local(-plane.normal);
    const auto height = [&](Index part) {
        return plane.normal.dot(in_plane * parts.sphere(part).center) - plane.offset - parts.reach(part, down);
    };
    std::vector<Height> heap = {{height(0), 0}};
    for (std::size_t opened = 0; opened < options.effort && heap.front().least < options.sufficient; ++opened) {
        const BoundingTree::Parts below = parts.open(heap.front().part);
        if (below.last) break;
        std::pop_heap(heap.begin(), heap.end());
        const Height top = heap.back();
        heap.pop_back();
        for (Index k = 0; k < below.count; ++k) {
            heap.push_back({std::max(top.least, height(below.first + k)), below.first + k});
            std::push_heap(heap.begin(), heap.end());
        }
        if (heap.empty()) return options.sufficient;
    }
    return heap.front().least;
}

// Over the pairs of parts whose bounding boxes are nearer than the result.
double gap_of_parts(const query::Pair& pair, const GapOptions& options) {
    query::PartPairs pairs(pair);
    query::PartPairs::Parts parts;
    double least = options.sufficient;
    for (std::size_t tested = 0; tested < options.effort && pairs.next(least, parts); ++tested) {
        const query::Placed a = query::part_of(pair.a, parts.a), b = query::part_of(pair.b, parts.b);
        least = std::min(least, std::max(parts.gap, distance_lower_bound(*a.shape, a.pose, *b.shape, b.pose, options)));
    }
    return std::min(least, pairs.least_gap());
}

} // namespace

double distance_lower_bound(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                            const GapOptions& options) {
    if (query::is_compound(a.kind()) || query::is_compound(b.kind()))
        return gap_of_parts({{&a, pose_a}, {&b, pose_b}}, options);
    if (!b.bounded()) {
        GapOptions swapped = options;
        swapped.direction = -options.direction;
        return a.bounded() ? distance_lower_bound(b, pose_b, a, pose_a, swapped) : 0;
    }
    const bool plane = a.kind() == ShapeKind::half_space;
    if ((!plane && !a.bounded()) || a.bounds().empty() || b.bounds().empty()) return 0;
    const Pose b_in_a = relative(pose_a, pose_b);
    const double gap = plane ? gap_over_plane(parts_of(b, options.min_radius), b_in_a, a.half_space(), options)
                             : gap_of_trees(parts_of(a, options.min_radius), parts_of(b, options.min_radius), b_in_a,
                                            pose_a.rotate_to_local(options.direction), options);
    return std::max(0.0, gap - pose_rounding(extent(a) + extent(b) + b_in_a.translation.norm(),
                                             pose_a.translation.norm(), pose_b.translation.norm()));
}

double extent(const Shape& shape) {
    if (shape.kind() == ShapeKind::half_space) return std::abs(shape.half_space().offset);
    if (query::is_compound(shape.kind())) return shape.compound().extent;
    return shape.bounded() ? shape.bounds().center().norm() + shape.radius() : 0;
}

} // namespace fathom
