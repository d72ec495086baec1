// Subdivision of a path through a field into pieces that are free, inside, or too short to subdivide. It serves
// segments in any field and points on screws.
// Method: one evaluation in the middle of a piece decides a sphere around it (clearance_radius.h), and with it the time
// that the path needs to leave the sphere. The rest on either side is tested again.
#pragma once

#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/detect/point_field/segment_caster.h>

#include <array>
#include <cmath>

namespace fathom::point_field {

// Several of the shortest pieces stay open near a crossing, more of them at a flat angle. Pieces are therefore
// subdivided well below the tolerance, and open pieces within a few tolerances of a contact are joined to it.
inline constexpr double shortest_piece = 1.0 / 16; // tolerances
inline constexpr double longest_margin = 2;        // tolerances
// Where values are rounded to single precision, pieces much shorter than that give no information.
inline constexpr double shortest_rounded = 0.02; // share of the rounding, as a length (m)

enum class PieceKind { unknown, free, inside, open };

struct PathPiece {
    double start = 0;
    double end = 1;
    PieceKind kind = PieceKind::unknown;
    double seen = -1; // open: a time at which contact was found, or -1
};

// Bounds on a piece of a path.
struct PathPart {
    Vec3 middle;  // position at mid-time
    double speed; // bound on the speed (m per unit of time)
    Vec3 reach;   // half the size of a box about `middle` that contains the piece (m), rounding excluded
};

// Returns the pieces of a path in the order of time. A Path provides:
//   PathPart over(start, end); Vec3 at(t); double error(): rounding error of positions (m);
//   double longest_range(): largest length of a piece for which range() is worthwhile (m).

template <class Path>
class PathCutter {
public:
    PathCutter(const Field& field, const ClearanceRadius& radius, const Path& path, const CastOptions& options,
               double earliest = 0, double latest = 1)
        : field_(field), radius_(radius), path_(path), options_(options) {
        stack_[count_++] = {earliest, latest};
    }

    // Returns false after the last piece.
    [[nodiscard]] bool next(PathPiece& out) {
        while (count_ > 0) {
            const PathPiece piece = stack_[--count_];
            out = piece.kind == PieceKind::unknown ? decide(piece) : piece;
            if (out.kind != PieceKind::unknown) return true;
        }
        return false;
    }
    [[nodiscard]] std::size_t evaluations() const { return evaluations_; }

private:
    void push(const PathPiece& piece) {
        if (piece.end > piece.start) stack_[count_++] = piece;
    }

    // The kind of the whole piece, or unknown if it was subdivided and its parts were pushed on the stack.
    [[nodiscard]] PathPiece decide(const PathPiece& piece) {
        if (evaluations_ >= options_.max_evaluations || count_ + 3 > stack_.size()) return with(piece, PieceKind::open);
        const double middle = 0.5 * (piece.start + piece.end), half = 0.5 * (piece.end - piece.start);
        const PathPart part = path_.over(piece.start, piece.end);
        ++evaluations_;
        const double value = field_.distance(part.middle);
        const bool inside = value <= radius_.level();
        const PieceKind found = inside ? PieceKind::inside : PieceKind::free;
        if (part.speed == 0) return with(piece, inside || value > radius_.level() ? found : PieceKind::open);
        const double reach = reach_in_time(inside ? radius_.inside(value) : radius_(value), part.speed);
        if (reach > half) return with(piece, found);
        if (2 * half * part.speed <= shortest_rounded * radius_.jump()) {
            const PieceKind kind = range_of(part);
            return kind != PieceKind::unknown ? with(piece, kind) : too_short(piece, inside ? middle : -1);
        }
        if (2 * half <= shortest_piece * options_.tolerance || !(piece.start < middle && middle < piece.end))
            return too_short(piece, inside ? middle : -1);
        if (reach < 0.25 * half && 2 * half * part.speed <= path_.longest_range()) {
            const PieceKind kind = by_range(part);
            if (kind != PieceKind::unknown) return with(piece, kind);
        }
        push({middle + reach, piece.end});
        if (reach > 0) push({middle - reach, middle + reach, found});
        push({piece.start, middle - reach});
        return with(piece, PieceKind::unknown);
    }

    static PathPiece with(PathPiece piece, PieceKind kind) {
        piece.kind = kind;
        return piece;
    }

    // Contact may be only at an end, as for a segment that starts on the surface.
    [[nodiscard]] PathPiece too_short(PathPiece piece, double seen) {
        piece.kind = PieceKind::open;
        for (const double t : {piece.start, piece.end})
            if (seen < 0 && (++evaluations_, field_.distance(path_.at(t)) <= radius_.level())) seen = t;
        piece.seen = seen;
        return piece;
    }

    // Ranges cost more than evaluations and decide nothing at the surface: they are evaluated while they succeed, then
    // only every eighth time.
    [[nodiscard]] PieceKind by_range(const PathPart& part) {
        if (range_credit_ <= 0 && ++ranges_left_out_ % 8 != 0) return PieceKind::unknown;
        const PieceKind kind = range_of(part);
        range_credit_ += kind == PieceKind::unknown ? -1 : 2;
        return kind;
    }

    [[nodiscard]] PieceKind range_of(const PathPart& part) {
        ++evaluations_;
        const Interval range = field_.range(Box::around(part.middle, part.reach).grown(path_.error()));
        if (range.lower > radius_.level()) return PieceKind::free;
        return range.upper <= radius_.level() ? PieceKind::inside : PieceKind::unknown;
    }

    [[nodiscard]] double reach_in_time(double radius, double speed) const {
        const double sure = radius - path_.error();
        return sure > 0 ? sure / speed : 0.0; // also for NaN
    }

    const Field& field_;
    const ClearanceRadius& radius_;
    const Path& path_;
    const CastOptions& options_;
    std::size_t evaluations_ = 0;
    int range_credit_ = 4;
    int ranges_left_out_ = 0;
    // Large enough: each subdivision leaves less than half on the left, so the bits of the times are exhausted first.
    std::array<PathPiece, 256> stack_;
    std::size_t count_ = 0;
};

// Joins pieces into intervals. Open pieces within the margin of a contact belong to it; others are separate intervals.
class PieceJoiner {
public:
    PieceJoiner(double tolerance, std::vector<ContactInterval>& out)
        : margin_(longest_margin * tolerance), first_(out.size()), out_(out) {}

    void add(const PathPiece& piece) {
        if (piece.kind == PieceKind::free) {
            settle(piece.end);
        } else if (piece.kind == PieceKind::inside || piece.seen >= 0) {
            add_contact(piece);
        } else {
            if (!has_open_) open_ = {piece.start, piece.end, false};
            open_.end = piece.end;
            has_open_ = true;
        }
    }

    Status finish() {
        settle(HUGE_VAL);
        if (out_.size() == first_) return Status::disjoint;
        return any_proven_ ? Status::overlapping : Status::undecided;
    }

private:
    // The path is free up to `end`: outputs the intervals that later pieces cannot join.
    void settle(double end) {
        if (has_open_ && has_contact_) {
            if (open_.end - seen_until_ <= margin_) {
                contact_.end = open_.end;
                has_open_ = false;
            } else {
                flush_contact();
            }
        }
        if (has_open_ && end - open_.start > margin_) flush_open();
        if (has_contact_ && end - contact_.end > margin_) flush_contact();
    }
    void add_contact(const PathPiece& piece) {
        const bool close = has_open_ && piece.start - open_.start <= margin_;
        if (has_open_ && !close) {
            flush_contact();
            flush_open();
        }
        if (!has_contact_) contact_ = {close ? open_.start : piece.start, piece.end, true};
        contact_.end = seen_until_ = piece.end;
        has_contact_ = true;
        has_open_ = false;
    }
    void flush_contact() {
        if (!has_contact_) return;
        append(contact_);
        any_proven_ = true;
        has_contact_ = false;
    }
    void flush_open() {
        if (has_open_) append(open_);
        has_open_ = false;
    }
    void append(ContactInterval interval) {
        // Intervals are disjoint: a common end belongs to the earlier one.
        if (out_.size() > first_ && interval.start <= out_.back().end) interval.start = next_up(out_.back().end);
        interval.end = std::max(interval.start, interval.end);
        out_.push_back(interval);
    }

    double margin_;
    std::size_t first_;
    std::vector<ContactInterval>& out_;
    ContactInterval open_, contact_;
    double seen_until_ = 0; // end of contact_ without the open pieces after it
    bool has_open_ = false, has_contact_ = false, any_proven_ = false;
};

// The first contact of a path.
template <class Path>
[[nodiscard]] CastHit first_on_path(PathCutter<Path>& cutter) {
    CastHit hit;
    PathPiece piece;
    while (cutter.next(piece)) {
        if (piece.kind == PieceKind::free) continue;
        const bool contact = piece.kind == PieceKind::inside || piece.seen >= 0;
        const double seen = piece.kind == PieceKind::inside ? piece.start : contact ? piece.seen : piece.end;
        if (hit.status == Status::disjoint) hit = {Status::undecided, piece.start, 0};
        hit.error = seen - hit.time;
        if (contact) {
            hit.status = Status::overlapping;
            return hit;
        }
    }
    if (hit.status == Status::undecided) hit.error = 1 - hit.time;
    return hit;
}

// Appends all contact intervals of a path.
template <class Path>
Status all_on_path(PathCutter<Path>& cutter, double tolerance, std::vector<ContactInterval>& out) {
    PieceJoiner joiner(tolerance, out);
    PathPiece piece;
    while (cutter.next(piece)) joiner.add(piece);
    return joiner.finish();
}

} // namespace fathom::point_field
