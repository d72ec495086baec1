// Branch and bound over pairs of nodes, with refinement of the closest points by projected gradient steps.
#include <fathom/detect/field_field/closest_points_field_field.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/field_field/closest_side.h>
#include <fathom/detect/field_field/plane_bundle.h>
#include <fathom/detect/trees/convex_bound.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom::field_field {

namespace {

constexpr std::size_t max_refinements = 24; // from pairs of the trees' own nodes
constexpr std::size_t whole_effort = 1500;  // nodes that are opened to separate the whole shapes along a direction
constexpr int separation_rounds = 10;       // of separate_whole()
constexpr int max_plane_steps = 40;         // of refine_by_planes()
constexpr int quick_steps = 10, thorough_steps = 100;
constexpr double min_gain = 1e-14;     // of the distance: smaller decreases count as none
constexpr double nearly_normal = 0.05; // difference of a surface normal and the direction between the points

class ClosestSearch {
public:
    ClosestSearch(const ClosestBody& p, const ClosestBody& q, const Pose& q_in_p, const ClosestOptions& options)
        : options_(options), p_(p, options), q_(q, options), q_in_p_(q_in_p), pairs_(p_.parts(), q_.parts(), q_in_p),
          size_(std::min(p_.size(), q_.size())) {
        best_.upper = HUGE_VAL;
    }

    ClosestPoints run() {
        refine_nodes(greedy());
        // A few steps suffice if the tolerance is a fair part of the distance.
        if (!(options_.tolerance > 0.05 * best_.upper && separate_whole(1))) {
            refine(best_.in_p, best_.in_q, thorough_steps);
            refine_by_planes();
            raise();
        }
        if (std::isfinite(best_.upper)) settle();
        best_.lower = std::min(std::max(best_.lower, inward(pairs_.bound())), best_.upper);
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

    // Points that were found in single precision may be outside by its rounding.
    void settle() {
        Vec3 a = best_.in_p, b = q_in_p_.to_local(best_.in_q);
        const bool moved_a = p_.settle(a, size_), moved_b = q_.settle(b, size_);
        if (moved_a) best_.in_p = a;
        if (moved_b) best_.in_q = q_in_p_ * b;
        if (moved_a || moved_b) best_.upper = (best_.in_p - best_.in_q).norm();
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
        const Vec3 y = pairs_.center_b(b);
        if (const auto corners = p_.parts().triangle(a)) return {closest_point(y, *corners).point, y};
        if (const auto corners = q_.parts().triangle(b))
            return {x, q_in_p_ * closest_point(q_in_p_.to_local(x), *corners).point};
        return {x, y};
    }

    // 0 for a triangle: it is exact.
    static double radius(const BoundingTree& parts, Index node) {
        return parts.triangle(node) ? 0 : parts.sphere(node).radius;
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

    // Proximal bundle method (Kelley 1960, Kiwiel 1990): each shape is replaced by the planes of its last points, the
    // closest points of the two polyhedra are computed near the best pair, and planes are added there. It converges at
    // kinks of the surfaces, where gradient steps stall.
    void refine_by_planes() {
        if (!std::isfinite(best_.upper)) return;
        Vec3 near_a = best_.in_p, near_b = best_.in_q, a = near_a, b = near_b;
        double apart = best_.upper, stay = 0.3;
        PlaneBundle of_a, of_b;
        int idle = 0;
        for (int k = 0; k < max_plane_steps && idle < 6; ++k) {
            of_a.add(p_.plane(a, b));
            PlaneOver plane = q_.plane(q_in_p_.to_local(b), q_in_p_.to_local(a));
            plane.normal = q_in_p_.rotate(plane.normal);
            plane.offset += plane.normal.dot(q_in_p_.translation);
            of_b.add(plane);
            of_a.admit(near_a);
            of_b.admit(near_b);
            closest_of_planes(of_a, of_b, near_a, near_b, stay, a, b);
            Vec3 x = a, y = b;
            if (!is_finite(x) || !is_finite(y) || !project(x, y)) break;
            if (Vec3 z = y; p_.is_distance() && p_.project(z, size_) && (z - y).norm() < (x - y).norm()) x = z;
            if (Vec3 z = q_in_p_.to_local(x); q_.is_distance() && q_.project(z, size_)) {
                z = q_in_p_ * z;
                if ((z - x).norm() < (x - y).norm()) y = z;
            }
            const double next = (x - y).norm(), gain = apart - next;
            idle = gain > 1e-4 * options_.tolerance ? 0 : idle + 1;
            stay = gain > 0 ? std::max(0.5 * stay, 0.1) : std::min(3 * stay, 1e6);
            if (gain > 0) near_a = x, near_b = y, apart = next;
            if ((a - near_a).norm() + (b - near_b).norm() < 1e-11 * size_) break;
        }
        if (apart < best_.upper) accept(near_a, near_b, apart);
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

    // Separates the shapes along one direction, which suffices if they are convex where they face each other. A failed
    // attempt gives points that are closer than the best pair.
    bool separate_whole(int max_rounds) {
        if (directions_.count == 0 || q_.parts().half_space()) return false;
        for (int round = 0; round < max_rounds; ++round) {
            const double enough = best_.upper - options_.tolerance;
            best_.lower =
                std::max(best_.lower, pairs_.separation({0, 0, 0}, directions_.unit[0], enough, whole_effort));
            if (best_.lower >= enough) return true;
            if (!pairs_.close_points()) return false;
            const auto [a, b] = *pairs_.close_points();
            refine(a, b, quick_steps);
            refine_by_planes();
            if (!(best_.upper < enough + 0.9 * options_.tolerance)) return false;
        }
        return false;
    }

    // Branch and bound until the difference of the bounds is at most the tolerance.
    void raise() {
        if (separate_whole(separation_rounds)) return;
        if (p_.body().convex && q_.body().solid) return raise_beside(p_, q_, q_in_p_.inverse(), false);
        if (q_.body().convex && p_.body().solid) return raise_beside(q_, p_, q_in_p_, true);
        while (pairs_.open() && pairs_.nearest().gap < best_.upper - options_.tolerance &&
               spent() < options_.max_evaluations) {
            const DualTreeBound::Pair next = pairs_.nearest();
            try_nodes(next);
            pairs_.open_nearest(best_.upper - options_.tolerance, directions_);
        }
    }

    // The same over the cells of one shape, beside a convex body.
    void raise_beside(ClosestSide& convex, ClosestSide& other, const Pose& convex_in_other, bool cells_of_p) {
        ConvexBound cells(*convex.body().convex, convex.body().solid->field(), convex_in_other, other.parts());
        while (cells.open() && cells.nearest().gap < best_.upper - options_.tolerance &&
               spent() + cells.evaluations() < options_.max_evaluations) {
            const Sphere cell = other.parts().sphere(cells.nearest().node);
            const Vec3 center = cells_of_p ? cell.center : q_in_p_ * cell.center;
            if (cells.nearest().gap + 0.05 * cell.radius < best_.upper && refines(cell.radius))
                refine(center, center, quick_steps);
            const Vec3 from_convex = cells_of_p ? Vec3(-directions_.unit[0]) : directions_.unit[0];
            cells.open_nearest(best_.upper - options_.tolerance,
                               cells_of_p ? from_convex : q_in_p_.rotate_to_local(from_convex));
        }
        best_.lower = std::max(best_.lower, inward(cells.bound()));
    }

    // Limits the refinements from nodes: again once the nodes are smaller.
    bool refines(double size) {
        if (refined_ >= max_refinements && size > 0.5 * refined_size_) return false;
        ++refined_;
        refined_size_ = std::min(refined_size_, size);
        return true;
    }

    // Refines from a pair of small nodes that may be closer than the best pair so far.
    void try_nodes(const DualTreeBound::Pair& nodes) {
        const double size = radius(p_.parts(), nodes.a) + radius(q_.parts(), nodes.b);
        const bool leaves = p_.parts().children(nodes.a).last && q_.parts().children(nodes.b).last;
        if (leaves && ++tried_ % 16 == 0) try_centers(nodes);
        if (!leaves || nodes.gap + 0.05 * size > best_.upper || !refines(size)) return;
        const double before = best_.upper;
        refine_nodes(nodes);
        if (best_.upper < before - 0.01 * options_.tolerance) refine(best_.in_p, best_.in_q, thorough_steps);
    }

    // Where refinement ended at a kink, points of other nodes may be closer.
    void try_centers(const DualTreeBound::Pair& nodes) {
        auto [x, y] = centers(nodes.a, nodes.b);
        if (!project(x, y) || !((x - y).norm() < best_.upper)) return;
        refine(x, y, thorough_steps);
        refine_by_planes();
    }

    ClosestOptions options_;
    ClosestSide p_, q_;
    Pose q_in_p_;
    DualTreeBound pairs_;
    double size_;
    Directions directions_;
    std::size_t refined_ = 0, tried_ = 0;
    double refined_size_ = HUGE_VAL;
    ClosestPoints best_;
};

} // namespace

double least_single_tolerance(const Field& field) { return field.in_double() ? 8 * field.value_bounds(0).jump : 0; }

ClosestPoints closest_points(const ClosestBody& p, const ClosestBody& q, const Pose& q_in_p,
                             const ClosestOptions& options) {
    return ClosestSearch(p, q, q_in_p, options).run();
}

} // namespace fathom::field_field
