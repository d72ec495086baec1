// Collects the claims of all methods about a pair and tests them against one another.
#include <tool/verify/referee.h>

#include <fathom/base/motion.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/query/query.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

void RefereeReport::add(const RefereeReport& other) {
    claims += other.claims;
    touching += other.touching, apart += other.apart, open += other.open;
    contacts_in_motion += other.contacts_in_motion;
    unproven += other.unproven;
    worst_bound_gap = std::max(worst_bound_gap, other.worst_bound_gap);
    contradictions.insert(contradictions.end(), other.contradictions.begin(), other.contradictions.end());
}

namespace {

struct Body {
    const Shape& shape;
    Pose pose;
    std::vector<Vec3> points; // of the shape, in its frame

    // At most 0 if the world point belongs to the shape: for solids the value of the field, for surfaces the distance.
    [[nodiscard]] double outside(const Vec3& world, const Pose& at) const {
        return outside_of(shape, at.to_local(world));
    }
    // Whether outside() is the distance there.
    [[nodiscard]] bool is_exact_distance() const { return has_exact_distance(shape); }

    [[nodiscard]] static double outside_of(const Shape& shape, const Vec3& p) {
        if (has_field(shape.kind())) return shape.field()->distance(p);
        if (shape.kind() != ShapeKind::compound) return std::sqrt(shape.tree().closest(p).squared_distance);
        double least = HUGE_VAL;
        for (const CompoundPart& part : shape.parts())
            least = std::min(least, outside_of(part.shape, part.pose.to_local(p)));
        return least;
    }
    [[nodiscard]] static bool has_exact_distance(const Shape& shape) {
        const ShapeKind k = shape.kind();
        if (k == ShapeKind::compound)
            return std::ranges::all_of(shape.parts(), [](const auto& part) { return has_exact_distance(part.shape); });
        return is_surface(k) || k == ShapeKind::closed_mesh || k == ShapeKind::tetrahedra ||
               k == ShapeKind::half_space || k == ShapeKind::other_field;
    }
};

double size_of(const Shape& a, const Shape& b) {
    const auto of = [](const Shape& s) { return s.bounded() ? s.bounds().size().maxCoeff() : HUGE_VAL; };
    const double least = std::min(of(a), of(b));
    return std::isfinite(least) ? least : 1;
}

std::vector<Vec3> points_of(const Shape& shape, std::size_t count, Random& random) {
    std::vector<Vec3> points;
    if (shape.kind() == ShapeKind::compound) {
        for (const CompoundPart& part : shape.parts())
            for (const Vec3& p : points_of(part.shape, 1 + count / shape.parts().size(), random))
                points.push_back(part.pose * p);
        return points;
    }
    if (has_surface(shape.kind())) {
        const TriangleMesh& mesh = shape.mesh();
        for (std::size_t k = 0; k < count; ++k) {
            const auto c = mesh.corners(random.below(mesh.triangles.size()));
            const double u = std::sqrt(random.uniform()), v = random.uniform();
            points.push_back((1 - u) * c[0] + u * (1 - v) * c[1] + u * v * c[2]);
        }
        if (is_surface(shape.kind())) return points;
    }
    const Box box = shape.bounded() ? shape.bounds() : Box::around(Vec3::Zero(), Vec3::Constant(2));
    for (std::size_t k = 0; k < 4 * count; ++k)
        if (const Vec3 p = random.in_box(box); shape.field()->distance(p) <= 0) points.push_back(p);
    return points;
}

class Judge {
public:
    Judge(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, const Pose& pose_b_end,
          Random& random, const RefereeOptions& options)
        : options_(options), a_{a, pose_a, points_of(a, options.samples, random)}, b_{b, pose_b,
                                                                                      points_of(b, options.samples,
                                                                                                random)},
          end_(pose_b_end) {
        const double reach = pose_a.translation.norm() + pose_b.translation.norm() + pose_b_end.translation.norm();
        slack_ = 1e-9 * (size_of(a, b) + reach);
        if (a.kind() == ShapeKind::neural || b.kind() == ShapeKind::neural)
            slack_ = 1e-5 * size_of(a, b); // they compute in float
    }

    RefereeReport run() {
        collisions();
        if (options_.distances) distances();
        if (options_.sweeps) sweeps();
        return std::move(report_);
    }

private:
    void expect(bool holds, const std::string& claim) {
        ++report_.claims;
        if (!holds)
            report_.contradictions.push_back(
                fmt::format("{} and {}: {}", name(a_.shape.kind()), name(b_.shape.kind()), claim));
    }

    // ---- Collision

    // A point of one shape that is inside the other.
    [[nodiscard]] const Vec3* common_point(const Pose& pose_b, double depth) {
        for (const auto& [from, pose, to, at] :
             {std::tuple(&a_, a_.pose, &b_, pose_b), std::tuple(&b_, pose_b, &a_, a_.pose)}) {
            if (!has_field(to->shape.kind()) && to->shape.kind() != ShapeKind::compound) continue;
            for (const Vec3& p : from->points) {
                found_ = pose * p;
                if (to->outside(found_, at) <= -depth) return &found_;
            }
        }
        return nullptr;
    }

    void collisions() {
        for (const PairMethod& m : methods_for(a_.shape.kind(), b_.shape.kind(), Question::collide)) {
            if ((m.method == Method::depth_maps || m.method == Method::dual_gradient) && !options_.sampling) continue;
            const CollideResult c =
                collide(a_.shape, a_.pose, b_.shape, b_.pose, {.goal = CollideGoal::contacts, .method = m.method});
            const CollideResult back =
                collide(b_.shape, b_.pose, a_.shape, a_.pose, {.goal = CollideGoal::contacts, .method = m.method});
            both_orders(c, back);
            claim(c);
        }
        ++(touching_ ? report_.touching : apart_ ? report_.apart : report_.open);
    }

    void both_orders(const CollideResult& c, const CollideResult& back) {
        const std::string method(name(c.method));
        expect(c.status == back.status, method + ": the status depends on the order");
        expect(c.contacts.size() == back.contacts.size(),
               fmt::format("{}: {} contacts, {} in the other order", method, c.contacts.size(), back.contacts.size()));
        for (std::size_t k = 0; k < std::min(c.contacts.size(), back.contacts.size()); ++k) {
            const Contact &x = c.contacts[k], &y = back.contacts[k];
            expect((x.point_a - y.point_b).norm() <= slack_ && (x.normal + y.normal).norm() <= 1e-6,
                   fmt::format("{}: contact {} depends on the order", method, k));
        }
    }

    void claim(const CollideResult& c) {
        const std::string method(name(c.method));
        const bool samples = c.method == Method::depth_maps || c.method == Method::dual_gradient;
        if ((c.status == Status::undecided && !samples) || (c.status == Status::disjoint && !c.proven))
            ++report_.unproven;
        if (c.status == Status::disjoint && c.proven) {
            if (!touching_) apart_ = true;
            const Vec3* common = common_point(b_.pose, slack_);
            expect(common == nullptr, fmt::format("{}: disjoint, but a point of one shape is {} deep in the other",
                                                  method, common ? depth_at(*common) : 0));
            expect(!touching_ || shallow(), fmt::format("{}: disjoint, but {} found an overlap", method, found_by_));
        }
        if (c.status != Status::overlapping) return;
        // Half-spaces may meet far away.
        const double slack =
            slack_ + relative_rounding * c.witness.norm() + (c.method == Method::depth_maps ? c.error_bound : 0);
        if (c.method != Method::depth_maps) {
            expect(!apart_ || shallow(), method + ": overlapping, but another method proved them disjoint");
            touching_ = true, found_by_ = method;
        } else {
            expect(!apart_ || distance(a_.shape, a_.pose, b_.shape, b_.pose).lower_bound <= slack,
                   method + ": overlapping by more than its tolerance, but another method proved them disjoint");
        }
        const bool both = a_.outside(c.witness, a_.pose) <= slack && b_.outside(c.witness, b_.pose) <= slack;
        expect(both || c.method == Method::tetrahedra,
               fmt::format("{}: its witness is {} from a and {} from b", method, a_.outside(c.witness, a_.pose),
                           b_.outside(c.witness, b_.pose)));
        for (const Contact& contact : c.contacts) check_contact(method, contact, slack);
    }

    void check_contact(const std::string& method, const Contact& c, double slack) {
        expect(std::abs(c.normal.norm() - 1) < 1e-6, method + ": a normal does not have unit length");
        expect((c.point_a - c.point_b - c.depth * c.normal).norm() <= 1e-6 * std::abs(c.depth) + 4 * slack,
               method + ": the points of a contact do not differ by depth times normal");
    }

    [[nodiscard]] double depth_at(const Vec3& world) const {
        return -std::max(a_.outside(world, a_.pose), b_.outside(world, b_.pose));
    }
    // The overlap is so small that rounding decides.
    [[nodiscard]] bool shallow() const {
        return std::abs(distance(a_.shape, a_.pose, b_.shape, b_.pose).upper_bound) <= 4 * slack_;
    }

    // ---- Distance

    void distances() {
        double highest_lower = -HUGE_VAL, lowest_upper = HUGE_VAL;
        for (const PairMethod& m : methods_for(a_.shape.kind(), b_.shape.kind(), Question::distance)) {
            const DistanceResult d = distance(a_.shape, a_.pose, b_.shape, b_.pose, {.method = m.method});
            const DistanceResult back = distance(b_.shape, b_.pose, a_.shape, a_.pose, {.method = m.method});
            const std::string method(name(m.method));
            const double error = slack_ + d.error_bound;
            expect(
                std::abs(d.upper_bound - back.upper_bound) <= slack_ || d.upper_bound == back.upper_bound,
                fmt::format("{}: distance {} or {}, depending on the order", method, d.upper_bound, back.upper_bound));
            if (d.upper_bound > 0) {
                expect(!touching_ || shallow(), fmt::format("{}: {} apart, but they touch", method, d.upper_bound));
                highest_lower = std::max(highest_lower, d.lower_bound - error),
                lowest_upper = std::min(lowest_upper, d.upper_bound + error);
                if (std::isfinite(d.upper_bound))
                    report_.worst_bound_gap = std::max(report_.worst_bound_gap,
                                                       (d.upper_bound - d.lower_bound) / size_of(a_.shape, b_.shape));
                no_point_is_nearer(method, d.lower_bound - error);
                ends(method, d, error);
            } else {
                expect(!apart_ || std::abs(d.upper_bound) <= 4 * slack_,
                       fmt::format("{}: overlapping by {}, but they are proven disjoint", method, -d.upper_bound));
            }
        }
        expect(highest_lower <= lowest_upper,
               fmt::format("distances of two methods contradict each other: at least {}, at most {}", highest_lower,
                           lowest_upper));
    }

    void no_point_is_nearer(const std::string& method, double lower) {
        for (const auto& [from, to] : {std::pair(&a_, &b_), std::pair(&b_, &a_)}) {
            if (!to->is_exact_distance()) continue;
            double nearest = HUGE_VAL;
            for (const Vec3& p : from->points) nearest = std::min(nearest, to->outside(from->pose * p, to->pose));
            expect(nearest >= lower,
                   fmt::format("{}: at least {} apart, but a point is {} from the other", method, lower, nearest));
        }
    }

    void ends(const std::string& method, const DistanceResult& d, double error) {
        if (!std::isfinite(d.upper_bound)) return;
        expect(std::abs((d.point_a - d.point_b).norm() - d.upper_bound) <= error,
               method + ": the distance of the closest points differs from the upper bound");
        expect(a_.outside(d.point_a, a_.pose) <= error && b_.outside(d.point_b, b_.pose) <= error,
               fmt::format("{}: the closest points are {} and {} away from the shapes", method,
                           a_.outside(d.point_a, a_.pose), b_.outside(d.point_b, b_.pose)));
    }

    // ---- Time of contact

    void sweeps() {
        const Motion still = Motion::stationary(a_.pose), moving{b_.pose, end_};
        const Mover mover(moving);
        double latest_start = 0, earliest_seen = HUGE_VAL;
        const auto check_times = [&](const SweepResult& s, const std::string& what) {
            if (s.status == Status::undecided && !samples(s)) ++report_.unproven;
            if (s.status == Status::overlapping) earliest_seen = std::min(earliest_seen, s.time + s.error);
            if (!samples(s)) {
                latest_start = std::max(latest_start, s.status == Status::disjoint ? 2.0 : s.time);
                before(what, s, mover);
            }
            if (s.status == Status::overlapping) seen(what, s.time + s.error, mover);
        };
        for (const Question question : {Question::sweep_first, Question::sweep_all})
            for (const PairMethod& m : methods_for(a_.shape.kind(), b_.shape.kind(), question)) {
                const bool first_choice =
                    m.method == methods_for(a_.shape.kind(), b_.shape.kind(), question).front().method;
                if (!options_.slow && !first_choice) continue;
                const SweepOptions sweep_options{.goal = question == Question::sweep_first ? SweepGoal::first
                                                                                           : SweepGoal::all,
                                                 .method = m.method,
                                                 .tolerance = 1e-4,
                                                 .resolution = 1.0 / 64};
                const SweepResult s = sweep(a_.shape, still, b_.shape, moving, sweep_options),
                                  back = sweep(b_.shape, moving, a_.shape, still, sweep_options);
                const std::string what = fmt::format("{} by {}", name(question), name(m.method));
                expect(s.status == back.status, what + ": the status depends on the order");
                expect(std::abs(s.time - back.time) <= s.error + back.error + 1e-3,
                       fmt::format("{}: time {} or {}, depending on the order", what, s.time, back.time));
                check_times(s, what);
                if (question == Question::sweep_all && !samples(s)) outside_intervals(what, s, mover);
            }
        if (earliest_seen < HUGE_VAL) ++report_.contacts_in_motion;
        expect(
            latest_start <= earliest_seen + 1e-9 || shallow_at(mover.pose(std::min(earliest_seen, 1.0))),
            fmt::format("no contact before {} by one method, contact at {} by another", latest_start, earliest_seen));
    }

    // Whether the method tests only the vertices of the shapes, so that its times bound nothing.
    [[nodiscard]] bool samples(const SweepResult& s) const {
        return s.method == Method::point_field && a_.shape.kind() != ShapeKind::point_shell &&
               b_.shape.kind() != ShapeKind::point_shell;
    }

    void before(const std::string& what, const SweepResult& s, const Mover& mover) {
        const double until = s.status == Status::disjoint ? 1 : s.time;
        for (std::size_t k = 0; k < options_.times; ++k) {
            const double t = until * static_cast<double>(k) / static_cast<double>(options_.times);
            if (t < until) check_disjoint_at(what, t, mover);
        }
    }

    void outside_intervals(const std::string& what, const SweepResult& s, const Mover& mover) {
        for (std::size_t k = 0; k <= options_.times; ++k) {
            const double t = static_cast<double>(k) / static_cast<double>(options_.times);
            const bool held = std::any_of(s.intervals.begin(), s.intervals.end(),
                                          [&](const ContactInterval& i) { return i.start <= t && t <= i.end; });
            if (!held) check_disjoint_at(what, t, mover);
        }
        for (const ContactInterval& i : s.intervals)
            expect(i.start <= i.end && i.start >= 0 && i.end <= 1,
                   what + ": an interval is not inside [0, 1] or is reversed");
    }

    void check_disjoint_at(const std::string& what, double t, const Mover& mover) {
        const Vec3* common = common_point(mover.pose(t), 8 * slack_);
        expect(common == nullptr,
               fmt::format("{}: disjoint at time {}, but the shapes have a common point then", what, t));
        const CollideResult c = collide(a_.shape, a_.pose, b_.shape, mover.pose(t), {.goal = CollideGoal::status});
        expect(c.status != Status::overlapping || shallow_at(mover.pose(t)),
               fmt::format("{}: disjoint at time {}, but they overlap then", what, t));
    }

    void seen(const std::string& what, double t, const Mover& mover) {
        const DistanceResult d = distance(a_.shape, a_.pose, b_.shape, mover.pose(std::min(t, 1.0)));
        expect(d.lower_bound <= 8 * slack_ + d.error_bound,
               fmt::format("{}: contact at time {}, but they are {} apart then", what, t, d.lower_bound));
    }

    [[nodiscard]] bool shallow_at(const Pose& pose_b) const {
        return std::abs(distance(a_.shape, a_.pose, b_.shape, pose_b).upper_bound) <= 8 * slack_;
    }

    RefereeOptions options_;
    Body a_, b_;
    Pose end_;
    double slack_;
    RefereeReport report_;
    Vec3 found_ = Vec3::Zero();
    bool touching_ = false, apart_ = false;
    std::string found_by_;
};

} // namespace

RefereeReport judge(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, const Pose& pose_b_end,
                    Random& random, const RefereeOptions& options) {
    return Judge(a, pose_a, b, pose_b, pose_b_end, random, options).run();
}

} // namespace fathom
