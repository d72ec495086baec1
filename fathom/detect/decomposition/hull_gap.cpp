// The octree of distances and the search for the largest one in a hull.
#include <fathom/detect/decomposition/hull_gap.h>

#include <fathom/base/parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fathom::decomposition {

namespace {

constexpr double diagonal = std::numbers::sqrt3; // half the diagonal of a cell, by half its side
constexpr std::size_t max_nodes = 1'000'000;
constexpr std::size_t max_evaluations = 200'000; // of one proof
constexpr double relative_detail = 0.25;         // side of the cells, by their distance to the solid
constexpr double limit_detail = 0.25;            // the same, by the limit

} // namespace

struct GapTree::Search {
    const GapTree& tree;
    const convex::Hull& hull;
    double tolerance; // cells below this are not subdivided by a proof; negative: estimate only
    double floor;     // smaller distances are not looked for
    Gap best{};
    std::size_t evaluations = 0;
    std::array<std::vector<Index>, 64> cutting{}; // per level: planes that cut the cell

    // Fills the planes of the level below. The largest distance of the centre beyond a plane; infinity if the cell is
    // outside.
    [[nodiscard]] double classify(const Vec3& center, double half, int level) {
        double beyond = -HUGE_VAL;
        auto& next = cutting[static_cast<std::size_t>(level) + 1];
        next.clear();
        for (const Index f : cutting[static_cast<std::size_t>(level)]) {
            const convex::HullPlane& plane = hull.planes[f];
            const double height = plane.normal.dot(center) - plane.offset;
            const double reach = half * plane.normal.cwiseAbs().sum();
            if (height > reach) return infinity;
            if (height > -reach) next.push_back(f);
            beyond = std::max(beyond, height);
        }
        return beyond;
    }

    void found(double distance, const Vec3& p) {
        if (distance > best.depth) best.depth = distance, best.place = p;
    }

    // What one cell says; true if cells below it may have a larger distance.
    [[nodiscard]] bool visit(double distance, const Vec3& center, double half, int level) {
        const double reach = half * diagonal;
        if (distance + reach <= std::max(best.depth, floor)) return false;
        const double beyond = classify(center, half, level);
        if (beyond == infinity) return false;
        if (beyond <= 0) found(distance, center);
        return distance + reach > std::max(best.depth, floor);
    }

    // A leaf whose centre is outside the hull: the distance at a point of the hull nearby.
    void visit_border(double distance, const Vec3& center, double half, int level) {
        Vec3 p = center;
        for (int step = 0; step < 16; ++step) { // projections onto the planes
            const convex::HullPlane* worst = nullptr;
            double beyond = 1e-9;
            for (const Index f : cutting[static_cast<std::size_t>(level) + 1]) {
                const double height = hull.planes[f].normal.dot(p) - hull.planes[f].offset;
                if (height > beyond) beyond = height, worst = &hull.planes[f];
            }
            if (!worst) break;
            p -= beyond * worst->normal;
        }
        const double moved = (p - center).norm();
        if (moved == 0 || moved > half * diagonal || distance + moved <= std::max(best.depth, floor)) return;
        found(tree.solid_.distance(p), p);
    }

    void descend(Index number, const Vec3& center, double half, int level) {
        const Node& node = tree.nodes_[number];
        if (!visit(node.distance, center, half, level)) return;
        if (node.first_child == no_index) {
            if (tolerance >= 0)
                refine(node.distance, center, half, level);
            else
                visit_border(node.distance, center, half, level);
            return;
        }
        std::array<int, 8> order = {0, 1, 2, 3, 4, 5, 6, 7};
        const auto value = [&](int k) { return tree.nodes_[node.first_child + static_cast<Index>(k)].distance; };
        std::sort(order.begin(), order.end(),
                  [&](int a, int b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
        for (const int k : order)
            descend(node.first_child + static_cast<Index>(k), child_center(center, half, k), 0.5 * half, level + 1);
    }

    // Below the leaves of the tree. `distance` is that at the centre of a cell that has been visited.
    void refine(double distance, const Vec3& center, double half, int level) {
        if (half * diagonal <= tolerance || evaluations >= max_evaluations || level + 3 > std::ssize(cutting)) {
            best.bound = std::max(best.bound, distance + half * diagonal);
            return;
        }
        for (int k = 0; k < 8; ++k) {
            const Vec3 c = child_center(center, half, k);
            ++evaluations;
            const double d = tree.solid_.distance(c);
            if (visit(d, c, 0.5 * half, level + 1)) refine(d, c, 0.5 * half, level + 1);
        }
    }

    [[nodiscard]] Gap run() {
        if (hull.dimension < 3) return best;
        cutting[0].resize(hull.planes.size());
        for (Index f = 0; f < cutting[0].size(); ++f) cutting[0][f] = f;
        descend(0, tree.center_, tree.half_, 0);
        best.bound = std::max({best.bound, best.depth, floor});
        return best;
    }
};

Vec3 GapTree::child_center(const Vec3& center, double half, int k) {
    const double step = 0.5 * half;
    return center + Vec3((k & 1) ? step : -step, (k & 2) ? step : -step, (k & 4) ? step : -step);
}

GapTree::GapTree(const Field& solid, const convex::Hull& around, double limit) : solid_(solid) {
    const Box box = bounds(around.vertices);
    center_ = box.center();
    half_ = 0.5 * box.size().maxCoeff();
    nodes_.push_back({static_cast<float>(solid.distance(center_)), no_index});
    subdivide(around, limit);
}

void GapTree::subdivide(const convex::Hull& around, double limit) {
    struct Cell {
        Index node;
        Vec3 center;
    };
    std::vector<Cell> level = {{0, center_}};
    const auto outside = [&](const Vec3& c, double half) {
        return std::any_of(around.planes.begin(), around.planes.end(), [&](const convex::HullPlane& plane) {
            return plane.normal.dot(c) - plane.offset > half * plane.normal.cwiseAbs().sum();
        });
    };
    for (double half = half_; !level.empty(); half *= 0.5) {
        std::vector<Cell> parents;
        for (const Cell& cell : level) {
            const double d = nodes_[cell.node].distance, reach = half * diagonal;
            if (d + reach > limit && 2 * half > std::max(relative_detail * d, limit_detail * limit) &&
                !outside(cell.center, half))
                parents.push_back(cell);
        }
        if (nodes_.size() + 8 * parents.size() > max_nodes) return;
        const auto first = static_cast<Index>(nodes_.size());
        nodes_.resize(nodes_.size() + 8 * parents.size());
        level.assign(8 * parents.size(), {});
        parallel_for(parents.size(), 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t p = begin; p < end; ++p)
                for (int k = 0; k < 8; ++k) {
                    const std::size_t at = 8 * p + static_cast<std::size_t>(k);
                    const Vec3 c = child_center(parents[p].center, half, k);
                    level[at] = {first + static_cast<Index>(at), c};
                    nodes_[first + at].distance = static_cast<float>(solid_.distance(c));
                }
        });
        for (std::size_t p = 0; p < parents.size(); ++p)
            nodes_[parents[p].node].first_child = first + static_cast<Index>(8 * p);
    }
}

Gap GapTree::estimate(const convex::Hull& hull, double floor) const { return Search{*this, hull, -1, floor}.run(); }

bool GapTree::within(const convex::Hull& hull, double limit) const {
    return Search{*this, hull, limit / 8, limit}.run().depth <= limit;
}

Gap GapTree::proven_gap(const convex::Hull& hull, double tolerance, double floor) const {
    return Search{*this, hull, tolerance, floor, estimate(hull)}.run();
}

} // namespace fathom::decomposition
