#include <contract/field_contract.h>
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/bake.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace fathom {
namespace grid_field_test {

using testing::check_field_contract;
using testing::FieldContract;

// The exact distance of a ball: the simplest truth to bake.
class Sphere final : public Field {
public:
    Sphere(const Vec3& center, double radius) : center_(center), radius_(radius) {}
    double distance(const Vec3& p) const override { return (p - center_).norm() - radius_; }
    Sample sample(const Vec3& p) const override { return {distance(p), (p - center_).normalized()}; }
    Interval range(const Box& box) const override {
        const double near = std::sqrt(box.squared_distance(center_));
        const double far = (box.corner(0) - center_).cwiseAbs().cwiseMax((box.corner(7) - center_).cwiseAbs()).norm();
        return widened({near - radius_, far - radius_}, 8);
    }
    double lipschitz() const override { return 1; }
    double error_bound() const override { return 0; }
    Box domain() const override { return {Vec3::Constant(-HUGE_VAL), Vec3::Constant(HUGE_VAL)}; }
    Box bounds() const override { return Box::around(center_, Vec3::Constant(radius_)); }

private:
    Vec3 center_;
    double radius_;
};

struct Case {
    const char* name;
    double scale;
    BakeOptions options;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const bool dense : {false, true})
            for (const GridStorage storage : {GridStorage::code16, GridStorage::float32}) {
                BakeOptions options;
                options.resolution = 64;
                options.dense = dense;
                options.storage = storage;
                all.push_back({dense ? "dense ball" : "sparse ball", scale, options});
            }
    return all;
}

TEST(GridField, keeps_the_contract_at_every_scale_and_storage) {
    for (const Case& c : cases()) {
        const Vec3 center = c.scale * Vec3(0.3, -0.2, 0.1);
        const Sphere ball(center, c.scale);
        const GridField grid = bake(ball, c.options);
        FieldContract contract;
        contract.name = c.name;
        contract.region = Box::around(center, Vec3::Constant(1.6 * c.scale));
        contract.boxes = testing::count_of(3000, 1000000);
        contract.gradient_tolerance = 1e-3;
        const auto counts = check_field_contract(grid, contract);
        EXPECT_GT(counts.outside, contract.boxes / 10);
        EXPECT_GT(counts.inside, contract.boxes / 50);
    }
}

TEST(GridField, its_error_bound_is_valid_everywhere_in_the_domain) {
    Random random(1);
    for (const Case& c : cases()) {
        const Sphere ball(Vec3::Zero(), c.scale);
        const GridField grid = bake(ball, c.options);
        double worst_near = 0, worst = 0;
        for (int i = 0; i < 20000; ++i) {
            const Vec3 p = random.in_box(grid.domain());
            const double error = std::abs(grid.distance(p) - ball.distance(p));
            worst = std::max(worst, error);
            if (std::abs(ball.distance(p)) <= grid.data().band) worst_near = std::max(worst_near, error);
        }
        EXPECT_LE(worst, grid.error_bound());
        EXPECT_LE(worst_near, grid.near_error_bound());
        EXPECT_LT(worst_near, 0.02 * grid.layout().cell) << "a smooth surface is met far better than the bound";
    }
}

// Far steeper than a distance: 16-bit codes do not reach over a brick of it.
class SteepBall final : public Field {
public:
    double distance(const Vec3& p) const override { return steepness * (p.norm() - 1); }
    Sample sample(const Vec3& p) const override { return {distance(p), steepness * p.normalized()}; }
    Interval range(const Box& box) const override {
        const double value = distance(box.center()), reach = 0.51 * steepness * box.diagonal();
        return {value - reach, value + reach};
    }
    double lipschitz() const override { return steepness; }
    double error_bound() const override { return 0; } // of itself
    Box domain() const override { return {Vec3::Constant(-HUGE_VAL), Vec3::Constant(HUGE_VAL)}; }
    Box bounds() const override { return Box::around(Vec3::Zero(), Vec3::Ones()); }

    static constexpr double steepness = 40;
};

TEST(GridField, states_the_error_of_clamping_to_codes) {
    const SteepBall ball;
    for (const GridStorage storage : {GridStorage::code16, GridStorage::float32}) {
        const GridField grid = bake(ball, {.box = {}, .resolution = 64, .dense = true, .storage = storage});
        Random random(7);
        double worst = 0;
        for (int i = 0; i < 20000; ++i) {
            const Vec3 p = random.in_box(grid.domain());
            worst = std::max(worst, std::abs(grid.distance(p) - ball.distance(p)));
        }
        EXPECT_LE(worst, grid.error_bound());
        EXPECT_EQ(worst > ball.lipschitz() * grid.layout().cell, storage == GridStorage::code16); // which did clamp
    }
}

TEST(Bake, states_no_error_bound_beyond_the_domain) {
    const GridField grid = bake(Sphere(Vec3::Zero(), 1), {.box = {}, .resolution = 64});
    const GridField within = bake(grid, {.box = Box::around(Vec3::Zero(), Vec3::Constant(0.9)), .resolution = 32});
    EXPECT_TRUE(std::isfinite(within.error_bound()));
    const GridField beyond = bake(grid, {.box = Box::around(Vec3::Zero(), Vec3::Constant(3)), .resolution = 96});
    EXPECT_TRUE(std::isinf(beyond.error_bound()));
}

TEST(GridField, outside_it_never_claims_more_than_the_true_distance) {
    Random random(2);
    const Sphere ball({0.1, 0.2, 0.3}, 1);
    const GridField grid = bake(ball, {.box = {}, .resolution = 64});
    for (int i = 0; i < 20000; ++i) {
        const Vec3 p = grid.domain().center() + 10 * random.in_ball();
        if (grid.domain().contains(p)) continue;
        EXPECT_LE(grid.distance(p), ball.distance(p) + grid.error_bound());
        EXPECT_GE(grid.distance(p), 0.6 * ball.distance(p)) << "and is no idle bound";
    }
}

TEST(GridField, is_continuous_across_bricks_and_into_the_far_region) {
    Random random(3);
    const Sphere ball({0.1, 0.2, 0.3}, 1);
    for (const GridStorage storage : {GridStorage::code16, GridStorage::float32}) {
        const GridField grid = bake(ball, {.box = {}, .resolution = 128, .storage = storage});
        const double jump = storage == GridStorage::code16 ? 0.51 * grid.data().step : 2e-7;
        const double tiny = 1e-9;
        for (int i = 0; i < 20000; ++i) {
            const std::array<int, 3> brick = {static_cast<int>(random.below(16)), static_cast<int>(random.below(16)),
                                              static_cast<int>(random.below(16))};
            Vec3 p = grid.layout().sample_position({brick[0] * 8, brick[1] * 8, brick[2] * 8});
            p.y() += 8 * grid.layout().cell * random.uniform();
            p.z() += 8 * grid.layout().cell * random.uniform();
            const Vec3 before = p - Vec3(tiny, 0, 0), after = p + Vec3(tiny, 0, 0);
            if (!grid.domain().contains(before) || !grid.domain().contains(after)) continue;
            ASSERT_LE(std::abs(grid.distance(before) - grid.distance(after)), jump + 2 * tiny * grid.lipschitz());
        }
    }
}

TEST(GridField, a_sparse_grid_is_a_small_share_of_the_dense_one) {
    const Sphere ball(Vec3::Zero(), 1);
    const GridField sparse = bake(ball, {.box = {}, .resolution = 256});
    const GridField dense = bake(ball, {.box = {}, .resolution = 256, .dense = true});
    EXPECT_LT(sparse.bytes() * 4, dense.bytes());
}

TEST(GridField, one_and_two_threads_give_the_same_bytes) {
    const Sphere ball(Vec3::Zero(), 1);
    set_thread_count(1);
    const GridField one = bake(ball, {.box = {}, .resolution = 96});
    set_thread_count(2);
    const GridField two = bake(ball, {.box = {}, .resolution = 96});
    set_thread_count(0);
    const auto same = [](const auto& a, const auto& b) {
        return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
    };
    EXPECT_TRUE(same(one.data().corners, two.data().corners));
    EXPECT_TRUE(same(one.data().codes, two.data().codes));
    EXPECT_TRUE(same(one.data().brick_of, two.data().brick_of));
    EXPECT_TRUE(same(one.data().block_ranges, two.data().block_ranges));
    EXPECT_EQ(one.data().lipschitz, two.data().lipschitz);
}

TEST(GridField, not_a_number_in_gives_not_a_number_out) {
    const GridField grid = bake(Sphere(Vec3::Zero(), 1), {.box = {}, .resolution = 16});
    EXPECT_TRUE(std::isnan(grid.distance({NAN, 0, 0})));
    EXPECT_TRUE(std::isnan(grid.sample({0, NAN, 0}).distance));
    EXPECT_TRUE(std::isinf(grid.distance({HUGE_VAL, 0, 0})));
}

TEST(Bake, rejects_invalid_options_by_name) {
    const Sphere ball(Vec3::Zero(), 1);
    EXPECT_THROW((void)bake(ball, {.box = {}, .resolution = 0}), Error);
    EXPECT_THROW((void)bake(ball, {.box = {Vec3::Zero(), Vec3::Constant(HUGE_VAL)}}), Error);
    try {
        (void)bake(ball, {.box = {}, .resolution = 4096, .dense = true});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::too_large);
    }
}

} // namespace grid_field_test
} // namespace fathom
