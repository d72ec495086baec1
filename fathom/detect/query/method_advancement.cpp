// Method conservative_advancement: distances at single times, for shapes without a sweep method of their own.
#include <fathom/detect/query/methods.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/field_field/closest_points_field_field.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/detect/query/conservative_advancement.h>
#include <fathom/detect/query/distance_lower_bound.h>

#include <algorithm>
#include <cmath>

namespace fathom::query {

namespace {

constexpr std::size_t probe_evaluations = 2'000; // of a field, for the distance at one time
constexpr std::size_t max_distances = 24;        // by branch and bound, in one sweep of a surface and a solid
constexpr double normal_lead_time = 1e-6;        // the normal is taken this long before contact (time)

class Advancement {
public:
    Advancement(const Moving& a, const Moving& b, const SweepOptions& options)
        : a_(a), b_(b), options_(options), coarse_(0.1 * Pair{{a.shape, {}}, {b.shape, {}}}.size()), mover_a_(a.motion),
          mover_b_(b.motion), two_solids_(has_field(a.shape->kind()) && has_field(b.shape->kind())) {
        const Method method = choose(a.shape->kind(), b.shape->kind(), Question::distance, Method::automatic);
        exact_ = method != Method::field_field && method != Method::mesh_field;
        for (const Shape* shape : {a.shape, b.shape})
            if (has_field(shape->kind()))
                least_tolerance_ = std::max(least_tolerance_, field_field::least_single_tolerance(*shape->field()));
        distances_left_ = scaled(max_distances, options.effort);
        // Points of a small rotation are computed about a distant axis.
        for (const Mover* mover : {&mover_a_, &mover_b_})
            if (mover->screw().angle > 0) path_error_ += rounding_error(16) * mover->screw().point.norm();
    }

    SweepResult run() const {
        const auto probe = [this](double t) { return at(t); };
        const double speed = approach_speed(*a_.shape, a_.motion, *b_.shape, b_.motion);
        AdvancementOptions inner{.speed = speed,
                                 .all = options_.goal == SweepGoal::all,
                                 .tolerance = options_.tolerance,
                                 .resolution = options_.resolution};
        inner.max_evaluations = scaled(inner.max_evaluations, options_.effort);
        const ShapeKind kind_a = a_.shape->kind(), kind_b = b_.shape->kind();
        if (kind_a == ShapeKind::point_shell && kind_b == ShapeKind::open_mesh)
            inner.certain = [this](double start, double end) {
                return points_cross(*a_.shape, a_.motion, *b_.shape, b_.motion, start, end);
            };
        if (kind_b == ShapeKind::point_shell && kind_a == ShapeKind::open_mesh)
            inner.certain = [this](double start, double end) {
                return points_cross(*b_.shape, b_.motion, *a_.shape, a_.motion, start, end);
            };
        AdvancementResult found = conservative_advancement(probe, inner);
        SweepResult result{.status = found.status,
                           .time = found.time,
                           .error = found.error,
                           .intervals = std::move(found.intervals),
                           .budget_exhausted =
                               found.budget_exhausted || (distances_left_ == 0 && found.error > options_.tolerance)};
        if (result.status == Status::overlapping) describe(result);
        return result;
    }

private:
    // The solids are those of status queries, with values in single precision. A probe is repeated at another time
    // rather than worked out with a large budget.
    [[nodiscard]] DistanceResult distance_at(double t, double tolerance) const {
        const double size = Pair{{a_.shape, {}}, {b_.shape, {}}}.size();
        const double used = tolerance > 0 ? std::max(tolerance, least_tolerance_) : 0;
        return distance(*a_.shape, mover_a_.pose(t), *b_.shape, mover_b_.pose(t),
                        {.tolerance = used, .effort = 1 / more_evaluations(used, size)});
    }

    [[nodiscard]] TimeProbe at(double t) const {
        const Pose pose_a = mover_a_.pose(t), pose_b = mover_b_.pose(t);
        const double rounding = position_rounding(extent(*a_.shape), extent(*b_.shape), pose_a.translation.norm(),
                                                  pose_b.translation.norm()) +
                                path_error_;
        // Far from contact the trees alone prove a distance, unless one solid may contain the other.
        const auto far = [&] {
            if (exact_) return 0.0;
            return distance_lower_bound(*a_.shape, pose_a, *b_.shape, pose_b, {.sufficient = 2 * coarse_}) -
                   options_.margin;
        };
        if (two_solids_ || exact_) {
            const Status status =
                collide(*a_.shape, pose_a, *b_.shape, pose_b, {.goal = CollideGoal::status, .margin = options_.margin})
                    .status;
            if (status == Status::overlapping) return {true, 0, 0, 0};
            if (const double gap = status == Status::disjoint ? far() : 0; gap > coarse_)
                return {false, gap - rounding, 0, 0};
        } else {
            if (const double gap = far(); gap > coarse_) return {false, gap - rounding, 0, 0};
            return surface_and_solid_at(t, rounding);
        }
        DistanceResult d = distance_at(t, coarse_);
        if (d.upper_bound <= options_.margin) return {true, 0, -rounding, 0};
        const double above = d.upper_bound - options_.margin;
        if (d.lower_bound - options_.margin < 0.5 * above && std::isfinite(above)) d = distance_at(t, 0.25 * above);
        const double gap = std::max(d.lower_bound - options_.margin, apart_by_status(t, d)) - rounding;
        return {false, gap, 0, std::max(above - gap, 0.0)};
    }

    // A surface and a solid: the smallest value of the field on the surface, and a level that it is proven to exceed,
    // from which its clearance radius follows.
    [[nodiscard]] TimeProbe surface_and_solid_at(double t, double rounding) const {
        // The first contact that is found suffices while they touch.
        mesh_field::MeshContactResult least =
            contacts(t, {.goal = mesh_field::MeshGoal::any, .margin = options_.margin, .prove = false});
        if (least.status != Status::overlapping)
            least = contacts(t, {.goal = mesh_field::MeshGoal::deepest, .max_evaluations = probe_evaluations});
        if (least.contacts.empty()) return {};
        const double value = -least.contacts.front().depth;
        if (value <= options_.margin) return {true, 0, (options_.margin - value) / lipschitz() - rounding, 0};
        const ClearanceProof& clearance = (is_surface(a_.shape->kind()) ? b_ : a_).shape->solid().clearance();
        double gap = 0;
        for (const double share : {0.8, 0.3}) {
            const double level = share * value, proven = clearance.radius(level) - options_.margin;
            if (proven <= gap) break;
            if (contacts(t, {.goal = mesh_field::MeshGoal::any, .margin = level, .max_evaluations = probe_evaluations})
                    .status == Status::disjoint)
                gap = proven;
        }
        const Pair pair{{a_.shape, mover_a_.pose(t)}, {b_.shape, mover_b_.pose(t)}};
        if (gap < 0.2 * value && pair.a.shape->bounded() && pair.b.shape->bounded() && distances_left_ > 0 &&
            distances_left_-- > 0)
            gap = std::max(gap, distance_of_disjoint(pair, {.tolerance = std::max(0.5 * value, least_tolerance_)},
                                                     false, probe_evaluations)
                                        .lower_bound -
                                    options_.margin);
        return {false, gap - rounding, 0, std::max(value - options_.margin - gap, 0.0)};
    }

    // The surface and the solid of a pair that has one of each, at a time.
    [[nodiscard]] mesh_field::MeshContactResult contacts(double t,
                                                         const mesh_field::MeshContactOptions& options) const {
        const bool first = is_surface(a_.shape->kind());
        const Moving &surface = first ? a_ : b_, &solid = first ? b_ : a_;
        return mesh_field::mesh_contacts(surface.shape->surface(), (first ? mover_a_ : mover_b_).pose(t),
                                         *solid.shape->field(), (first ? mover_b_ : mover_a_).pose(t), options);
    }
    [[nodiscard]] double lipschitz() const {
        return std::max((is_surface(a_.shape->kind()) ? b_ : a_).shape->field()->lipschitz(), 1e-300);
    }

    // A lower bound on the distance may be loose near kinks, but a margin can still be proven by collide().
    [[nodiscard]] double apart_by_status(double t, const DistanceResult& d) const {
        const double above = d.upper_bound - options_.margin;
        if (!(above > 0) || !std::isfinite(above) || d.lower_bound - options_.margin > 0.3 * above ||
            d.method != Method::field_field)
            return 0;
        for (const double share : {0.5, 0.1})
            if (field_field::collide(a_.shape->solid(), mover_a_.pose(t), b_.shape->solid(), mover_b_.pose(t),
                                     {.goal = field_field::CollideGoal::any,
                                      .margin = options_.margin + share * above,
                                      .max_evaluations = max_status_evaluations})
                    .status == Status::disjoint)
                return share * above;
        return 0;
    }

    // Fills point and normal. The direction between the closest points is more accurate just before contact.
    void describe(SweepResult& result) const {
        const DistanceResult at = distance_at(result.time + result.error, 0),
                             before = distance_at(std::max(0.0, result.time - normal_lead_time), 0);
        result.point = 0.5 * (at.point_a + at.point_b);
        result.normal = before.upper_bound > 0 && !before.normal.isZero() ? before.normal : at.normal;
    }

    Moving a_, b_;
    SweepOptions options_;
    double coarse_;              // tolerance far from contact (m)
    double least_tolerance_ = 0; // smaller ones mean another solid (m), see least_single_tolerance()
    Mover mover_a_, mover_b_;
    bool two_solids_, exact_ = false;    // exact_: distances are exact
    mutable std::size_t distances_left_; // limit on distances by branch and bound, for a surface and a solid
    double path_error_ = 0;              // bound on the error of poses between the ends (m)
};

SweepResult sweep_by_advancement(const Moving& a, const Moving& b, const SweepOptions& options) {
    return Advancement(a, b, options).run();
}

bool not_two_half_spaces(ShapeKind a, ShapeKind b) { return !both_half_spaces(a, b); }

} // namespace

const MethodRow conservative_advancement_row = {
    .method = Method::conservative_advancement,
    .name = "conservative_advancement",
    .sweep = {.fits = not_two_half_spaces,
              .guarantee = "lower bound on the time of impact, proven by distances; contact found",
              .guarantee_all =
                  "no contact outside the intervals, proven; gaps shorter than the resolution may be merged",
              .margin = true,
              .run = sweep_by_advancement},
};

} // namespace fathom::query
