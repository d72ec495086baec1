// Room: detect. The nearest balls of two trees are opened, until none is nearer than enough.
#include <fathom/detect/least_gap.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr Index triangle_bit = 0x8000'0000u; // a ball of one triangle, by its place; else a node

// Balls over balls over all of a shape, in its frame.
struct BallTree {
    const ContactMesh* surface = nullptr;
    const Solid* solid = nullptr;

    explicit BallTree(const Shape& shape) {
        if (has_surface(shape.kind())) surface = &shape.surface();
        else solid = &shape.solid();
    }
    [[nodiscard]] bool empty() const { return surface ? surface->size() == 0 : solid->nodes().empty(); }
    [[nodiscard]] Sphere ball(Index id) const {
        if (solid) return solid->ball(solid->nodes()[id]);
        if (id & triangle_bit) return surface->ball(id & ~triangle_bit);
        return {surface->tree().sphere(surface->tree().nodes()[id]).center, surface->reach(id)};
    }
    // Balls that hold what this one holds; none below the last.
    struct Children {
        Index first = 0, count = 0, bit = 0;
    };
    [[nodiscard]] Children children(Index id) const {
        if (solid) return {solid->nodes()[id].first, solid->nodes()[id].children, 0};
        if (id & triangle_bit) return {};
        const SphereNode& node = surface->tree().nodes()[id];
        return {node.first, static_cast<Index>(node.size()), node.is_leaf() ? triangle_bit : 0};
    }
};

struct Open {
    double gap;
    Index a, b;
    bool operator<(const Open& other) const { return gap > other.gap; } // the nearest on top of a heap
};

// Opens pairs, the nearest first. between(id_a, id_b) bounds the gap from below; split(pair) tells which to open and into what.
template <class Between, class Split>
double nearest_open(double enough, std::size_t effort, Between&& between, Split&& split) {
    std::vector<Open> heap{{between(Index{0}, Index{0}), 0, 0}};
    for (std::size_t opened = 0; opened < effort; ++opened) {
        const Open top = heap.front();
        if (top.gap >= enough) break;
        const auto [open_a, children] = split(top);
        if (children.count == 0) break;
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
        for (Index k = 0; k < children.count; ++k) {
            const Index child = (children.first + k) | children.bit;
            const Index a = open_a ? child : top.a, b = open_a ? top.b : child;
            heap.push_back({std::max(top.gap, between(a, b)), a, b});
            std::push_heap(heap.begin(), heap.end());
        }
    }
    return heap.front().gap;
}

double gap_of_trees(const BallTree& a, const BallTree& b, const Pose& b_in_a, double enough, std::size_t effort) {
    const auto between = [&](Index i, Index j) {
        const Sphere p = a.ball(i), q = b.ball(j);
        return (p.center - b_in_a * q.center).norm() - p.radius - q.radius;
    };
    return nearest_open(enough, effort, between, [&](const Open& top) {
        const BallTree::Children of_a = a.children(top.a), of_b = b.children(top.b);
        const bool open_a = of_b.count == 0 || (of_a.count > 0 && a.ball(top.a).radius >= b.ball(top.b).radius);
        return std::pair(open_a, open_a ? of_a : of_b);
    });
}

double gap_over_plane(const BallTree& a, const Pose& a_in_plane, const Shape::HalfSpace& plane, double enough, std::size_t effort) {
    const auto between = [&](Index i, Index) {
        const Sphere p = a.ball(i);
        return plane.normal.dot(a_in_plane * p.center) - plane.offset - p.radius;
    };
    return nearest_open(enough, effort, between, [&](const Open& top) { return std::pair(true, a.children(top.a)); });
}

} // namespace

double least_gap(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double enough, std::size_t effort) {
    if (!b.bounded()) return a.bounded() ? least_gap(b, pose_b, a, pose_a, enough, effort) : 0;
    const bool plane = a.kind() == ShapeKind::plane;
    if ((!plane && !a.bounded()) || a.bounds().empty() || b.bounds().empty()) return 0;
    const BallTree tree(b);
    if (tree.empty() || (!plane && BallTree(a).empty())) return 0;
    const Pose b_in_a = relative(pose_a, pose_b);
    const double gap = plane ? gap_over_plane(tree, b_in_a, a.half_space(), enough, effort) : gap_of_trees(BallTree(a), tree, b_in_a, enough, effort);
    const double extent = plane ? std::abs(a.half_space().offset) : a.bounds().center().norm() + a.radius();
    const double far = pose_a.translation.norm() + pose_b.translation.norm();
    return std::max(0.0, gap - 1e-11 * (extent + b.bounds().center().norm() + b.radius() + b_in_a.translation.norm()) - 1e-14 * far);
}

} // namespace fathom
