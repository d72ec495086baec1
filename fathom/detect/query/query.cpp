// collide(), distance() and sweep(): checks of the arguments, and the row of the table that answers.
#include <fathom/detect/query/query.h>

#include <fathom/base/error.h>
#include <fathom/detect/query/methods.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace fathom {

namespace query {

double tolerance_of(const Pair& pair, const DistanceOptions& options) {
    return options.tolerance > 0 ? options.tolerance : 1e-3 * pair.size();
}

DistanceResult penetration(const Pair& pair, const CollideResult& found) {
    DistanceResult result{.lower_bound = -HUGE_VAL,
                          .upper_bound = -std::max(found.depth, 0.0),
                          .point_a = found.witness,
                          .point_b = found.witness,
                          .error_bound = depth_error(pair)};
    if (!found.contacts.empty()) {
        const Contact& c = found.contacts.front();
        result.point_a = c.point_a, result.point_b = c.point_b, result.normal = c.normal;
    }
    return result;
}

namespace {

void require_effort(std::size_t effort) {
    if (effort < 1 || effort > 1'000'000) throw Error(Cause::invalid_argument, "the effort must be from 1 to 1000000");
}

void require_finite(double value, const char* what) {
    if (!(value >= 0) || !std::isfinite(value))
        throw Error(Cause::invalid_argument, std::string(what) + " must be finite and not negative");
}

bool is_finite(const Motion& motion) { return fathom::is_finite(motion.start) && fathom::is_finite(motion.end); }

Status status_of(const DistanceResult& distance) {
    if (distance.upper_bound <= 0) return Status::overlapping;
    return distance.lower_bound > 0 ? Status::disjoint : Status::undecided;
}

} // namespace
} // namespace query

CollideResult collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                      const CollideOptions& options) {
    query::require_finite(options.margin, "the margin");
    query::require_effort(options.effort);
    const query::Pair pair{{&a, pose_a}, {&b, pose_b}};
    const query::MethodRow& row = query::row_for(pair, options);
    CollideResult result;
    if (!is_finite(pose_a) || !is_finite(pose_b))
        result.status = Status::undecided;
    else if (!a.bounds().empty() && !b.bounds().empty())
        result = row.collide.run(pair, options);
    result.method = row.method;
    result.proven = result.proven && result.status != Status::undecided;
    // A depth below the error of the shapes does not prove that the true shapes overlap.
    if (!result.contacts.empty() && options.margin == 0 &&
        result.depth < query::surface_error(a) + query::surface_error(b))
        result.proven = false;
    return result;
}

DistanceResult distance(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                        const DistanceOptions& options) {
    query::require_finite(options.tolerance, "the tolerance");
    query::require_effort(options.effort);
    const query::Pair pair{{&a, pose_a}, {&b, pose_b}};
    const query::MethodRow& row = query::row_for(pair, options);
    DistanceResult result{.lower_bound = HUGE_VAL, .upper_bound = HUGE_VAL};
    if (!is_finite(pose_a) || !is_finite(pose_b))
        result = {.lower_bound = -HUGE_VAL, .upper_bound = HUGE_VAL, .converged = false};
    else if (!a.bounds().empty() && !b.bounds().empty())
        result = row.distance.run(pair, options);
    result.method = row.method;
    result.status = query::status_of(result);
    const double error = query::surface_error(a) + query::surface_error(b);
    result.proven = result.proven && result.status != Status::undecided &&
                    (result.status == Status::disjoint ? result.lower_bound >= error : -result.upper_bound >= error);
    if (result.upper_bound > 0 && std::isfinite(result.upper_bound))
        result.converged = result.upper_bound - result.lower_bound <= query::tolerance_of(pair, options);
    return result;
}

SweepResult sweep(const Shape& a, const Motion& motion_a, const Shape& b, const Motion& motion_b,
                  const SweepOptions& options) {
    query::require_finite(options.margin, "the margin");
    query::require_finite(options.tolerance, "the tolerance");
    query::require_finite(options.resolution, "the resolution");
    query::require_effort(options.effort);
    const query::Moving moving_a{&a, motion_a}, moving_b{&b, motion_b};
    const query::MethodRow& row = query::row_for(moving_a, moving_b, options);
    SweepResult result;
    if (!query::is_finite(motion_a) || !query::is_finite(motion_b))
        result = {.status = Status::undecided, .time = 0, .budget_exhausted = true};
    else if (!a.bounds().empty() && !b.bounds().empty())
        result = row.sweep.run(moving_a, moving_b, options);
    result.method = row.method;
    result.proven = result.proven && result.status != Status::undecided;
    result.error_bound = query::surface_error(a) + query::surface_error(b);
    return result;
}

} // namespace fathom
