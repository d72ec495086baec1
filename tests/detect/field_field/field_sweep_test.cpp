#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/field_field/field_sweep.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>

#include "support/test_counts.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace fathom {
namespace field_sweep_test {

FieldPtr formula(const AnalyticExpression& shape) { return std::make_shared<AnalyticField>(shape); }

Motion slide(const Vec3& from, const Vec3& to) { return {Pose::from_translation(from), Pose::from_translation(to)}; }

// The first time in [0,1] at which a function of time that changes by at most `slope` is at most 0; none where it never
// is.
std::optional<double> first_root(const std::function<double(double)>& gap, double slope) {
    double time = 0;
    while (time <= 1) {
        const double value = gap(time);
        if (value <= 1e-11) return time;
        time += value / slope;
    }
    return std::nullopt;
}

void expect_first_contact(const field_field::FieldSweep& result, const std::optional<double>& truth, double tolerance) {
    if (!truth) {
        EXPECT_EQ(result.status, Status::disjoint);
        EXPECT_EQ(result.time, 1);
        return;
    }
    ASSERT_EQ(result.status, Status::overlapping);
    EXPECT_LE(result.time, *truth + 1e-9);
    EXPECT_GE(result.time + result.error, *truth - 1e-9);
    EXPECT_LE(result.error, tolerance * (1 + 1e-6));
    EXPECT_FALSE(result.budget_exhausted);
    EXPECT_NEAR(result.normal.norm(), 1, 1e-12);
}

TEST(FieldSweep, spheres_on_straight_paths_touch_at_the_time_of_the_closed_form) {
    Random random(1);
    std::size_t hits = 0, runs = 0;
    for (const double scale : {1e-3, 1.0, 1e3})
        for (std::size_t k = 0; k < testing::count_of(12, 300); ++k) {
            const double r = random.uniform(0.2, 1), s = random.uniform(0.2, 1);
            const Vec3 from = 4 * random.direction(), way = 6 * (-from.normalized() + 0.6 * random.in_ball());
            const double a = way.squaredNorm(), b = from.dot(way), c = from.squaredNorm() - (r + s) * (r + s),
                         root = b * b - a * c;
            if (std::abs(root) < 0.05 * b * b) continue; // a graze
            std::optional<double> truth;
            if (root > 0 && (-b - std::sqrt(root)) / a < 1) truth = (-b - std::sqrt(root)) / a;
            const FieldPtr one = formula(shapes::sphere(scale * r)), two = formula(shapes::sphere(scale * s));
            const Vec3 base = scale * random.in_ball(), own = scale * random.in_ball();
            const Motion moving = slide(base + scale * from, base + own + scale * (from + way)),
                         still = slide(base, base + own);
            const field_field::FieldSweep result = field_field::field_sweep(*one, moving, *two, still);
            expect_first_contact(result, truth, 1e-6);
            if (truth) {
                const Vec3 normal = -(from + *truth * way).normalized();
                EXPECT_GT(result.normal.dot(normal), 1 - 1e-6);
            }
            hits += truth.has_value();
            ++runs;
        }
    EXPECT_GT(hits, runs / 5);
    EXPECT_LT(hits, 9 * runs / 10);
}

// Each ball is far from the origin of its body: both go on helices, seen from one another on neither.
TEST(FieldSweep, spheres_on_screw_motions_touch_when_their_centres_are_close) {
    Random random(2);
    std::size_t hits = 0, runs = 0;
    for (std::size_t k = 0; k < testing::count_of(30, 600); ++k) {
        const double r = random.uniform(0.1, 0.6), s = random.uniform(0.1, 0.6);
        const Vec3 arm_a = random.in_ball(), arm_b = random.in_ball();
        const FieldPtr a = formula(shapes::translate(arm_a, shapes::sphere(r))),
                       b = formula(shapes::translate(arm_b, shapes::sphere(s)));
        const Motion motion_a{{random.rotation(), random.in_ball()}, {random.rotation(), random.in_ball()}};
        const Motion motion_b{{random.rotation(), random.in_ball()}, {random.rotation(), random.in_ball()}};
        const Mover mover_a(motion_a), mover_b(motion_b);
        const auto gap = [&](double t) { return (mover_a.pose(t) * arm_a - mover_b.pose(t) * arm_b).norm() - r - s; };
        const auto truth = first_root(gap, 20);
        double least = HUGE_VAL;
        for (int i = 0; i <= 1000; ++i) least = std::min(least, gap(i / 1000.0));
        if (std::abs(least) < 0.01) continue; // a graze
        const field_field::FieldSweep result = field_field::field_sweep(*a, motion_a, *b, motion_b);
        expect_first_contact(result, truth, 1e-6);
        const field_field::FieldSweep swapped = field_field::field_sweep(*b, motion_b, *a, motion_a);
        EXPECT_EQ(swapped.status, result.status);
        EXPECT_NEAR(swapped.time, result.time, 1e-6);
        if (truth && *truth > 0) {
            EXPECT_LT(swapped.normal.dot(result.normal), -1 + 1e-6);
        }
        hits += truth.has_value();
        ++runs;
    }
    EXPECT_GT(hits, runs / 5);
    EXPECT_LT(hits, 9 * runs / 10);
}

TEST(FieldSweep, a_spinning_rod_hits_the_plate_with_its_corner) {
    const FieldPtr rod = formula(shapes::box({3, 0.1, 0.1})), plate = formula(shapes::box({8, 0.002, 4}));
    for (const double height : {0.4, 0.9, 1.4}) {
        // The corner (1.5, 0.05) rises to 1.5 sin + 0.05 cos of the angle.
        const double angle = std::asin((height - 0.001) / std::hypot(1.5, 0.05)) - std::atan2(0.05, 1.5), turn = 3;
        const Motion spin{{}, Pose::from_axis_angle(turn, Vec3::UnitZ())};
        for (const bool swapped : {false, true}) {
            const Motion still = Motion::stationary(Pose::from_translation({0, height, 0}));
            const field_field::FieldSweep result = swapped ? field_field::field_sweep(*plate, still, *rod, spin)
                                                           : field_field::field_sweep(*rod, spin, *plate, still);
            expect_first_contact(result, angle / turn, 1e-6);
            EXPECT_GT((swapped ? -1 : 1) * result.normal.y(), 1 - 1e-4) << result.normal.transpose();
        }
    }
    const field_field::FieldSweep free =
        field_field::field_sweep(*rod, {{}, Pose::from_axis_angle(3, Vec3::UnitZ())}, *plate,
                                 Motion::stationary(Pose::from_translation({0, 1.6, 0})));
    EXPECT_EQ(free.status, Status::disjoint) << "the rod is 1.501 long from its middle";
}

TEST(FieldSweep, nothing_tunnels_through_a_thin_plate_however_fast) {
    const FieldPtr ball = formula(shapes::sphere(0.1)), box = formula(shapes::box({0.2, 0.2, 0.2})),
                   plate = formula(shapes::box({4, 4, 1e-4}));
    for (const double speed : {1.0, 1e2, 1e4}) {
        const double truth = (0.7 * speed - 0.1 - 0.5e-4) / speed;
        const Motion shot = slide({0.3, 0.2, 0.7 * speed}, {0.3, 0.2, -0.3 * speed});
        expect_first_contact(field_field::field_sweep(*ball, shot, *plate, Motion::stationary({})), truth, 1e-6);
        expect_first_contact(field_field::field_sweep(*box, shot, *plate, Motion::stationary({})), truth, 1e-6);
        expect_first_contact(field_field::field_sweep(*plate, Motion::stationary({}), *box, shot), truth, 1e-6);
    }
}

// Many points of one body, at many times: none is in the other before the proven time, and none earlier than what was
// seen.
TEST(FieldSweep, dense_samples_in_space_and_time_never_come_first) {
    const TriangleMesh mesh = make_creature({.triangles = 2000});
    const auto grid = std::make_shared<GridField>(build_grid(mesh, {.resolution = 40}));
    const double size = grid->bounds().diagonal();
    const std::vector<FieldPtr> fields = {formula(shapes::scale(0.35 * size, shapes::torus(0.8, 0.2))), grid,
                                          std::make_shared<MeshField>(mesh),
                                          formula(shapes::scale(size / 60, shapes::heart())),
                                          formula(shapes::box({0.7 * size, 0.5 * size, 0.05 * size}))};
    Random random(3);
    std::size_t hits = 0, free = 0, undecided = 0, runs = 0;
    for (std::size_t k = 0; k < testing::count_of(20, 400); ++k) {
        const Field &a = *fields[k % 5], &b = *fields[random.below(5)];
        const Vec3 from = 1.3 * size * random.direction(), aside = 0.7 * size * random.in_ball();
        const Motion motion_a{{random.rotation(), from}, {random.rotation(), -0.6 * from + 2 * aside}};
        const Motion motion_b{{random.rotation(), Vec3::Zero()}, {random.rotation(), 0.2 * size * random.in_ball()}};
        const field_field::FieldSweep result =
            field_field::field_sweep(a, motion_a, b, motion_b, {.tolerance = 1e-3, .max_evaluations = 150'000});
        std::vector<Vec3> points;
        while (points.size() < 1500) {
            const Vec3 p = random.in_box(a.bounds());
            if (a.distance(p) <= 0) points.push_back(p);
        }
        const Mover mover_a(motion_a), mover_b(motion_b);
        double first = HUGE_VAL;
        for (int i = 0; i <= 150 && first == HUGE_VAL; ++i) {
            const Pose seen = relative(mover_b.pose(i / 150.0), mover_a.pose(i / 150.0));
            for (const Vec3& p : points)
                if (b.distance(seen * p) <= 0) first = i / 150.0;
        }
        EXPECT_GE(first, result.time);
        if (first < HUGE_VAL) {
            EXPECT_NE(result.status, Status::disjoint);
        }
        if (result.status == Status::overlapping) {
            EXPECT_LE(result.time + result.error, first + 1e-12 + (result.budget_exhausted ? 1.0 : 0.0));
            const double seen = result.time + result.error;
            EXPECT_LE(a.distance(mover_a.pose(seen).to_local(result.point)), 1e-9 * size);
            EXPECT_LE(b.distance(mover_b.pose(seen).to_local(result.point)), 1e-9 * size);
        }
        const field_field::FieldSweep swapped =
            field_field::field_sweep(b, motion_b, a, motion_a, {.tolerance = 1e-3, .max_evaluations = 150'000});
        // The budget may end one order earlier than the other, where two bodies of one size change roles.
        EXPECT_TRUE(swapped.status == result.status || swapped.status == Status::undecided ||
                    result.status == Status::undecided);
        EXPECT_LE(swapped.time, result.status == Status::overlapping ? result.time + result.error : 1.0);
        EXPECT_LE(result.time, swapped.status == Status::overlapping ? swapped.time + swapped.error : 1.0);
        hits += result.status == Status::overlapping;
        free += result.status == Status::disjoint;
        undecided += result.status == Status::undecided;
        ++runs;
    }
    EXPECT_GT(hits, runs / 5);
    EXPECT_GT(free, runs / 20);
    EXPECT_LE(undecided, runs / 10);
}

TEST(FieldSweep, grids_and_meshes_touch_when_the_formula_does_but_for_their_error) {
    const FieldPtr ball = formula(shapes::sphere(0.5)), box = formula(shapes::box({1, 1, 1}));
    const TriangleMesh mesh = make_box();
    const std::vector<FieldPtr> boxes = {box, std::make_shared<GridField>(bake(*box, {.box = {}, .resolution = 64})),
                                         std::make_shared<MeshField>(mesh)};
    const Motion moving{Pose::from_translation({3, 0.4, 0.3}),
                        Pose::from_axis_angle(1, Vec3(1, 2, 3).normalized(), {-1, 0.1, 0})};
    const double truth = field_field::field_sweep(*box, moving, *ball, Motion::stationary({})).time;
    for (const FieldPtr& other : boxes) {
        const field_field::FieldSweep result =
            field_field::field_sweep(*other, moving, *ball, Motion::stationary({}), {.tolerance = 1e-3});
        EXPECT_EQ(result.status, Status::overlapping);
        EXPECT_LE(result.error, 1.001e-3);
        EXPECT_NEAR(result.time, truth, other->error_bound() > 1e-6 ? 0.01 : 1.1e-3);
    }
}

TEST(FieldSweep, shapes_that_overlap_at_the_start_touch_at_time_zero) {
    const FieldPtr ball = formula(shapes::sphere(1)), inner = formula(shapes::sphere(0.1)),
                   hollow = formula(shapes::shell(0.02, shapes::sphere(1)));
    const field_field::FieldSweep nested =
        field_field::field_sweep(*inner, slide({0.2, 0, 0}, {5, 0, 0}), *ball, Motion::stationary({}));
    EXPECT_EQ(nested.status, Status::overlapping);
    EXPECT_EQ(nested.time, 0);
    EXPECT_EQ(nested.error, 0);
    // In the empty ball it is free at first, and hits the wall from within.
    expect_first_contact(field_field::field_sweep(*inner, slide({0, 0, 0}, {5, 0, 0}), *hollow, Motion::stationary({})),
                         0.89 / 5, 1e-6);
    EXPECT_EQ(field_field::field_sweep(*inner, slide({0, 0, 0}, {0.5, 0, 0}), *hollow, Motion::stationary({})).status,
              Status::disjoint);
}

TEST(FieldSweep, grazing_contact_is_undecided_from_the_end_of_the_proof) {
    const FieldPtr ball = formula(shapes::sphere(1));
    const field_field::FieldSweep graze = field_field::field_sweep(*ball, slide({-5, 2, 0}, {5, 2, 0}), *ball,
                                                                   Motion::stationary({}), {.max_evaluations = 50'000});
    EXPECT_NE(graze.status, Status::disjoint);
    EXPECT_TRUE(graze.budget_exhausted);
    EXPECT_GT(graze.time, 0.48);
    EXPECT_LE(graze.time, 0.5);
    EXPECT_LT(graze.evaluations, 50'200u);
}

TEST(FieldSweep, a_known_time_prunes_later_contacts) {
    const FieldPtr ball = formula(shapes::sphere(1)), floor = formula(shapes::plane(Vec3::UnitZ(), 0));
    const Motion fall = slide({0, 0, 5}, {0, 0, -5}); // touches at 0.4
    const field_field::FieldSweep before =
        field_field::field_sweep(*ball, fall, *floor, Motion::stationary({}), {.latest = 0.399});
    EXPECT_EQ(before.status, Status::disjoint);
    EXPECT_EQ(before.time, 0.399);
    const field_field::FieldSweep whole = field_field::field_sweep(*floor, Motion::stationary({}), *ball, fall);
    expect_first_contact(whole, 0.4, 1e-6);
    EXPECT_LT(before.evaluations, whole.evaluations);
    EXPECT_NEAR(field_field::field_sweep(*ball, fall, *floor, Motion::stationary({}), {.level = 0.1}).time, 0.38, 2e-6);
}

TEST(FieldSweep, hostile_input_is_refused_or_undecided) {
    const FieldPtr ball = formula(shapes::sphere(1)), floor = formula(shapes::plane(Vec3::UnitZ(), 0));
    for (const double bad : {std::nan(""), HUGE_VAL, 1e200}) {
        const field_field::FieldSweep result =
            field_field::field_sweep(*ball, slide({0, 0, 0}, {bad, 0, 0}), *ball, Motion::stationary({}));
        EXPECT_EQ(result.status, Status::undecided);
        EXPECT_EQ(result.time, 0);
    }
    EXPECT_THROW((void)field_field::field_sweep(*floor, {}, *floor, {}), Error);
    EXPECT_THROW((void)field_field::field_sweep(*ball, {}, *ball, {}, {.tolerance = 0}), Error);
    EXPECT_THROW((void)field_field::field_sweep(*ball, {}, *ball, {}, {.latest = 2}), Error);
    EXPECT_THROW((void)field_field::field_sweep(*ball, {}, *ball, {}, {.level = std::nan("")}), Error);
}

} // namespace field_sweep_test
} // namespace fathom
