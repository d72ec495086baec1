#include <contract/field_contract.h>
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/grid/grid_csg.h>
#include <support/plain_fields.h>

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>

namespace fathom {
namespace grid_csg_test {

using testing::BallField;
using testing::BlockField;

constexpr std::array combinations = {Combination::unite, Combination::intersect, Combination::subtract};

bool holds(Combination c, bool in_a, bool in_b) {
    return c == Combination::unite ? in_a || in_b : c == Combination::intersect ? in_a && in_b : in_a && !in_b;
}

FieldPtr ball(const Vec3& center, double radius) { return std::make_shared<BallField>(center, radius); }

TEST(CombinedField, keeps_the_contract_in_every_combination_and_scale) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const Combination c : combinations) {
            const auto block = std::make_shared<BlockField>(scale * Vec3(0.4, 0, 0), scale * Vec3(0.6, 0.7, 0.5));
            const CombinedField field(ball(Vec3::Zero(), scale), block, c);
            testing::FieldContract contract;
            contract.name = "combined";
            contract.region = Box::around(Vec3::Zero(), Vec3::Constant(1.8 * scale));
            contract.boxes = testing::count_of(3000, 1000000);
            contract.gradient_tolerance = 1e-3;
            const auto counts = testing::check_field_contract(field, contract);
            EXPECT_GT(counts.outside, contract.boxes / 10);
            EXPECT_GT(counts.inside, contract.boxes / 200);
        }
}

TEST(CombinedField, keeps_the_contract_over_grids) {
    const auto a = std::make_shared<GridField>(bake(BallField(Vec3::Zero(), 1), {.box = {}, .resolution = 32}));
    const auto b = std::make_shared<GridField>(bake(BallField(Vec3(0.8, 0, 0), 0.7), {.box = {}, .resolution = 40}));
    for (const Combination c : combinations) {
        testing::FieldContract contract;
        contract.name = "combined grids";
        contract.region = Box::around(Vec3(0.4, 0, 0), Vec3::Constant(1.9));
        contract.boxes = testing::count_of(1500, 1000000);
        contract.gradient_tolerance = 1e-3;
        testing::check_field_contract(CombinedField(a, b, c), contract);
    }
}

TEST(CombinedField, never_overstates_the_distance_and_is_exact_where_marked) {
    // Two unit balls 1.2 apart: their union dips to a circle of radius 0.8 in the plane x = 0.
    const double half = 0.6, waist = 0.8;
    const CombinedField both(ball(Vec3(-half, 0, 0), 1), ball(Vec3(half, 0, 0), 1), Combination::unite);
    EXPECT_EQ(both.error_bound(), HUGE_VAL);
    EXPECT_EQ(both.overstatement_bound(), 0);
    Random random(1);
    std::size_t inexact = 0;
    for (int i = 0; i < 10000; ++i) {
        const Vec3 p = 2 * random.in_ball();
        // The nearest boundary point is on the sphere of the ball on p's side, or on the circle where both end.
        const double side = p.x() < 0 ? -half : half;
        const Vec3 from(p.x() - side, p.y(), p.z());
        const Vec3 foot = Vec3(side, 0, 0) + from.normalized();
        const bool on_union = foot.x() * side >= 0;
        const double to_circle = std::hypot(p.x(), std::hypot(p.y(), p.z()) - waist);
        const double depth = on_union ? std::abs(from.norm() - 1) : to_circle;
        const double truth = both.distance(p) < 0 ? -depth : depth;
        EXPECT_LE(std::abs(both.distance(p)), std::abs(truth) + 1e-12);
        if (truth > 0) {
            EXPECT_NEAR(both.distance(p), truth, 1e-12);
        }
        inexact += std::abs(both.distance(p) - truth) > 1e-6;
    }
    EXPECT_GT(inexact, 100u) << "inside, min is no distance";
}

TEST(CombinedField, a_union_of_shapes_apart_is_exact) {
    const CombinedField apart(ball(Vec3(-2, 0, 0), 1), ball(Vec3(2, 0, 0), 1), Combination::unite);
    EXPECT_EQ(apart.error_bound(), 0);
    EXPECT_THROW(CombinedField(nullptr, ball(Vec3::Zero(), 1), Combination::unite), Error);
}

TEST(GridCsg, the_sign_is_that_of_the_sets_but_for_the_error) {
    Random random(2);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const BallField first(Vec3::Zero(), scale), second(scale * Vec3(0.8, 0.1, 0), 0.7 * scale);
        const GridField a = bake(first, {.box = {}, .resolution = 48}), b = bake(second, {.box = {}, .resolution = 32});
        for (const Combination c : combinations) {
            const GridField grid = combine(a, b, c);
            EXPECT_NEAR(grid.layout().cell, std::min(a.layout().cell, b.layout().cell), 0.1 * a.layout().cell);
            std::size_t inside = 0, decided = 0;
            constexpr std::size_t tried = 20000;
            for (std::size_t i = 0; i < tried; ++i) {
                const Vec3 p = random.in_box(grid.domain());
                const double da = first.distance(p), db = second.distance(p);
                const double cell =
                    grid.layout().cell; // near a surface, and mostly where both intersect, it may be inexact
                if (std::min(std::abs(da), std::abs(db)) < 0.2 * cell ||
                    std::max(std::abs(da), std::abs(db)) < 3 * cell)
                    continue;
                ++decided;
                inside += grid.distance(p) < 0;
                ASSERT_EQ(grid.distance(p) < 0, holds(c, da < 0, db < 0)) << p.transpose();
            }
            EXPECT_GT(decided, tried * 8 / 10);
            EXPECT_GT(inside, tried / 20);
        }
    }
}

TEST(GridCsg, volumes_add_up) {
    const GridField a = bake(BallField(Vec3::Zero(), 1), {.box = {}, .resolution = 64});
    const GridField b = bake(BlockField(Vec3(0.7, 0.2, 0), Vec3(0.6, 0.5, 0.4)), {.box = {}, .resolution = 48});
    const auto volume = [](const GridField& grid) {
        const TriangleMesh mesh = contour(grid);
        double sum = 0;
        for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
            sum += mesh.corners(t)[0].dot(area_vector(mesh.corners(t))) / 6;
        return sum;
    };
    const double va = 4.0 / 3 * std::numbers::pi, vb = 8 * 0.6 * 0.5 * 0.4;
    const double shared = volume(combine(a, b, Combination::intersect));
    EXPECT_GT(shared, 0.2);
    EXPECT_LT(shared, 0.8 * vb);
    EXPECT_NEAR(volume(combine(a, b, Combination::unite)), va + vb - shared, 0.02);
    EXPECT_NEAR(volume(combine(a, b, Combination::subtract)), va - shared, 0.02);
}

TEST(GridCsg, equal_layouts_are_combined_sample_by_sample) {
    const Box box = Box::around(Vec3::Zero(), Vec3::Constant(1.5));
    const GridField a = bake(BallField(Vec3(-0.3, 0, 0), 1), {.box = box, .resolution = 48, .dense = true});
    const GridField b = bake(BallField(Vec3(0.3, 0, 0), 1), {.box = box, .resolution = 48, .dense = true});
    const GridField grid = combine(a, b, Combination::unite);
    EXPECT_EQ(grid.layout().bricks, a.layout().bricks);
    EXPECT_NEAR(grid.layout().cell, a.layout().cell, 1e-15);
    for (int i = 0; i <= 48; i += 3)
        for (int j = 0; j <= 48; j += 5) {
            const std::array<int, 3> s = {i, j, 24};
            if (std::abs(grid.sample_value(s)) < 0.1) {
                EXPECT_NEAR(grid.sample_value(s), std::min(a.sample_value(s), b.sample_value(s)), grid.data().step);
            }
        }
}

TEST(GridCsg, its_stated_errors_are_bounds) {
    Random random(3);
    const Box box = Box::around(Vec3::Zero(), Vec3::Constant(2));
    // Two half blocks that share a face: min is 0 there, in the middle of the whole block. The hardest case there is.
    const BlockField left(Vec3(-0.5, 0, 0), Vec3(0.5, 1, 1)), right(Vec3(0.5, 0, 0), Vec3(0.5, 1, 1)),
        whole(Vec3::Zero(), Vec3(1, 1, 1));
    const GridField a = bake(left, {.box = box, .resolution = 64}), b = bake(right, {.box = box, .resolution = 64});
    const GridField joined = combine(a, b, Combination::unite);
    EXPECT_EQ(joined.error_bound(), HUGE_VAL);
    EXPECT_TRUE(std::isfinite(joined.near_error_bound()));
    double worst = 0;
    for (int i = 0; i < 50000; ++i) {
        const Vec3 p = random.in_box(box);
        const double error = std::abs(joined.distance(p) - whole.distance(p));
        worst = std::max(worst, error);
        if (std::abs(whole.distance(p)) <= joined.data().band) {
            EXPECT_LE(error, joined.near_error_bound());
        }
    }
    EXPECT_GT(worst, 0.5) << "an honest infinity: the seam is far from the truth";
    // Shapes apart, on one layout: as good as each alone.
    const BallField one(Vec3(-1.3, 0, 0), 0.2), two(Vec3(1.3, 0, 0), 0.3);
    const GridField pair = combine(bake(one, {.box = box, .resolution = 64}), bake(two, {.box = box, .resolution = 64}),
                                   Combination::unite);
    ASSERT_TRUE(std::isfinite(pair.error_bound()));
    for (int i = 0; i < 20000; ++i) {
        const Vec3 p = random.in_box(box);
        ASSERT_LE(std::abs(pair.distance(p) - std::min(one.distance(p), two.distance(p))), pair.error_bound());
    }
}

TEST(GridOffset, grows_and_shrinks_and_brings_its_band_along) {
    Random random(4);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const BallField ball(Vec3::Zero(), scale);
        const GridField grid = bake(ball, {.box = ball.bounds().grown(scale), .resolution = 96});
        for (const double distance : {0.4 * scale, 0.02 * scale, 0.0, -0.5 * scale}) {
            const GridField moved = offset(grid, distance);
            EXPECT_EQ(moved.layout().bricks, grid.layout().bricks);
            const BallField truth(Vec3::Zero(), scale + distance);
            std::size_t near = 0;
            for (int i = 0; i < 5000; ++i) {
                const Vec3 p = random.in_box(moved.domain());
                if (std::abs(truth.distance(p)) > moved.data().band) continue;
                ++near;
                ASSERT_LE(moved.cell_at(p).box.size().x(), 1.5 * moved.layout().cell) << "the band was made anew";
                ASSERT_LE(std::abs(moved.distance(p) - truth.distance(p)), moved.near_error_bound());
                ASSERT_NEAR(moved.distance(p), grid.distance(p) - distance, 0.2 * grid.layout().cell);
            }
            EXPECT_GT(near, 30u);
        }
    }
}

TEST(GridOffset, refuses_to_leave_the_grid_and_may_shrink_to_nothing) {
    const GridField grid = bake(BallField(Vec3::Zero(), 1), {.box = {}, .resolution = 32});
    EXPECT_TRUE(contour(offset(grid, -2)).triangles.empty());
    for (const double distance : {0.5, HUGE_VAL, std::nan("")}) {
        try {
            (void)offset(grid, distance);
            FAIL();
        } catch (const Error& error) {
            EXPECT_EQ(error.cause(), Cause::invalid_argument);
            EXPECT_NE(std::string(error.what()).find("distance"), std::string::npos);
        }
    }
}

TEST(GridCsg, one_and_two_threads_give_the_same_bytes) {
    const GridField a = bake(BallField(Vec3::Zero(), 1), {.box = {}, .resolution = 48});
    const GridField b = bake(BallField(Vec3(1, 0, 0), 0.6), {.box = {}, .resolution = 48});
    set_thread_count(1);
    const GridField one = combine(a, b, Combination::subtract);
    set_thread_count(2);
    const GridField two = combine(a, b, Combination::subtract);
    set_thread_count(0);
    ASSERT_EQ(one.data().codes.size(), two.data().codes.size());
    EXPECT_EQ(std::memcmp(one.data().codes.data(), two.data().codes.data(), one.data().codes.size_bytes()), 0);
}

} // namespace grid_csg_test
} // namespace fathom
