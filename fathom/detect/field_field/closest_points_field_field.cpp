// Branch and bound over pairs of nodes, with refinement of the closest points by projected gradient steps.
#include <fathom/detect/field_field/closest_points_field_field.h>

#include <fathom/base/rounding.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom::field_field {

namespace {

constexpr std::size_t max_refinements = 24; // from pairs of the trees' own nodes
constexpr int quick_steps = 10, thorough_steps = 100;
constexpr double min_gain = 1e-14;    // of the distance: smaller decreases count as none
constexpr double least_slope = 1e-10; // gradients of at most this length give no direction
constexpr double beyond_surface =
    1e-15; // of the size: second step of a projection beyond the surface; later ones are longer
constexpr double nearly_normal = 0.05; // difference of a surface normal and the direction between the points

// A shape in its own frame: projection of points, and normals.
class Side {
public:
    Side(const ClosestBody& body, double min_radius)
        : body_(body), parts_(body.half_space ? BoundingTree(*body.half_space)
                              : body.surface  ? BoundingTree(*body.surface)
                                              : BoundingTree(*body.solid, min_radius)) {}

    [[nodiscard]] BoundingTree& parts() { return parts_; }
    [[nodiscard]] double size() const {
        return body_.half_space ? HUGE_VAL
               : body_.surface  ? 2 * parts_.sphere(0).radius
                                : body_.solid->bounds().size().maxCoeff();
    }
    [[nodiscard]] std::size_t evaluations() const { return evaluations_ + parts_.evaluations(); }

    // Moves x to a point of the shape: the closest one, or for a field a nearby one. False if that fails.
    bool project(Vec3& x, double size) {
        ++evaluations_;
        if (body_.half_space) {
            x -= std::max(0.0, body_.half_space->normal.dot(x) - body_.half_space->offset) * body_.half_space->normal;
            return true;
        }
        if (body_.surface) {
            const ClosestPoint near = body_.tree->closest(x);
            x = near.point;
            return near.found();
        }
        double spare = 0; // distance beyond the surface: the first step reaches it up to rounding
        for (int step = 0; step < 8; ++step, spare = std::max(4 * spare, beyond_surface * size)) {
            const Sample s = body_.solid->field().sample(x);
            ++evaluations_;
            if (s.distance <= 0) return true;
            const double steepness = s.gradient.squaredNorm();
            if (!(steepness > least_slope * least_slope)) return false; // also NaN
            x -= (s.distance / steepness + spare / std::sqrt(steepness)) * s.gradient;
        }
        return false;
    }

    // Unit normal at a surface point; 0 if it is no better than the direction between two closest points.
    [[nodiscard]] Vec3 normal(const Vec3& x) {
        if (body_.half_space) return body_.half_space->normal;
        if (body_.surface) return Vec3::Zero();
        ++evaluations_;
        return body_.solid->field().sample(x).gradient.stableNormalized();
    }

private:
    ClosestBody body_;
    BoundingTree parts_;
    std::size_t evaluations_ = 0;
};

class ClosestSearch {
public:
    ClosestSearch(const ClosestBody& p, const ClosestBody& q, const Pose& q_in_p, const ClosestOptions& options)
        : options_(options), p_(p, 0.01 * options.tolerance), q_(q, 0.01 * options.tolerance), q_in_p_(q_in_p),
          pairs_(p_.parts(), q_.parts(), q_in_p), size_(std::min(p_.size(), q_.size())) {
        best_.upper = HUGE_VAL;
    }

    ClosestPoints run() {
        refine_nodes(greedy());
        refine(best_.in_p, best_.in_q, thorough_steps);
        raise();
        best_.lower = std::min(inward(pairs_.bound()), best_.upper);
        best_.evaluations = spent();
        return best_;
    }

private:
    [[nodiscard]] std::size_t spent() const { return pairs_.pairs_made() / 4 + p_.evaluations() + q_.evaluations(); }

    bool project(Vec3& a, Vec3& b) {
        if (!p_.project(a, size_)) return false;
        b = q_in_p_.to_local(b);
        const bool found = q_.project(b, size_);
        b = q_in_p_ * b;
        return found;
    }

    // Two nodes of the trees that are close: always the closest child of the larger node.
    DualTreeBound::Pair greedy() {
        DualTreeBound::Pair at;
        for (;;) {
            BoundingTree::Parts p = p_.parts().children(at.a), q = q_.parts().children(at.b);
            if (p.last && q.last) return at;
            const bool of_p = q.last || (!p.last && p_.parts().sphere(at.a).radius >= q_.parts().sphere(at.b).radius);
            const BoundingTree::Parts& parts = of_p ? p : q;
            DualTreeBound::Pair nearest{HUGE_VAL, no_index, no_index};
            for (Index k = 0; k < parts.count; ++k) {
                const Index a = of_p ? parts.first + k : at.a, b = of_p ? at.b : parts.first + k;
                const auto [x, y] = centers(a, b);
                const double apart = (x - y).norm();
                if (apart < nearest.gap || nearest.a == no_index) // the first one even if the distance overflows
                    nearest = {apart, a, b};
            }
            at = nearest;
        }
    }

    [[nodiscard]] std::pair<Vec3, Vec3> centers(Index a, Index b) {
        const Vec3 x = pairs_.center_a(a);
        if (const auto& plane = q_.parts().half_space()) {
            const Vec3 local = q_in_p_.to_local(x);
            return {x, q_in_p_ * Vec3(local - (plane->normal.dot(local) - plane->offset) * plane->normal)};
        }
        return {x, pairs_.center_b(b)};
    }

    void refine_nodes(const DualTreeBound::Pair& nodes) {
        const auto [x, y] = centers(nodes.a, nodes.b);
        refine(x, y, quick_steps);
    }

    // Projected gradient steps on half the squared distance, of a length by Barzilai & Borwein 1988 that shrinks if the
    // distance does not decrease.
    void refine(Vec3 a, Vec3 b, int max_steps) {
        if (!project(a, b)) return;
        double apart = (a - b).norm(), share = std::min(0.5, 0.1 * size_ / std::max(apart, 1e-300));
        const double precision = 1e-4 * options_.tolerance;
        for (int k = 0; k < max_steps && share * apart > 1e-3 * precision; ++k) {
            if (max_steps == quick_steps && k == 4 && apart > best_.upper + 0.05 * size_)
                break; // unlikely to improve the best pair
            Vec3 x = a + share * (b - a), y = b + share * (a - b);
            const bool inside = project(x, y);
            const double next = (x - y).norm();
            if (!(inside && next < apart * (1 - min_gain))) {
                share *= 0.25;
                continue;
            }
            const Vec3 moved_a = x - a, moved_b = y - b, turned = moved_a - moved_b;
            const double bend = turned.squaredNorm(), moved = moved_a.squaredNorm() + moved_b.squaredNorm();
            const bool settled = apart - next < 1e-3 * precision && share > 0.1;
            a = x, b = y, apart = next;
            const double longest = 0.5 * size_ / std::max(apart, 1e-300);
            share = std::clamp(bend > 0 ? moved / bend : 4 * share, 0.05, std::max(0.5, std::min(64.0, longest)));
            if (settled) break;
        }
        if (apart < best_.upper) accept(a, b, apart);
    }

    void accept(const Vec3& a, const Vec3& b, double apart) {
        best_.upper = apart;
        best_.in_p = a;
        best_.in_q = b;
        const Vec3 u = (b - a).stableNormalized();
        const Vec3 of_p = p_.normal(a), of_q = -q_in_p_.rotate(q_.normal(q_in_p_.to_local(b)));
        // At a smooth point the normal is more accurate than the difference of two points; at an edge it is another
        // one.
        Vec3 best = u;
        double least = nearly_normal;
        for (const Vec3& n : {of_p, of_q})
            if (const double off = (n - u).norm(); off < least) least = off, best = n;
        directions_ = {.on_a = a, .on_b = b};
        directions_.add(best);
        if (best != u) directions_.add(u);
        p_.parts().aim(best, a);
        q_.parts().aim(q_in_p_.rotate_to_local(-best), q_in_p_.to_local(b));
    }

    // Branch and bound until the difference of the bounds is at most the tolerance.
    void raise() {
        while (pairs_.open() && pairs_.nearest().gap < best_.upper - options_.tolerance &&
               spent() < options_.max_evaluations) {
            const DualTreeBound::Pair next = pairs_.nearest();
            try_nodes(next);
            pairs_.open_nearest(best_.upper - options_.tolerance, directions_);
        }
    }

    // Refines from a pair of small nodes that may be closer than the best pair so far, and again once the nodes are
    // smaller.
    void try_nodes(const DualTreeBound::Pair& nodes) {
        const double radius = p_.parts().sphere(nodes.a).radius + q_.parts().sphere(nodes.b).radius;
        const bool leaves = p_.parts().children(nodes.a).last && q_.parts().children(nodes.b).last;
        if (!leaves || nodes.gap + 0.05 * radius > best_.upper) return;
        if (refined_ >= max_refinements && radius > 0.5 * refined_radius_) return;
        ++refined_;
        refined_radius_ = std::min(refined_radius_, radius);
        const double before = best_.upper;
        refine_nodes(nodes);
        if (best_.upper < before - 0.01 * options_.tolerance) refine(best_.in_p, best_.in_q, thorough_steps);
    }

    ClosestOptions options_;
    Side p_, q_;
    Pose q_in_p_;
    DualTreeBound pairs_;
    double size_;
    Directions directions_;
    std::size_t refined_ = 0;
    double refined_radius_ = HUGE_VAL;
    ClosestPoints best_;
};

} // namespace

ClosestPoints closest_points(const ClosestBody& p, const ClosestBody& q, const Pose& q_in_p,
                             const ClosestOptions& options) {
    return ClosestSearch(p, q, q_in_p, options).run();
}

} // namespace fathom::field_field
