// Traversal of the bounding-sphere tree of a shell through time.
#include <fathom/detect/point_field/shell_sweep.h>

#include <fathom/base/motion.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/detect/point_field/path_subdivision.h>
#include <fathom/field/grid/grid_field.h>

#include <algorithm>
#include <bit>

namespace fathom::point_field {

namespace {

constexpr std::size_t item_chunk = 2048;  // field evaluations of one task
constexpr std::size_t point_chunk = 2048; // points of one task
constexpr std::size_t batch = 16;         // items that are evaluated together if items are processed by time
constexpr double look_ahead = 0.3;        // radii: shortest interval of a node, as a distance, before it is opened
constexpr std::uint32_t max_steps = 32;   // limit on tests of a node near the surface before it is opened
// Radii of a leaf: if its points travel no farther, each point is tested before its intervals are computed.
constexpr double short_way = 4;
constexpr double finest_tolerance = 1e-12; // of time: limit on the tolerance of contact intervals

// The screw path of one point.
class ScrewPath {
public:
    ScrewPath(const RelativeMotion& motion, const Vec3& point, double error, double longest_range)
        : motion_(motion), point_(point), error_(error), longest_range_(longest_range) {}

    [[nodiscard]] PathPart over(double start, double end) const {
        const RelativeMotion::State state = motion_.over(point_, start, end);
        return {state.position, state.speed,
                0.5 * (end - start) * state.velocity.cwiseAbs() + Vec3::Constant(state.bend)};
    }
    [[nodiscard]] Vec3 at(double t) const { return motion_.at(point_, t); }
    [[nodiscard]] double error() const { return error_; }
    [[nodiscard]] double longest_range() const { return longest_range_; }

private:
    const RelativeMotion& motion_;
    const Vec3& point_;
    double error_, longest_range_;
};

class Sweeper {
public:
    Sweeper(const SweepShell& shell, const Motion& shell_motion, const SegmentCaster& caster,
            const Motion& field_motion, ShellSweepResult& out, const ShellSweepOptions& options)
        : shell_(shell), tree_(shell.tree), caster_(caster), field_(caster.field()), out_(out), scratch_(out.scratch),
          options_(options), field_motion_(field_motion), motion_(shell_motion, field_motion, options.path),
          radius_(caster.clearance_radius()), cast_options_(caster.options()) {
        const Sphere all = tree_.sphere(tree_.nodes()[0]);
        const Segment chord = motion_.chord(all.center);
        error_ = position_rounding(chord.start.norm(), chord.end.norm(), all.center.norm(), all.radius,
                                   shell_motion.start.translation.norm(), shell_motion.end.translation.norm(),
                                   field_motion.start.translation.norm(), field_motion.end.translation.norm());
        const double cell = field_.resolution();
        bend_ = options.bend > 0 ? options.bend : cell > 0 ? 1e-2 * cell : 1e-6 * std::max(all.radius, 1e-300);
        longest_range_ = 2 * field_.traits().cheap_range;
        nearest_ = (options.path == Path::screw ? 0.1 : 1) * (cell > 0 ? 0.25 * cell : 1e-3 * all.radius);
        if (options.goal != SweepGoal::all) end_ = std::clamp(options.latest, 0.0, 1.0);
        scratch_.marked.resize((shell.points.size() + 63) / 64);
        out_.error_bound = options.path == Path::screw ? bend_ : 0;
    }

    void all();
    void first();

private:
    void evaluate_all();
    void evaluate(std::size_t begin, std::size_t end);
    enum class Step { drop, advance, open };
    [[nodiscard]] Step step(std::size_t k, SweepItem& item) const;
    template <class Visit>
    void each_child(const SweepItem& item, double speed, const Visit& visit) const;
    [[nodiscard]] SweepItem root() const { return {0, end_, 0, tree_.nodes()[0].least, 0}; }
    void test_point(const SweepItem& item);
    [[nodiscard]] bool is_beaten(const SweepItem& item) const;
    void process_by_level();
    void first_by_time();
    void list_points();
    void find_contacts();
    void fill_chunk(std::span<const Index> points, SweepChunk& chunk) const;
    void note(Index point, const CastHit& hit);
    void note_contacts();
    void finish();

    // Returns true if the point was not marked before.
    bool mark(Index point) {
        std::uint64_t& word = scratch_.marked[point / 64];
        const std::uint64_t bit = std::uint64_t{1} << (point % 64);
        const bool fresh = (word & bit) == 0;
        word |= bit;
        return fresh;
    }
    [[nodiscard]] CastOptions options_for(const Vec3& point) const {
        CastOptions result = cast_options_;
        // Ends of intervals are accurate to three tolerances.
        result.tolerance = std::clamp(bend_ / (3 * motion_.over(point, 0, 1).speed), finest_tolerance, 1.0);
        return result;
    }
    [[nodiscard]] CastHit cast_first(Index point, double earliest = 0, double latest = 1) const {
        const Vec3& p = shell_.points[point];
        if (options_.path == Path::straight) return caster_.first(motion_.chord(p));
        const CastOptions options = options_for(p);
        const ScrewPath path(motion_, p, error_, longest_range_);
        PathCutter cutter(field_, radius_, path, options, earliest, latest);
        return first_on_path(cutter);
    }

    const SweepShell& shell_;
    const SphereTree& tree_;
    const SegmentCaster& caster_;
    const Field& field_;
    ShellSweepResult& out_;
    SweepScratch& scratch_;
    const ShellSweepOptions& options_;
    const Motion& field_motion_;
    RelativeMotion motion_;
    ClearanceRadius radius_;
    CastOptions cast_options_;
    double end_ = 1; // end of the time interval
    double error_;   // of positions, by rounding (m)
    double bend_;
    double longest_range_;
    double nearest_; // by time: shortest step of a point, as a distance, before its contact is computed (m)
    CastHit best_;   // the earliest proven contact
    Index best_point_ = no_index;
    double open_ = HUGE_VAL; // earliest time at which contact was not excluded
};

void Sweeper::evaluate_all() {
    const std::size_t count = scratch_.items.size();
    scratch_.positions.resize(count);
    scratch_.values.resize(count);
    scratch_.speeds.resize(count);
    scratch_.radii.resize(count);
    scratch_.times.resize(count);
    out_.evaluations += count;
    if (count <= item_chunk) return evaluate(0, count);
    parallel_for(count, item_chunk, [&](std::size_t begin, std::size_t end) { evaluate(begin, end); });
}

// Evaluates the field for each item, in the middle of the interval of length 2 * hop from its start, clipped to the
// end.
void Sweeper::evaluate(std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
        const SweepItem& item = scratch_.items[k];
        const Sphere sphere =
            item.is_point() ? Sphere{tree_.points()[item.index()], 0} : tree_.sphere(tree_.nodes()[item.index()]);
        const double last = std::min(item.start + 2 * item.hop, end_);
        const RelativeMotion::State state = motion_.over(sphere.center, item.start, last);
        scratch_.times[k] = 0.5 * (item.start + last);
        scratch_.positions[k] = state.position;
        scratch_.speeds[k] = state.speed;
        scratch_.radii[k] = sphere.radius + error_;
    }
    field_.distances(std::span<const Vec3>(scratch_.positions).subspan(begin, end - begin),
                     std::span<double>(scratch_.values).subspan(begin, end - begin));
}

// The decision from the evaluation of an item: it never touches, it does not touch before a later start, or it is too
// close to decide.
Sweeper::Step Sweeper::step(std::size_t k, SweepItem& item) const {
    const double time = scratch_.times[k], speed = scratch_.speeds[k], ahead = time - item.start;
    const double clear = radius_(scratch_.values[k]) - scratch_.radii[k];
    const double min_hop = (item.is_point() ? nearest_ : look_ahead * scratch_.radii[k]) / speed;
    if (clear > speed * ahead) {
        // On screws the speed is bounded only over the interval of length 2 * hop.
        const double reach = options_.path == Path::straight ? clear / speed : std::min(clear / speed, ahead);
        // If evaluate() used the middle of the remaining time, all of it lies in the sphere, even if rounding suggests
        // otherwise.
        if (item.start + 2 * item.hop >= end_ || time + reach >= end_) return Step::drop;
        item.start = time + reach;
        item.hop = std::max(reach, min_hop);
        return ++item.steps < max_steps ? Step::advance : Step::open;
    }
    if (ahead <= 1.01 * min_hop || item.steps >= max_steps) return Step::open;
    item.hop =
        std::max(min_hop, clear > 0 ? 0.8 * clear / speed : 0.0); // so that a sphere of this size covers the start
    ++item.steps;
    return Step::advance;
}

// Children use the look-ahead of their parent. Points do too; with goal `all` they use all the remaining time.
template <class Visit>
void Sweeper::each_child(const SweepItem& item, double speed, const Visit& visit) const {
    const SphereNode& node = tree_.nodes()[item.index()];
    const double hop = speed > 0 ? look_ahead * tree_.sphere(node).radius / speed : end_;
    const double point_hop = options_.goal == SweepGoal::all ? end_ : hop;
    for (std::uint32_t c = 0; c < node.size(); ++c) {
        const Index child = node.first + c;
        if (node.is_leaf())
            visit(SweepItem{item.start, point_hop, child | SweepItem::point_bit, tree_.order()[child], 0});
        else
            visit(SweepItem{item.start, hop, child, tree_.nodes()[child].least, 0});
    }
}

// Processes all nodes and points that may touch at any time, level by level; marks the points that may.
void Sweeper::process_by_level() {
    scratch_.items.assign(1, root());
    while (!scratch_.items.empty()) {
        evaluate_all();
        scratch_.next.clear();
        for (std::size_t k = 0; k < scratch_.items.size(); ++k) {
            SweepItem item = scratch_.items[k];
            const Step found = step(k, item);
            if (found == Step::drop) continue;
            if (item.is_point()) {
                mark(item.least);
            } else if (found == Step::advance) {
                scratch_.next.push_back(item);
            } else {
                const bool is_leaf = tree_.nodes()[item.index()].is_leaf();
                const bool pays = is_leaf && scratch_.speeds[k] * (end_ - item.start) > short_way * scratch_.radii[k];
                each_child(item, scratch_.speeds[k], [&](const SweepItem& child) {
                    if (pays)
                        mark(child.least);
                    else
                        scratch_.next.push_back(child);
                });
            }
        }
        scratch_.items.swap(scratch_.next);
    }
}

// Lists the marked points in ascending order and removes the marks.
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
        const ScrewPath path(motion_, shell_.points[point], error_, longest_range_);
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
        fill_chunk(points.subspan(c * point_chunk, std::min(point_chunk, points.size() - c * point_chunk)),
                   scratch_.chunks[c]);
    };
    if (chunks == 1)
        fill(0);
    else
        parallel_tasks(chunks, fill);
    for (std::size_t c = 0; c < chunks; ++c)
        out_.contacts.insert(out_.contacts.end(), scratch_.chunks[c].contacts.begin(),
                             scratch_.chunks[c].contacts.end());
    out_.points_tested = points.size();
}

void Sweeper::note(Index point, const CastHit& hit) {
    if (hit.status == Status::disjoint) return;
    if (hit.status == Status::undecided) {
        open_ = std::min(open_, hit.time);
    } else if (best_point_ == no_index || hit.time < best_.time || (hit.time == best_.time && point < best_point_)) {
        best_ = hit;
        best_point_ = point;
    }
}

// Points are in ascending order, so the first of equal times has the smallest index.
void Sweeper::note_contacts() {
    Index earliest = no_index;
    double start = HUGE_VAL;
    for (const PointContact& contact : out_.contacts) {
        if (!contact.time.proven)
            open_ = std::min(open_, contact.time.start);
        else if (contact.time.start < start)
            start = contact.time.start, earliest = contact.point;
    }
    if (earliest != no_index) note(earliest, cast_first(earliest));
}

void Sweeper::all() {
    if (options_.tree) {
        process_by_level();
        list_points();
    } else {
        scratch_.points.resize(shell_.points.size());
        for (Index k = 0; k < shell_.points.size(); ++k) scratch_.points[k] = k;
    }
    find_contacts();
    note_contacts();
    finish();
}

bool Sweeper::is_beaten(const SweepItem& item) const {
    if (best_point_ == no_index) return item.start > end_;
    return item.start > best_.time || (item.start == best_.time && item.least > best_point_);
}

void Sweeper::test_point(const SweepItem& item) {
    if (!mark(item.least)) return;
    scratch_.points.push_back(item.least);
    note(item.least, cast_first(item.least, item.start, std::min(end_, best_.time)));
}

// Processes items by time: those that may touch earliest come first, and items that cannot precede the best contact are
// skipped.
void Sweeper::first_by_time() {
    std::vector<SweepItem>& heap = scratch_.next;
    const auto later = [](const SweepItem& a, const SweepItem& b) {
        return a.start > b.start || (a.start == b.start && a.least > b.least);
    };
    const auto done = [&] { return options_.goal == SweepGoal::any && best_point_ != no_index; };
    const auto push = [&](const SweepItem& item) {
        if (is_beaten(item)) return;
        heap.push_back(item);
        std::push_heap(heap.begin(), heap.end(), later);
    };
    heap.clear();
    scratch_.points.clear();
    scratch_.fresh.assign(1, root());
    while (!done()) {
        // Children start at the time of their parent, which is the current time: they need not enter the heap.
        scratch_.items.clear();
        for (const SweepItem& item : scratch_.fresh)
            if (!is_beaten(item)) scratch_.items.push_back(item);
        scratch_.fresh.clear();
        while (!heap.empty() && scratch_.items.size() < batch && !is_beaten(heap.front())) {
            std::pop_heap(heap.begin(), heap.end(), later);
            scratch_.items.push_back(heap.back());
            heap.pop_back();
        }
        if (scratch_.items.empty()) break;
        evaluate_all();
        for (std::size_t k = 0; k < scratch_.items.size() && !done(); ++k) {
            SweepItem item = scratch_.items[k];
            const Step found = step(k, item);
            if (found == Step::drop || is_beaten(item)) continue;
            if (item.is_point() && found == Step::open)
                test_point(item);
            else if (found == Step::advance)
                push(item);
            else
                each_child(item, scratch_.speeds[k], [&](const SweepItem& child) { scratch_.fresh.push_back(child); });
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
    ShellSweepHit& hit = out_.first;
    const bool touches = best_point_ != no_index && (options_.goal == SweepGoal::all || best_.time <= options_.latest);
    if (!touches && !(open_ <= 1)) return;
    hit.status = touches ? Status::overlapping : Status::undecided;
    hit.time = touches ? std::min(best_.time, open_) : open_;
    if (!touches) return;
    hit.error = best_.time + best_.error - hit.time;
    hit.point = best_point_;
    const Vec3 seen = motion_.at(shell_.points[best_point_], best_.time);
    const Mover field_mover(field_motion_);
    const Pose pose = field_mover.pose(best_.time);
    hit.position = pose * seen;
    const Vec3 gradient = field_.sample(seen).gradient;
    // If the gradient is zero, the normal is the direction of the point's motion.
    const Segment chord = motion_.chord(shell_.points[best_point_]);
    const Vec3 against = gradient.norm() > 0 ? Vec3(-gradient) : Vec3(chord.end - chord.start);
    hit.normal = against.norm() > 0 ? pose.rotate(against.normalized()) : Vec3::UnitX();
    if (caster_.grid()) hit.cell = caster_.grid()->cell_at(seen).box;
}

void clear(ShellSweepResult& result) {
    result.first = {};
    result.contacts.clear();
    result.error_bound = 0;
    result.evaluations = result.points_tested = 0;
}

} // namespace

SweepShell::SweepShell(std::vector<Vec3> given) {
    const auto kept = std::make_shared<const std::vector<Vec3>>(std::move(given));
    *this = SweepShell(kept, *kept);
}

SweepShell::SweepShell(std::shared_ptr<const void> owner_of_points, std::span<const Vec3> given)
    : owner(std::move(owner_of_points)), points(given), tree(points) {}

void sweep(const SweepShell& shell, const Motion& shell_motion, const SegmentCaster& caster, const Motion& field_motion,
           ShellSweepResult& out, const ShellSweepOptions& options) {
    clear(out);
    if (shell.points.empty()) return;
    if (!is_finite(shell_motion) || !is_finite(field_motion)) {
        out.first = {.status = Status::undecided, .time = 0, .cell = {}};
        return;
    }
    Sweeper sweeper(shell, shell_motion, caster, field_motion, out, options);
    if (options.goal == SweepGoal::all)
        sweeper.all();
    else
        sweeper.first();
}

} // namespace fathom::point_field
