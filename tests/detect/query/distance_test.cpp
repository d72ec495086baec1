// Distances of all pairs of kinds: the bounds enclose closed forms, converge to the requested tolerance, and the flag
// says so. Sweeps of sliding, resting and grazing shapes end within their budget.
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/geometry/generate/generate.h>
#include <tool/verify/referee.h>

#include <support/test_counts.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fathom {
namespace distance_test {

Shape analytic(const AnalyticExpression& expression) { return Shape(std::make_shared<AnalyticField>(expression)); }

struct ClosedForm {
    const char* what;
    Shape a, b;
    Pose pose_b;
    double distance;
};

std::vector<ClosedForm> closed_forms() {
    const Shape ball = analytic(shapes::sphere(1)), cube = analytic(shapes::box({1, 1, 1})),
                rod = analytic(shapes::capsule(Vec3(0, 0, -1), Vec3(0, 0, 1), 0.2)),
                egg = analytic(shapes::ellipsoid({1, 0.5, 0.25})), ground = Shape::half_space(Vec3::UnitZ(), 0);
    const Quat quarter(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX())), eighth(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitY()));
    const Shape cube_mesh(make_box({.size = {1, 1, 1}}), MeshInside::closed);
    return {
        {"spheres", ball, ball, Pose::from_translation({3, 0, 0}), 1},
        {"boxes, face to face", cube, cube, Pose::from_translation({0.3, 0.2, 3}), 2},
        {"boxes, edge to edge", cube, cube, Pose::from_translation({2, 2, 0}), std::sqrt(2.0)},
        {"boxes, corner to corner", cube, cube, Pose::from_translation({2, 2, 2}), std::sqrt(3.0)},
        {"boxes, edge to face", cube, cube, {eighth, {0, 0, 2}}, 1.5 - std::sqrt(0.5)},
        {"crossed capsules", rod, rod, {quarter, {1, 0, 0}}, 0.6},
        {"parallel capsules", rod, rod, Pose::from_translation({1, 0, 0.7}), 0.6},
        {"ellipsoid over a half-space", egg, ground, Pose::from_translation({0, 0, -1}), 0.75},
        {"tilted ellipsoid over a half-space",
         egg,
         ground,
         {eighth, -(eighth * Vec3::UnitZ())},
         1 - std::sqrt(0.5 * (1 + 0.0625))},
        {"box and mesh, face to face", cube, cube_mesh, Pose::from_translation({0.3, 0.2, 3}), 2},
        {"sphere and mesh", ball, cube_mesh, Pose::from_translation({3, 0, 0}), 1.5},
    };
}

TEST(Distance, bounds_enclose_closed_forms_and_converge_to_the_tolerance) {
    for (const ClosedForm& c : closed_forms())
        for (const double tolerance : {0.0, 1e-5, 1e-6, 1e-9}) {
            const DistanceResult d = distance(c.a, {}, c.b, c.pose_b, {.tolerance = tolerance});
            EXPECT_LE(d.lower_bound, c.distance + 1e-12) << c.what << " " << tolerance;
            EXPECT_GE(d.upper_bound, c.distance - 1e-12) << c.what << " " << tolerance;
            const double wanted = tolerance > 0 ? tolerance : 2.5e-3;
            EXPECT_TRUE(d.converged || (tolerance > 0 && tolerance < 1e-6))
                << c.what << " " << tolerance << ": " << d.lower_bound << " to " << d.upper_bound;
            EXPECT_TRUE(!d.converged || d.upper_bound - d.lower_bound <= wanted) << c.what << " " << tolerance;
        }
}

// Bounds at two tolerances on random pairs of every two kinds; the bounds of both calls must overlap.
TEST(Distance, of_all_pairs_of_kinds_is_as_accurate_as_requested_or_not_converged) {
    std::size_t apart = 0, converged = 0, finely = 0;
    std::string open;
    for (const ShapeKind a : all_shape_kinds)
        for (const ShapeKind b : all_shape_kinds) {
            if (b < a) continue;
            Random random(7 + 100 * static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
            for (std::size_t k = 0; k < testing::count_of(3, 30); ++k) {
                const Shape first = random_shape(a, random), second = random_shape(b, random);
                const RandomPoses poses = random_poses(first, second, random);
                const auto size_of = [](const Shape& s) {
                    return s.bounded() ? s.bounds().size().maxCoeff() : HUGE_VAL;
                };
                const double size = std::min(size_of(first), size_of(second));
                if (!std::isfinite(size)) continue;
                const DistanceResult coarse = distance(first, poses.a, second, poses.b),
                                     fine = distance(first, poses.a, second, poses.b, {.tolerance = 1e-6 * size});
                const std::string what = std::string(name(a)) + " and " + std::string(name(b));
                if (!(coarse.upper_bound > 0)) continue;
                ++apart;
                converged += coarse.converged;
                finely += fine.converged;
                if (!fine.converged)
                    open +=
                        fmt::format("  {}: {:.1e} of the size\n", what, (fine.upper_bound - fine.lower_bound) / size);
                EXPECT_EQ(coarse.converged, coarse.upper_bound - coarse.lower_bound <= 1e-3 * size) << what;
                EXPECT_EQ(fine.converged, fine.upper_bound - fine.lower_bound <= 1e-6 * size) << what;
                EXPECT_LE(fine.lower_bound, coarse.upper_bound + 1e-9 * size) << what;
                EXPECT_LE(coarse.lower_bound, fine.upper_bound + 1e-9 * size) << what;
            }
        }
    RecordProperty("apart", static_cast<int>(apart));
    RecordProperty("converged", static_cast<int>(converged));
    RecordProperty("converged to 1e-6", static_cast<int>(finely));
    std::printf("%zu pairs apart, %zu converged by default, %zu to 1e-6 of the size\n%s", apart, converged, finely,
                open.c_str());
    EXPECT_GT(apart, 60u);
    EXPECT_GE(converged, testing::count_of(apart, apart * 98 / 100));
    EXPECT_GE(finely, testing::count_of(apart, apart * 98 / 100));
}

// The nearest of many points of one solid in the exact distance of the other.
TEST(Distance, lower_bounds_never_exceed_the_distance_of_sampled_points) {
    Random random(5);
    std::size_t tested = 0;
    for (std::size_t k = 0; k < testing::count_of(40, 1000); ++k) {
        const std::array kinds = {ShapeKind::analytic, ShapeKind::grid, ShapeKind::neural, ShapeKind::height_field};
        const Shape a = random_shape(kinds[k % kinds.size()], random), b = random_shape(ShapeKind::closed_mesh, random);
        const RandomPoses poses = random_poses(a, b, random);
        const DistanceResult d = distance(a, poses.a, b, poses.b, {.tolerance = 1e-6});
        if (!(d.upper_bound > 0)) continue;
        ++tested;
        // At this tolerance the solid of a network is that of its values in double.
        const std::shared_ptr<const Field> in_double = a.field()->in_double();
        const Field& solid = in_double ? *in_double : *a.field();
        for (std::size_t i = 0; i < 2000; ++i) {
            const Vec3 x = random.in_box(a.bounds());
            if (solid.distance(x) > 0) continue;
            EXPECT_LE(d.lower_bound, b.field()->distance(poses.b.to_local(poses.a * x)) + 1e-9);
        }
        EXPECT_LE(solid.distance(poses.a.to_local(d.point_a)), 1e-9);
        EXPECT_NEAR(b.field()->distance(poses.b.to_local(d.point_b)), 0, 1e-9);
    }
    EXPECT_GT(tested, 15u);
}

TEST(SweepBudget, sliding_resting_and_grazing_shapes_end_with_an_honest_result) {
    const Shape cube = analytic(shapes::box({1, 1, 1})), ball = analytic(shapes::sphere(0.5));
    const Shape cube_grid(std::make_shared<GridField>(bake(AnalyticField(shapes::box({1, 1, 1})), {.resolution = 24})));
    const Shape cube_mesh(make_box({.size = {1, 1, 1}}), MeshInside::closed);
    const auto check = [](const char* what, const Shape& a, const Shape& b, const Vec3& from, const Vec3& to,
                          double first_contact) {
        for (const SweepGoal goal : {SweepGoal::first, SweepGoal::all}) {
            const SweepResult s = sweep(a, Motion::stationary({}), b,
                                        {Pose::from_translation(from), Pose::from_translation(to)}, {.goal = goal});
            // No contact is claimed to be absent after it has begun, and what is not resolved is not hidden.
            if (first_contact <= 1) {
                EXPECT_NE(s.status, Status::disjoint) << what;
                EXPECT_LE(s.time, first_contact + 1e-9) << what;
            }
            EXPECT_TRUE(s.status != Status::overlapping || s.error <= 1e-5 || s.budget_exhausted) << what;
            EXPECT_TRUE(s.status != Status::undecided || s.budget_exhausted || !s.proven) << what;
        }
    };
    check("box sliding on a box", cube, cube, {-0.5, 0, 1}, {0.5, 0, 1}, 0);
    check("box mesh sliding on a box mesh", cube_mesh, cube_mesh, {-0.5, 0, 1}, {0.5, 0, 1}, 0);
    check("box grid sliding on a box grid", cube_grid, cube_grid, {-0.5, 0, 0.999}, {0.5, 0, 0.999}, 0);
    check("box resting on a box", cube, cube, {0, 0, 1}, {0, 0, 1}, 0);
    check("sphere grazing a sphere", ball, ball, {-1, 0, 1}, {1, 0, 1}, 0.5);
    check("spheres that touch at the start", ball, ball, {0, 0, 1}, {0, 0, 2}, 0);
    check("sphere passing a sphere", ball, ball, {-1, 0, 1.001}, {1, 0, 1.001}, 2);
}

} // namespace distance_test
} // namespace fathom
