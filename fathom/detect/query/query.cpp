// collide(), distance() and sweep(): checks of the arguments, and the row of the table that answers.
#include <fathom/detect/query/query.h>

#include <fathom/base/error.h>
#include <fathom/detect/query/methods.h>
#include <fathom/detect/query/separating_translation.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace fathom {

namespace query {

double tolerance_of(const Pair& pair, const DistanceOptions& options) {
    return options.tolerance > 0 ? options.tolerance : 1e-3 * pair.size();
}

DistanceResult penetration(const Pair& pair, const CollideResult& found) {
    DistanceResult result{.lower_bound = -HUGE_VAL,
                          .upper_bound = -std::max(found.local_depth, 0.0),
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

void require_effort(double effort) {
    if (!(effort >= 1e-3) || !(effort <= 1e6))
        throw Error(Cause::invalid_argument, "the effort must be from 0.001 to 1000000");
}

void require_finite(double value, const char* what) {
    if (!(value >= 0) || !std::isfinite(value))
        throw Error(Cause::invalid_argument, std::string(what) + " must be finite and not negative");
}

bool has_finite_poses(const Motion& motion) { return fathom::is_finite(motion.start) && fathom::is_finite(motion.end); }

Status status_of(const DistanceResult& distance) {
    if (distance.upper_bound <= 0) return Status::overlapping;
    return distance.lower_bound > 0 ? Status::disjoint : Status::undecided;
}

// ---- Meshes without a certain interior

// Of a compound, the queries of its parts have taken them into account.
bool has_caps(const Shape& shape) {
    return shape.kind() == ShapeKind::closed_mesh && shape.interior() == MeshInterior::capped;
}

// Sentences for A, for B, and for both.
using Note = std::array<std::string_view, 3>;
constexpr Note depends_on_caps = {"the holes of A were closed by caps, and the result depends on them",
                                  "the holes of B were closed by caps, and the result depends on them",
                                  "the holes of A and B were closed by caps, and the result depends on them"};
constexpr Note independent_of_caps = {"the holes of A were closed by caps; the result does not depend on them",
                                      "the holes of B were closed by caps; the result does not depend on them",
                                      "the holes of A and B were closed by caps; the result does not depend on them"};
constexpr Note sheet_overlaps = {"A has no certain inside: the overlap is that of its surface",
                                 "B has no certain inside: the overlap is that of its surface",
                                 "A and B have no certain inside: the overlap is that of their surfaces"};
constexpr Note sheet_is_disjoint = {"A has no certain inside: a body that it encloses counts as disjoint",
                                    "B has no certain inside: a body that it encloses counts as disjoint",
                                    "A and B have no certain inside: a body that one encloses counts as disjoint"};

std::string_view note_on(const Shape& a, const Shape& b, Status status, bool caps_matter) {
    const auto pick = [](const Note& note, bool of_a, bool of_b) {
        return of_a && of_b ? note[2] : of_b ? note[1] : of_a ? note[0] : std::string_view();
    };
    if (caps_matter) return pick(depends_on_caps, has_caps(a), has_caps(b));
    const bool sheet_a = a.is_doubtful_sheet(), sheet_b = b.is_doubtful_sheet();
    if (sheet_a || sheet_b)
        return pick(status == Status::disjoint ? sheet_is_disjoint : sheet_overlaps, sheet_a, sheet_b);
    return pick(independent_of_caps, has_caps(a), has_caps(b));
}

// A result depends on caps if the given triangles alone, as a surface, give another one.
bool caps_matter(const Pair& pair, const CollideOptions& options, const CollideResult& result) {
    if (result.status != Status::overlapping) return false; // the surface is a part of the solid
    const CollideResult bare =
        collide(pair.a.shape->without_caps(), pair.a.pose, pair.b.shape->without_caps(), pair.b.pose,
                {.goal = CollideGoal::status, .margin = options.margin, .effort = options.effort});
    return bare.status != Status::overlapping || !bare.proven;
}

bool caps_matter(const Pair& pair, const DistanceOptions& options, const DistanceResult& result) {
    const DistanceResult bare = distance(pair.a.shape->without_caps(), pair.a.pose, pair.b.shape->without_caps(),
                                         pair.b.pose, {.tolerance = options.tolerance, .effort = options.effort});
    if (result.status != Status::disjoint) return bare.status != result.status || !bare.proven;
    return !(bare.upper_bound <= result.upper_bound + tolerance_of(pair, options) + result.error_bound);
}

bool caps_matter(const Moving& a, const Moving& b, const SweepOptions& options, const SweepResult& result) {
    if (result.status != Status::overlapping) return false;
    if (options.path == Path::straight) return true; // not supported for two surfaces
    SweepOptions inner = options;
    inner.method = Method::automatic;
    const SweepResult bare = sweep(a.shape->without_caps(), a.motion, b.shape->without_caps(), b.motion, inner);
    const double within = options.tolerance + result.error + bare.error;
    const auto same = [&](const ContactInterval& p, const ContactInterval& q) {
        return std::abs(p.start - q.start) <= within && std::abs(p.end - q.end) <= within;
    };
    return bare.status != result.status || !bare.proven || !(std::abs(bare.time - result.time) <= within) ||
           !std::equal(bare.intervals.begin(), bare.intervals.end(), result.intervals.begin(), result.intervals.end(),
                       same);
}

template <class Result>
void note_interiors(const Shape& a, const Shape& b, bool depends_on_guess, Result& result) {
    result.proven = result.proven && !depends_on_guess;
    if (depends_on_guess) result.error_bound = HUGE_VAL;
    const std::string_view note = note_on(a, b, result.status, depends_on_guess);
    if (!note.empty()) result.note = note;
}

// Searches the shortest separating translation, unless the method has found it.
void add_separation(const Pair& pair, double margin, CollideResult& result) {
    if (result.status != Status::overlapping || result.separates != Separates::unknown || std::isinf(result.depth))
        return;
    Pair p = ordered(pair, any_kind);
    if (p.swapped) flip(result);
    const SeparatingTranslation found = separating_translation(p, margin, result.contacts);
    result.depth = found.length, result.normal = found.direction;
    result.separates = found.separates, result.unique = found.unique;
    if (p.swapped) flip(result);
}

void add_separation(const Pair& pair, DistanceResult& result) {
    if (result.status != Status::overlapping) return;
    const CollideResult found =
        collide(*pair.a.shape, pair.a.pose, *pair.b.shape, pair.b.pose, {.goal = CollideGoal::separation});
    if (found.separates != Separates::proven) return;
    result.lower_bound = -found.depth;
    result.normal = found.normal;
}

// Caps are not triangles of the given mesh: they have no number.
void forget_caps(const Shape& shape, Feature Contact::*feature, std::vector<Contact>& contacts) {
    if (shape.kind() != ShapeKind::closed_mesh || shape.interior() == MeshInterior::closed) return;
    const std::size_t given = shape.without_caps().mesh().triangles.size();
    for (Contact& c : contacts)
        if ((c.*feature).element >= given) (c.*feature).element = no_index;
}

// ---- Convex shapes

// Both shapes are convex and no other method is forced: their results need no checks of errors, caps and notes, which
// take longer than the query of two spheres.
template <class Options>
bool is_convex_query(const Shape& a, const Shape& b, const Options& options) {
    return a.convex_body() != nullptr && b.convex_body() != nullptr &&
           (options.method == Method::automatic || options.method == Method::convex);
}

CollideResult convex_collision(const Pair& pair, const CollideOptions& options) {
    if (!is_finite(pair.a.pose) || !is_finite(pair.b.pose))
        return {.status = Status::undecided, .proven = false, .method = Method::convex};
    CollideResult result = convex_row.collide.run(pair, options);
    result.method = Method::convex;
    result.proven = result.status != Status::undecided;
    return result;
}

DistanceResult convex_distance(const Pair& pair, const DistanceOptions& options) {
    if (!is_finite(pair.a.pose) || !is_finite(pair.b.pose))
        return {.status = Status::undecided,
                .proven = false,
                .lower_bound = -HUGE_VAL,
                .upper_bound = HUGE_VAL,
                .method = Method::convex,
                .converged = false};
    DistanceResult result = convex_row.distance.run(pair, options);
    result.method = Method::convex;
    result.status = status_of(result);
    result.proven = result.status != Status::undecided;
    if (result.upper_bound > 0)
        result.converged = result.upper_bound - result.lower_bound <= tolerance_of(pair, options);
    return result;
}

} // namespace

std::string_view flipped(std::string_view note) {
    for (const Note* one : {&depends_on_caps, &independent_of_caps, &sheet_overlaps, &sheet_is_disjoint})
        for (const std::size_t k : {0u, 1u})
            if (note == (*one)[k]) return (*one)[1 - k];
    return note;
}

} // namespace query

CollideResult collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                      const CollideOptions& options) {
    query::require_finite(options.margin, "the margin");
    query::require_effort(options.effort);
    const query::Pair pair{{&a, pose_a}, {&b, pose_b}};
    if (query::is_convex_query(a, b, options)) return query::convex_collision(pair, options);
    const query::MethodRow& row = query::row_for(pair, options);
    CollideResult result;
    if (!is_finite(pose_a) || !is_finite(pose_b))
        result.status = Status::undecided;
    else if (!a.bounds().empty() && !b.bounds().empty())
        result = row.collide.run(pair, options);
    if (options.goal == CollideGoal::separation) query::add_separation(pair, options.margin, result);
    result.method = row.method;
    result.proven = result.proven && result.status != Status::undecided;
    // A depth below the error of the shapes does not prove that the true shapes overlap.
    if (!result.contacts.empty() && options.margin == 0 &&
        result.local_depth < query::surface_error(a) + query::surface_error(b))
        result.proven = false;
    query::forget_caps(a, &Contact::feature_a, result.contacts);
    query::forget_caps(b, &Contact::feature_b, result.contacts);
    const bool guessed = (query::has_caps(a) || query::has_caps(b)) && query::caps_matter(pair, options, result);
    query::note_interiors(a, b, guessed, result);
    return result;
}

DistanceResult distance(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                        const DistanceOptions& options) {
    query::require_finite(options.tolerance, "the tolerance");
    query::require_effort(options.effort);
    const query::Pair pair{{&a, pose_a}, {&b, pose_b}};
    if (query::is_convex_query(a, b, options)) return query::convex_distance(pair, options);
    const query::MethodRow& row = query::row_for(pair, options);
    DistanceResult result{.lower_bound = HUGE_VAL, .upper_bound = HUGE_VAL};
    if (!is_finite(pose_a) || !is_finite(pose_b))
        result = {.lower_bound = -HUGE_VAL, .upper_bound = HUGE_VAL, .converged = false};
    else if (!a.bounds().empty() && !b.bounds().empty())
        result = row.distance.run(pair, options);
    result.method = row.method;
    result.status = query::status_of(result);
    if (options.depth && result.lower_bound == -HUGE_VAL) query::add_separation(pair, result);
    const double error = query::surface_error(a) + query::surface_error(b);
    result.proven = result.proven && result.status != Status::undecided &&
                    (result.status == Status::disjoint ? result.lower_bound >= error : -result.upper_bound >= error);
    if (result.upper_bound > 0 && std::isfinite(result.upper_bound))
        result.converged = result.upper_bound - result.lower_bound <= query::tolerance_of(pair, options);
    const bool guessed = (query::has_caps(a) || query::has_caps(b)) && query::caps_matter(pair, options, result);
    query::note_interiors(a, b, guessed, result);
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
    if (!query::has_finite_poses(motion_a) || !query::has_finite_poses(motion_b))
        result = {.status = Status::undecided, .time = 0, .budget_exhausted = true};
    else if (!a.bounds().empty() && !b.bounds().empty())
        result = row.sweep.run(moving_a, moving_b, options);
    result.method = row.method;
    result.proven = result.proven && result.status != Status::undecided;
    result.error_bound = query::surface_error(a) + query::surface_error(b);
    const bool guessed =
        (query::has_caps(a) || query::has_caps(b)) && query::caps_matter(moving_a, moving_b, options, result);
    query::note_interiors(a, b, guessed, result);
    return result;
}

} // namespace fathom
