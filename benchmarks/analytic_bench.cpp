// Table `fields`, formulas: run from a tape, beside the same formulas written as plain C++ and compiled. One thread.
#include <benchmarks/report.h>
#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/analytic/tape.h>

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace fathom::bench {

namespace {

using namespace fathom::shapes;

// ---- The rival: what one would write by hand, for numbers and for intervals of the library.

double square(double x) { return x * x; }
using fathom::abs, fathom::max, fathom::min, fathom::sqrt;
using fathom::square;
using std::abs, std::max, std::min, std::sqrt;

template <class T>
struct Point {
    T x, y, z;
};

enum class Form { box, cylinder, torus };

struct Part {
    Form form;
    Vec3 move;
    double angle;
    Vec3 axis;
    Vec3 size;
    std::array<double, 9> back; // rotation to the part's own frame, row by row

    [[nodiscard]] AnalyticExpression solid() const {
        if (form == Form::box) return shapes::box(size);
        return form == Form::cylinder ? cylinder(size.x(), size.y()) : torus(size.x(), size.y());
    }
    [[nodiscard]] AnalyticExpression shape() const { return translate(move, rotate(angle, axis, solid())); }
};

template <class T>
T ball(const Point<T>& p, double radius) {
    return sqrt(square(p.x) + square(p.y) + square(p.z)) - T(radius);
}

template <class T>
T brick(const Point<T>& p, double x, double y, double z) {
    const T qx = abs(p.x) - T(x), qy = abs(p.y) - T(y), qz = abs(p.z) - T(z), none(0.0);
    return sqrt(square(max(qx, none)) + square(max(qy, none)) + square(max(qz, none))) +
           min(max(qx, max(qy, qz)), none);
}

template <class T>
T blended(const T& a, const T& b, double width) {
    const T h = max(T(width) - abs(a - b), T(0.0));
    return min(a, b) - square(h) * T(0.25 / width);
}

template <class T>
T part_distance(const Part& part, const Point<T>& p) {
    const auto& m = part.back;
    const T x = p.x - T(part.move.x()), y = p.y - T(part.move.y()), z = p.z - T(part.move.z());
    const Point<T> q{T(m[0]) * x + T(m[1]) * y + T(m[2]) * z, T(m[3]) * x + T(m[4]) * y + T(m[5]) * z,
                     T(m[6]) * x + T(m[7]) * y + T(m[8]) * z};
    if (part.form == Form::box) return brick(q, 0.5 * part.size.x(), 0.5 * part.size.y(), 0.5 * part.size.z());
    const T r = sqrt(square(q.x) + square(q.y));
    if (part.form == Form::torus) return sqrt(square(r - T(part.size.x())) + square(q.z)) - T(part.size.y());
    const T side = r - T(part.size.x()), cap = abs(q.z) - T(0.5 * part.size.y()), none(0.0);
    return sqrt(square(max(side, none)) + square(max(cap, none))) + min(max(side, cap), none);
}

constexpr double smoothing = 0.2;

// The pair of the smallest formula; else the parts, and a ball taken away smoothly. The parts are sorted by
// form, so that the branches of the loop are foreseen.
template <class T>
T by_hand(const std::vector<Part>& parts, const Point<T>& p) {
    if (parts.empty()) return blended(ball(p, 0.6), brick(p, 0.5, 0.25, 0.4), smoothing);
    T nearest(1e9);
    for (const Part& part : parts) nearest = min(nearest, part_distance(part, p));
    return -blended(-nearest, ball(p, 0.7), smoothing);
}

void distances_by_hand(const std::vector<Part>& parts, const std::vector<Vec3>& points, std::vector<double>& out) {
    for (std::size_t i = 0; i < points.size(); ++i)
        out[i] = by_hand(parts, Point<double>{points[i].x(), points[i].y(), points[i].z()});
}

// ---- Ours

std::vector<Part> random_parts(std::size_t count) {
    Random random(1);
    std::vector<Part> parts;
    for (std::size_t k = 0; k < count; ++k) {
        const Form form = k < count / 3 ? Form::box : k < 2 * count / 3 ? Form::cylinder : Form::torus;
        Part part{form, 1.5 * random.in_ball(), random.uniform(-3, 3), random.direction(), {}, {}};
        part.size = {random.uniform(0.1, 0.3), random.uniform(0.05, 0.1), random.uniform(0.1, 0.3)};
        const Mat3 back = Eigen::AngleAxisd(-part.angle, part.axis).toRotationMatrix();
        for (int i = 0; i < 9; ++i) part.back[static_cast<std::size_t>(i)] = back(i / 3, i % 3);
        parts.push_back(part);
    }
    return parts;
}

AnalyticExpression shape_of(const std::vector<Part>& parts) {
    if (parts.empty()) return smooth_union(sphere(0.6), shapes::box({1, 0.5, 0.8}), smoothing);
    std::vector<AnalyticExpression> list;
    for (const Part& part : parts) list.push_back(part.shape());
    return smooth_difference(union_of(list), sphere(0.7), smoothing);
}

const Box region = Box::around(Vec3::Zero(), Vec3::Constant(2));

void add_rates(Report& report, const std::string& id, const std::string& work, std::size_t count,
               const std::vector<double>& seconds, std::string error) {
    const double ours = 1e-6 * static_cast<double>(count) / seconds[0],
                 theirs = 1e-6 * static_cast<double>(count) / seconds[1];
    report.add({id, work, "M/s", ours, "plain C++", theirs, ratio(ours, theirs, Better::larger), std::move(error), 0});
}

void race_points(Report& report, const AnalyticField& field, const std::vector<Part>& parts) {
    Random random(2);
    std::vector<Vec3> points(parts.size() > 50 ? 20000 : 100000);
    for (Vec3& p : points) p = random.in_box(region);
    std::vector<double> ours(points.size()), theirs(points.size());
    const std::function<void()> rivals[] = {[&] { field.distances(points, ours); },
                                            [&] { distances_by_hand(parts, points, theirs); }};
    const auto seconds = race(rivals, 9);
    double largest = 0;
    for (std::size_t i = 0; i < points.size(); ++i) largest = std::max(largest, std::abs(ours[i] - theirs[i]));
    const std::size_t nodes = field.expression().weight();
    add_rates(report, fmt::format("analytic-points-{}", nodes),
              fmt::format("distances, {} shapes, {} instructions", nodes, field.tape().size()), points.size(), seconds,
              fmt::format("{:.1e} m apart", largest));
}

void race_intervals(Report& report, const AnalyticField& field, const std::vector<Part>& parts) {
    Random random(3);
    std::vector<Box> boxes(parts.size() > 50 ? 4000 : 20000);
    for (Box& box : boxes) box = Box::around(random.in_box(region), Vec3::Constant(std::exp2(-6 * random.uniform())));
    std::vector<Interval> ours(boxes.size()), theirs(boxes.size());
    const auto hand = [&](const Box& b) {
        return by_hand(
            parts, Point<Interval>{{b.lower.x(), b.upper.x()}, {b.lower.y(), b.upper.y()}, {b.lower.z(), b.upper.z()}});
    };
    const std::function<void()> rivals[] = {[&] { field.ranges(boxes, ours); },
                                            [&] {
                                                for (std::size_t i = 0; i < boxes.size(); ++i)
                                                    theirs[i] = hand(boxes[i]);
                                            }};
    const auto seconds = race(rivals, 9);
    double width = 0, their_width = 0;
    std::size_t missed = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        width += ours[i].width(), their_width += theirs[i].width();
        missed += !ours[i].contains(field.distance(random.in_box(boxes[i])));
    }
    const std::size_t nodes = field.expression().weight();
    add_rates(report, fmt::format("analytic-intervals-{}", nodes), fmt::format("ranges over boxes, {} shapes", nodes),
              boxes.size(), seconds,
              fmt::format("{} of {} miss; {:.2f} of plain width", missed, boxes.size(), width / their_width));
}

// A grid of boxes with many points each, as a search or a renderer asks: the time includes the shortening.
void race_shortened(Report& report, const AnalyticField& field, const std::vector<Part>& parts) {
    constexpr std::size_t per_box = 512;
    std::vector<Box> boxes;
    std::vector<Vec3> points;
    Random random(4);
    for (int k = 0; k < 64; ++k) {
        boxes.push_back(
            Box::around(region.corner(0) + Vec3(k % 4 + 0.5, k / 4 % 4 + 0.5, k / 16 + 0.5), Vec3::Constant(0.125)));
        for (std::size_t i = 0; i < per_box; ++i) points.push_back(random.in_box(boxes.back()));
    }
    std::vector<double> ours(points.size()), theirs(points.size()), full(points.size());
    Tape part;
    std::size_t size = 0;
    const std::function<void()> rivals[] = {
        [&] {
            size = 0;
            for (std::size_t k = 0; k < boxes.size(); ++k) {
                field.tape().shorten(boxes[k], part);
                size += part.size();
                part.distances({points.data() + k * per_box, per_box}, {ours.data() + k * per_box, per_box});
            }
        },
        [&] { distances_by_hand(parts, points, theirs); }};
    const auto seconds = race(rivals, 9);
    field.distances(points, full);
    double largest = 0;
    for (std::size_t i = 0; i < points.size(); ++i) largest = std::max(largest, std::abs(ours[i] - full[i]));
    add_rates(report, "analytic-shortened-300",
              fmt::format("distances in 64 boxes, tape {} -> {}", field.tape().size(), size / boxes.size()),
              points.size(), seconds, fmt::format("{:.1e} m from the full tape", largest));
}

void run(Report& report) {
    for (const std::size_t count : {0u, 9u, 99u}) {
        const std::vector<Part> parts = random_parts(count);
        const AnalyticField field(shape_of(parts));
        race_points(report, field, parts);
        race_intervals(report, field, parts);
        if (count == 99) race_shortened(report, field, parts);
    }
    report.note("points and boxes in batches, one thread; plain C++ is scalar, -O3, no -march; its intervals lack the "
                "Lipschitz ball");
}

const Registration registration("fields/analytic", "distance by formula", run);

} // namespace

} // namespace fathom::bench
