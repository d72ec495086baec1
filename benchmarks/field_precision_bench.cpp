// Tables `field-field/precision` and `field-field/cube-sphere` (Liu et al. 2024, figures 8 to 10a): bodies by formula,
// whose closest points and contacts have closed forms.
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/field_field/dual_gradient.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom::bench {

namespace {

// ---- Figure 8: a ball beside a torus, apart.

constexpr double ring = 2, tube = 0.5, radius = 1;
const Vec3 center(3.1, 1.2, 1.9); // of the ball, in the torus's frame

double exact_distance() { return std::hypot(std::hypot(center.x(), center.y()) - ring, center.z()) - tube - radius; }

// The paper's search, with its fixed step: a point of the ball goes towards the torus and is put back.
double after_iterations(const Field& ball, const Field& torus, double step, int iterations) {
    const Vec3 start = center + radius * Vec3(0.2, 0.7, 0.5); // on the ball's far side
    return field_field::nearest_to(
               {&torus, {}}, {&ball, Pose::from_translation(center)}, start,
               {.rule = field_field::StepRule::fixed, .step = step, .tolerance = 1e-30, .max_steps = iterations})
        .distance_b;
}

using Line = std::vector<Segment>;

Line circle_of(const Vec3& middle, const Vec3& u, const Vec3& v, double r, int pieces) {
    Line line;
    for (int k = 0; k < pieces; ++k) {
        const auto at = [&](int i) -> Vec3 {
            const double angle = 2 * std::numbers::pi * i / pieces;
            return middle + r * (std::cos(angle) * u + std::sin(angle) * v);
        };
        line.push_back({at(k), at(k + 1)});
    }
    return line;
}

// The two outlines in the plane through the torus's axis and the ball's centre, where the closest points lie.
double by_outlines(int pieces) {
    const Vec3 out = Vec3(center.x(), center.y(), 0).normalized();
    const Line a = circle_of(ring * out, out, Vec3::UnitZ(), tube, pieces),
               b = circle_of(center, out, Vec3::UnitZ(), radius, pieces);
    double least = HUGE_VAL;
    for (const Segment& s : a)
        for (const Segment& t : b) least = std::min(least, closest_points(s, t).squared_distance);
    return std::sqrt(least);
}

void run_precision(Report& report) {
    set_thread_count(1);
    const auto ball = std::make_shared<AnalyticField>(shapes::sphere(radius)),
               torus = std::make_shared<AnalyticField>(shapes::torus(ring, tube));
    const Shape a(ball), b(torus);
    const double exact = exact_distance();
    DistanceResult found;
    double outlines = 0;
    constexpr int repeats = 200;
    const auto repeated = [&](const auto& work) {
        return std::function<void()>([&work] {
            for (int k = 0; k < repeats; ++k) work();
        });
    };
    const auto ours = [&] { found = distance(a, Pose::from_translation(center), b, {}); };
    for (const int pieces : {5, 10, 100}) {
        const auto theirs = [&] { outlines = by_outlines(pieces); };
        const std::function<void()> rivals[] = {repeated(ours), repeated(theirs)};
        const std::vector<double> seconds = race(rivals, 3);
        report.add(
            {"precision-lines", fmt::format("distance of ball and torus; outlines of {} pieces", pieces), "us",
             1e6 * seconds[0] / repeats, fmt::format("{} pieces", pieces), 1e6 * seconds[1] / repeats,
             ratio(seconds[0], seconds[1]),
             fmt::format("off by {:.1e}, proven to {:.1e}; outlines off by {:.1e}", std::abs(found.upper_bound - exact),
                         found.upper_bound - found.lower_bound, std::abs(outlines - exact)),
             0});
    }
    for (const int iterations : {1, 3, 10, 30, 89}) {
        const double off = std::abs(after_iterations(*ball, *torus, 0.5, iterations) - exact);
        report.note(
            fmt::format("the paper's search with its step of 0.5: off by {:.1e} after {} iterations", off, iterations));
    }
    report.note(
        fmt::format("ours: error {:.1e}; the paper: 1e-17 after 89 iterations", std::abs(found.upper_bound - exact)));
    set_thread_count(0);
}

// ---- Figures 9 and 10a: a ball travels over a cube that turns.

constexpr double side = 1.466; // the diagonal is 2.54, as the paper's
constexpr double ball_radius = 0.8;
constexpr int frames = 400;

struct Frame {
    Pose cube, ball;
};

Frame frame_at(int k) {
    const double t = 2 * std::numbers::pi * k / frames;
    const Vec3 axis = Vec3(0.3, 1, 0.5).normalized();
    // Deep enough to touch faces, edges and corners, never as far as the ball's centre.
    const Vec3 at = (1.55 + 0.25 * std::sin(5 * t)) *
                    Vec3(std::cos(3 * t) * std::cos(t), std::sin(3 * t) * std::cos(t), std::sin(t));
    return {Pose::from_axis_angle(2 * t, axis), Pose::from_translation(at)};
}

void run_cube_sphere(Report& report) {
    set_thread_count(1);
    const FieldSphereTree cube(std::make_shared<AnalyticField>(shapes::box(Vec3::Constant(side)))),
        ball(std::make_shared<AnalyticField>(shapes::sphere(ball_radius)));
    double point = 0, worst_point = 0, worst_depth = 0, worst_normal = 0, microseconds = 0;
    int touching = 0, wrong = 0;
    for (int k = 0; k < frames; ++k) {
        const Frame frame = frame_at(k);
        field_field::CollideResult result;
        const std::function<void()> work[] = {
            [&] { result = field_field::collide(cube, frame.cube, ball, frame.ball); }};
        microseconds += 1e6 * race(work, 3)[0];
        // Separating axes: the point of the cube nearest to the ball's centre, which stays outside.
        const Vec3 local = frame.cube.to_local(frame.ball.translation),
                   nearest = local.cwiseMax(-0.5 * side).cwiseMin(0.5 * side);
        const double depth = ball_radius - (local - nearest).norm();
        wrong += result.status != (depth >= 0 ? Status::overlapping : Status::disjoint);
        if (depth < 0 || result.contacts.empty()) continue;
        const Contact& c = result.contacts[0];
        const Vec3 on_cube = frame.cube * nearest, out = (frame.ball.translation - on_cube).normalized();
        const double off =
            std::max((c.point_a - on_cube).norm(), (c.point_b - (frame.ball.translation - ball_radius * out)).norm());
        point += off;
        worst_point = std::max(worst_point, off);
        worst_depth = std::max(worst_depth, std::abs(c.depth - depth));
        worst_normal = std::max(worst_normal, (c.normal - out).norm());
        ++touching;
    }
    report.add({"cube-sphere", fmt::format("{} frames, {} in contact: contacts", frames, touching), "us/frame",
                microseconds / frames, "", 0, 0,
                fmt::format("points off by {:.1e} mean, {:.1e} worst; depth {:.1e}, normal {:.1e}; {} frames wrong; "
                            "the paper: about 1e-5",
                            point / std::max(touching, 1), worst_point, worst_depth, worst_normal, wrong),
                0});
    set_thread_count(0);
}

const Registration precision("field-field/precision", "closest points of two curved bodies, beside outlines of lines",
                             run_precision);
const Registration cube_sphere("field-field/cube-sphere", "contacts of a cube and a ball, beside the exact ones",
                               run_cube_sphere);

} // namespace

} // namespace fathom::bench
