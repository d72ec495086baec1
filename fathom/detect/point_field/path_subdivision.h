// A path through a field, cut into pieces that are free, inside, or too short to cut: what segments
// against any field and points on screws share. One look-up in the middle of a piece clears the ball round it
// (clearance_radius.h), and with it the time that the path needs to leave the ball; what is left on either side is
// asked again.
#pragma once

#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/detect/point_field/segment_caster.h>

#include <array>
#include <cmath>

namespace fathom {

// Beside a crossing several of the shortest pieces stay open, the more the flatter it is: cut well below the tolerance,
// and count as many to the contact as are within a few tolerances of it.
inline constexpr double shortest_piece = 1.0 / 16; // tolerances
inline constexpr double longest_margin = 2;        // tolerances

enum class PieceKind { unknown, free, inside, open };

struct PathPiece {
    double start = 0;
    double end = 1;
    PieceKind kind = PieceKind::unknown;
    double seen = -1; // open: a time at which contact was seen, or -1
};

// Hands out pieces in the order of time. A Path answers:
//   PathPart over(start, end); Vec3 at(t); double error(): of positions, by rounding (m);
//   double longest_range(): the way of a piece whose range is worth asking for (m).
struct PathPart {
    Vec3 middle;  // the position then
    double speed; // bound on it (m a step)
    Vec3 reach;   // half the size of a box round the middle that holds the piece (m), rounding apart
};

template <class Path>
class PathCutter {
public:
    PathCutter(const Field& field, const ClearanceRadius& radius, const Path& path, const CastOptions& options,
               double earliest = 0, double latest = 1)
        : field_(field), radius_(radius), path_(path), options_(options) {
        stack_[count_++] = {earliest, latest};
    }

    // False when all pieces are out.
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

    // A kind for all of the piece, or unknown when it was cut and its parts lie on the stack.
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

    // Contact may be at the ends alone: a segment that starts on the surface.
    [[nodiscard]] PathPiece too_short(PathPiece piece, double seen) {
        piece.kind = PieceKind::open;
        for (const double t : {piece.start, piece.end})
            if (seen < 0 && (++evaluations_, field_.distance(path_.at(t)) <= radius_.level())) seen = t;
        piece.seen = seen;
        return piece;
    }

    // Ranges cost more than look-ups and fail wherever the surface is: asked while they succeed, and now and then.
    [[nodiscard]] PieceKind by_range(const PathPart& part) {
        if (range_credit_ <= 0 && ++ranges_left_out_ % 8 != 0) return PieceKind::unknown;
        ++evaluations_;
        const Interval range = field_.range(Box::around(part.middle, part.reach).grown(path_.error()));
        --range_credit_;
        if (range.lower > radius_.level()) return range_credit_ += 3, PieceKind::free;
        if (range.upper <= radius_.level()) return range_credit_ += 3, PieceKind::inside;
        return PieceKind::unknown;
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
    std::array<PathPiece, 256>
        stack_; // each cut leaves less than half to the left, so times run out of bits long before
    std::size_t count_ = 0;
};

// Joins pieces into intervals: open ones within the margin of a contact belong to it, others stand alone.
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

    Verdict finish() {
        settle(HUGE_VAL);
        if (out_.size() == first_) return Verdict::disjoint;
        return any_proven_ ? Verdict::overlapping : Verdict::undecided;
    }

private:
    // All is free from here to `end`: what nothing to come can join is done.
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
        // Apart: where one ends and the next begins, the border belongs to the first.
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

// The first contact of a path, as CastHit tells it.
template <class Path>
[[nodiscard]] CastHit first_on_path(PathCutter<Path>& cutter) {
    CastHit hit;
    PathPiece piece;
    while (cutter.next(piece)) {
        if (piece.kind == PieceKind::free) continue;
        const bool contact = piece.kind == PieceKind::inside || piece.seen >= 0;
        const double seen = piece.kind == PieceKind::inside ? piece.start : contact ? piece.seen : piece.end;
        if (hit.verdict == Verdict::disjoint) hit = {Verdict::undecided, piece.start, 0};
        hit.error = seen - hit.time;
        if (contact) {
            hit.verdict = Verdict::overlapping;
            return hit;
        }
    }
    if (hit.verdict == Verdict::undecided) hit.error = 1 - hit.time;
    return hit;
}

// All of them, appended.
template <class Path>
Verdict all_on_path(PathCutter<Path>& cutter, double tolerance, std::vector<ContactInterval>& out) {
    PieceJoiner joiner(tolerance, out);
    PathPiece piece;
    while (cutter.next(piece)) joiner.add(piece);
    return joiner.finish();
}

} // namespace fathom
