// Search through space and time in the order of time.
#include <fathom/detect/field_field/field_sweep.h>

#include <fathom/base/error.h>
#include <fathom/base/motion.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/bounds/octants.h>
#include <fathom/detect/bounds/transformed_field.h>
#include <fathom/detect/field_field/field_overlap.h>

#include <fmt/format.h>

#include <array>

namespace fathom::field_field {

namespace {

constexpr std::size_t start_budget = 20'000; // limit on field evaluations for the overlap test at time 0
constexpr int rounds = 12;                   // of Newton's method in time, at most
constexpr int descents = 12;                 // steps in space for each round
constexpr double smallest_cell = 1e-13;      // radius, of the bodies' size: smaller cells stay open
constexpr double most_noise = 1e-5;          // of the bodies' size: bounds on rounding above this are too pessimistic
constexpr double close_enough = 20;          // tolerances between the proven and the seen time if cells stay open
constexpr double shortest_lead = 1e-12;      // of time: shortest lead at which the normal before contact is computed

struct Node {
    Box box;
    Vec3 center;
    double radius;
    double value;    // of the subdivided body's field at the centre
    TapePtr tape;    // valid in the box
    Index first = 0; // first child
    std::uint8_t children = 0;
    bool opened = false;
    bool has_plane = false;
    PlaneOver plane{}; // bounds the subdivided body in the box, once has_plane is set
};

// A node from time `start` on; `hop` is half the length of the next interval to test.
struct QueueItem {
    double start;
    double hop;
    Index node;
};
bool later(const QueueItem& a, const QueueItem& b) { return a.start != b.start ? a.start > b.start : a.node > b.node; }

// Values of the two fields at a point where they nearly touch, in the frame of the subdivided body.
struct ContactState {
    double cut, other; // distances to their levels: value / slope (m)
    Vec3 cut_normal, other_normal;
    bool common = false;

    [[nodiscard]] double gap() const { return cut + other; }
};

class FieldSweeper {
public:
    // Tests cells of `cut`, the subdivided body, in the field of `other`.
    FieldSweeper(const Field& cut, const Motion& cut_motion, const Field& other, const Motion& other_motion,
                 const FieldSweepOptions& options, FieldSweep& out)
        : cut_motion_(cut_motion), motion_(cut_motion, other_motion, Path::screw), options_(options), out_(out),
          end_(options.latest), turning_(screw_between(cut_motion.start, cut_motion.end).angle +
                                         screw_between(other_motion.start, other_motion.end).angle),
          root_(cut.level_bounds(options.level)), cut_(cut, {}, options.level, 0), other_(other, {}, options.level, 0) {
        const Segment chord = motion_.chord(root_.center());
        slack_ = position_rounding(chord.start.norm(), chord.end.norm(), root_.center().norm(), root_.diagonal(),
                                   cut_motion.start.translation.norm(), cut_motion.end.translation.norm(),
                                   other_motion.start.translation.norm(), other_motion.end.translation.norm());
        const Box other_bounds = other.level_bounds(options.level);
        size_ = root_.half().norm();
        if (const double half = other_bounds.half().norm(); std::isfinite(half) && !other_bounds.empty())
            size_ = std::max(size_, half);
        // Where the values are rounded by this much, the error of planes over cells of radius r, about r^2 / size, need
        // not be smaller.
        const double noise = cut.value_bounds(options.level).jump + other.value_bounds(options.level).jump;
        smallest_ = std::max(smallest_cell * size_, 0.01 * std::sqrt(std::min(noise, most_noise * size_) * size_));
        spheres_ = other_.clear(1e3 * size_) > 0; // false: the field has no bound on its slope, and its range is used
    }

    // `start_clear`: the bodies are proven disjoint at time 0. The first contact is then on the surfaces, and cells in
    // the interior are not needed.
    void run(bool start_clear);
    // Whether the values of a field are distances up to rounding.
    [[nodiscard]] bool is_exact(const Field& field) const { return field.error_bound() < 1e-9 * size_; }
    void use(const ClearanceProof* cut, const ClearanceProof* other) { cut_proof_ = cut, other_proof_ = other; }
    void note_contact(double time, const Vec3& point); // in the frame of the subdivided body
    void finish(bool cut_is_a);

private:
    enum class Step { drop, advance, open };
    Index add(const Box& box, double value, const TapePtr& tape);
    void open(Index index);
    [[nodiscard]] Step step(QueueItem& item);
    [[nodiscard]] bool proven_apart(const Node& node, const Vec3& place, double value, double middle, double distance);
    [[nodiscard]] PlaneOver plane_over(const TransformedField& body, const ClearanceProof& proof, const Box& box,
                                       double gap, const Vec3& facing);
    [[nodiscard]] bool apart_by_planes(Node& node, const Vec3& place, double value, double middle, double distance);
    void push(const QueueItem& item) {
        heap_.push_back(item);
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    void look_for_contact(const QueueItem& item);
    [[nodiscard]] Mat3 rotation_at(double time) const;
    [[nodiscard]] ContactState contact_state(const Vec3& point, double time, const Mat3& rotation);
    [[nodiscard]] Vec3 facing(const Vec3& point, double time);
    [[nodiscard]] Vec3 descend(Vec3 point, double time, const Mat3& rotation, double first_step);
    bool note_if_common(const Vec3& point, double time, const ContactState& state);
    [[nodiscard]] Vec3 contact_normal();
    [[nodiscard]] bool out_of_budget() const { return out_.evaluations >= options_.max_evaluations; }

    const Motion& cut_motion_;
    RelativeMotion motion_;
    const FieldSweepOptions& options_;
    FieldSweep& out_;
    double end_;     // end of the time interval to be proven clear
    double turning_; // bound on the relative angular speed (rad per unit of time)
    Box root_;
    TransformedField cut_, other_;
    double slack_, size_, smallest_; // smallest_: radius of the cells that are not subdivided (m)
    const ClearanceProof *cut_proof_ = nullptr, *other_proof_ = nullptr;
    bool spheres_;
    bool start_clear_ = false;
    std::vector<Node> nodes_;
    std::vector<QueueItem> heap_;
    double unresolved_ = HUGE_VAL; // earliest time at which a cell reached the smallest size
    double seen_ = HUGE_VAL;       // earliest time at which a common point was found
    Vec3 seen_point_ = Vec3::Zero();
    double tried_radius_ = HUGE_VAL, tried_start_ = -1;
};

void FieldSweeper::note_contact(double time, const Vec3& point) {
    if (!(time < seen_)) return;
    seen_ = time;
    seen_point_ = point;
    end_ = std::min(end_, time - options_.tolerance);
}

Index FieldSweeper::add(const Box& box, double value, const TapePtr& tape) {
    nodes_.push_back({box, box.center(), outward(box.half().norm()), value, tape});
    return static_cast<Index>(nodes_.size() - 1);
}

// Creates the children that may contain interior points of the subdivided body.
void FieldSweeper::open(Index index) {
    const Box parent = nodes_[index].box;
    const TapePtr tape = cut_.shortened(nodes_[index].tape, parent);
    std::array<Box, 8> boxes;
    std::array<Vec3, 8> centers;
    std::array<double, 8> values;
    std::array<Interval, 8> ranges;
    const std::size_t count = octants(parent, boxes);
    for (std::size_t k = 0; k < count; ++k) centers[k] = boxes[k].center();
    cut_.distances(tape, std::span(centers).first(count), std::span(values).first(count));
    cut_.ranges(tape, std::span(boxes).first(count), std::span(ranges).first(count));
    out_.evaluations += 2 * count;
    const Index first = static_cast<Index>(nodes_.size());
    for (std::size_t k = 0; k < count; ++k) {
        const double radius = outward(boxes[k].half().norm());
        if (ranges[k].lower > options_.level || cut_.clear(values[k]) > radius) continue;
        if (start_clear_ && ranges[k].upper < options_.level) continue;
        add(boxes[k], values[k], tape);
    }
    nodes_[index].first = first;
    nodes_[index].children = static_cast<std::uint8_t>(nodes_.size() - first);
    nodes_[index].opened = true;
}

// Proof by two spheres: one is free of the subdivided body and moves with it, the other is free of the other body and
// reduced by the travel of the points.
bool FieldSweeper::proven_apart(const Node& node, const Vec3& place, double value, double middle, double distance) {
    const double room = node.value + value - 2 * options_.level - distance, saved = node.radius / room;
    if (!(room > 0) || saved * saved < cut_.cost_of_whole(node.tape)) return false;
    const double offset = sphere_offset(node.radius, room, size_);
    if (!(offset > 0) ||
        !(cut_.clear_upper_bound(node.value, offset) + other_.clear_upper_bound(value, offset) - distance > 2 * offset))
        return false;
    const Vec3 out_of_cut = cut_.sample(node.tape, node.center).gradient,
               out_of_other = other_.sample(other_.tape(), place).gradient;
    out_.evaluations += 2;
    if (!(out_of_cut.norm() > 0 && out_of_other.norm() > 0)) return false;
    const Mat3 rotation = rotation_at(middle);
    const double loss = slack_ * (1 + offset / size_);
    const auto free_of_cut = [&](const Vec3& q) {
        ++out_.evaluations;
        return cut_.clear(cut_.field().distance(node.center + rotation.transpose() * (q - place))) - loss;
    };
    const auto free_of_other = [&](const Vec3& q) {
        ++out_.evaluations;
        return other_.clear(other_.field().distance(q)) - loss - distance;
    };
    return two_spheres_cover({place, node.radius}, rotation * out_of_cut.normalized(), out_of_other.normalized(),
                             offset, free_of_cut, free_of_other);
}

// A plane that bounds a body in a box of its frame: by its slopes or, for an exact distance, by a large empty sphere
// about a point far out along the gradient. An offset of minus infinity: the box is empty.
PlaneOver FieldSweeper::plane_over(const TransformedField& body, const ClearanceProof& proof, const Box& box,
                                   double gap, const Vec3& facing) {
    Interval range;
    PlaneOver plane;
    proof.bounds_of({&box, 1}, {&range, 1}, {&plane, 1}, facing);
    ++out_.evaluations;
    if (range.lower > 0) return {Vec3::UnitX(), -HUGE_VAL};
    if (plane.offset < HUGE_VAL || !is_exact(body.field())) return plane;
    const double radius = outward(box.half().norm()),
                 far = std::clamp(radius * radius / gap, 16 * radius, std::max(0.5 * size_, 16 * radius));
    const Vec3 normal = body.field().sample(box.center()).gradient.stableNormalized(),
               center = box.center() + far * normal;
    const double free = body.clear(body.field().distance(center));
    out_.evaluations += 2;
    if (!(free > 0)) return plane;
    return {normal,
            (radius * radius + (far - free) * (far + free)) / (2 * far) + position_rounding(center.norm(), far)};
}

// Proof by two planes that bound the bodies in the cell, the one of the other body moved by the travel of the points: a
// common point y, relative to the centre, has normal . y <= offset for both, and hence for their sum.
bool FieldSweeper::apart_by_planes(Node& node, const Vec3& place, double value, double middle, double distance) {
    if (!cut_proof_ || !other_proof_ || options_.level != 0) return false;
    if (!(node.value + value > 0.5 * distance) || distance > 2 * node.radius) return false;
    const double gap = node.value + value;
    const Mat3 rotation = rotation_at(middle);
    if (!node.has_plane) {
        const ContactState at = contact_state(node.center, middle, rotation);
        node.plane = plane_over(cut_, *cut_proof_, node.box, gap, (at.cut_normal - at.other_normal).stableNormalized());
        node.has_plane = true;
    }
    if (!(node.plane.offset < HUGE_VAL)) return node.plane.offset == -HUGE_VAL;
    const PlaneOver facing =
        plane_over(other_, *other_proof_, Box::around(place, Vec3::Constant(node.radius + distance)), gap,
                   rotation * -node.plane.normal);
    if (!(facing.offset < HUGE_VAL)) return false;
    const Vec3 sum = node.plane.normal + rotation.transpose() * facing.normal;
    return node.plane.offset + facing.offset + distance + slack_ < -outward(sum.norm() * node.radius);
}

FieldSweeper::Step FieldSweeper::step(QueueItem& item) {
    Node& node = nodes_[item.node];
    const bool to_the_end = item.start + 2 * item.hop >= end_;
    const double last = to_the_end ? end_ : item.start + 2 * item.hop, middle = 0.5 * (item.start + last),
                 ahead = middle - item.start;
    const RelativeMotion::State state = motion_.over(node.center, item.start, last);
    const double value = other_.field().distance(state.position);
    ++out_.evaluations;
    if (node.value <= options_.level && value <= options_.level) {
        note_contact(middle, node.center);
        if (item.start >= end_) return Step::drop;
    }
    const double distance = state.speed * ahead + slack_, clear = other_.clear(value) - node.radius - slack_;
    if (clear > distance) {
        if (to_the_end) return Step::drop;
        item.start = middle + std::min(clear / state.speed, ahead);
        item.hop = 1.5 * std::max(item.hop, clear / state.speed);
        return Step::advance;
    }
    // Points away from the centre also rotate about it.
    const double distance_with_rotation = distance + turning_ * node.radius * ahead,
                 gap = node.value + value - 2 * options_.level;
    bool apart = spheres_ && proven_apart(node, state.position, value, middle, distance_with_rotation);
    if (!spheres_) {
        apart = other_.field().range(Box::around(state.position, Vec3::Constant(node.radius + distance))).lower >
                options_.level;
        ++out_.evaluations;
    }
    apart = apart || apart_by_planes(node, state.position, value, middle, distance_with_rotation);
    if (apart) {
        if (to_the_end) return Step::drop;
        item.start = last;
        item.hop *= 1.5;
        return Step::advance;
    }
    // A shorter interval helps if the travel is large compared with the cell, or if spheres as large as the gap allows
    // might suffice.
    const bool sphere_may_suffice =
        spheres_ && gap > 0 && node.radius * node.radius < 0.05 * gap * size_ && distance_with_rotation > 0.2 * gap;
    if (distance > 0.5 * node.radius || sphere_may_suffice) {
        item.hop = std::max(0.25 * ahead, std::min(0.8 * clear / state.speed, 0.8 * ahead));
        if (item.hop > 1e-3 * options_.tolerance) return Step::advance;
    }
    item.hop = ahead;
    return Step::open;
}

Mat3 FieldSweeper::rotation_at(double time) const {
    const Vec3 origin = motion_.at(Vec3::Zero(), time);
    Mat3 rotation;
    for (int k = 0; k < 3; ++k) rotation.col(k) = (motion_.at(size_ * Vec3::Unit(k), time) - origin) / size_;
    return rotation;
}

ContactState FieldSweeper::contact_state(const Vec3& point, double time, const Mat3& rotation) {
    const Sample cut = cut_.field().sample(point), other = other_.field().sample(motion_.at(point, time));
    out_.evaluations += 2;
    const double cut_slope = cut.gradient.norm(), other_slope = other.gradient.norm();
    ContactState result;
    result.common = cut.distance <= options_.level && other.distance <= options_.level;
    result.cut = (cut.distance - options_.level) / cut_slope;
    result.other = (other.distance - options_.level) / other_slope;
    result.cut_normal = cut.gradient / cut_slope;
    result.other_normal = rotation.transpose() * other.gradient / other_slope;
    return result;
}

// A point of the subdivided body's surface that faces the other body: at the centre of a cell the slopes may be
// meaningless.
Vec3 FieldSweeper::facing(const Vec3& point, double time) {
    const Mat3 rotation = rotation_at(time);
    const ContactState near_cut = contact_state(point, time, rotation);
    const Vec3 on_other = point - near_cut.other * near_cut.other_normal;
    const ContactState near_other = contact_state(on_other, time, rotation);
    const Vec3 result = on_other - near_other.cut * near_other.cut_normal;
    return is_finite(result) ? result : point;
}

// Descends to the point where the sum of the two distances is smallest and they are equal: for disjoint bodies, the
// midpoint of the closest points. Step lengths follow Barzilai & Borwein 1988.
Vec3 FieldSweeper::descend(Vec3 point, double time, const Mat3& rotation, double first_step) {
    Vec3 best = point, last_point = point, last_slope = Vec3::Zero();
    double least = HUGE_VAL, length = first_step;
    for (int k = 0; k < descents; ++k) {
        const ContactState state = contact_state(point, time, rotation);
        if (!std::isfinite(state.gap())) break;
        const Vec3 balanced = point - 0.5 * (state.cut - state.other) * state.cut_normal;
        if (state.gap() < least) {
            least = state.gap();
            best = balanced;
        }
        const Vec3 slope = state.cut_normal + state.other_normal;
        if (slope.norm() < 1e-9) break;
        if (k > 0) {
            const Vec3 moved = point - last_point, change = slope - last_slope;
            const double bend = moved.dot(change);
            length = bend > 0 ? moved.squaredNorm() / bend : 2 * length;
        }
        last_point = point;
        last_slope = slope;
        point = balanced - std::min(length, size_) * slope;
    }
    return best;
}

// Tests the point itself, and points just inside either surface: the midpoint may miss a thin body.
bool FieldSweeper::note_if_common(const Vec3& point, double time, const ContactState& state) {
    if (state.common) {
        note_contact(time, point);
        return true;
    }
    for (double depth = -0.5 * state.gap(); depth > -1e-4 * state.gap() && state.gap() < 0; depth *= 0.1)
        for (const Vec3& p : {Vec3(point - (state.other + depth) * state.other_normal),
                              Vec3(point - (state.cut + depth) * state.cut_normal)}) {
            out_.evaluations += 2;
            if (cut_.field().distance(p) > options_.level ||
                !(other_.field().distance(motion_.at(p, time)) <= options_.level))
                continue;
            note_contact(time, p);
            return true;
        }
    return false;
}

// Searches for a contact from a cell that may be the first to touch. The result is not a proof of the first contact,
// but a common point is a witness.
void FieldSweeper::look_for_contact(const QueueItem& item) {
    const Node& node = nodes_[item.node];
    if (node.radius > 0.6 * tried_radius_ && item.start - tried_start_ < 0.1 * (end_ - tried_start_)) return;
    tried_radius_ = node.radius;
    tried_start_ = item.start;
    double time = item.start;
    Vec3 point = facing(node.center, time);
    for (int round = 0; round < rounds; ++round) {
        const Mat3 rotation = rotation_at(time);
        point = descend(point, time, rotation, std::max(std::abs(node.value), node.radius));
        const ContactState state = contact_state(point, time, rotation);
        const bool common = note_if_common(point, time, state);
        const double rate = state.other_normal.dot(rotation.transpose() * motion_.over(point, time, time).velocity);
        if (!(rate < 0) || !std::isfinite(state.gap())) return;
        const double move = -state.gap() / rate + 0.3 * options_.tolerance;
        if (common && std::abs(move) < 0.5 * options_.tolerance) return;
        const double next = std::clamp(time + move, 0.0, options_.latest);
        if (next == time || (next >= seen_ && move > 0)) return;
        time = next;
    }
}

void FieldSweeper::run(bool start_clear) {
    start_clear_ = start_clear;
    const Vec3 center = root_.center();
    out_.evaluations += 2;
    if (cut_.field().range(root_).lower > options_.level) return;
    add(root_, cut_.field().distance(center), cut_.tape());
    push({0, std::max(0.5 * end_, 1e-300), 0});
    while (!heap_.empty() && heap_.front().start < end_ && !out_of_budget()) {
        // What stays open bounds the time already.
        if (heap_.front().start > unresolved_ && seen_ - unresolved_ < close_enough * options_.tolerance) break;
        std::pop_heap(heap_.begin(), heap_.end(), later);
        QueueItem item = heap_.back();
        heap_.pop_back();
        const Step what = step(item);
        if (what == Step::drop || item.start >= end_) continue;
        if (what == Step::advance) {
            push(item);
            continue;
        }
        look_for_contact(item);
        const double speed = motion_.over(nodes_[item.node].center, item.start, item.start).speed;
        if (nodes_[item.node].radius <= std::max(1e-2 * speed * options_.tolerance, smallest_)) {
            unresolved_ = std::min(unresolved_, item.start);
            push({item.start + options_.tolerance, options_.tolerance, item.node});
            continue;
        }
        if (!nodes_[item.node].opened) open(item.node);
        const Node& node = nodes_[item.node];
        for (Index c = 0; c < node.children; ++c) push({item.start, item.hop, node.first + c});
    }
}

void FieldSweeper::finish(bool cut_is_a) {
    const double open_from = heap_.empty() ? HUGE_VAL : heap_.front().start;
    const double proven = std::max(0.0, std::min({end_, unresolved_, open_from}));
    const bool seen = seen_ < HUGE_VAL, all_clear = proven >= options_.latest && (options_.latest > 0 || start_clear_);
    out_.status = seen ? Status::overlapping : all_clear ? Status::disjoint : Status::undecided;
    out_.time = proven;
    out_.budget_exhausted = proven < end_;
    if (!seen) return;
    out_.time = std::min(proven, seen_);
    out_.error = seen_ - out_.time;
    const Pose pose = Mover(cut_motion_).pose(seen_);
    const Vec3 normal = contact_normal();
    out_.point = pose * seen_point_;
    out_.normal = normal.norm() > 0 ? Vec3((cut_is_a ? 1.0 : -1.0) * pose.rotate(normal.normalized())) : Vec3::UnitX();
}

// Normal out of the subdivided body, from just before contact if possible: between disjoint bodies the normal is unique
// also at corners and edges.
Vec3 FieldSweeper::contact_normal() {
    const Mat3 rotation = rotation_at(seen_);
    const ContactState state = contact_state(seen_point_, seen_, rotation);
    const Vec3 mean = state.cut_normal - state.other_normal;
    Vec3 normal = mean.norm() > 1e-9 ? mean : state.cut_normal;
    const double before = std::max(0.0, seen_ - 10 * std::max(out_.error, shortest_lead)),
                 distance = motion_.over(seen_point_, before, seen_).speed * (seen_ - before);
    double best = -0.9; // cosine between the two normals
    for (const Vec3& start : {seen_point_, Vec3(seen_point_ + distance * state.cut_normal),
                              Vec3(seen_point_ - distance * state.other_normal)}) {
        const Mat3 earlier = rotation_at(before);
        const ContactState apart = contact_state(descend(start, before, earlier, distance), before, earlier);
        const double cosine = apart.cut_normal.dot(apart.other_normal);
        if (!(apart.cut > 0 && apart.other > 0 && cosine < best)) continue;
        best = cosine;
        normal = apart.cut_normal - apart.other_normal;
    }
    return normal;
}

double reach_of(const Motion& motion) { return motion.start.translation.norm() + motion.end.translation.norm(); }

void check(const FieldSweepOptions& options) {
    const auto refuse = [](const char* option, double value) {
        throw Error(Cause::invalid_argument, fmt::format("the value {} is out of range", value),
                    {.element = fmt::format("option {}", option)});
    };
    if (!(options.tolerance > 0 && options.tolerance <= 1)) refuse("tolerance", options.tolerance);
    if (!(options.latest >= 0 && options.latest <= 1)) refuse("latest", options.latest);
    if (!std::isfinite(options.level)) refuse("level", options.level);
}

double diagonal(const Field& field, double level) {
    const Box box = field.level_bounds(level);
    const double length = box.diagonal();
    return std::isfinite(length) ? length : HUGE_VAL;
}

} // namespace

FieldSweep field_sweep(const Field& a, const Motion& motion_a, const Field& b, const Motion& motion_b,
                       const FieldSweepOptions& options) {
    check(options);
    const double size_a = diagonal(a, options.level), size_b = diagonal(b, options.level);
    if (size_a == HUGE_VAL && size_b == HUGE_VAL)
        throw Error(Cause::invalid_argument, "both fields are unbounded", {.element = "field"});
    FieldSweep out;
    out.time = 0;
    out.status = Status::undecided;
    if (!is_finite(motion_a) || !is_finite(motion_b) || !(reach_of(motion_a) + reach_of(motion_b) < 1e100)) return out;
    // The body whose field gives better clearance spheres is evaluated, and the other one is subdivided; if they are
    // equal, the smaller one is subdivided.
    const auto has_spheres = [](const Field& field) {
        return std::isfinite(field.lipschitz()) || std::isfinite(field.error_bound());
    };
    bool cut_a = has_spheres(a) != has_spheres(b) ? has_spheres(b) : size_a <= size_b;
    if (size_a == HUGE_VAL) cut_a = false;
    if (size_b == HUGE_VAL) cut_a = true;
    FieldOverlapOptions at_start{
        .depth = 40, .order = OverlapOrder::best_first, .stop_at_first = true, .level = options.level};
    at_start.max_evaluations = std::min(start_budget, options.max_evaluations / 4);
    at_start.keep_cells = false;
    const FieldOverlap start = field_overlap(a, motion_a.start, b, motion_b.start, at_start);
    out.evaluations = start.evaluations;
    FieldSweeper sweeper(cut_a ? a : b, cut_a ? motion_a : motion_b, cut_a ? b : a, cut_a ? motion_b : motion_a,
                         options, out);
    // Exact distances prove as much by spheres.
    if (!sweeper.is_exact(a) || !sweeper.is_exact(b))
        sweeper.use(cut_a ? options.proof_a : options.proof_b, cut_a ? options.proof_b : options.proof_a);
    if (start.status == Status::overlapping)
        sweeper.note_contact(0, (cut_a ? motion_a : motion_b).start.to_local(start.witness));
    else
        sweeper.run(start.status == Status::disjoint);
    sweeper.finish(cut_a);
    return out;
}

} // namespace fathom::field_field
