// Branch and bound over pairs of nodes, with refinement of the closest points by alternating projection.
#include <fathom/detect/field_field/closest_points_field_field.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/field_field/constrained_descent.h>
#include <fathom/detect/field_field/overlap_search.h>
#include <fathom/detect/trees/dual_tree_bound.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace fathom::field_field {

namespace {

constexpr std::size_t max_refinements = 24;
constexpr int quick_steps = 8, thorough_steps = 100;
constexpr double min_gain = 1e-13; // fraction of the distance: smaller decreases count as none

struct OpenNode {
    double lower = 0;
    Index node = 0;

    friend bool operator<(const OpenNode& a, const OpenNode& b) {
        return std::tie(a.lower, a.node) > std::tie(b.lower, b.node);
    }
};

// Common part of both searches: the closest pair of points so far, and its refinement.
class Closest {
public:
    Closest(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair, const ClosestOptions& options)
        : p_(p), q_(q), pair_(pair), options_(options),
          size_(std::min(p.bounds().size().maxCoeff(), q.bounds().size().maxCoeff())) {
        best_.upper = HUGE_VAL;
    }

protected:
    void set_best(const Vec3& a, const Vec3& b, double apart) {
        best_.upper = apart;
        best_.in_p = a;
        best_.in_q = b;
    }

    // Moves each point a step towards the other, then back into its body. The step shrinks if the distance does not
    // decrease.
    void refine(Vec3 a, Vec3 b, int max_steps = quick_steps) {
        int samples = 0;
        if (!move_inside(pair_, 0, a, size_, samples) || !move_inside(pair_, 1, b, size_, samples)) return;
        double apart = (a - b).norm(), share = std::min(0.5, 0.1 * size_ / std::max(apart, 1e-300));
        const double precision = (max_steps == quick_steps ? 1e-3 : 1e-6) * options_.tolerance;
        for (int k = 0; k < max_steps && share * apart > precision; ++k) {
            if (max_steps == quick_steps && k == 3 && apart > best_.upper + 0.05 * size_)
                break; // unlikely to improve the best pair
            Vec3 x = a + share * (b - a), y = b + share * (a - b);
            const bool inside = move_inside(pair_, 0, x, size_, samples) && move_inside(pair_, 1, y, size_, samples);
            const double next = (x - y).norm();
            if (inside && next < apart * (1 - min_gain)) {
                const bool settled = apart - next < precision * share;
                a = x, b = y, apart = next;
                share = std::min(0.5, 1.5 * share);
                if (settled) break;
            } else {
                share *= 0.3;
            }
        }
        best_.evaluations += static_cast<std::size_t>(samples);
        if (apart < best_.upper) set_best(a, b, apart);
    }

    const FieldSphereTree &p_, &q_;
    const FieldPair& pair_;
    const ClosestOptions& options_;
    double size_;
    std::size_t refined_ = 0;
    ClosestPoints best_;
};

// Search over pairs of nodes of both trees. It evaluates no field beyond its domain.
class BetweenTrees : Closest {
public:
    BetweenTrees(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair, const Pose& q_in_p,
                 const ClosestOptions& options)
        : Closest(p, q, pair, options), parts_p_(p, 0.05 * options.tolerance), parts_q_(q, 0.05 * options.tolerance),
          pairs_(parts_p_, parts_q_, q_in_p) {}

    // Greedy descent to two close leaves, and refinement there.
    ClosestPoints first() {
        DualTreeBound::Pair at;
        while (nearest_part(at)) {
        }
        refine_leaves(at);
        return best_;
    }
    // Branch and bound until the difference of the bounds is at most the tolerance.
    ClosestPoints whole(const ClosestPoints& known, double tolerance) {
        best_ = known;
        run(tolerance);
        if (best_.upper < known.upper) refine(best_.in_p, best_.in_q, thorough_steps);
        best_.lower = std::max(best_.lower, std::min(inward(pairs_.bound()), best_.upper));
        return best_;
    }

private:
    void run(double tolerance) {
        // A pair of nodes costs far less than a field evaluation.
        const auto spent = [&] {
            return pairs_.pairs_made() / 4 + parts_p_.range_evaluations() + parts_q_.range_evaluations();
        };
        while (pairs_.open() && pairs_.nearest().gap < best_.upper - tolerance && spent() < options_.max_evaluations) {
            const DualTreeBound::Pair next = pairs_.nearest();
            if (parts_p_.is_leaf_of_solid(next.a) && parts_q_.is_leaf_of_solid(next.b)) at_leaves(next);
            pairs_.open_nearest(best_.upper - tolerance, (best_.in_q - best_.in_p).stableNormalized());
        }
        best_.evaluations += spent();
    }

    // Opens the larger of the two nodes and selects the closest child. Returns false for two leaves.
    bool nearest_part(DualTreeBound::Pair& at) {
        const FieldSphereNode &p = p_.nodes()[at.a], &q = q_.nodes()[at.b];
        if (p.children == 0 && q.children == 0) return false;
        const bool of_p = q.children == 0 || (p.children > 0 && p_.sphere(p).radius >= q_.sphere(q).radius);
        const FieldSphereNode& opened = of_p ? p : q;
        DualTreeBound::Pair best{HUGE_VAL, no_index, no_index};
        for (Index k = 0; k < opened.children; ++k) {
            const Index a = of_p ? opened.first + k : at.a, b = of_p ? at.b : opened.first + k;
            const double apart = (pairs_.center_a(a) - pairs_.center_b(b)).norm();
            ++best_.evaluations;
            if (apart < best.gap || best.a == no_index)
                best = {apart, a, b}; // the first one even if the distance overflows
        }
        at = best;
        return true;
    }

    void at_leaves(const DualTreeBound::Pair& pair) {
        // A pair that is hardly closer than the best pair so far is not refined.
        const double predicted =
            pair.gap + 0.05 * (p_.sphere(p_.nodes()[pair.a]).radius + q_.sphere(q_.nodes()[pair.b]).radius);
        if (refined_ > 0 && (predicted > best_.upper || refined_ >= max_refinements)) return;
        refine_leaves(pair);
    }

    void refine_leaves(const DualTreeBound::Pair& leaves) {
        const Vec3 a = pairs_.center_a(leaves.a), b = pairs_.center_b(leaves.b);
        const double apart = (a - b).norm();
        if (p_.nodes()[leaves.a].center_inside && q_.nodes()[leaves.b].center_inside && apart < best_.upper)
            set_best(a, b, apart);
        ++refined_;
        refine(a, b);
    }

    BoundingTree parts_p_, parts_q_;
    DualTreeBound pairs_;
};

// Search of P's tree in Q's field: one evaluation gives the distance to all of Q.
class ThroughField : Closest {
public:
    ThroughField(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                 const ClosestOptions& options, const ClosestPoints& known)
        : Closest(p, q, pair, options) {
        best_ = known;
    }

    ClosestPoints run() {
        heap_.push_back({-HUGE_VAL, 0});
        while (!heap_.empty() && heap_.front().lower < best_.upper &&
               best_.evaluations < options_.max_evaluations / 2) { // the other half is for the proof
            std::pop_heap(heap_.begin(), heap_.end());
            const OpenNode next = heap_.back();
            heap_.pop_back();
            if (p_.nodes()[next.node].children > 0)
                expand(p_.nodes()[next.node]);
            else
                at_leaf(next);
        }
        refine(best_.in_p, best_.in_q, thorough_steps);
        best_.lower =
            std::clamp(std::min(heap_.empty() ? HUGE_VAL : heap_.front().lower, left_lower_), 0.0, best_.upper);
        return best_;
    }

private:
    void expand(const FieldSphereNode& node) {
        const auto [points, values, count] = ChildValues(p_, node, q_, pair_);
        best_.evaluations += count;
        for (std::size_t k = 0; k < count; ++k) {
            const FieldSphereNode& below = p_.nodes()[node.first + k];
            const double lower = q_.clearance().radius(values[k]) - p_.sphere(below).radius;
            if (lower >= best_.upper) {
                left_lower_ = std::min(left_lower_, lower);
                continue;
            }
            heap_.push_back({lower, static_cast<Index>(node.first + k)});
            std::push_heap(heap_.begin(), heap_.end());
        }
    }

    // Refines a leaf if the slopes at its centre predict a closer point in it.
    void at_leaf(const OpenNode& leaf) {
        left_lower_ = std::min(left_lower_, leaf.lower);
        const FieldSphereNode& node = p_.nodes()[leaf.node];
        const Vec3 center = p_.center(node);
        const Sample p = pair_.sample_p(center), q = pair_.sample_q(center);
        best_.evaluations += 2;
        const double along = -p.gradient.stableNormalized().dot(q.gradient.stableNormalized()),
                     across = std::sqrt(std::max(0.0, 1 - along * along));
        // Predicted distance: at the surface, half way to the edge of the leaf in the direction towards Q.
        const double predicted = q.distance + p.distance * std::max(along, 0.0) - 0.5 * p_.sphere(node).radius * across;
        if (predicted > best_.upper - 1e-2 * options_.tolerance || refined_ >= max_refinements) return;
        ++refined_;
        refine(center, center);
    }

    std::vector<OpenNode> heap_;
    double left_lower_ = HUGE_VAL;
};

// A lower bound that two spheres can prove at this distance with some reserve, given the errors of the fields.
double provable(const FieldSphereTree& p, const FieldSphereTree& q, double distance) {
    return distance - 2 * ((distance - q.clearance().radius(distance)) - p.clearance().radius(0));
}

// Proves the distance up to the tolerance, or finds closer points.
void raise_lower(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                 const ClosestOptions& options, ClosestPoints& best) {
    for (int round = 0; round < 3 && best.evaluations < options.max_evaluations; ++round) {
        double wanted = best.upper - options.tolerance;
        if (!options.strict) wanted = std::min(wanted, provable(p, q, best.upper));
        if (best.lower >= wanted) return;
        const SearchResult found = search(p, q, pair,
                                          {.margin = wanted,
                                           .tolerance = 0.01 * options.tolerance,
                                           .max_evaluations = options.max_evaluations - best.evaluations});
        best.evaluations += found.evaluations;
        if (found.status == Status::disjoint) best.lower = wanted;
        if (found.status != Status::overlapping) return;
        const double apart = (found.in_p - found.in_q).norm();
        if (apart < best.upper) best.upper = apart, best.in_p = found.in_p, best.in_q = found.in_q;
        best.lower = std::min(best.lower, best.upper);
    }
}

// Refinement to the last digits if both fields are smooth: the closest point of P is the minimum of Q's field.
void polish(const FieldPair& pair, double size, ClosestPoints& best) {
    Descent down = descend(pair, 0, best.in_p, {.size = size, .tolerance = 1e-6, .polish = true});
    if (!down.polished && std::isfinite(down.value)) refine(pair, 0, size, down);
    best.evaluations += static_cast<std::size_t>(down.samples);
    if (!(down.value > 0 && down.value < HUGE_VAL)) return;
    Vec3 in_q = down.point - down.value * down.gradient.stableNormalized();
    int samples = 0;
    if (!move_inside(pair, 1, in_q, size, samples)) return;
    best.evaluations += static_cast<std::size_t>(samples);
    const double apart = (down.point - in_q).norm();
    if (apart < best.upper) best.upper = apart, best.in_p = down.point, best.in_q = in_q;
    best.lower = std::min(best.lower, best.upper);
}

ClosestPoints through_field(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                            const ClosestOptions& options, const ClosestPoints& known) {
    ClosestPoints best = ThroughField(p, q, pair, options, known).run();
    if (options.polish) polish(pair, std::min(p.bounds().size().maxCoeff(), q.bounds().size().maxCoeff()), best);
    raise_lower(p, q, pair, options, best);
    return best;
}

ClosestPoints through_other(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                            const Pose& q_in_p, const ClosestOptions& options, const ClosestPoints& known) {
    const FieldPair swapped(q.field(), p.field(), q_in_p.inverse());
    ClosestPoints seen = known;
    seen.in_p = pair.to_q(known.in_q);
    seen.in_q = pair.to_q(known.in_p);
    ClosestPoints best = through_field(q, p, swapped, options, seen);
    const Vec3 in_p = q_in_p * best.in_q;
    best.in_q = q_in_p * best.in_p;
    best.in_p = in_p;
    return best;
}

} // namespace

ClosestPoints closest_points(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                             const Pose& q_in_p, const ClosestOptions& options) {
    BetweenTrees trees(p, q, pair, q_in_p, options);
    ClosestPoints best = trees.first();
    // Beyond its domain a field is only a lower bound on the distance.
    if (q.field().domain().contains(pair.to_q(best.in_p)))
        best = through_field(p, q, pair, options, best);
    else if (p.field().domain().contains(best.in_q))
        best = through_other(p, q, pair, q_in_p, options, best);
    const double errors = p.surface_error() + q.surface_error();
    const auto wanted = [&](double share) {
        return options.strict || !std::isfinite(errors) ? options.tolerance
                                                        : std::max(options.tolerance, share * errors);
    };
    // A difference of a few errors of the fields is not refined further.
    return best.upper - best.lower > 1.001 * wanted(4) ? trees.whole(best, wanted(2)) : best;
}

} // namespace fathom::field_field
