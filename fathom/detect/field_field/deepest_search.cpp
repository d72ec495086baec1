// Best-first search for the lowest value of a field over the points of a solid.
#include <fathom/detect/field_field/deepest_search.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/bounds/octants.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace fathom::field_field {

namespace {

// A cell of the octree of P, or a part of one below the leaves.
struct Item {
    double bound = 0;      // lower bound on Q's field over the points of P in the cell (m)
    Index node = no_index; // no_index: below the leaves
    Box cell;              // P's frame

    friend bool operator<(const Item& a, const Item& b) { return a.bound > b.bound; } // a heap: the lowest is on top
};

class DeepestSearch {
public:
    DeepestSearch(const FieldSphereTree& p, const FieldSphereTree& q, const Pose& q_seen_from_p,
                  const DeepestSearchOptions& options, const Improve& improve)
        : p_(p), q_(q), pair_(p.field(), q.field(), q_seen_from_p), to_q_(q_seen_from_p.inverse()),
          turn_(to_q_.rotation.toRotationMatrix()), options_(options), improve_(improve), best_(options.value),
          values_(q.field().value_bounds(0)), domain_(q.field().domain()),
          largest_range_(std::max(q.field().traits().cheap_range, 0.2 * p.root().size().x())),
          slack_(position_rounding(pair_.to_q(p.root().center()).norm(), p.root().center().norm(), p.root().diagonal(),
                                   q_seen_from_p.translation.norm())) {}

    DeepestSearchResult run() {
        result_.lower_bound = search();
        result_.value = best_;
        return result_;
    }

private:
    double search() {
        if (p_.nodes().empty() || q_.empty()) return best_;
        push(0, p_.root());
        while (!heap_.empty()) {
            const Item top = heap_.front();
            if (top.bound >= best_ - options_.tolerance) break;
            if (result_.evaluations >= options_.max_evaluations) return top.bound;
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.pop_back();
            expand(top);
        }
        return best_ - options_.tolerance; // no cell is left that could be lower
    }

    void expand(const Item& item) {
        const bool is_leaf = item.node == no_index || p_.nodes()[item.node].children == 0;
        if (is_leaf) {
            for (int k = 0; k < 8; ++k) push(no_index, octant(item.cell, k));
            return;
        }
        const FieldSphereNode& node = p_.nodes()[item.node];
        for (std::size_t k = 0; k < node.children; ++k) {
            const auto child = static_cast<Index>(node.first + k);
            push(child, octant(item.cell, p_.nodes()[child].octant));
        }
    }

    // Adds a cell unless it is proven to have no point of P, or no lower value.
    void push(Index node, const Box& cell) {
        const Vec3 center = node == no_index ? cell.center() : p_.center(p_.nodes()[node]);
        const double radius = outward(node == no_index ? 0.5 * cell.diagonal() : p_.sphere(p_.nodes()[node]).radius);
        const Vec3 in_q = pair_.to_q(center);
        const double value_q = q_.field().distance(in_q);
        ++result_.evaluations;
        double bound = bound_by_value(in_q, radius, value_q);
        if (is_beaten(bound)) return;
        const double value_p = p_.field().distance(center);
        ++result_.evaluations;
        if (node == no_index && p_.clearance().clears(center, value_p, radius)) return;
        if (value_p <= 0 && is_lower(value_q)) best_ = std::min(best_, improve_(center, value_q));
        if (is_beaten(value_p + value_q)) { // the sum bounds no more than its value at the centre
            bound = std::max(bound, bound_by_sum(center, radius, value_p, value_q));
            if (is_beaten(bound)) return;
        }
        if (radius <= largest_range_) {
            bound = std::max(bound, q_.field().range(box_in_q(node, cell)).lower);
            ++result_.evaluations;
            if (is_beaten(bound)) return;
        }
        heap_.push_back({bound, node, cell});
        std::push_heap(heap_.begin(), heap_.end());
    }

    [[nodiscard]] bool is_lower(double value) const { return value < best_ - options_.tolerance; }
    [[nodiscard]] bool is_beaten(double bound) const { return bound >= best_ - options_.tolerance; }

    // By the slope of the field, or because it is close to a distance, whose slope is 1.
    [[nodiscard]] double bound_by_value(const Vec3& in_q, double radius, double value) const {
        if (!domain_.contains(in_q)) return -HUGE_VAL;
        const double reach = radius + slack_;
        const double by_slope = value - values_.lipschitz * reach - values_.jump;
        const double by_distance = value - 2 * std::max(values_.near_error, values_.far_error) - reach;
        return std::max(by_slope, by_distance) - relative_rounding * (std::abs(value) + reach);
    }

    // A box of Q's frame that contains the points of P in the cell: that of the cell, cut by that of the node's sphere.
    [[nodiscard]] Box box_in_q(Index node, const Box& cell) const {
        const Vec3 half = (0.5 * (turn_.cwiseAbs() * cell.size())).array() + slack_;
        Box box = Box::around(pair_.to_q(cell.center()), half * (1 + relative_rounding));
        if (node == no_index) return box;
        const Sphere sphere = p_.sphere(p_.nodes()[node]);
        const double reach = outward(sphere.radius) + slack_;
        return intersection(box, Box::around(pair_.to_q(sphere.center), Vec3::Constant(reach)));
    }

    // In a point of P its field is at most 0, so that the sum of both fields is at most Q's.
    [[nodiscard]] double bound_by_sum(const Vec3& center, double radius, double value_p, double value_q) const {
        SlopeRange p, q;
        if (!p_.clearance().slopes(center, radius, p) || !q_.clearance().slopes(pair_.to_q(center), radius + slack_, q))
            return -HUGE_VAL;
        const double slope = (p.middle + pair_.from_q(q.middle)).norm() + p.half.norm() + q.half.norm();
        return value_p + value_q - p.jump - q.jump - outward(radius * slope) - slack_ * q.max_slope();
    }

    const FieldSphereTree &p_, &q_;
    FieldPair pair_;
    Pose to_q_;
    Mat3 turn_;
    const DeepestSearchOptions& options_;
    const Improve& improve_;
    double best_;
    ValueBounds values_;
    Box domain_;
    double largest_range_; // radius above which range() costs too much (m)
    double slack_;         // bound on the rounding error of points transformed from P's frame to Q's (m)
    std::vector<Item> heap_;
    DeepestSearchResult result_;
};

} // namespace

DeepestSearchResult search_deepest(const FieldSphereTree& p, const FieldSphereTree& q, const Pose& q_seen_from_p,
                                   const DeepestSearchOptions& options, const Improve& improve) {
    return DeepestSearch(p, q, q_seen_from_p, options, improve).run();
}

} // namespace fathom::field_field
