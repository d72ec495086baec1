// Method conservative_advancement: distances at single times, for shapes without a sweep method of their own.
#include <fathom/detect/query/methods.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/query/conservative_advancement.h>
#include <fathom/detect/query/distance_lower_bound.h>

#include <algorithm>
#include <cmath>

namespace fathom::query {

namespace {

constexpr double normal_lead_time = 1e-6; // the normal is taken this long before contact (time)

class Advancement {
public:
    Advancement(const Moving& a, const Moving& b, const SweepOptions& options)
        : a_(a), b_(b), options_(options), coarse_(0.1 * Pair{{a.shape, {}}, {b.shape, {}}}.size()), mover_a_(a.motion),
          mover_b_(b.motion) {}

    SweepResult run() const {
        const auto probe = [this](double t) { return at(t); };
        const double speed = approach_speed(*a_.shape, a_.motion, *b_.shape, b_.motion);
        AdvancementOptions inner{.speed = speed,
                                 .all = options_.goal == SweepGoal::all,
                                 .tolerance = options_.tolerance,
                                 .resolution = options_.resolution};
        inner.max_evaluations *= options_.effort;
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
                           .budget_exhausted = found.budget_exhausted};
        if (result.status == Status::overlapping) describe(result);
        return result;
    }

private:
    [[nodiscard]] DistanceResult distance_at(double t, double tolerance) const {
        return distance(*a_.shape, mover_a_.pose(t), *b_.shape, mover_b_.pose(t), {.tolerance = tolerance});
    }

    [[nodiscard]] TimeProbe at(double t) const {
        DistanceResult d = distance_at(t, coarse_);
        const double above = d.upper_bound - options_.margin;
        if (above > 0 && d.lower_bound - options_.margin < 0.5 * above && std::isfinite(above))
            d = distance_at(t, 0.25 * above);
        const double rounding =
            position_rounding(extent(*a_.shape), extent(*b_.shape), mover_a_.pose(t).translation.norm(),
                              mover_b_.pose(t).translation.norm());
        const double gap = std::max(d.lower_bound - options_.margin, apart_by_status(t, d)) - rounding;
        return {d.upper_bound <= options_.margin, gap, contact_distance(d) - rounding,
                std::max(d.upper_bound - options_.margin - gap, 0.0)};
    }

    // Length of relative motion over which a surface point stays inside the solid, from the field value at it (m).
    [[nodiscard]] double contact_distance(const DistanceResult& d) const {
        if (d.method != Method::mesh_field || d.upper_bound > 0) return 0;
        return -d.upper_bound /
               std::max((is_surface(a_.shape->kind()) ? b_ : a_).shape->solid().field().lipschitz(), 1e-300);
    }

    // Far from a grid the proven lower bounds on distances are loose, but a margin can still be proven by collide().
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
    double coarse_; // tolerance far from contact (m)
    Mover mover_a_, mover_b_;
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
