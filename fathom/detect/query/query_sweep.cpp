// sweep(): the implementation for each method, and the selection by the table.
#include <fathom/base/rounding.h>
#include <fathom/detect/query/query.h>

#include <fathom/base/error.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/field_field/field_sweep.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/detect/query/conservative_advancement.h>
#include <fathom/detect/query/distance_lower_bound.h>
#include <fathom/detect/query/query_pair.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace query {
namespace {

struct Moving {
    const Shape* shape;
    Motion motion;
};

constexpr std::size_t max_sweep_evaluations = 300'000;
constexpr double normal_lead_time = 1e-6;             // the normal is taken this long before contact (time)
constexpr std::size_t max_status_evaluations = 5'000; // for each of many overlap tests

// ---- Points in a field

// The union of the contact intervals of all points.
std::vector<ContactInterval> joined(std::span<const PointContact> contacts) {
    std::vector<ContactInterval> pieces, result;
    for (const PointContact& c : contacts) pieces.push_back(c.time);
    std::sort(pieces.begin(), pieces.end(),
              [](const ContactInterval& p, const ContactInterval& q) { return p.start < q.start; });
    for (const ContactInterval& piece : pieces) {
        if (result.empty() || piece.start > result.back().end) {
            result.push_back(piece);
            continue;
        }
        result.back().end = std::max(result.back().end, piece.end);
        result.back().proven = result.back().proven || piece.proven;
    }
    return result;
}

// The shell is `a`.
SweepResult points_and_field(const Moving& a, const Moving& b, const SweepOptions& options) {
    ShellSweepResult found;
    const ShellSweepOptions ask{.goal = options.goal, .path = options.path};
    if (options.margin > 0)
        sweep(a.shape->points(), a.motion, SegmentCaster(b.shape->field(), {.level = options.margin}), b.motion, found,
              ask);
    else
        sweep(a.shape->points(), a.motion, b.shape->caster(), b.motion, found, ask);
    const ShellSweepHit& first = found.first;
    SweepResult result{.status = first.status,
                       .time = first.time,
                       .error = first.error,
                       .point = first.position,
                       .normal = first.normal};
    result.intervals = joined(found.contacts);
    return result;
}

SweepResult by_points_in_field(const Moving& a, const Moving& b, const SweepOptions& options) {
    if (is_point_shell(a.shape->kind())) return points_and_field(a, b, options);
    SweepResult result = points_and_field(b, a, options);
    flip(result);
    return result;
}

// ---- Solids

SweepResult by_fields(const Moving& a, const Moving& b, const SweepOptions& options) {
    const field_field::FieldSweep found =
        field_field::field_sweep(*a.shape->field(), a.motion, *b.shape->field(), b.motion,
                                 {.tolerance = options.tolerance, .max_evaluations = max_sweep_evaluations});
    return {.status = found.status,
            .time = found.time,
            .error = found.error,
            .point = found.point,
            .normal = found.normal,
            .budget_exhausted = found.budget_exhausted};
}

// All contact intervals of two solids: the next contact after a time at which they are disjoint, then forward in time
// until they are disjoint again, and backward from there to the last contact.
class IntervalSearch {
public:
    IntervalSearch(const Moving& a, const Moving& b, const SweepOptions& options)
        : a_(a), b_(b), options_(options), mover_a_(a.motion), mover_b_(b.motion) {}

    SweepResult run() {
        SweepResult result;
        for (double from = 0; from <= 1;) {
            const field_field::FieldSweep next = between(from, 1);
            result.budget_exhausted = result.budget_exhausted || next.budget_exhausted;
            if (next.status == Status::disjoint) break;
            const double start = from + next.time * (1 - from), seen = start + next.error * (1 - from);
            if (result.intervals.empty())
                result = {.status = next.status,
                          .time = start,
                          .error = seen - start,
                          .point = next.point,
                          .normal = next.normal,
                          .budget_exhausted = result.budget_exhausted};
            const bool proven = next.status == Status::overlapping;
            const double free = proven ? apart_after(seen) : 2;
            double end = 1;
            if (free <= 1) {
                const field_field::FieldSweep back = between(free, seen);
                result.budget_exhausted = result.budget_exhausted || back.budget_exhausted;
                end = free - back.time * (free - seen);
            }
            result.intervals.push_back({start, end, proven});
            from = free;
        }
        return result;
    }

private:
    // Time may run backwards.
    [[nodiscard]] field_field::FieldSweep between(double from, double to) const {
        const auto piece = [&](const Mover& m) { return Motion{m.pose(from), m.pose(to), Path::screw}; };
        const double tolerance = std::min(0.5, options_.tolerance / std::max(std::abs(to - from), 1e-9));
        return field_field::field_sweep(*a_.shape->field(), piece(mover_a_), *b_.shape->field(), piece(mover_b_),
                                        {.tolerance = tolerance, .max_evaluations = max_sweep_evaluations});
    }

    // The first time after a contact, in steps of the resolution, at which the solids are proven disjoint; above 1 if
    // there is none.
    [[nodiscard]] double apart_after(double contact) const {
        for (double t = contact; t < 1;) {
            t = std::min(1.0, t + std::max(options_.resolution, 1e-6));
            const field_field::CollideResult there = field_field::collide(
                a_.shape->solid(), mover_a_.pose(t), b_.shape->solid(), mover_b_.pose(t),
                {.goal = field_field::CollideGoal::any, .max_evaluations = max_status_evaluations});
            if (there.status == Status::disjoint) return t;
        }
        return 2;
    }

    Moving a_, b_;
    SweepOptions options_;
    Mover mover_a_, mover_b_;
};

// ---- Conservative advancement

class Advancement {
public:
    Advancement(const Moving& a, const Moving& b, const SweepOptions& options)
        : a_(a), b_(b), options_(options), coarse_(0.1 * Pair{{a.shape, {}}, {b.shape, {}}}.size()), mover_a_(a.motion),
          mover_b_(b.motion) {}

    SweepResult run() const {
        const auto probe = [this](double t) { return at(t); };
        const double speed = approach_speed(*a_.shape, a_.motion, *b_.shape, b_.motion);
        AdvancementOptions ask{.speed = speed,
                               .all = options_.goal == SweepGoal::all,
                               .tolerance = options_.tolerance,
                               .resolution = options_.resolution};
        const ShapeKind kind_a = a_.shape->kind(), kind_b = b_.shape->kind();
        if (kind_a == ShapeKind::point_shell && kind_b == ShapeKind::open_mesh)
            ask.certain = [this](double start, double end) {
                return points_cross(*a_.shape, a_.motion, *b_.shape, b_.motion, start, end);
            };
        if (kind_b == ShapeKind::point_shell && kind_a == ShapeKind::open_mesh)
            ask.certain = [this](double start, double end) {
                return points_cross(*b_.shape, b_.motion, *a_.shape, a_.motion, start, end);
            };
        AdvancementResult found = conservative_advancement(probe, ask);
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
        return {d.upper_bound <= options_.margin, gap, hold(d) - rounding,
                std::max(d.upper_bound - options_.margin - gap, 0.0)};
    }

    // Length of relative motion over which a surface point stays inside the solid, from the field value at it (m).
    [[nodiscard]] double hold(const DistanceResult& d) const {
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

// ---- Half-spaces: they are disjoint only if they face each other; their distance is then that of any point of one
// from the other.

SweepResult two_planes(const Moving& a, const Moving& b, const SweepOptions& options) {
    const Mover mover_a(a.motion), mover_b(b.motion);
    const auto distance_at = [&](double t) { return distance(*a.shape, mover_a.pose(t), *b.shape, mover_b.pose(t)); };
    const auto probe = [&](double t) {
        const DistanceResult d = distance_at(t);
        return TimeProbe{d.upper_bound <= options.margin, d.lower_bound - options.margin};
    };
    const bool facing = distance_at(0.5).lower_bound > -HUGE_VAL && distance_at(1).lower_bound > -HUGE_VAL;
    const double speed = facing ? mover_a.max_displacement(0) + mover_b.max_displacement(0) : HUGE_VAL;
    AdvancementResult found = conservative_advancement(probe, {.speed = speed,
                                                               .all = options.goal == SweepGoal::all,
                                                               .tolerance = options.tolerance,
                                                               .resolution = options.resolution});
    SweepResult result{.status = found.status,
                       .time = found.time,
                       .error = found.error,
                       .intervals = std::move(found.intervals),
                       .budget_exhausted = found.budget_exhausted};
    const DistanceResult d = distance_at(std::min(result.time + result.error, 1.0));
    result.point = d.point_a, result.normal = d.normal;
    return result;
}

SweepResult by_method(Method method, const Moving& a, const Moving& b, const SweepOptions& options) {
    switch (method) {
    case Method::closed_form:
        return two_planes(a, b, options);
    case Method::point_field:
        return by_points_in_field(a, b, options);
    case Method::field_field:
        return options.goal == SweepGoal::all ? IntervalSearch(a, b, options).run() : by_fields(a, b, options);
    case Method::conservative_advancement:
        return Advancement(a, b, options).run();
    case Method::automatic: // choose() has replaced it
    case Method::octree:
    case Method::mesh_field:
    case Method::mesh_mesh:
    case Method::tetrahedra:
    case Method::depth_maps:
        break;
    }
    throw Error(Cause::unsupported, "the method does not support sweep()", {.element = std::string(name(method))});
}

void check(const SweepOptions& options) {
    const auto finite = [](double x, const char* what) {
        if (!(x >= 0) || !std::isfinite(x))
            throw Error(Cause::invalid_argument, std::string(what) + " must be finite and not negative");
    };
    finite(options.margin, "the margin");
    finite(options.tolerance, "the tolerance");
    finite(options.resolution, "the resolution");
}

Method method_for(const Shape& a, const Shape& b, const SweepOptions& options) {
    const Question question = options.goal == SweepGoal::all ? Question::sweep_all : Question::sweep_first;
    const Method method = choose(a.kind(), b.kind(), question, options.method);
    if (method == Method::field_field && options.margin > 0) {
        if (options.method == Method::automatic) return Method::conservative_advancement;
        throw Error(Cause::unsupported,
                    "method 'field_field' does not support a margin in sweep(); use 'conservative_advancement'");
    }
    if (options.path == Path::straight && method != Method::point_field)
        throw Error(Cause::unsupported, "straight paths are supported only by method 'point_field'");
    return method;
}

} // namespace
} // namespace query

SweepResult sweep(const Shape& a, const Motion& motion_a, const Shape& b, const Motion& motion_b,
                  const SweepOptions& options) {
    query::check(options);
    const Method method = query::method_for(a, b, options);
    const auto finite = [](const Motion& m) { return is_finite(m.start) && is_finite(m.end); };
    SweepResult result;
    if (!finite(motion_a) || !finite(motion_b))
        result = {.status = Status::undecided, .time = 0, .budget_exhausted = true};
    else if (!a.bounds().empty() && !b.bounds().empty())
        result = query::by_method(method, {&a, motion_a}, {&b, motion_b}, options);
    result.method = method;
    result.error_bound = query::surface_error(a) + query::surface_error(b);
    return result;
}

} // namespace fathom
