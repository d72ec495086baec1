// Method convex: two convex shapes, and a convex shape and a half-space.
#include <fathom/detect/query/methods.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/convex/convex_pair.h>
#include <fathom/detect/query/conservative_advancement.h>

#include <algorithm>
#include <cmath>

namespace fathom::query {

namespace {

// Relative gaps of the bounds: the depth is refined in any case; a distance states a proven bound too.
constexpr double depth_gap = 1e-5, distance_gap = 1e-6;

bool is_convex(ShapeKind kind) { return kind == ShapeKind::convex; }

bool two_convex_or_half_space(ShapeKind a, ShapeKind b) { return is_convex(a) && (is_convex(b) || is_half_space(b)); }

convex::Placed body_of(const Placed& placed) { return {*placed.shape->convex_body(), placed.pose}; }

convex::Plane plane_of(const Placed& placed) {
    const Shape::HalfSpace plane = half_space(placed);
    return {plane.normal, plane.offset};
}

// Order of two convex shapes that does not depend on the order of the arguments.
bool is_before(const Placed& p, const Placed& q) {
    const convex::Body &a = *p.shape->convex_body(), &b = *q.shape->convex_body();
    if (a.core != b.core) return a.core < b.core;
    const auto lexicographic = [](const auto& x, const auto& y, int count) {
        for (int k = 0; k < count; ++k)
            if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
        return 0;
    };
    if (const int order = lexicographic(p.pose.translation, q.pose.translation, 3)) return order < 0;
    if (const int order = lexicographic(a.half, b.half, 3)) return order < 0;
    if (a.radius != b.radius) return a.radius < b.radius;
    if (a.extent != b.extent) return a.extent < b.extent;
    return lexicographic(p.pose.rotation.coeffs(), q.pose.rotation.coeffs(), 4) < 0;
}

// The half-space is second, otherwise is_before() decides.
Pair in_order(const Pair& pair) {
    if (pair.b.shape->convex_body() == nullptr) return pair;
    return pair.a.shape->convex_body() == nullptr || is_before(pair.b, pair.a) ? pair.flipped() : pair;
}

convex::PairDistance kernel_distance(const Pair& pair, double gap) {
    const convex::Placed a = body_of(pair.a);
    return is_half_space(pair.b.kind()) ? convex::signed_distance(a, plane_of(pair.b))
                                        : convex::signed_distance(a, body_of(pair.b), gap);
}

// The separating translation; it also covers the rounding of the translated pose.
void set_separation(const Pair& pair, const convex::PairDistance& found, double margin, CollideResult& result) {
    result.depth = margin - found.lower + 3 * found.rounding +
                   rounding_error(4) * (pair.a.pose.translation.norm() + pair.b.pose.translation.norm());
    result.local_depth = -(found.lower + found.rounding);
    result.local_depth_bound = -found.lower + found.rounding; // deeper points would overlap after the translation
    result.normal = found.normal;
    result.separates = Separates::proven;
    result.unique = found.unique;
}

CollideResult above_plane(const Pair& pair, const CollideOptions& options) {
    CollideResult result;
    const convex::Placed a = body_of(pair.a);
    const convex::Plane plane = plane_of(pair.b);
    const convex::PairDistance found = convex::signed_distance(a, plane);
    if (found.lower > options.margin) return result;
    set_overlapping(result, found.point_a);
    if (options.goal == CollideGoal::status) return result;
    result.error_bound = 2 * found.rounding;
    convex::add_contacts(a, plane, options.margin, result.contacts);
    sort_and_spread(result, options.max_contacts);
    set_separation(pair, found, options.margin, result);
    return result;
}

CollideResult collide_in_order(const Pair& pair, const CollideOptions& options) {
    if (pair.b.shape->convex_body() == nullptr) return above_plane(pair, options);
    CollideResult result;
    const convex::PairKernel kernel(body_of(pair.a), body_of(pair.b));
    const convex::Overlap overlap = kernel.overlap(options.margin);
    result.status = overlap.status, result.witness = overlap.witness;
    if (result.status != Status::overlapping || options.goal == CollideGoal::status) return result;
    const convex::PairDistance found = kernel.signed_distance(depth_gap);
    result.error_bound = found.upper - found.lower; // the minimum of curved shapes is searched
    kernel.add_contacts(found, options.margin, result.contacts);
    sort_and_spread(result, options.max_contacts);
    set_separation(pair, found, options.margin, result);
    return result;
}

CollideResult collide_convex(const Pair& pair, const CollideOptions& options) {
    const Pair p = in_order(pair);
    CollideResult result = collide_in_order(p, options);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

DistanceResult distance_convex(const Pair& pair, const DistanceOptions&) {
    const Pair p = in_order(pair);
    const convex::PairDistance found = kernel_distance(p, distance_gap);
    DistanceResult result{.lower_bound = found.lower,
                          .upper_bound = found.upper,
                          .point_a = found.point_a,
                          .point_b = found.point_b,
                          .normal = found.normal,
                          .error_bound = 2 * found.rounding};
    // Contact within rounding counts as overlap, as in collide().
    if (found.lower <= 0) result.upper_bound = std::min(result.upper_bound, 0.0);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

SweepResult sweep_convex(const Moving& a, const Moving& b, const SweepOptions& options) {
    const Mover mover_a(a.motion), mover_b(b.motion);
    const auto distance_at = [&](double t) {
        return distance_convex({{a.shape, mover_a.pose(t)}, {b.shape, mover_b.pose(t)}}, {});
    };
    // Points of a small rotation are computed about a distant axis.
    double path_error = 0;
    for (const Mover* mover : {&mover_a, &mover_b})
        if (mover->screw().angle > 0) path_error += rounding_error(16) * mover->screw().point.norm();
    const auto probe = [&](double t) {
        const DistanceResult d = distance_at(t);
        const bool touching = d.upper_bound <= options.margin || d.lower_bound <= options.margin;
        return TimeProbe{.touching = touching,
                         .gap = d.lower_bound - options.margin - path_error,
                         .contact_distance = std::max(0.0, options.margin - d.upper_bound - path_error)};
    };
    AdvancementOptions inner{.speed = approach_speed(*a.shape, a.motion, *b.shape, b.motion),
                             .all = options.goal == SweepGoal::all,
                             .tolerance = options.tolerance,
                             .resolution = options.resolution};
    inner.max_evaluations = scaled(inner.max_evaluations, options.effort);
    AdvancementResult found = conservative_advancement(probe, inner);
    SweepResult result{.status = found.status,
                       .time = found.time,
                       .error = found.error,
                       .intervals = std::move(found.intervals),
                       .budget_exhausted = found.budget_exhausted};
    if (result.status != Status::overlapping) return result;
    const DistanceResult d = distance_at(std::min(result.time + result.error, 1.0));
    result.point = 0.5 * (d.point_a + d.point_b), result.normal = d.normal;
    return result;
}

} // namespace

const MethodRow convex_row = {
    .method = Method::convex,
    .name = "convex",
    .collide = {.fits = two_convex_or_half_space,
                .guarantee = "proof or witness; minimum translation, exact up to rounding for polyhedra and closed "
                             "forms, otherwise between proven bounds",
                .margin = true,
                .run = collide_convex},
    .distance = {.fits = two_convex_or_half_space, .guarantee = "exact up to rounding", .run = distance_convex},
    .sweep = {.fits = two_convex_or_half_space,
              .guarantee = "lower bound on the time of impact, proven; witness point found",
              .guarantee_all =
                  "no contact outside the intervals, proven; gaps shorter than the resolution may be merged",
              .margin = true,
              .run = sweep_convex},
};

} // namespace fathom::query
