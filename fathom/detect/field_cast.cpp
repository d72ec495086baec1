// Room: detect. Cuts a segment into pieces that are free, inside, or too short to cut.
#include <fathom/detect/field_cast.h>

#include <array>
#include <cmath>

namespace fathom {

namespace {

// Beside a crossing several of the shortest pieces stay open, the more the flatter it is: cut well below the tolerance, and
// count as many to the contact as are within a few tolerances of it.
constexpr double shortest_piece = 1.0 / 16; // tolerances
constexpr double longest_margin = 2;        // tolerances

enum class Kind { unknown, free, inside, open };

struct Piece {
    double start = 0;
    double end = 1;
    Kind kind = Kind::unknown;
    double seen = -1; // open: a time at which contact was seen, or -1
};

// Hands out pieces in the order of time.
class Cutter {
public:
    Cutter(const Field& field, const FreeRadius& radius, const Segment& segment, const CastOptions& options)
        : field_(field), radius_(radius), segment_(segment), options_(options), length_(segment.length()) {
        const double magnitude = segment.start.cwiseAbs().maxCoeff() + segment.end.cwiseAbs().maxCoeff();
        position_error_ = 4e-16 * magnitude;
        push({});
    }

    // False when all pieces are out.
    [[nodiscard]] bool next(Piece& out) {
        while (count_ > 0) {
            const Piece piece = stack_[--count_];
            out = piece.kind == Kind::unknown ? decide(piece) : piece;
            if (out.kind != Kind::unknown) return true;
        }
        return false;
    }

private:
    void push(const Piece& piece) {
        if (piece.end > piece.start || length_ == 0) stack_[count_++] = piece;
    }

    // A kind for all of the piece, or unknown when it was cut and its parts lie on the stack.
    [[nodiscard]] Piece decide(const Piece& piece) {
        if (look_ups_ >= options_.budget || count_ + 3 > stack_.size()) return with(piece, Kind::open);
        const double middle = 0.5 * (piece.start + piece.end), half = 0.5 * (piece.end - piece.start);
        const double value = look_up(middle);
        const bool inside = value <= options_.level;
        const double reach = reach_in_time(inside ? radius_.inside(value) : radius_(value));
        const Kind found = inside ? Kind::inside : Kind::free;
        if (reach > half) return with(piece, found);
        if (length_ == 0) return inside ? with(piece, Kind::inside) : with(piece, value > options_.level ? Kind::free : Kind::open);
        if (2 * half <= shortest_piece * options_.tolerance || !(piece.start < middle && middle < piece.end))
            return too_short(piece, inside ? middle : -1);
        if (reach < 0.25 * half) {
            const Kind kind = by_range(piece);
            if (kind != Kind::unknown) return with(piece, kind);
        }
        push({middle + reach, piece.end});
        if (reach > 0) push({middle - reach, middle + reach, found});
        push({piece.start, middle - reach});
        return with(piece, Kind::unknown);
    }

    static Piece with(Piece piece, Kind kind) {
        piece.kind = kind;
        return piece;
    }

    // Contact may be at the ends alone: a segment that starts on the surface.
    [[nodiscard]] Piece too_short(Piece piece, double seen) {
        piece.kind = Kind::open;
        for (const double t : {piece.start, piece.end})
            if (seen < 0 && look_up(t) <= options_.level) seen = t;
        piece.seen = seen;
        return piece;
    }

    // Ranges cost more than look-ups and fail wherever the surface is: asked while they succeed, and now and then.
    [[nodiscard]] Kind by_range(const Piece& piece) {
        if (range_credit_ <= 0 && ++ranges_left_out_ % 8 != 0) return Kind::unknown;
        ++look_ups_;
        const Segment part{segment_.at(piece.start), segment_.at(piece.end)};
        const Interval range = field_.range(part.bounds().grown(position_error_));
        if (range.lower > options_.level) return range_credit_ += 2, Kind::free;
        if (range.upper <= options_.level) return range_credit_ += 2, Kind::inside;
        --range_credit_;
        return Kind::unknown;
    }

    [[nodiscard]] double look_up(double t) {
        ++look_ups_;
        return field_.distance(segment_.at(t));
    }

    [[nodiscard]] double reach_in_time(double radius) const {
        const double sure = radius - position_error_;
        return sure > 0 ? sure / length_ : 0.0; // also for NaN
    }

    const Field& field_;
    const FreeRadius& radius_;
    const Segment& segment_;
    const CastOptions& options_;
    double length_;
    double position_error_;
    std::size_t look_ups_ = 0;
    int range_credit_ = 4;
    int ranges_left_out_ = 0;
    std::array<Piece, 256> stack_; // each cut leaves less than half to the left, so times run out of bits long before
    std::size_t count_ = 0;
};

bool is_usable(const Segment& segment) { return is_finite(segment.start) && is_finite(segment.end) && std::isfinite(segment.length()); }

// Joins pieces into intervals: open ones within the margin of a contact belong to it, others stand alone.
class Joiner {
public:
    Joiner(double tolerance, std::vector<ContactInterval>& out) : margin_(longest_margin * tolerance), first_(out.size()), out_(out) {}

    void add(const Piece& piece) {
        if (piece.kind == Kind::free) {
            settle(piece.end);
        } else if (piece.kind == Kind::inside || piece.seen >= 0) {
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
            if (open_.end - contact_.end <= margin_) {
                contact_.end = open_.end;
                has_open_ = false;
            } else {
                flush_contact();
            }
        }
        if (has_open_ && end - open_.start > margin_) flush_open();
        if (has_contact_ && end - contact_.end > margin_) flush_contact();
    }
    void add_contact(const Piece& piece) {
        const bool close = has_open_ && piece.start - open_.start <= margin_;
        if (has_open_ && !close) {
            flush_contact();
            flush_open();
        }
        if (!has_contact_) contact_ = {close ? open_.start : piece.start, piece.end, true};
        contact_.end = piece.end;
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
    bool has_open_ = false, has_contact_ = false, any_proven_ = false;
};

} // namespace

CastHit cast_first(const Field& field, const FreeRadius& radius, const Segment& segment, const CastOptions& options) {
    if (!is_usable(segment)) return {Verdict::undecided, 0, 1};
    Cutter cutter(field, radius, segment, options);
    CastHit hit;
    Piece piece;
    while (cutter.next(piece)) {
        if (piece.kind == Kind::free) continue;
        const bool contact = piece.kind == Kind::inside || piece.seen >= 0;
        const double seen = piece.kind == Kind::inside ? piece.start : contact ? piece.seen : piece.end;
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

Verdict cast_all(const Field& field, const FreeRadius& radius, const Segment& segment, const CastOptions& options,
                 std::vector<ContactInterval>& out) {
    if (!is_usable(segment)) {
        out.push_back({0, 1, false});
        return Verdict::undecided;
    }
    Cutter cutter(field, radius, segment, options);
    Joiner joiner(options.tolerance, out);
    Piece piece;
    while (cutter.next(piece)) joiner.add(piece);
    return joiner.finish();
}

} // namespace fathom
