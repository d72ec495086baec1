// Room: detect. A stack of pieces of time that nothing is known about, the earliest on top.
#include <fathom/detect/time_search.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr double shortest_known = 1e-12; // of time: a contact that is certain within so short a piece need not be met

struct Piece {
    double start, end;
    bool touches_at_start, touches_at_end; // false: clear there, or not known
    bool hard = false;                     // a look into it told nothing
};

class Search {
public:
    Search(CallableRef<TimeProbe(double)> probe, const TimeSearchOptions& options) : probe_(probe), options_(options) {}

    TimeSearch run() {
        const TimeProbe at_start = ask(0), at_end = ask(1);
        const double from = at_start.touching ? 0 : reach(at_start), to = at_end.touching ? 1 : 1 - reach(at_end);
        push({from, to, at_start.touching, at_end.touching});
        if (!options_.all && at_start.touching) open_.clear();
        while (!open_.empty()) {
            const Piece piece = open_.back();
            open_.pop_back();
            if (options_.all || piece.start < witness_) look_at(piece);
        }
        return finish();
    }

private:
    TimeProbe ask(double time) {
        ++result_.probes;
        const TimeProbe answer = probe_(time);
        if (answer.touching) witness_ = std::min(witness_, time);
        return answer;
    }

    // For how long a gap keeps them apart.
    [[nodiscard]] double reach(const TimeProbe& probe) const {
        if (!(probe.gap > 0)) return 0;
        return options_.speed > 0 ? std::min(probe.gap / options_.speed * (1 - 1e-12), 2.0) : 2;
    }

    void push(const Piece& piece) {
        if (piece.start < piece.end || (piece.start == piece.end && (piece.touches_at_start || piece.touches_at_end))) open_.push_back(piece);
    }

    void look_at(const Piece& piece) {
        const double width = piece.end - piece.start, middle = piece.start + 0.5 * width;
        const bool in_contact = piece.touches_at_start && piece.touches_at_end, beside_contact = piece.touches_at_start || piece.touches_at_end;
        const bool spent = result_.probes >= options_.budget;
        // What is beside no contact is likely to be clear: a look, however short it is, keeps it from standing open for nothing.
        const double finest = beside_contact || piece.hard ? options_.tolerance : 1e-15;
        if (width <= finest || (in_contact && width <= options_.resolution) || spent) {
            result_.truncated = result_.truncated || (spent && width > options_.tolerance);
            return leave(piece, is_certain(piece));
        }
        if (width <= shortest_known && is_certain(piece)) return leave(piece, true);
        const TimeProbe answer = ask(middle);
        const double clear = answer.touching ? 0 : reach(answer);
        const bool hard = !answer.touching && !(clear > 0);
        push({middle + clear, piece.end, answer.touching, piece.touches_at_end, hard});
        push({piece.start, middle - clear, piece.touches_at_start, answer.touching, hard});
    }

    [[nodiscard]] bool is_certain(const Piece& piece) const {
        return !piece.touches_at_start && !piece.touches_at_end && options_.certain && options_.certain(piece.start, piece.end);
    }

    void leave(const Piece& piece, bool certain) {
        left_.push_back(piece);
        if (!certain) return;
        left_.back().touches_at_end = true;
        witness_ = std::min(witness_, piece.end);
    }

    TimeSearch finish() {
        const double first_open = left_.empty() ? HUGE_VAL : left_.front().start;
        result_.time = std::min({first_open, witness_, 1.0});
        if (witness_ <= 1) {
            result_.verdict = Verdict::overlapping;
            result_.error = witness_ - result_.time;
        } else if (!left_.empty()) {
            result_.verdict = Verdict::undecided;
        }
        if (options_.all) join();
        return std::move(result_);
    }

    void join() {
        for (const Piece& piece : left_) {
            const bool seen = piece.touches_at_start || piece.touches_at_end;
            if (!result_.intervals.empty() && piece.start <= result_.intervals.back().end + options_.tolerance) {
                result_.intervals.back().end = piece.end;
                result_.intervals.back().proven = result_.intervals.back().proven || seen;
            } else {
                result_.intervals.push_back({piece.start, piece.end, seen});
            }
        }
    }

    CallableRef<TimeProbe(double)> probe_;
    TimeSearchOptions options_;
    TimeSearch result_;
    std::vector<Piece> open_, left_; // left_: neither cleared nor cut further, ascending
    double witness_ = HUGE_VAL;      // the earliest time at which contact was seen
};

} // namespace

TimeSearch search_times(CallableRef<TimeProbe(double)> probe, const TimeSearchOptions& options) { return Search(probe, options).run(); }

} // namespace fathom
