// Methods field_field and octree: the fields of two solids.
#include <fathom/detect/query/methods.h>

#include <fathom/base/error.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/field_field/field_overlap.h>
#include <fathom/detect/field_field/field_sweep.h>

#include <algorithm>
#include <cmath>

namespace fathom::query {

namespace {

constexpr std::size_t max_sweep_evaluations = 60'000;
constexpr double depth_tolerance = 1e-3; // of the deepest contact, relative to the size of the smaller shape

CollideResult collide_field_field(const Pair& pair, const CollideOptions& options) {
    field_field::CollideOptions inner{.margin = options.margin,
                                      .max_contacts = std::max<std::size_t>(options.max_contacts, 1)};
    if (options.goal == CollideGoal::status) inner.goal = field_field::CollideGoal::any;
    if (options.goal == CollideGoal::separation) inner.depth_tolerance = depth_tolerance * pair.size();
    inner.max_evaluations = scaled(inner.max_evaluations, options.effort);
    field_field::CollideResult found =
        field_field::collide(pair.a.shape->solid(), pair.a.pose, pair.b.shape->solid(), pair.b.pose, inner);
    return {.status = found.status,
            .witness = found.witness,
            .local_depth = found.depth,
            .local_depth_bound = found.depth_bound,
            .error_bound = depth_error(pair),
            .more_contacts = found.more_contacts,
            .contacts = std::move(found.contacts)};
}

CollideResult collide_octree(const Pair& pair, const CollideOptions& options) {
    field_field::FieldOverlapOptions inner{.depth = 24,
                                           .order = field_field::OverlapOrder::best_first,
                                           .stop_at_first = true,
                                           .max_evaluations = 1'000'000,
                                           .keep_cells = false};
    inner.max_evaluations = scaled(inner.max_evaluations, options.effort);
    if (options.effort > 1) inner.depth = 40;
    const field_field::FieldOverlap found =
        field_field::field_overlap(*pair.a.shape->field(), pair.a.pose, *pair.b.shape->field(), pair.b.pose, inner);
    return {.status = found.status,
            .witness = found.witness,
            .error_bound = depth_error(pair),
            .budget_exhausted = found.budget_exhausted};
}

// ---- Distance

DistanceResult distance_field_field(const Pair& pair, const DistanceOptions& options) {
    const bool half_space = is_half_space(pair.a.kind()) || is_half_space(pair.b.kind());
    if (half_space && !pair.a.shape->bounded() && !pair.b.shape->bounded())
        throw Error(Cause::unsupported, "both shapes are unbounded");
    const CollideResult touch = collide_field_field(pair, {.goal = CollideGoal::contacts, .max_contacts = 1});
    if (touch.status == Status::overlapping) return penetration(pair, touch);
    if (!half_space && !(pair.a.shape->bounded() && pair.b.shape->bounded()))
        return {.lower_bound = touch.status == Status::disjoint ? 0 : -HUGE_VAL,
                .upper_bound = HUGE_VAL,
                .converged = false};
    return distance_of_disjoint(pair, options, touch.status != Status::disjoint);
}

// ---- Sweep

SweepResult first_contact(const Moving& a, const Moving& b, const SweepOptions& options) {
    const field_field::FieldSweep found =
        field_field::field_sweep(*a.shape->field(), a.motion, *b.shape->field(), b.motion,
                                 {.tolerance = options.tolerance,
                                  .max_evaluations = scaled(max_sweep_evaluations, options.effort),
                                  .proof_a = &a.shape->solid().clearance(),
                                  .proof_b = &b.shape->solid().clearance()});
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
        const auto piece = [&](const Mover& m) { return Motion{m.pose(from), m.pose(to)}; };
        const double tolerance = std::min(0.5, options_.tolerance / std::max(std::abs(to - from), 1e-9));
        return field_field::field_sweep(*a_.shape->field(), piece(mover_a_), *b_.shape->field(), piece(mover_b_),
                                        {.tolerance = tolerance,
                                         .max_evaluations = scaled(max_sweep_evaluations, options_.effort),
                                         .proof_a = &a_.shape->solid().clearance(),
                                         .proof_b = &b_.shape->solid().clearance()});
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

SweepResult sweep_field_field(const Moving& a, const Moving& b, const SweepOptions& options) {
    return options.goal == SweepGoal::all ? IntervalSearch(a, b, options).run() : first_contact(a, b, options);
}

// Solids that have no triangles: for those, distances between triangles are faster.
bool two_solids_by_field(ShapeKind a, ShapeKind b) {
    return two_solids(a, b) && !(has_surface(a) && has_surface(b)) && !half_space_and_surface(a, b) &&
           !half_space_and_surface(b, a);
}

} // namespace

const MethodRow field_field_row = {
    .method = Method::field_field,
    .name = "field_field",
    .collide = {.fits = two_solids,
                .guarantee =
                    "proof or witness, else undecided; depth by descent, for convex analytic shapes the global "
                    "maximum",
                .margin = true,
                .run = collide_field_field},
    .distance = {.fits = two_solids,
                 .guarantee = "between proven bounds; depth by descent",
                 .run = distance_field_field},
    .sweep = {.fits = two_solids,
              .preferred = two_solids_by_field,
              .guarantee = "lower bound on the time of impact, proven; witness point found",
              .guarantee_all =
                  "no contact outside the intervals, proven; gaps shorter than the resolution may be merged",
              .run = sweep_field_field},
};

const MethodRow octree_row = {
    .method = Method::octree,
    .name = "octree",
    .collide = {.fits = two_solids,
                .guarantee = "proof or witness, else undecided; no contacts",
                .run = collide_octree},
};

} // namespace fathom::query
