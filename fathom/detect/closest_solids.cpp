// Room: detect. Best-first over pairs of nodes, refined by drawing points together.
#include <fathom/detect/closest_solids.h>

#include <fathom/detect/descent.h>
#include <fathom/detect/solid_search.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom {

namespace {

constexpr std::size_t most_refinements = 24;

struct NodePair {
    double lower = 0;
    Index p = 0, q = 0;

    friend bool operator<(const NodePair& a, const NodePair& b) { return std::tie(a.lower, a.p, a.q) > std::tie(b.lower, b.p, b.q); }
};

class Closest {
public:
    Closest(const Solid& p, const Solid& q, const FieldPair& pair, const Pose& q_in_p, const ClosestOptions& options)
        : p_(p), q_(q), pair_(pair), turn_(q_in_p.rotation.toRotationMatrix()), move_(q_in_p.translation), options_(options),
          size_(std::min(p.bounds().size().maxCoeff(), q.bounds().size().maxCoeff())) {}

    ClosestSolids run() {
        best_.upper = HUGE_VAL;
        push(0, 0);
        while (!heap_.empty() && heap_.front().lower < best_.upper - options_.tolerance && best_.look_ups < options_.budget) {
            std::pop_heap(heap_.begin(), heap_.end());
            const NodePair next = heap_.back();
            heap_.pop_back();
            if (!split(next)) at_leaves(next);
        }
        best_.lower = std::clamp(std::min(heap_.empty() ? HUGE_VAL : heap_.front().lower, leaf_lower_), 0.0, best_.upper);
        return best_;
    }

private:
    [[nodiscard]] Vec3 center_q(Index node) const { return turn_ * q_.center(q_.nodes()[node]) + move_; }

    void push(Index p, Index q) {
        const SolidNode &in_p = p_.nodes()[p], &in_q = q_.nodes()[q];
        const Vec3 a = p_.center(in_p), b = center_q(q);
        const double apart = (a - b).norm(), radii = p_.ball(in_p).radius + q_.ball(in_q).radius;
        ++best_.look_ups;
        if (in_p.center_inside && in_q.center_inside && apart < best_.upper) take(a, b, apart);
        double lower = (apart - radii) * (1 - 1e-12);
        if (in_p.children == 0 && in_q.children == 0 && lower < best_.upper && apart > 0) {
            // Along the line of centres: what either reaches towards the other.
            const Vec3 u = (b - a) / apart;
            lower = std::max(lower, (apart - p_.reach(in_p, u) - q_.reach(in_q, turn_.transpose() * -u)) * (1 - 1e-12));
        }
        if (lower >= best_.upper - options_.tolerance) {
            leaf_lower_ = std::min(leaf_lower_, lower);
            return;
        }
        heap_.push_back({lower, p, q});
        std::push_heap(heap_.begin(), heap_.end());
    }

    void take(const Vec3& a, const Vec3& b, double apart) {
        best_.upper = apart;
        best_.in_p = a;
        best_.in_q = b;
    }

    // The larger of the two.
    bool split(const NodePair& pair) {
        const SolidNode &p = p_.nodes()[pair.p], &q = q_.nodes()[pair.q];
        if (p.children == 0 && q.children == 0) return false;
        const bool first = q.children == 0 || (p.children > 0 && p_.ball(p).radius >= q_.ball(q).radius);
        for (Index k = 0; k < (first ? p : q).children; ++k) {
            if (first) push(p.first + k, pair.q);
            else push(pair.p, q.first + k);
        }
        return true;
    }

    void at_leaves(const NodePair& pair) {
        leaf_lower_ = std::min(leaf_lower_, pair.lower);
        const SolidNode &p = p_.nodes()[pair.p], &q = q_.nodes()[pair.q];
        const Vec3 a = p_.center(p), b = center_q(pair.q);
        // Far from the nearest so far: its own nearest points are hardly better.
        const double hope = pair.lower + 0.35 * (p_.ball(p).radius + q_.ball(q).radius);
        if (refined_ > 0 && (hope > best_.upper || refined_ >= most_refinements)) return;
        ++refined_;
        refine(a, b);
    }

    // Each point a step towards the other, then back into its body; the step shrinks when that does not bring them nearer.
    void refine(Vec3 a, Vec3 b) {
        int samples = 0;
        if (!move_inside(pair_, 0, a, size_, samples) || !move_inside(pair_, 1, b, size_, samples)) return;
        double apart = (a - b).norm(), share = std::min(0.5, 0.1 * size_ / std::max(apart, 1e-300));
        for (int k = 0; k < 100 && share * apart > 1e-9 * size_; ++k) {
            Vec3 x = a + share * (b - a), y = b + share * (a - b);
            const bool inside = move_inside(pair_, 0, x, size_, samples) && move_inside(pair_, 1, y, size_, samples);
            const double next = (x - y).norm();
            if (inside && next < apart * (1 - 1e-13)) {
                const bool settled = apart - next < 1e-12 * size_;
                a = x, b = y, apart = next;
                share = std::min(0.5, 1.5 * share);
                if (settled) break;
            } else {
                share *= 0.3;
            }
        }
        best_.look_ups += static_cast<std::size_t>(samples);
        if (apart < best_.upper) take(a, b, apart);
    }

    const Solid &p_, &q_;
    const FieldPair& pair_;
    Mat3 turn_;
    Vec3 move_;
    const ClosestOptions& options_;
    double size_;
    std::vector<NodePair> heap_;
    double leaf_lower_ = HUGE_VAL; // of pairs that were not split
    std::size_t refined_ = 0;
    ClosestSolids best_;
};

// Proves the distance up to the tolerance, or finds nearer points and refines those.
void raise_lower(const Solid& p, const Solid& q, const FieldPair& pair, const ClosestOptions& options, ClosestSolids& best) {
    const double wanted = best.upper - options.tolerance;
    if (best.lower >= wanted || best.look_ups >= options.budget) return;
    // Beyond its domain a field only bounds the distance: nothing to gain there.
    if (!q.field().domain().contains(pair.to_q(best.in_p)) && !p.field().domain().contains(best.in_q)) return;
    const SearchResult found = search(p, q, pair, {.margin = wanted, .tolerance = options.tolerance, .budget = options.budget - best.look_ups});
    best.look_ups += found.look_ups;
    if (found.verdict == Verdict::disjoint) best.lower = wanted;
    else if (found.verdict == Verdict::overlapping) {
        const double apart = (found.in_p - found.in_q).norm();
        if (apart < best.upper) best.upper = apart, best.in_p = found.in_p, best.in_q = found.in_q;
        best.lower = std::min(best.lower, best.upper);
    }
}

} // namespace

ClosestSolids closest_solids(const Solid& p, const Solid& q, const FieldPair& pair, const Pose& q_in_p, const ClosestOptions& options) {
    ClosestSolids best = Closest(p, q, pair, q_in_p, options).run();
    raise_lower(p, q, pair, options, best);
    return best;
}

} // namespace fathom
