// Selection of the method: grid traversal within the domain of a grid, path subdivision for everything else.
#include <fathom/detect/point_field/segment_caster.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/point_field/dda_traversal.h>
#include <fathom/detect/point_field/grid_traversal.h>
#include <fathom/detect/point_field/path_subdivision.h>

#include <optional>

namespace fathom {

// ---- Segments in any field

namespace {

// A segment as a path for PathCutter.
class SegmentPath {
public:
    explicit SegmentPath(const Segment& segment)
        : segment_(segment), length_(segment.length()),
          error_(position_rounding(segment.start.cwiseAbs().maxCoeff(), segment.end.cwiseAbs().maxCoeff())) {}

    [[nodiscard]] point_field::PathPart over(double start, double end) const {
        return {segment_.at(0.5 * (start + end)), length_,
                0.5 * (end - start) * (segment_.end - segment_.start).cwiseAbs()};
    }
    [[nodiscard]] Vec3 at(double t) const { return segment_.at(t); }
    [[nodiscard]] double error() const { return error_; }
    [[nodiscard]] double longest_range() const { return HUGE_VAL; } // one range may decide a whole segment along a face

private:
    const Segment& segment_;
    double length_;
    double error_;
};

bool is_usable(const Segment& segment) {
    return is_finite(segment.start) && is_finite(segment.end) && std::isfinite(segment.length());
}

} // namespace

CastHit cast_first(const Field& field, const ClearanceRadius& radius, const Segment& segment,
                   const CastOptions& options) {
    if (!is_usable(segment)) return {Status::undecided, 0, 1};
    const SegmentPath path(segment);
    point_field::PathCutter cutter(field, radius, path, options);
    return point_field::first_on_path(cutter);
}

Status cast_all(const Field& field, const ClearanceRadius& radius, const Segment& segment, const CastOptions& options,
                std::vector<ContactInterval>& out) {
    if (!is_usable(segment)) {
        out.push_back({0, 1, false});
        return Status::undecided;
    }
    const SegmentPath path(segment);
    point_field::PathCutter cutter(field, radius, path, options);
    return point_field::all_on_path(cutter, options.tolerance, out);
}

// ---- SegmentCaster

namespace {

constexpr std::size_t cast_chunk = 4096; // segments; the scratch memory of a batch is allocated once for each chunk

constexpr CastHit not_finite{Status::undecided, 0, 0};

// Differences must be finite, too.
bool finite_segment(const Segment& s) {
    return s.start.allFinite() && s.end.allFinite() && (s.end - s.start).allFinite();
}

} // namespace

struct SegmentCaster::State {
    State(FieldPtr f, const CastOptions& o)
        : field(std::move(f)), options(o), radius(*field, o.level), grid(dynamic_cast<const GridField*>(field.get())) {
        if (!grid) return;
        map.emplace(grid->data(), options.level);
        // Beyond the domain no value is below the smallest value at its border.
        beyond = map->border_minimum <= options.level + map->margin;
    }

    // Contacts beyond the domain of a grid in the part [from, to] of the segment; times refer to the whole segment.
    [[nodiscard]] CastHit first_beyond(const Segment& segment, double from, double to) const {
        CastHit hit = cast_first(*field, radius, {segment.at(from), segment.at(to)}, options);
        if (hit.status == Status::disjoint) return {};
        return {hit.status, from + hit.time * (to - from), hit.error * (to - from)};
    }
    void all_beyond(const Segment& segment, double from, double to, std::vector<ContactInterval>& out) const {
        const std::size_t first = out.size();
        cast_all(*field, radius, {segment.at(from), segment.at(to)}, options, out);
        for (std::size_t k = first; k < out.size(); ++k) {
            out[k].start = from + out[k].start * (to - from);
            out[k].end = out[k].end == 1 ? to : from + out[k].end * (to - from);
        }
    }

    [[nodiscard]] double first_within(const point_field::GridPath& path) const {
        return map->continuous ? point_field::walk_first(grid->data(), *map, path)
                               : point_field::dda_first(*grid, path, options.level);
    }
    void all_within(const point_field::GridPath& path, std::vector<ContactInterval>& out) const {
        map->continuous ? point_field::walk_all(grid->data(), *map, path, out)
                        : point_field::dda_intervals(*grid, path, options.level, out);
    }

    // Batches need a map that is a proof, and brick indices of at most 31 bits.
    [[nodiscard]] bool walks_together() const {
        return grid && map->continuous && grid->layout().brick_count() < (std::size_t{1} << 31);
    }
    [[nodiscard]] static CastHit hit_at(double time) {
        return time == point_field::no_contact ? CastHit{} : CastHit{Status::overlapping, time, 0};
    }
    [[nodiscard]] CastHit first_with(const Segment& segment, const point_field::GridPath& path, double time) const;
    [[nodiscard]] Status all_on_grid(const Segment& segment, std::vector<ContactInterval>& out) const;

    FieldPtr field;
    CastOptions options;
    ClearanceRadius radius;
    const GridField* grid;
    std::optional<point_field::EmptySpaceMap> map;
    bool beyond = false; // contact is possible outside the domain
};

namespace {

// The first contact of two results, where `a` covers earlier times than `b`. If contact is not excluded before it, the
// error grows.
CastHit earlier(const CastHit& a, const CastHit& b) {
    if (a.status == Status::overlapping || b.status == Status::disjoint) return a;
    if (a.status == Status::disjoint) return b;
    return {b.status, a.time, b.status == Status::overlapping ? b.time + b.error - a.time : 0};
}

// Joins adjacent intervals from index `first` on, which are in order.
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

Status status_of(std::span<const ContactInterval> intervals) {
    if (intervals.empty()) return Status::disjoint;
    for (const ContactInterval& i : intervals)
        if (i.proven) return Status::overlapping;
    return Status::undecided;
}

} // namespace

// Combines the contact at `time` within the domain with contacts beyond it.
CastHit SegmentCaster::State::first_with(const Segment& segment, const point_field::GridPath& path, double time) const {
    const bool within = path.begin <= path.end;
    if (!beyond) return hit_at(time);
    if (!within) return first_beyond(segment, 0, 1);
    CastHit hit;
    if (path.begin > 0) hit = first_beyond(segment, 0, path.begin);
    if (hit.status == Status::overlapping) return hit;
    hit = earlier(hit, hit_at(time));
    if (hit.status != Status::overlapping && path.end < 1) hit = earlier(hit, first_beyond(segment, path.end, 1));
    return hit;
}

Status SegmentCaster::State::all_on_grid(const Segment& segment, std::vector<ContactInterval>& out) const {
    const std::size_t first = out.size();
    const point_field::GridPath path = point_field::grid_path(grid->layout(), segment);
    const bool within = path.begin <= path.end;
    if (beyond && !within) all_beyond(segment, 0, 1, out);
    if (beyond && within && path.begin > 0) all_beyond(segment, 0, path.begin, out);
    if (within) all_within(path, out);
    if (beyond && within && path.end < 1) all_beyond(segment, path.end, 1, out);
    if (beyond) join(out, first);
    return status_of(std::span(out).subspan(first));
}

SegmentCaster::SegmentCaster(FieldPtr field, const CastOptions& options) {
    if (!field) throw Error(Cause::invalid_argument, "the field is null");
    if (!std::isfinite(options.level)) throw Error(Cause::invalid_argument, "the level must be finite");
    if (!(options.tolerance > 0 && options.tolerance <= 1))
        throw Error(Cause::invalid_argument, "the tolerance must be in (0, 1]");
    if (options.max_evaluations == 0) throw Error(Cause::invalid_argument, "max_evaluations must be at least 1");
    state_ = std::make_unique<const State>(std::move(field), options);
}

SegmentCaster::~SegmentCaster() = default;
SegmentCaster::SegmentCaster(SegmentCaster&&) noexcept = default;
SegmentCaster& SegmentCaster::operator=(SegmentCaster&&) noexcept = default;

CastHit SegmentCaster::first(const Segment& segment) const {
    if (!finite_segment(segment)) return not_finite;
    if (state_->grid) {
        const point_field::GridPath path = point_field::grid_path(state_->grid->layout(), segment);
        return state_->first_with(segment, path,
                                  path.begin <= path.end ? state_->first_within(path) : point_field::no_contact);
    }
    return cast_first(*state_->field, state_->radius, segment, state_->options);
}

Status SegmentCaster::any(const Segment& segment) const { return first(segment).status; }

Status SegmentCaster::all(const Segment& segment, std::vector<ContactInterval>& out) const {
    if (!finite_segment(segment)) {
        out.push_back({0, 1, false});
        return Status::undecided;
    }
    if (state_->grid) return state_->all_on_grid(segment, out);
    return cast_all(*state_->field, state_->radius, segment, state_->options, out);
}

void SegmentCaster::first(std::span<const Segment> segments, std::span<CastHit> out) const {
    if (segments.size() != out.size())
        throw Error(Cause::invalid_argument, "the numbers of segments and results differ");
    const State& s = *state_;
    parallel_for(segments.size(), cast_chunk, [&](std::size_t begin, std::size_t end) {
        if (!s.walks_together()) {
            for (std::size_t k = begin; k < end; ++k) out[k] = first(segments[k]);
            return;
        }
        std::array<double, cast_chunk> times;
        point_field::walk_first(s.grid->data(), *s.map, segments.subspan(begin, end - begin),
                                std::span(times).first(end - begin));
        for (std::size_t k = begin; k < end; ++k) {
            const double time = times[k - begin];
            if (std::isnan(time))
                out[k] = not_finite;
            else
                out[k] = s.beyond
                             ? s.first_with(segments[k], point_field::grid_path(s.grid->layout(), segments[k]), time)
                             : State::hit_at(time);
        }
    });
}

void SegmentCaster::all(std::span<const Segment> segments, CastIntervals& out) const {
    const State& s = *state_;
    const std::size_t chunks = (segments.size() + cast_chunk - 1) / cast_chunk;
    std::vector<std::vector<ContactInterval>> parts(chunks); // by chunk, in the order of its segments
    out.begin.resize(segments.size() + 1);
    out.begin[0] = 0;
    parallel_tasks(chunks, [&](std::size_t c) {
        const std::size_t begin = c * cast_chunk, end = std::min(segments.size(), begin + cast_chunk);
        std::vector<ContactInterval>& part = parts[c];
        point_field::WalkIntervals walked;
        if (s.walks_together()) {
            walked.places.resize(end - begin);
            point_field::walk_all(s.grid->data(), *s.map, segments.subspan(begin, end - begin), walked);
        }
        for (std::size_t k = begin; k < end; ++k) {
            const auto [first, count] =
                s.walks_together() ? walked.places[k - begin] : point_field::WalkIntervals::Place{0, no_index};
            if (!s.beyond && count != no_index) {
                part.insert(part.end(), walked.intervals.begin() + first, walked.intervals.begin() + first + count);
            } else {
                all(segments[k], part);
            }
            out.begin[k + 1] = part.size();
        }
    });
    std::size_t total = 0;
    for (std::size_t c = 0; c < chunks; ++c) {
        for (std::size_t k = c * cast_chunk; k < std::min(segments.size(), (c + 1) * cast_chunk); ++k)
            out.begin[k + 1] += total;
        total += parts[c].size();
    }
    out.intervals.resize(total);
    parallel_tasks(chunks, [&](std::size_t c) {
        std::copy(parts[c].begin(), parts[c].end(),
                  out.intervals.begin() + static_cast<std::ptrdiff_t>(out.begin[c * cast_chunk]));
    });
}

const Field& SegmentCaster::field() const { return *state_->field; }
const GridField* SegmentCaster::grid() const { return state_->grid; }
const CastOptions& SegmentCaster::options() const { return state_->options; }
const ClearanceRadius& SegmentCaster::clearance_radius() const { return state_->radius; }
std::size_t SegmentCaster::bytes() const { return sizeof(State) + (state_->map ? state_->map->bytes() : 0); }

} // namespace fathom
