// Questions to a world against the same questions to each of its bodies, one by one.
#include "detect/world/world_shapes.h"

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace world_queries_test {

using namespace testing;

World crowd(double size, std::uint64_t seed, const WorldOptions& options = {}) {
    Random random(seed);
    World world(options);
    for (std::size_t k = 0; k < 18; ++k) {
        const ShapeKind kind = quick_kinds[k % quick_kinds.size()];
        (void)world.add(shape_of(kind, size * random.uniform(0.3, 0.7)),
                        kind == ShapeKind::half_space
                            ? Pose::from_translation({0, 0, -3 * size - 0.1 * static_cast<double>(k)})
                            : random_pose(random, 1.3 * size));
    }
    world.remove(4);
    return world;
}

TEST(WorldQueries, collide_equals_the_results_of_each_body_before_and_after_a_step) {
    for (const double size : {1e-3, 1.0, 1e3}) {
        World world = crowd(size, 2);
        Random random(7);
        std::size_t touching = 0, asked = 0;
        for (int round = 0; round < 6; ++round) {
            const Shape shape = shape_of(quick_kinds[static_cast<std::size_t>(round) % 7], size);
            const Pose pose = random_pose(random, size);
            const CollideOptions options{.goal = CollideGoal::contacts, .margin = round % 2 ? 0.05 * size : 0.0};
            std::vector<WorldPair> wanted;
            for (Index id = 0; id < world.id_limit(); ++id) {
                if (!world.contains(id)) continue;
                WorldPair pair{no_index, id, collide(shape, pose, world.shape(id), world.pose(id), options)};
                ++asked;
                if (pair.touching()) wanted.push_back(std::move(pair));
            }
            EXPECT_TRUE(std::ranges::equal(world.collide(shape, pose, options), wanted, same_pair));
            touching += wanted.size();
            world.move(3, random_pose(random, size));
            if (round == 3) (void)world.update();
        }
        EXPECT_GT(touching, asked / 20);
        EXPECT_LT(touching, asked / 2);
    }
}

TEST(WorldQueries, nearest_is_the_minimum_of_the_distances_to_each_body) {
    const World world = crowd(1, 5);
    Random random(3);
    std::size_t overlapping = 0, limited = 0;
    for (int round = 0; round < 10; ++round) {
        const Shape shape = round % 2 ? ball_shape(0.1) : shape_of(ShapeKind::closed_mesh, 0.8);
        const Pose pose = random_pose(random, round % 3 ? 2.5 : 0.8);
        const double limit = round < 7 ? infinity : 0.2;
        World::Nearest wanted;
        wanted.distance.upper_bound = infinity;
        for (Index id = 0; id < world.id_limit(); ++id) {
            if (!world.contains(id)) continue;
            const DistanceResult found = distance(shape, pose, world.shape(id), world.pose(id));
            if (found.lower_bound <= limit && found.upper_bound < wanted.distance.upper_bound) wanted = {id, found};
        }
        const World::Nearest nearest = world.nearest(shape, pose, limit);
        EXPECT_EQ(nearest.body, wanted.body);
        EXPECT_EQ(nearest.distance.upper_bound, wanted.distance.upper_bound);
        EXPECT_EQ(nearest.distance.point_b, wanted.distance.point_b);
        overlapping += wanted.distance.upper_bound <= 0;
        limited += wanted.body == no_index;
    }
    EXPECT_GT(overlapping, 0u);
    EXPECT_LT(overlapping, 9u);
    EXPECT_GT(limited, 0u);
    EXPECT_EQ(World().nearest(ball_shape(1), {}).body, no_index);
}

TEST(WorldQueries, a_sweep_equals_the_earliest_sweep_against_each_body) {
    World world;
    Random random(4);
    for (int k = 0; k < 12; ++k)
        (void)world.add(shape_of(quick_kinds[static_cast<std::size_t>(k) % 8], 0.6), random_pose(random, 2));
    std::size_t hits = 0;
    constexpr int rounds = 8;
    for (int round = 0; round < rounds; ++round) {
        const Shape shape = round % 2 ? ball_shape(0.1) : Shape(make_box({.size = {0.2, 0.1, 0.3}}));
        const Motion motion{random_pose(random, 3), random_pose(random, 3)};
        World::SweptBody wanted;
        for (Index id = 0; id < world.id_limit(); ++id) {
            const SweepResult found = sweep(shape, motion, world.shape(id), Motion::stationary(world.pose(id)));
            if (found.status != Status::disjoint && (wanted.body == no_index || found.time < wanted.sweep.time))
                wanted = {id, found};
        }
        const World::SweptBody first = world.sweep(shape, motion);
        EXPECT_EQ(first.body, wanted.body);
        EXPECT_EQ(first.sweep.time, wanted.sweep.time);
        EXPECT_EQ(first.sweep.status, wanted.sweep.status);
        EXPECT_EQ(first.sweep.point, wanted.sweep.point);
        hits += wanted.body != no_index;
    }
    EXPECT_GT(hits, 0u);
    EXPECT_LT(hits, std::size_t{rounds});
}

// Body 2 does not collide with body 3 because of their categories, and the filter excludes the pair of 1 and 4.
World course(double size) {
    World world({.query = {.margin = 0.01 * size}});
    (void)world.add(shape_of(ShapeKind::closed_mesh, size), Pose::from_translation({0, 0, 0}));
    (void)world.add(shape_of(ShapeKind::analytic, size), Pose::from_translation({2 * size, 0, 0}));
    (void)world.add(Shape(make_box({.size = Vec3::Constant(0.3 * size)})), Pose::from_translation({0, 9 * size, 0}));
    (void)world.add(ball_shape(9 * size), {}, {.category = 2});
    (void)world.add(Shape::half_space(Vec3::UnitZ(), -0.7 * size));
    world.set_category(2, 1, 1);
    world.set_filter([](Index a, Index b) { return a != 1 || b != 4; });
    return world;
}

TEST(WorldQueries, poses_tried_in_parallel_are_those_tried_one_by_one) {
    for (const double size : {1e-3, 1.0, 1e3}) {
        const World world = course(size);
        Random random(6);
        std::vector<Pose> poses;
        for (std::size_t k = 0; k < count_of(150, 5000); ++k)
            poses.push_back({random.rotation(), size * random.in_box({{-1, -1, -1}, {3, 1, 1}})});
        set_thread_count(1);
        const std::vector<Status> one = world.check_poses(2, poses);
        const std::vector<double> clear_one = world.clearances(2, std::span(poses).first(40));
        set_thread_count(3);
        EXPECT_EQ(world.check_poses(2, poses), one);
        EXPECT_EQ(world.clearances(2, std::span(poses).first(40)), clear_one);
        set_thread_count(0);
        std::size_t hits = 0;
        for (std::size_t k = 0; k < poses.size(); ++k) {
            Status wanted = Status::disjoint;
            double clear = infinity;
            for (const Index other : {0u, 1u, 4u}) {
                const Status status = collide(world.shape(2), poses[k], world.shape(other), world.pose(other),
                                              {.goal = CollideGoal::status, .margin = 0.01 * size})
                                          .status;
                if (wanted != Status::overlapping && status != Status::disjoint) wanted = status;
                if (k >= clear_one.size()) continue;
                const DistanceResult found = distance(world.shape(2), poses[k], world.shape(other), world.pose(other));
                clear = std::min(clear, std::max(0.0, found.upper_bound));
                EXPECT_LE(clear_one[k], std::max(0.0, found.upper_bound) * (1 + 1e-9));
            }
            EXPECT_EQ(one[k], wanted);
            hits += wanted == Status::overlapping;
            if (k < clear_one.size()) {
                EXPECT_GT(clear_one[k], 0.9 * clear - 0.05 * size);
            }
        }
        EXPECT_GT(hits, poses.size() / 5);
        EXPECT_LT(hits, poses.size() * 4 / 5);
    }
}

TEST(WorldQueries, a_body_alone_is_clear_of_everything) {
    World world;
    const Index id = world.add(ball_shape(1));
    EXPECT_EQ(world.check_poses(id, std::array{Pose{}}), std::vector<Status>{Status::disjoint});
    EXPECT_EQ(world.clearances(id, std::array{Pose{}}), std::vector<double>{infinity});
    EXPECT_TRUE(world.check_poses(id, {}).empty());
    EXPECT_EQ(world.sweep(ball_shape(1), Motion::stationary(Pose::from_translation({9, 0, 0}))).body, no_index);
}

TEST(WorldQueries, rejects_poses_that_are_not_finite_and_unknown_ids) {
    World world;
    const Index id = world.add(ball_shape(1));
    const Pose bad = Pose::from_translation({0, std::numeric_limits<double>::quiet_NaN(), 0});
    EXPECT_THROW((void)world.collide(ball_shape(1), bad), Error);
    EXPECT_THROW((void)world.nearest(ball_shape(1), bad), Error);
    EXPECT_THROW((void)world.nearest(ball_shape(1), {}, -1), Error);
    EXPECT_THROW((void)world.sweep(ball_shape(1), {bad, {}}), Error);
    EXPECT_THROW((void)world.check_poses(id, std::array{Pose{}, bad}), Error);
    EXPECT_THROW((void)world.check_poses(9, std::array{Pose{}}), Error);
    EXPECT_THROW((void)world.clearances(9, std::array{Pose{}}), Error);
    EXPECT_THROW((void)world.clearances(id, std::array{bad}), Error);
}

TEST(WorldQueries, clearance_derivatives_are_those_of_the_nearest_body) {
    World world;
    const Index robot = world.add(Shape::capsule(0.1, 0.4), {});
    const Index crate = world.add(Shape::box({1, 1, 1}), Pose::from_translation({3, 0, 0}));
    const Index ball = world.add(Shape::sphere(0.5), Pose::from_translation({-3, 0, 0}));
    Random random(11);
    std::size_t apart = 0, overlapping = 0, unique = 0;
    for (int k = 0; k < 60; ++k) {
        const Pose pose{random.rotation(), random.in_box({{-4, -1, -1}, {4, 1, 1}})};
        const World::PoseClearance at = world.clearance_derivatives(robot, std::array{pose}).front();
        (at.distance > 0 ? apart : overlapping) += 1;
        EXPECT_TRUE(at.nearest == crate || at.nearest == ball);
        if (!at.unique) continue;
        ++unique;
        constexpr double step = 1e-5;
        for (int axis = 0; axis < 3; ++axis) {
            const auto moved = [&](double by) {
                Pose p = pose;
                p.translation[axis] += by;
                return world.clearance_derivatives(robot, std::array{p}).front().distance;
            };
            const auto turned = [&](double by) {
                const Pose p{Quat(Eigen::AngleAxisd(by, Vec3::Unit(axis))) * pose.rotation, pose.translation};
                return world.clearance_derivatives(robot, std::array{p}).front().distance;
            };
            EXPECT_NEAR((moved(step) - moved(-step)) / (2 * step), at.derivative.translation[axis], 1e-4);
            EXPECT_NEAR((turned(step) - turned(-step)) / (2 * step), at.derivative.rotation[axis], 1e-4);
        }
    }
    EXPECT_GT(apart, 10u);
    EXPECT_GT(overlapping, 5u);
    EXPECT_GT(unique, 30u);
    const World::PoseClearance between = world.clearance_derivatives(robot, std::array{Pose{}}).front();
    EXPECT_NEAR(between.distance, 2.4, 1e-9);
    EXPECT_FALSE(between.unique) << "2.4 m from both bodies";
    World alone;
    EXPECT_EQ(alone.clearance_derivatives(alone.add(Shape::sphere(1), {}), std::array{Pose{}}).front().nearest,
              no_index);
}

} // namespace world_queries_test
} // namespace fathom
