// Room: detect. Walks the sphere tree of a shell through time.
#include <fathom/base/parallel.h>
#include <fathom/base/relative_motion.h>
#include <fathom/detect/free_radius.h>
#include <fathom/detect/path_cuts.h>
#include <fathom/detect/shell_sweep.h>
#include <fathom/field/grid/grid_field.h>

#include <algorithm>
#include <bit>

namespace fathom {

namespace {

constexpr std::size_t item_chunk = 2048;  // look-ups of one task
constexpr std::size_t point_chunk = 2048; // points of one task
constexpr std::size_t batch = 16;         // look-ups in flight, where items are taken by time
// A node whose way is longer than this many radii is cut in time before its children are opened, but for pieces this short
// (half a piece): then its points are cheaper.
constexpr double longest_way = 2;
constexpr double shortest_half = 1.0 / 256, shortest_half_of_leaf = 1.0 / 64;

// The true path of one point.
class ScrewPath {
public:
    ScrewPath(const RelativeMotion& motion, const Vec3& point, double error) : motion_(motion), point_(point), error_(error) {}

    [[nodiscard]] PathPart over(double start, double end) const {
        const RelativeMotion::State state = motion_.over(point_, start, end);
        return {state.position, state.speed};
    }
    [[nodiscard]] Vec3 at(double t) const { return motion_.at(point_, t); }
    [[nodiscard]] Box bounds(double start, double end) const {
        return Segment{at(start), at(end)}.bounds().grown(motion_.over(point_, start, end).bend + error_);
    }
    [[nodiscard]] double error() const { return error_; }

private:
    const RelativeMotion& motion_;
    const Vec3& point_;
    double error_;
};

bool is_finite(const Pose& pose) { return fathom::is_finite(pose.translation) && pose.rotation.coeffs().allFinite(); }
bool is_finite(const Motion& motion) { return is_finite(motion.start) && is_finite(motion.end); }

class Sweeper {
public:
    Sweeper(const SweepShell& shell, const Motion& shell_motion, const SegmentCaster& caster, const Motion& field_motion,
            SweepResult& out, const SweepOptions& options)
        : shell_(shell), tree_(shell.tree), caster_(caster), field_(caster.field()), out_(out), scratch_(out.scratch), options_(options),
          field_motion_(field_motion), motion_(shell_motion, field_motion, options.path), radius_(field_, caster.options().level),
          cast_options_(caster.options()) {
        const Sphere all = tree_.sphere(tree_.nodes()[0]);
        const Segment way = motion_.chord(all.center);
        error_ = 1e-14 * (way.start.norm() + way.end.norm() + all.center.norm() + all.radius + shell_motion.start.translation.norm() +
                          field_motion.start.translation.norm());
        const auto* grid = dynamic_cast<const GridField*>(&field_);
        bend_ = options.bend > 0 ? options.bend : grid ? 1e-3 * grid->layout().cell : 1e-6 * std::max(all.radius, 1e-300);
        scratch_.marked.resize((shell.points.size() + 63) / 64);
        out_.error_bound = options.path == Path::screw ? bend_ : 0;
    }

    void all();
    void first();

private:
    void look_up_all();
    void look_up(std::size_t begin, std::size_t end);
    template <class Take>
    void open(std::size_t k, const Take& take) const;
    void spread_by_level();
    void first_by_time();
    void list_points();
    void find_contacts();
    void fill_chunk(std::span<const Index> points, SweepChunk& chunk) const;
    void note(Index point, const CastHit& hit);
    void note_contacts();
    void finish();

    // True when the point was not marked before.
    bool mark(Index point) {
        std::uint64_t& word = scratch_.marked[point / 64];
        const std::uint64_t bit = std::uint64_t{1} << (point % 64);
        const bool fresh = (word & bit) == 0;
        word |= bit;
        return fresh;
    }
    [[nodiscard]] CastOptions options_for(const Vec3& point) const {
        CastOptions result = cast_options_;
        // Ends are true to three tolerances.
        result.tolerance = std::clamp(bend_ / (3 * motion_.over(point, 0, 1).speed), 1e-12, 1.0);
        return result;
    }
    [[nodiscard]] CastHit cast_first(Index point) const {
        const Vec3& p = shell_.points[point];
        if (options_.path == Path::straight) return caster_.first(motion_.chord(p));
        const CastOptions options = options_for(p);
        const ScrewPath path(motion_, p, error_);
        PathCutter cutter(field_, radius_, path, options);
        return first_on_path(cutter);
    }

    const SweepShell& shell_;
    const SphereTree& tree_;
    const SegmentCaster& caster_;
    const Field& field_;
    SweepResult& out_;
    SweepScratch& scratch_;
    const SweepOptions& options_;
    const Motion& field_motion_;
    RelativeMotion motion_;
    FreeRadius radius_;
    CastOptions cast_options_;
    double error_;   // of positions, by rounding (m)
    double bend_;
    CastHit best_;   // of the earliest proven contact
    Index best_point_ = no_index;
    double open_ = HUGE_VAL; // earliest time at which contact was not excluded
};

void Sweeper::look_up_all() {
    const std::size_t count = scratch_.items.size();
    scratch_.positions.resize(count);
    scratch_.values.resize(count);
    scratch_.speeds.resize(count);
    scratch_.radii.resize(count);
    out_.look_ups += count;
    if (count <= item_chunk) return look_up(0, count);
    parallel_for(count, item_chunk, [&](std::size_t begin, std::size_t end) { look_up(begin, end); });
}

void Sweeper::look_up(std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
        const SweepItem& item = scratch_.items[k];
        const Sphere sphere = item.is_point() ? Sphere{tree_.points()[item.index()], 0} : tree_.sphere(tree_.nodes()[item.index()]);
        const RelativeMotion::State state = motion_.over(sphere.center, item.start, item.end);
        scratch_.positions[k] = state.position;
        scratch_.speeds[k] = state.speed;
        scratch_.radii[k] = sphere.radius + error_;
    }
    field_.distances(std::span<const Vec3>(scratch_.positions).subspan(begin, end - begin),
                     std::span<double>(scratch_.values).subspan(begin, end - begin));
}

// take(id, start, end) for what is left of an item after its look-up: pieces of its time, of itself or of its children.
template <class Take>
void Sweeper::open(std::size_t k, const Take& take) const {
    const SweepItem item = scratch_.items[k];
    const double half = 0.5 * (item.end - item.start), middle = 0.5 * (item.start + item.end), speed = scratch_.speeds[k];
    const double clear = radius_(scratch_.values[k]) - scratch_.radii[k];
    if (clear > speed * half) return;
    const double reach = clear > 0 ? clear / speed : 0.0; // also for NaN
    const bool is_leaf = !item.is_point() && tree_.nodes()[item.index()].is_leaf();
    const bool is_long = !item.is_point() && speed * half > longest_way * scratch_.radii[k] &&
                         half > (is_leaf ? shortest_half_of_leaf : shortest_half);
    const bool cut = is_long || reach > 0.25 * half;
    const auto take_in = [&](Index id) {
        if (!cut) return take(id, item.start, item.end);
        take(id, item.start, middle - reach);
        take(id, middle + reach, item.end);
    };
    if (item.is_point() || is_long) return take_in(item.id);
    const SphereNode& node = tree_.nodes()[item.index()];
    const Index bit = is_leaf ? SweepItem::point_bit : 0;
    for (std::uint32_t c = 0; c < node.size(); ++c) take_in((node.first + c) | bit);
}

// All nodes and points that may touch at any time, level by level; points that pass their own look-up are marked.
void Sweeper::spread_by_level() {
    scratch_.items.assign(1, SweepItem{});
    while (!scratch_.items.empty()) {
        look_up_all();
        scratch_.next.clear();
        for (std::size_t k = 0; k < scratch_.items.size(); ++k) {
            const bool is_point = scratch_.items[k].is_point();
            open(k, [&](Index id, double start, double end) {
                if (is_point) mark(tree_.order()[id & ~SweepItem::point_bit]);
                else scratch_.next.push_back({start, end, id});
            });
        }
        scratch_.items.swap(scratch_.next);
    }
}

// The marks as ascending ids; they are taken off again.
void Sweeper::list_points() {
    scratch_.points.clear();
    for (std::size_t w = 0; w < scratch_.marked.size(); ++w) {
        for (std::uint64_t word = scratch_.marked[w]; word != 0; word &= word - 1)
            scratch_.points.push_back(static_cast<Index>(64 * w + static_cast<std::size_t>(std::countr_zero(word))));
        scratch_.marked[w] = 0;
    }
}

void Sweeper::fill_chunk(std::span<const Index> points, SweepChunk& chunk) const {
    chunk.contacts.clear();
    if (options_.path == Path::straight) {
        chunk.segments.clear();
        for (const Index point : points) chunk.segments.push_back(motion_.chord(shell_.points[point]));
        caster_.all(chunk.segments, chunk.intervals);
        for (std::size_t k = 0; k < points.size(); ++k)
            for (const ContactInterval& time : chunk.intervals.of(k)) chunk.contacts.push_back({points[k], time});
        return;
    }
    for (const Index point : points) {
        const CastOptions options = options_for(shell_.points[point]);
        const ScrewPath path(motion_, shell_.points[point], error_);
        PathCutter cutter(field_, radius_, path, options);
        chunk.intervals.intervals.clear();
        all_on_path(cutter, options.tolerance, chunk.intervals.intervals);
        for (const ContactInterval& time : chunk.intervals.intervals) chunk.contacts.push_back({point, time});
    }
}

void Sweeper::find_contacts() {
    const std::span<const Index> points = scratch_.points;
    const std::size_t chunks = (points.size() + point_chunk - 1) / point_chunk;
    if (scratch_.chunks.size() < chunks) scratch_.chunks.resize(chunks);
    const auto fill = [&](std::size_t c) {
        fill_chunk(points.subspan(c * point_chunk, std::min(point_chunk, points.size() - c * point_chunk)), scratch_.chunks[c]);
    };
    if (chunks == 1) fill(0);
    else parallel_tasks(chunks, fill);
    for (std::size_t c = 0; c < chunks; ++c)
        out_.contacts.insert(out_.contacts.end(), scratch_.chunks[c].contacts.begin(), scratch_.chunks[c].contacts.end());
    out_.points_tested = points.size();
}

void Sweeper::note(Index point, const CastHit& hit) {
    if (hit.verdict == Verdict::disjoint) return;
    if (hit.verdict == Verdict::undecided) {
        open_ = std::min(open_, hit.time);
    } else if (best_point_ == no_index || hit.time < best_.time || (hit.time == best_.time && point < best_point_)) {
        best_ = hit;
        best_point_ = point;
    }
}

// Points come in order, so the first of equal times has the smallest id.
void Sweeper::note_contacts() {
    Index earliest = no_index;
    double start = HUGE_VAL;
    for (const PointContact& contact : out_.contacts) {
        if (!contact.time.proven) open_ = std::min(open_, contact.time.start);
        else if (contact.time.start < start) start = contact.time.start, earliest = contact.point;
    }
    if (earliest != no_index) note(earliest, cast_first(earliest));
}

void Sweeper::all() {
    if (options_.tree) {
        spread_by_level();
        list_points();
    } else {
        scratch_.points.resize(shell_.points.size());
        for (Index k = 0; k < shell_.points.size(); ++k) scratch_.points[k] = k;
    }
    find_contacts();
    note_contacts();
    finish();
}

// By time: what may touch earliest is looked at first, and nothing that can only touch later than the best so far.
void Sweeper::first_by_time() {
    std::vector<SweepItem>& heap = scratch_.next;
    const auto later = [](const SweepItem& a, const SweepItem& b) { return a.start > b.start || (a.start == b.start && a.id < b.id); };
    const auto limit = [&] { return best_point_ == no_index ? options_.latest : best_.time; };
    const auto done = [&] { return options_.goal == SweepGoal::any && best_point_ != no_index; };
    heap.assign(1, SweepItem{0, options_.latest, 0});
    scratch_.points.clear();
    while (!heap.empty() && heap.front().start <= limit() && !done()) {
        scratch_.items.clear();
        while (!heap.empty() && scratch_.items.size() < batch && heap.front().start <= limit()) {
            std::pop_heap(heap.begin(), heap.end(), later);
            scratch_.items.push_back(heap.back());
            heap.pop_back();
        }
        look_up_all();
        for (std::size_t k = 0; k < scratch_.items.size() && !done(); ++k) {
            const bool is_point = scratch_.items[k].is_point();
            open(k, [&](Index id, double start, double end) {
                if (start > limit() || done()) return;
                if (!is_point) {
                    heap.push_back({start, end, id});
                    std::push_heap(heap.begin(), heap.end(), later);
                    return;
                }
                const Index point = tree_.order()[id & ~SweepItem::point_bit];
                if (!mark(point)) return;
                scratch_.points.push_back(point);
                note(point, cast_first(point));
            });
        }
    }
    for (const Index point : scratch_.points) scratch_.marked[point / 64] = 0;
    out_.points_tested = scratch_.points.size();
}

void Sweeper::first() {
    if (options_.tree) {
        first_by_time();
    } else {
        out_.points_tested = shell_.points.size();
        for (Index k = 0; k < shell_.points.size(); ++k) note(k, cast_first(k));
    }
    finish();
}

void Sweeper::finish() {
    SweepHit& hit = out_.first;
    const bool touches = best_point_ != no_index && (options_.goal == SweepGoal::all || best_.time <= options_.latest);
    if (!touches && !(open_ <= 1)) return;
    hit.verdict = touches ? Verdict::overlapping : Verdict::undecided;
    hit.time = touches ? std::min(best_.time, open_) : open_;
    if (!touches) return;
    hit.error = best_.time + best_.error - hit.time;
    hit.point = best_point_;
    const Vec3 seen = motion_.at(shell_.points[best_point_], best_.time);
    const Mover field_mover(field_motion_);
    const Pose pose = field_mover.pose(best_.time);
    hit.position = pose * seen;
    const Vec3 gradient = field_.sample(seen).gradient;
    // Where the field is flat, the way that the point goes.
    const Segment way = motion_.chord(shell_.points[best_point_]);
    const Vec3 against = gradient.norm() > 0 ? Vec3(-gradient) : Vec3(way.end - way.start);
    hit.normal = against.norm() > 0 ? pose.turn(against.normalized()) : Vec3::UnitX();
    if (const auto* grid = dynamic_cast<const GridField*>(&field_)) hit.cell = grid->cell_at(seen).box;
}

} // namespace

SweepShell::SweepShell(std::vector<Vec3> given) : points(std::move(given)), tree(points) {}

void sweep(const SweepShell& shell, const Motion& shell_motion, const SegmentCaster& caster, const Motion& field_motion,
           SweepResult& out, const SweepOptions& options) {
    out.first = {};
    out.contacts.clear();
    out.error_bound = 0;
    out.look_ups = out.points_tested = 0;
    if (shell.points.empty()) return;
    if (!is_finite(shell_motion) || !is_finite(field_motion)) {
        out.first = {.verdict = Verdict::undecided, .time = 0, .cell = {}};
        return;
    }
    Sweeper sweeper(shell, shell_motion, caster, field_motion, out, options);
    if (options.goal == SweepGoal::all) sweeper.all();
    else sweeper.first();
}

SweepHit sweep_ball(const Vec3& center, const Motion& ball_motion, const SegmentCaster& caster, const Motion& field_motion,
                    const SweepOptions& options) {
    SweepResult result;
    sweep(SweepShell({center}), ball_motion, caster, field_motion, result, options);
    return result.first;
}

void sweep_pair(const SweepBody& a, const Motion& motion_a, const SweepBody& b, const Motion& motion_b, PairSweep& out,
                const SweepOptions& options) {
    const auto clear = [](SweepResult& result) {
        result.first = {};
        result.contacts.clear();
    };
    clear(out.a_in_b);
    clear(out.b_in_a);
    SweepOptions second = options;
    if (a.shell && b.caster) sweep(*a.shell, motion_a, *b.caster, motion_b, out.a_in_b, options);
    if (options.goal != SweepGoal::all && out.a_in_b.first.verdict == Verdict::overlapping)
        second.latest = std::min(options.latest, out.a_in_b.first.time + out.a_in_b.first.error);
    const bool enough = options.goal == SweepGoal::any && out.a_in_b.first.verdict == Verdict::overlapping;
    if (b.shell && a.caster && !enough) sweep(*b.shell, motion_b, *a.caster, motion_a, out.b_in_a, second);
    out.b_in_a.first.normal *= -1;
    const auto rank = [](const SweepHit& hit) { return hit.verdict == Verdict::overlapping ? 0 : hit.verdict == Verdict::undecided ? 1 : 2; };
    const SweepHit &x = out.a_in_b.first, &y = out.b_in_a.first;
    out.point_of_a = rank(x) != rank(y) ? rank(x) < rank(y) : x.time <= y.time;
    out.first = out.point_of_a ? x : y;
    // What may touch earlier on the other side widens the answer.
    const SweepHit& other = out.point_of_a ? y : x;
    if (other.verdict == Verdict::undecided && other.time < out.first.time) {
        out.first.error += out.first.time - other.time;
        out.first.time = other.time;
    }
}

} // namespace fathom
