// Room: detect. Which method answers: the walk within the domain of a grid, the search for everything else.
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/field_cast.h>
#include <fathom/detect/grid_walk.h>
#include <fathom/detect/plain_walk.h>
#include <fathom/detect/segment_caster.h>

#include <optional>

namespace fathom {

namespace {

constexpr std::size_t chunk = 1024; // segments

// Differences must stay finite, too.
bool is_finite(const Segment& s) { return s.start.allFinite() && s.end.allFinite() && (s.end - s.start).allFinite(); }

} // namespace

struct SegmentCaster::State {
    State(FieldPtr f, const CastOptions& o) : field(std::move(f)), options(o), radius(*field, o.level), grid(dynamic_cast<const GridField*>(field.get())) {
        if (!grid) return;
        map.emplace(grid->data(), options.level);
        // Beyond the domain nothing is below the value at its border.
        beyond = map->border_least <= options.level + map->margin;
    }

    // Beyond the domain of a grid: [from, to] of the segment, times of the whole.
    [[nodiscard]] CastHit first_beyond(const Segment& segment, double from, double to) const {
        CastHit hit = cast_first(*field, radius, {segment.at(from), segment.at(to)}, options);
        if (hit.verdict == Verdict::disjoint) return {};
        return {hit.verdict, from + hit.time * (to - from), hit.error * (to - from)};
    }
    void all_beyond(const Segment& segment, double from, double to, std::vector<ContactInterval>& out) const {
        const std::size_t first = out.size();
        cast_all(*field, radius, {segment.at(from), segment.at(to)}, options, out);
        for (std::size_t k = first; k < out.size(); ++k) {
            out[k].start = from + out[k].start * (to - from);
            out[k].end = out[k].end == 1 ? to : from + out[k].end * (to - from);
        }
    }

    [[nodiscard]] double first_within(const GridPath& path) const {
        return map->continuous ? walk_first(grid->data(), *map, path) : plain_first(*grid, path, options.level);
    }
    void all_within(const GridPath& path, std::vector<ContactInterval>& out) const {
        map->continuous ? walk_all(grid->data(), *map, path, out) : plain_walk(*grid, path, options.level, CellTest::exact, out);
    }

    [[nodiscard]] CastHit first_on_grid(const Segment& segment) const;
    [[nodiscard]] Verdict all_on_grid(const Segment& segment, std::vector<ContactInterval>& out) const;

    FieldPtr field;
    CastOptions options;
    FreeRadius radius;
    const GridField* grid;
    std::optional<LevelMap> map;
    bool beyond = false; // contact is possible outside the domain
};

namespace {

// The earlier contact, where that of `a` would come before that of `b`; what was not excluded before a contact widens it.
CastHit earlier(const CastHit& a, const CastHit& b) {
    if (a.verdict == Verdict::overlapping || b.verdict == Verdict::disjoint) return a;
    if (a.verdict == Verdict::disjoint) return b;
    return {b.verdict, a.time, b.verdict == Verdict::overlapping ? b.time + b.error - a.time : 0};
}

// Joins intervals that meet; those from `first` on are in order.
void join(std::vector<ContactInterval>& list, std::size_t first) {
    std::size_t kept = first;
    for (std::size_t k = first; k < list.size(); ++k) {
        if (kept > first && list[kept - 1].end >= list[k].start && list[kept - 1].proven == list[k].proven)
            list[kept - 1].end = std::max(list[kept - 1].end, list[k].end);
        else
            list[kept++] = list[k];
    }
    list.resize(kept);
}

Verdict verdict_of(std::span<const ContactInterval> intervals) {
    if (intervals.empty()) return Verdict::disjoint;
    for (const ContactInterval& i : intervals)
        if (i.proven) return Verdict::overlapping;
    return Verdict::undecided;
}

} // namespace

CastHit SegmentCaster::State::first_on_grid(const Segment& segment) const {
    const GridPath path = grid_path(grid->layout(), segment);
    const bool within = path.begin <= path.end;
    CastHit hit;
    if (beyond && !within) return first_beyond(segment, 0, 1);
    if (beyond && path.begin > 0) hit = first_beyond(segment, 0, path.begin);
    if (hit.verdict == Verdict::overlapping || !within) return hit;
    const double time = first_within(path);
    if (time != no_contact) return earlier(hit, {Verdict::overlapping, time, 0});
    if (beyond && path.end < 1) hit = earlier(hit, first_beyond(segment, path.end, 1));
    return hit;
}

Verdict SegmentCaster::State::all_on_grid(const Segment& segment, std::vector<ContactInterval>& out) const {
    const std::size_t first = out.size();
    const GridPath path = grid_path(grid->layout(), segment);
    const bool within = path.begin <= path.end;
    if (beyond && !within) all_beyond(segment, 0, 1, out);
    if (beyond && within && path.begin > 0) all_beyond(segment, 0, path.begin, out);
    if (within) all_within(path, out);
    if (beyond && within && path.end < 1) all_beyond(segment, path.end, 1, out);
    if (beyond) join(out, first);
    return verdict_of(std::span(out).subspan(first));
}

SegmentCaster::SegmentCaster(FieldPtr field, const CastOptions& options) {
    if (!field) throw Error(Cause::invalid_argument, "no field to cast against");
    if (!std::isfinite(options.level)) throw Error(Cause::invalid_argument, "the level is not finite");
    if (!(options.tolerance > 0 && options.tolerance <= 1)) throw Error(Cause::invalid_argument, "the tolerance of times is not in (0,1]");
    if (options.budget == 0) throw Error(Cause::invalid_argument, "a budget of no look-ups");
    state_ = std::make_unique<const State>(std::move(field), options);
}

SegmentCaster::~SegmentCaster() = default;
SegmentCaster::SegmentCaster(SegmentCaster&&) noexcept = default;
SegmentCaster& SegmentCaster::operator=(SegmentCaster&&) noexcept = default;

CastHit SegmentCaster::first(const Segment& segment) const {
    if (!is_finite(segment)) return {Verdict::undecided, 0, 0};
    if (state_->grid) return state_->first_on_grid(segment);
    return cast_first(*state_->field, state_->radius, segment, state_->options);
}

Verdict SegmentCaster::any(const Segment& segment) const { return first(segment).verdict; }

Verdict SegmentCaster::all(const Segment& segment, std::vector<ContactInterval>& out) const {
    if (!is_finite(segment)) {
        out.push_back({0, 1, false});
        return Verdict::undecided;
    }
    if (state_->grid) return state_->all_on_grid(segment, out);
    return cast_all(*state_->field, state_->radius, segment, state_->options, out);
}

void SegmentCaster::first(std::span<const Segment> segments, std::span<CastHit> out) const {
    if (segments.size() != out.size()) throw Error(Cause::invalid_argument, "as many answers as segments are needed");
    parallel_for(segments.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) out[k] = first(segments[k]);
    });
}

void SegmentCaster::all(std::span<const Segment> segments, CastIntervals& out) const {
    out.intervals.clear();
    out.begin.assign(1, 0);
    for (const Segment& segment : segments) {
        all(segment, out.intervals);
        out.begin.push_back(out.intervals.size());
    }
}

const Field& SegmentCaster::field() const { return *state_->field; }
const FieldPtr& SegmentCaster::shared_field() const { return state_->field; }
const CastOptions& SegmentCaster::options() const { return state_->options; }
std::size_t SegmentCaster::bytes() const { return sizeof(State) + (state_->map ? state_->map->bytes() : 0); }

} // namespace fathom
