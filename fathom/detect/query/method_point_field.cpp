// Method point_field: paths of moving points in the field of a solid.
#include <fathom/detect/query/methods.h>

#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/detect/point_field/shell_sweep.h>

#include <algorithm>
#include <cmath>

namespace fathom::query {

namespace {

// The union of intervals.
std::vector<ContactInterval> joined(std::vector<ContactInterval> parts) {
    std::vector<ContactInterval> result;
    std::sort(parts.begin(), parts.end(),
              [](const ContactInterval& p, const ContactInterval& q) { return p.start < q.start; });
    for (const ContactInterval& part : parts) {
        if (result.empty() || part.start > result.back().end) {
            result.push_back(part);
            continue;
        }
        result.back().end = std::max(result.back().end, part.end);
        result.back().proven = result.back().proven || part.proven;
    }
    return result;
}

// The result of two roles: the first contact of either, and the union of the intervals.
SweepResult earlier(SweepResult p, SweepResult q) {
    const auto rank = [](const SweepResult& s) {
        return std::pair(s.status == Status::disjoint, s.status == Status::disjoint ? 1.0 : s.time);
    };
    if (rank(q) < rank(p)) std::swap(p, q);
    p.intervals.insert(p.intervals.end(), q.intervals.begin(), q.intervals.end());
    p.intervals = joined(std::move(p.intervals));
    p.budget_exhausted = p.budget_exhausted || q.budget_exhausted;
    return p;
}

// The shell is `a`.
SweepResult points_and_field(const Moving& a, const Moving& b, const SweepOptions& options) {
    point_field::ShellSweepResult found;
    const point_field::ShellSweepOptions inner{.goal = options.goal, .path = options.path};
    if (options.margin > 0)
        sweep(a.shape->points(), a.motion, SegmentCaster(b.shape->field(), {.level = options.margin}), b.motion, found,
              inner);
    else
        sweep(a.shape->points(), a.motion, b.shape->caster(), b.motion, found, inner);
    const point_field::ShellSweepHit& first = found.first;
    SweepResult result{.status = first.status,
                       .time = first.time,
                       .error = first.error,
                       .point = first.position,
                       .normal = first.normal};
    std::vector<ContactInterval> intervals;
    for (const point_field::PointContact& c : found.contacts) intervals.push_back(c.time);
    result.intervals = joined(std::move(intervals));
    return result;
}

// Both roles: the vertices of each shape that has a surface in the field of the other, if that is a solid.
SweepResult sweep_point_field(const Moving& a, const Moving& b, const SweepOptions& options) {
    const auto role = [&](const Moving& points, const Moving& solid) {
        return has_surface(points.shape->kind()) && has_field(solid.shape->kind());
    };
    SweepResult result, other;
    if (role(a, b)) result = points_and_field(a, b, options);
    if (role(b, a)) {
        other = points_and_field(b, a, options);
        flip(other);
        if (!role(a, b)) std::swap(result, other);
    }
    if (role(a, b) && role(b, a)) result = earlier(std::move(result), std::move(other));
    // Edges and faces are not tested: without a contact nothing is known of them, and they may touch before a vertex.
    if (!is_point_shell(a.shape->kind()) && !is_point_shell(b.shape->kind())) {
        result.proven = false;
        if (result.status == Status::disjoint) result.status = Status::undecided, result.time = 0;
    }
    return result;
}

bool points_and_solid(ShapeKind a, ShapeKind b) { return is_point_shell(a) && has_field(b); }
bool vertices_and_solid(ShapeKind a, ShapeKind b) { return has_surface(a) && has_field(b); }

} // namespace

const MethodRow point_field_row = {
    .method = Method::point_field,
    .name = "point_field",
    .sweep = {.fits = vertices_and_solid,
              .preferred = points_and_solid,
              .guarantee = "lower bound on the time of impact of the points, proven; contact point found",
              .guarantee_all = "all contact intervals of every point",
              .margin = true,
              .straight = true,
              .run = sweep_point_field},
};

} // namespace fathom::query
