// Method compound: queries of the parts of compound shapes whose bounding boxes are near, and one result of theirs.
#include <fathom/detect/query/methods.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/query/compound.h>
#include <fathom/detect/query/distance_lower_bound.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom::query {

namespace {

bool has_compound(ShapeKind a, ShapeKind) { return is_compound(a); }

// ---- Collide

// Adds what two parts contribute. The first overlap that is found is the witness.
class CollisionOfParts {
public:
    void add(CollideResult found, const PartPairs::Parts& parts, const Pair& pair) {
        result_.error_bound = std::max(result_.error_bound, found.error_bound);
        if (found.status == Status::disjoint) {
            all_proven_ = all_proven_ && found.proven;
            if (result_.note.empty()) result_.note = found.note;
            return;
        }
        undecided_ = undecided_ || found.status == Status::undecided;
        result_.budget_exhausted = result_.budget_exhausted || found.budget_exhausted;
        if (found.status != Status::overlapping) return;
        if (!overlapping() || (found.proven && !overlap_proven_)) {
            set_overlapping(result_, found.witness);
            result_.note = found.note;
        }
        overlap_proven_ = overlap_proven_ || found.proven;
        result_.more_contacts = result_.more_contacts || found.more_contacts;
        if (std::isinf(found.depth)) result_.depth = found.depth; // no translation separates these parts
        add_contacts(found, parts, pair);
    }

    [[nodiscard]] bool overlapping() const { return result_.status == Status::overlapping; }
    [[nodiscard]] bool overlap_proven() const { return overlap_proven_; }

    CollideResult finished(std::size_t max_contacts) {
        if (!overlapping() && undecided_) result_.status = Status::undecided;
        if (overlapping()) result_.budget_exhausted = false;
        result_.proven = overlapping() ? overlap_proven_ : all_proven_;
        sort_and_spread(result_, std::max<std::size_t>(max_contacts, 1));
        return std::move(result_);
    }

private:
    void add_contacts(CollideResult& found, const PartPairs::Parts& parts, const Pair& pair) {
        Index regions = 0;
        for (Contact& c : found.contacts) {
            regions = std::max(regions, c.region + 1);
            c.region += regions_;
            if (is_compound(pair.a.kind())) c.feature_a.part = parts.a;
            if (is_compound(pair.b.kind())) c.feature_b.part = parts.b;
            result_.contacts.push_back(c);
        }
        regions_ += regions;
    }

    CollideResult result_;
    Index regions_ = 0;
    bool undecided_ = false, all_proven_ = true, overlap_proven_ = false;
};

CollideResult collide_parts(const Pair& pair, const CollideOptions& options) {
    const Pair p = ordered(pair, any_kind);
    CollideOptions inner = options;
    inner.method = Method::automatic;
    if (options.goal == CollideGoal::separation) inner.goal = CollideGoal::contacts;
    CollisionOfParts collision;
    PartPairs pairs(p);
    for (PartPairs::Parts parts; pairs.next(outward(options.margin), parts);) {
        const Placed a = part_of(p.a, parts.a), b = part_of(p.b, parts.b);
        collision.add(collide(*a.shape, a.pose, *b.shape, b.pose, inner), parts, p);
        if (options.goal == CollideGoal::status && collision.overlapping() && collision.overlap_proven()) break;
    }
    CollideResult result = collision.finished(options.max_contacts);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

// ---- Distance

DistanceResult distance_of_parts(const Pair& pair, const DistanceOptions& options) {
    const Pair p = ordered(pair, any_kind);
    const DistanceOptions inner{.tolerance = tolerance_of(pair, options), .effort = options.effort};
    DistanceResult best{.lower_bound = HUGE_VAL, .upper_bound = HUGE_VAL};
    double lower = HUGE_VAL, error = 0;
    bool proven = true, converged = true, any = false;
    PartPairs pairs(p);
    for (PartPairs::Parts parts; pairs.next(std::max(best.upper_bound, 0.0), parts); any = true) {
        const Placed a = part_of(p.a, parts.a), b = part_of(p.b, parts.b);
        const DistanceResult found = distance(*a.shape, a.pose, *b.shape, b.pose, inner);
        lower = std::min(lower, std::max(found.lower_bound, parts.gap));
        error = std::max(error, found.error_bound);
        proven = proven && found.proven;
        converged = converged && found.converged;
        if (!any || std::tie(found.upper_bound, found.lower_bound) < std::tie(best.upper_bound, best.lower_bound))
            best = found;
    }
    // Parts that separate from one another may meet others.
    const bool overlapping = best.upper_bound <= 0;
    best.lower_bound = overlapping ? -HUGE_VAL : std::min(lower, best.upper_bound);
    best.proven = overlapping ? best.proven : proven;
    best.converged = converged;
    best.error_bound = error;
    if (p.swapped != pair.swapped) flip(best);
    return best;
}

// ---- Sweep

// Parts whose paths come near each other. No contact occurs before `earliest`.
struct MovingParts {
    double earliest = 0;
    Index a = 0, b = 0;
};

Moving part_of(const Moving& whole, Index part) {
    if (!is_compound(whole.shape->kind())) return whole;
    const CompoundPart& p = whole.shape->parts()[part];
    return {&p.shape, {whole.motion.start * p.pose, whole.motion.end * p.pose}};
}

// The box, in the frame of the other body, that contains the part at all times.
Box swept_box(const Shape& part, const Pose& pose, const RelativeMotion& seen, double margin) {
    const Vec3 center = pose * part.bounds().center();
    const Segment chord = seen.chord(center);
    const double reach = part.radius() + seen.over(center, 0, 1).bend + outward(margin);
    return chord.bounds().grown(outward(reach) +
                                pose_rounding(reach + center.norm(), chord.start.norm(), chord.end.norm()));
}

class SweepOfParts {
public:
    SweepOfParts(const Moving& a, const Moving& b, const SweepOptions& options) : a_(a), b_(b), options_(options) {
        options_.method = Method::automatic;
    }

    SweepResult run() {
        find_candidates();
        for (const MovingParts& parts : candidates_) {
            if (options_.goal != SweepGoal::all && parts.earliest > seen_) break;
            const Moving a = part_of(a_, parts.a), b = part_of(b_, parts.b);
            add(sweep(*a.shape, a.motion, *b.shape, b.motion, options_));
        }
        return finished();
    }

private:
    void find_candidates() {
        const bool tree_of_a = part_count(*a_.shape) >= part_count(*b_.shape) && is_compound(a_.shape->kind());
        const Moving &large = tree_of_a ? a_ : b_, &small = tree_of_a ? b_ : a_;
        const Compound& tree = large.shape->compound();
        const RelativeMotion seen(small.motion, large.motion, Path::screw);
        const double far =
            position_rounding(small.motion.start.translation.norm(), small.motion.end.translation.norm(),
                              large.motion.start.translation.norm(), large.motion.end.translation.norm());
        const auto list = [&](Index of_large, Index of_small) {
            tree_of_a ? add_candidate(of_large, of_small) : add_candidate(of_small, of_large);
        };
        for (Index k = 0; k < part_count(*small.shape); ++k) {
            const bool whole = !is_compound(small.shape->kind());
            const Shape& part = whole ? *small.shape : small.shape->parts()[k].shape;
            if (part.bounds().empty()) continue;
            for (const Index of_large : tree.unbounded) list(of_large, k);
            if (!part.bounded()) {
                for (const Index of_large : tree.bounded) list(of_large, k);
                continue;
            }
            const Box box = swept_box(part, whole ? Pose{} : small.shape->parts()[k].pose, seen, options_.margin);
            tree.tree.visit_overlapping(box.grown(far), [&](Index id) {
                list(tree.bounded[id], k);
                return true;
            });
        }
        std::ranges::sort(candidates_, {}, [](const MovingParts& p) { return std::tuple(p.earliest, p.a, p.b); });
    }

    void add_candidate(Index part_a, Index part_b) {
        if (!parts_may_touch(*a_.shape, part_a, *b_.shape, part_b)) return;
        candidates_.push_back({earliest(part_of(a_, part_a), part_of(b_, part_b)), part_a, part_b});
    }

    // The gap at the start, at the largest speed of approach.
    [[nodiscard]] double earliest(const Moving& a, const Moving& b) const {
        const Pair start{{a.shape, a.motion.start}, {b.shape, b.motion.start}};
        const double gap = inward(PartPairs(start).least_gap()) - options_.margin;
        const double speed = outward(approach_speed(*a.shape, a.motion, *b.shape, b.motion));
        if (!(gap > 0)) return 0;
        return speed > 0 ? inward(gap / speed) : 2;
    }

    void add(SweepResult found) {
        if (!found.proven && found.status != Status::undecided) all_proven_ = false;
        result_.budget_exhausted = result_.budget_exhausted || found.budget_exhausted;
        if (found.status == Status::disjoint) return;
        result_.time = std::min(result_.time, found.time);
        undecided_ = undecided_ || found.status == Status::undecided;
        result_.intervals.insert(result_.intervals.end(), found.intervals.begin(), found.intervals.end());
        if (found.status != Status::overlapping || found.time + found.error >= seen_) return;
        seen_ = found.time + found.error;
        result_.status = Status::overlapping;
        result_.point = found.point;
        result_.normal = found.normal;
        result_.note = found.note;
    }

    SweepResult finished() {
        if (result_.status == Status::overlapping)
            result_.error = seen_ - result_.time;
        else if (undecided_)
            result_.status = Status::undecided;
        result_.proven = all_proven_;
        join();
        return std::move(result_);
    }

    // Intervals that overlap become one.
    void join() {
        std::vector<ContactInterval>& all = result_.intervals;
        std::ranges::sort(all, {}, [](const ContactInterval& i) { return std::tuple(i.start, i.end); });
        std::vector<ContactInterval> joined;
        for (const ContactInterval& i : all) {
            if (joined.empty() || i.start > joined.back().end) {
                joined.push_back(i);
                continue;
            }
            joined.back().end = std::max(joined.back().end, i.end);
            joined.back().proven = joined.back().proven || i.proven;
        }
        all = std::move(joined);
    }

    Moving a_, b_;
    SweepOptions options_;
    std::vector<MovingParts> candidates_;
    SweepResult result_;
    double seen_ = HUGE_VAL; // the earliest time at which contact was found
    bool undecided_ = false, all_proven_ = true;
};

SweepResult sweep_parts(const Moving& a, const Moving& b, const SweepOptions& options) {
    const Pair order = ordered({{a.shape, a.motion.start}, {b.shape, b.motion.start}}, any_kind);
    if (!order.swapped) return SweepOfParts(a, b, options).run();
    SweepResult result = SweepOfParts(b, a, options).run();
    flip(result);
    return result;
}

} // namespace

const MethodRow compound_row = {
    .method = Method::compound,
    .name = "compound",
    .collide = {.fits = has_compound,
                .guarantee = "that of the parts; contacts of every two parts that touch",
                .margin = true,
                .run = collide_parts},
    .distance = {.fits = has_compound, .guarantee = "that of the parts; depth of two parts", .run = distance_of_parts},
    .sweep = {.fits = has_compound,
              .guarantee = "that of the parts: the earliest time",
              .guarantee_all = "that of the parts: the union of their intervals",
              .margin = true,
              .run = sweep_parts},
};

} // namespace fathom::query
