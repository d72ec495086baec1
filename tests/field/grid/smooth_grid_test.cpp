#include <contract/field_contract.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/smooth_grid.h>
#include <support/plain_fields.h>

#include <gtest/gtest.h>

namespace fathom {
namespace smooth_grid_test {

using testing::BallField;
using testing::BlockField;
using testing::TorusField;

TEST(SmoothGridField, keeps_the_contract_at_every_scale_and_storage) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const bool dense : {false, true})
            for (const GridStorage storage : {GridStorage::code16, GridStorage::float32}) {
                const BallField ball(scale * Vec3(0.3, -0.2, 0.1), scale);
                const SmoothGridField smooth(
                    bake(ball, {.box = {}, .resolution = 48, .dense = dense, .storage = storage}));
                testing::FieldContract contract;
                contract.name = "smooth ball";
                contract.region = Box::around(scale * Vec3(0.3, -0.2, 0.1), Vec3::Constant(1.6 * scale));
                contract.boxes = testing::count_of(1500, 1000000);
                contract.gradient_tolerance = 1e-4;
                contract.smooth_share = 0.95;
                const auto counts = testing::check_field_contract(smooth, contract);
                EXPECT_GT(counts.outside, contract.boxes / 10);
                EXPECT_GT(counts.inside, contract.boxes / 50);
            }
}

TEST(SmoothGridField, keeps_the_contract_on_noise) {
    GridLayout layout;
    layout.bricks = {2, 3, 2};
    const auto value = [](int i, int j, int k) {
        return Random(5, static_cast<std::uint64_t>((k * 64 + j) * 64 + i)).uniform(-1, 1);
    };
    for (const GridStorage storage : {GridStorage::code16, GridStorage::float32}) {
        const GridField grid = testing::grid_of(layout, storage, value, [](std::size_t b) { return b % 3 != 0; });
        testing::FieldContract contract;
        contract.name = "smooth noise";
        contract.region = grid.domain().grown(2);
        contract.boxes = testing::count_of(3000, 1000000);
        contract.gradient_tolerance = 1e-3;
        contract.smooth_share = 0.9;
        testing::check_field_contract(SmoothGridField(grid), contract);
    }
}

TEST(SmoothGridField, its_gradient_does_not_jump_where_that_of_the_grid_does) {
    Random random(1);
    const TorusField torus(1, 0.4);
    const GridField grid = bake(torus, {.box = {}, .resolution = 64});
    const SmoothGridField smooth(grid);
    const double cell = grid.layout().cell, tiny = 1e-7 * cell;
    double rough = 0, even = 0;
    for (int i = 0; i < 20000; ++i) {
        Vec3 p = random.in_box(grid.domain());
        const int axis = static_cast<int>(random.below(3)); // on a face between cells, or between halves of them
        const double halves = std::round((p[axis] - grid.layout().origin[axis]) / cell * 2);
        p[axis] = grid.layout().origin[axis] + 0.5 * cell * halves;
        const Vec3 before = p - tiny * Vec3::Unit(axis), after = p + tiny * Vec3::Unit(axis);
        if (!grid.domain().contains(before) || !grid.domain().contains(after)) continue;
        rough = std::max(rough, (grid.sample(before).gradient - grid.sample(after).gradient).norm());
        even = std::max(even, (smooth.sample(before).gradient - smooth.sample(after).gradient).norm());
    }
    EXPECT_GT(rough, 0.02);
    EXPECT_LT(even, 1e-5);
}

TEST(SmoothGridField, its_error_bound_holds_and_is_far_from_reached_on_smooth_shapes) {
    Random random(2);
    const TorusField torus(1, 0.4);
    const BlockField block(Vec3(0.1, 0, 0), Vec3(0.5, 0.3, 0.7));
    for (const Field* field : {static_cast<const Field*>(&torus), static_cast<const Field*>(&block)}) {
        const GridField grid = bake(*field, {.box = {}, .resolution = 64});
        const SmoothGridField smooth(grid);
        double near = 0;
        for (int i = 0; i < 20000; ++i) {
            const Vec3 p = random.in_box(grid.domain());
            const double truth = field->distance(p);
            ASSERT_LE(std::abs(smooth.distance(p) - truth), smooth.error_bound());
            ASSERT_LE(std::abs(smooth.distance(p) - grid.distance(p)), smooth.smoothing_bound());
            if (std::abs(truth) < grid.layout().cell) near = std::max(near, std::abs(smooth.distance(p) - truth));
        }
        EXPECT_LT(near, (field == &torus ? 0.04 : 0.4) * grid.layout().cell);
    }
}

TEST(SmoothGridField, far_from_the_surface_it_is_the_grid) {
    Random random(3);
    const BallField ball(Vec3::Zero(), 1);
    const GridField grid = bake(ball, {.box = ball.bounds().grown(3), .resolution = 128});
    const SmoothGridField smooth(grid);
    std::size_t tried = 0;
    for (int i = 0; i < 5000; ++i) {
        const Vec3 p = random.in_box(grid.domain());
        const GridCell cell = grid.cell_at(p);
        if (!cell.box.grown(-1.5 * grid.layout().cell).contains(p)) continue;
        EXPECT_NEAR(smooth.distance(p), grid.distance(p), 1e-12);
        ++tried;
    }
    EXPECT_GT(tried, 500u);
}

} // namespace smooth_grid_test
} // namespace fathom
