// Steps of a world compared with queries of all pairs, with and without the pair cache, and their events.
#include "detect/world/world_shapes.h"

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/baseline/scene_octree.h>
#include <fathom/detect/query/distance_lower_bound.h>
#include <fathom/detect/world/world_state.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <set>

namespace fathom {
namespace world_step_test {

using namespace testing;

// Bodies that drift and turn, each at its own speed, some not at all; they turn back where they have gone too far.
struct Drift {
    Random random;
    double size;
    std::vector<Vec3> velocity{}, axis{};

    Drift(std::uint64_t seed, double size_, std::size_t count, double fastest = 0.05) : random(seed), size(size_) {
        for (std::size_t k = 0; k < count; ++k) {
            const double speed = k % 4 == 3 ? 0 : random.uniform(0.05 * fastest, fastest);
            velocity.push_back(size * speed * random.direction());
            axis.push_back(speed * random.direction());
        }
    }
    Pose next(std::size_t k, const Pose& pose) {
        if (pose.translation.norm() > 1.6 * size && velocity[k].dot(pose.translation) > 0) velocity[k] = -velocity[k];
        const double angle = axis[k].norm();
        const Quat turn = angle > 0 ? Quat(Eigen::AngleAxisd(angle, axis[k] / angle)) : Quat(Quat::Identity());
        return {(turn * pose.rotation).normalized(), pose.translation + velocity[k]};
    }
};

World mixed_world(double size, std::uint64_t seed, const WorldOptions& options,
                  std::span<const ShapeKind> kinds = quick_kinds) {
    Random random(seed);
    World world(options);
    for (std::size_t k = 0; k < 14; ++k) {
        const ShapeKind kind = kinds[k % kinds.size()];
        const Pose pose = kind == ShapeKind::half_space ? Pose::from_translation({0, 0, -1.2 * size})
                                                        : random_pose(random, 1.6 * size);
        (void)world.add(shape_of(kind, size * random.uniform(0.5, 1.2)), pose);
    }
    return world;
}

void drift_on(World& world, Drift& drift) {
    for (Index id = 0; id < world.id_limit(); ++id)
        if (world.contains(id) && world.shape(id).kind() != ShapeKind::half_space)
            world.move(id, drift.next(id, world.pose(id)));
}

TEST(World, a_step_equals_the_results_of_all_pairs_to_the_byte) {
    for (const double size : {1e-3, 1.0, 1e3})
        for (const double margin : {0.0, 0.01 * size}) {
            World world = mixed_world(size, 3, {.query = {.margin = margin}});
            Drift drift(5, size, 14);
            std::size_t touching = 0, cached = 0, all = 0;
            for (std::size_t step = 0; step < count_of(5, 200); ++step) {
                const WorldStep& found = world.update();
                const std::vector<WorldPair> wanted = pairs_one_by_one(world);
                EXPECT_TRUE(std::ranges::equal(found.pairs, wanted, same_pair))
                    << "size " << size << " margin " << margin << " step " << step;
                touching += wanted.size();
                cached += found.cached;
                all += 14 * 13 / 2;
                drift_on(world, drift);
            }
            EXPECT_GT(touching, all / 20);
            EXPECT_LT(touching, all * 3 / 4);
            EXPECT_GT(cached, 5u);
        }
}

TEST(World, the_pair_cache_changes_no_byte_and_skips_most_separated_pairs) {
    constexpr std::array kinds = {ShapeKind::closed_mesh, ShapeKind::analytic, ShapeKind::grid, ShapeKind::tetrahedra,
                                  ShapeKind::half_space};
    for (const std::uint64_t seed : {1, 2}) {
        World warm = mixed_world(1, seed, {}, kinds), cold = mixed_world(1, seed, {.warm_start = false}, kinds);
        Drift of_warm(seed, 1, 14, 0.01), of_cold(seed, 1, 14, 0.01);
        std::size_t cached = 0, apart = 0;
        for (std::size_t step = 0; step < count_of(30, 1000); ++step) {
            const WorldStep &a = warm.update(), &b = cold.update();
            ASSERT_TRUE(std::ranges::equal(a.pairs, b.pairs, same_pair)) << "step " << step;
            ASSERT_EQ(a.began, b.began);
            ASSERT_EQ(a.ended, b.ended);
            EXPECT_EQ(b.cached, 0u);
            EXPECT_EQ(a.cached + a.tested, b.tested);
            cached += a.cached;
            apart += b.tested - b.pairs.size();
            drift_on(warm, of_warm);
            drift_on(cold, of_cold);
        }
        EXPECT_GT(cached, apart / 2) << "of " << apart;
    }
}

TEST(World, a_world_at_rest_repeats_no_query) {
    World world = mixed_world(1, 9, {});
    const std::vector<WorldPair> first = world.update().pairs;
    const WorldStep& again = world.update();
    EXPECT_EQ(again.tested, 0u);
    EXPECT_GT(again.cached, 5u);
    ASSERT_FALSE(first.empty());
    EXPECT_TRUE(std::ranges::equal(first, again.pairs, same_pair));
    EXPECT_TRUE(again.began.empty() && again.ended.empty());
    EXPECT_EQ(again.stayed.size(), first.size());
}

TEST(World, events_are_the_changes_of_the_set_of_pairs) {
    World world = mixed_world(1, 4, {.query = {.goal = CollideGoal::status}});
    Drift drift(8, 1, 14);
    std::set<IdPair> before;
    std::size_t began = 0, ended = 0;
    Random random(2);
    for (int step = 0; step < 40; ++step) {
        const WorldStep& found = world.update();
        std::set<IdPair> now;
        for (const WorldPair& pair : found.pairs) now.insert({pair.a, pair.b});
        std::vector<IdPair> wanted_began, wanted_stayed, wanted_ended;
        std::ranges::set_difference(now, before, std::back_inserter(wanted_began));
        std::ranges::set_intersection(now, before, std::back_inserter(wanted_stayed));
        std::ranges::set_difference(before, now, std::back_inserter(wanted_ended));
        EXPECT_EQ(found.began, wanted_began);
        EXPECT_EQ(found.stayed, wanted_stayed);
        EXPECT_EQ(found.ended, wanted_ended);
        EXPECT_EQ(&found, &world.last());
        began += found.began.size();
        ended += found.ended.size();
        before = now;
        drift_on(world, drift);
        if (step % 7 == 3 && world.contains(1)) world.remove(1);
        if (step % 7 == 5 && !world.contains(1)) {
            EXPECT_EQ(world.add(ball_shape(0.5), random_pose(random, 1)), 1u);
        }
    }
    EXPECT_GT(began, 10u);
    EXPECT_GT(ended, 10u);
}

TEST(World, steps_are_the_same_bytes_for_any_number_of_threads) {
    const auto run = [](std::size_t threads) {
        set_thread_count(threads);
        World world = mixed_world(1, 6, {});
        Drift drift(1, 1, 14);
        std::vector<WorldStep> steps;
        for (int step = 0; step < 8; ++step) {
            steps.push_back(world.update());
            drift_on(world, drift);
        }
        set_thread_count(0);
        return steps;
    };
    const std::vector<WorldStep> one = run(1), three = run(3);
    for (std::size_t k = 0; k < one.size(); ++k) {
        EXPECT_TRUE(std::ranges::equal(one[k].pairs, three[k].pairs, same_pair));
        EXPECT_EQ(one[k].tested, three[k].tested);
        EXPECT_EQ(one[k].cached, three[k].cached);
    }
}

TEST(World, every_broad_phase_gives_the_same_steps) {
    std::vector<World> worlds;
    for (const BroadPhaseOptions& broad :
         {BroadPhaseOptions{.method = BroadMethod::brute_force, .margin = 0.1},
          BroadPhaseOptions{.method = BroadMethod::packed_tree}, BroadPhaseOptions{.finder = scene_octree_finder()}})
        worlds.push_back(mixed_world(1, 7, {.query = {.goal = CollideGoal::status}, .broad = broad}));
    std::vector<Drift> drifts(3, Drift(3, 1, 14));
    for (int step = 0; step < 10; ++step) {
        for (World& world : worlds) (void)world.update();
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_TRUE(std::ranges::equal(worlds[0].last().pairs, worlds[k].last().pairs, same_pair));
            drift_on(worlds[k], drifts[k]);
        }
    }
}

TEST(World, categories_static_bodies_and_the_filter_decide_which_pairs_are_tested) {
    World world;
    for (int k = 0; k < 6; ++k)
        (void)world.add(ball_shape(1), Pose::from_translation({0.1 * k, 0, 0}),
                        {.category = k < 3 ? 1u : 2u, .is_static = k == 2 || k == 3});
    world.set_category(0, 1, 1); // touches only its own category
    const auto ids = [&] {
        std::vector<IdPair> pairs;
        for (const WorldPair& pair : world.update().pairs) pairs.push_back({pair.a, pair.b});
        return pairs;
    };
    EXPECT_EQ(ids(), (std::vector<IdPair>{
                         {0, 1}, {0, 2}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {2, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}}));
    std::vector<IdPair> asked;
    world.set_filter([&](Index a, Index b) {
        asked.push_back({a, b});
        return (a + b) % 2 == 1;
    });
    EXPECT_EQ(ids(), (std::vector<IdPair>{{0, 1}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {4, 5}}));
    EXPECT_EQ(asked.size(), 11u);
    EXPECT_EQ(world.last().ended.size(), 5u);
    world.set_filter(nullptr);
    EXPECT_EQ(ids().size(), 11u);
    EXPECT_EQ(world.last().began.size(), 5u);
}

TEST(World, half_spaces_overlap_bodies_that_reach_them_and_each_other) {
    World world({.query = {.goal = CollideGoal::contacts}});
    const Index floor = world.add(Shape::half_space(Vec3::UnitZ(), 0), {}, {.name = "floor", .is_static = true});
    const Index ball = world.add(ball_shape(0.5), Pose::from_translation({0, 0, 0.4}));
    const Index high = world.add(ball_shape(0.5), Pose::from_translation({0, 0, 5}));
    const Index wall = world.add(Shape::half_space(Vec3::UnitX(), -100), {}, {.is_static = true});
    EXPECT_EQ(world.update().began, (std::vector<IdPair>{{floor, ball}}));
    EXPECT_NEAR(world.last().pairs[0].collision.local_depth, 0.1, 1e-9);
    EXPECT_EQ(world.last().tested, 1u) << "the high ball needs no question";
    EXPECT_EQ(world.name(floor), "floor");
    world.move(high, Pose::from_translation({-100, 0, 5}));
    EXPECT_EQ(world.update().began, (std::vector<IdPair>{{high, wall}}));
    world.replace(wall, ball_shape(0.1)); // now small, at the origin
    EXPECT_EQ(world.update().ended, (std::vector<IdPair>{{high, wall}}));
    EXPECT_EQ(world.last().began, (std::vector<IdPair>{{ball, wall}}));
    const Index slope = world.add(Shape::half_space(Vec3(1, 0, 1), -50));
    EXPECT_EQ(world.update().pairs.back().b, slope); // half-spaces that are not parallel always overlap
}

TEST(Shape, a_deformed_mesh_refits_its_tree_and_answers_as_a_new_one) {
    Random random(31);
    const TriangleMesh ball = make_sphere({.radius = 1, .resolution = 6});
    Shape shape(ball);
    double farthest = 0;
    for (int step = 0; step < 6; ++step) {
        (void)shape.tree();
        TriangleMesh moved = ball;
        for (Vec3& v : moved.vertices) v = v.cwiseProduct(Vec3(1 + 0.3 * step, 1, 1)) + 0.02 * random.in_ball();
        shape = shape.deformed(moved.vertices);
        const SurfaceTree fresh(moved);
        EXPECT_EQ(shape.kind(), ShapeKind::closed_mesh);
        for (int k = 0; k < 50; ++k) {
            const Vec3 point = 3 * random.in_ball();
            EXPECT_EQ(shape.tree().closest(point).squared_distance, fresh.closest(point).squared_distance);
            farthest = std::max(farthest, fresh.closest(point).squared_distance);
        }
    }
    EXPECT_GT(farthest, 0.5);
}

TEST(World, a_deformed_body_is_met_where_it_is_now) {
    World world;
    const TriangleMesh cloth = make_cloth({.size = {1, 1}, .cells = {6, 6}});
    const TetMesh block = make_tet_box({.size = {1, 1, 1}, .cells = {2, 2, 2}});
    const Index sheet = world.add(Shape(cloth)), ball = world.add(ball_shape(0.2), Pose::from_translation({0, 0, 0.5}));
    const Index soft = world.add(Shape(block), Pose::from_translation({10, 0, 0})),
                other = world.add(ball_shape(0.2), Pose::from_translation({10, 0, 1.0}));
    EXPECT_TRUE(world.update().pairs.empty());
    std::vector<Vec3> bent = cloth.vertices, tall = block.vertices;
    for (Vec3& p : bent) p.z() = 0.5 - p.squaredNorm();
    for (Vec3& p : tall) p.z() *= 2;
    world.deform(sheet, bent);
    world.deform(soft, tall);
    EXPECT_EQ(world.update().began, (std::vector<IdPair>{{sheet, ball}, {soft, other}}));
    world.deform(sheet, cloth.vertices);
    world.deform(soft, block.vertices);
    EXPECT_EQ(world.update().ended, (std::vector<IdPair>{{sheet, ball}, {soft, other}}));
    EXPECT_THROW(world.deform(ball, bent), Error);
    EXPECT_THROW(world.deform(sheet, std::vector<Vec3>(3, Vec3::Zero())), Error);
}

TEST(World, ids_stay_and_are_given_again_only_after_a_step) {
    World world;
    const Index a = world.add(ball_shape(1)), b = world.add(ball_shape(1)), c = world.add(ball_shape(1));
    EXPECT_EQ(world.update().pairs.size(), 3u);
    world.remove(b);
    EXPECT_FALSE(world.contains(b));
    EXPECT_EQ(world.size(), 2u);
    const Index d = world.add(ball_shape(1), Pose::from_translation({50, 0, 0}));
    EXPECT_NE(d, b);
    EXPECT_EQ(world.update().ended, (std::vector<IdPair>{{a, b}, {b, c}}));
    EXPECT_EQ(world.add(ball_shape(1), Pose::from_translation({50, 0, 0})), b);
    EXPECT_EQ(world.update().began, (std::vector<IdPair>{{b, d}}));
    EXPECT_EQ(world.id_limit(), 4u);
}

TEST(World, rejects_bad_ids_and_poses_and_stays_unchanged) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    World world;
    const Index a = world.add(ball_shape(1)), b = world.add(ball_shape(1), Pose::from_translation({1, 0, 0}));
    const Pose bad = Pose::from_translation({nan, 0, 0}), far = Pose::from_translation({1e308, 1e308, 0});
    const auto cause = [](auto&& work) {
        try {
            work();
        } catch (const Error& error) {
            return name(error.cause());
        }
        return std::string_view("none");
    };
    EXPECT_EQ(cause([&] { world.move(a, bad); }), "non_finite");
    EXPECT_EQ(cause([&] { world.move(a, Pose{Quat(0, 0, 0, 0), Vec3::Zero()}); }), "invalid_argument");
    EXPECT_EQ(cause([&] { (void)world.add(ball_shape(1), bad); }), "non_finite");
    EXPECT_EQ(cause([&] { world.move(7, {}); }), "index_out_of_range");
    EXPECT_EQ(cause([&] { world.remove(no_index); }), "index_out_of_range");
    EXPECT_EQ(cause([&] { (void)world.shape(2); }), "index_out_of_range");
    EXPECT_EQ(cause([&] { world.set_category(2, 1, 1); }), "index_out_of_range");
    EXPECT_EQ(cause([&] { world.replace(2, ball_shape(1)); }), "index_out_of_range");
    EXPECT_EQ(cause([&] {
                  world.move(std::array{a, b}, std::array{Pose::from_translation({9, 0, 0})});
              }),
              "count_mismatch");
    EXPECT_EQ(cause([&] {
                  world.move(std::array{a, b}, std::array{Pose::from_translation({9, 0, 0}), bad});
              }),
              "non_finite");
    EXPECT_EQ(cause([&] {
                  world.move(std::array{a, Index{5}}, std::array{Pose::from_translation({9, 0, 0}), Pose{}});
              }),
              "index_out_of_range");
    EXPECT_EQ(cause([] { World({.query = {.margin = -1}}); }), "invalid_argument");
    EXPECT_EQ(cause([] { World({.broad = {.margin = -1}}); }), "invalid_argument");
    EXPECT_EQ(world.pose(a).translation, Vec3::Zero());
    EXPECT_EQ(world.update().pairs.size(), 1u);
    world.move(a, far);
    EXPECT_TRUE(world.update().pairs.empty());
    world.move(a, {});
    EXPECT_EQ(world.update().pairs.size(), 1u);
}

TEST(World, a_rotation_that_is_nearly_unit_is_made_so) {
    World world;
    const Quat nearly(1 + 1e-6, 0, 0, 1e-7);
    const Index id = world.add(ball_shape(1), {nearly, {1, 2, 3}});
    EXPECT_NEAR(world.pose(id).rotation.norm(), 1, 1e-15);
}

TEST(World, empty_shapes_overlap_nothing) {
    World world;
    const Index none = world.add(
        formula_shape(shapes::intersection(shapes::sphere(1), shapes::translate({5, 0, 0}, shapes::sphere(1)))));
    (void)world.add(ball_shape(9));
    (void)world.add(Shape::half_space(Vec3::UnitZ(), 0));
    for (const WorldPair& pair : world.update().pairs) EXPECT_TRUE(pair.a != none && pair.b != none);
    EXPECT_TRUE(World().update().pairs.empty());
}

TEST(PairCache, no_point_travels_farther_than_the_bound_and_the_bound_is_near) {
    Random random(12);
    const Shape a = shape_of(ShapeKind::closed_mesh, 1), b = shape_of(ShapeKind::open_mesh, 2),
                plane = Shape::half_space(Vec3::UnitZ(), 0);
    double tightest = 0;
    for (int round = 0; round < 300; ++round) {
        const double step = std::pow(10, random.uniform(-6, 0.5));
        const auto moved = [&](const Pose& pose) {
            return Pose{
                (Quat(Eigen::AngleAxisd(step * random.uniform(), random.direction())) * pose.rotation).normalized(),
                pose.translation + step * random.in_ball()};
        };
        const Pose a0 = random_pose(random, 5), b0 = random_pose(random, 5), a1 = moved(a0), b1 = moved(b0);
        const auto largest = [&](const Shape& shape, const Pose& from0, const Pose& from1, const Pose& at0,
                                 const Pose& at1) {
            double most = 0;
            for (const Vec3& p : shape.mesh().vertices)
                most = std::max(most, (relative(from1, at1) * p - relative(from0, at0) * p).norm());
            return most;
        };
        const double bound = relative_travel(a, a0, a1, b, b0, b1),
                     with_plane = relative_travel(a, a0, a1, plane, b0, b1);
        const double of_a = largest(a, b0, b1, a0, a1), of_b = largest(b, a0, a1, b0, b1);
        EXPECT_GE(bound, std::min(of_a, of_b));
        EXPECT_GE(with_plane, of_a);
        tightest = std::max(tightest, std::min(of_a, of_b) / bound);
    }
    EXPECT_GT(tightest, 0.6);
    EXPECT_EQ(relative_travel(plane, {}, {}, plane, {}, {}), std::numeric_limits<double>::infinity());
    EXPECT_LT(relative_travel(a, {}, {}, b, {}, {}), 1e-10);
}

TEST(WorldLowerBound, is_at_most_the_distance_and_mostly_close_to_it) {
    for (const double size : {1e-3, 1e3}) {
        Random random(31);
        std::size_t near = 0, apart = 0, touching = 0;
        for (const ShapeKind kind : quick_kinds)
            for (const ShapeKind other : quick_kinds) {
                if (kind == ShapeKind::half_space) continue;
                const Shape a = shape_of(kind, 0.8 * size), b = shape_of(other, size);
                for (int round = 0; round < 2; ++round) {
                    const Pose pose_a = random_pose(random, size), pose_b = other == ShapeKind::half_space
                                                                                ? Pose::from_translation({0, 0, -size})
                                                                                : random_pose(random, size);
                    const DistanceResult truth = distance(a, pose_a, b, pose_b);
                    const double gap = distance_lower_bound(a, pose_a, b, pose_b, {.sufficient = size});
                    EXPECT_LE(gap, std::max(0.0, truth.upper_bound) + truth.error_bound + 1e-9 * size)
                        << name(kind) << " " << name(other);
                    EXPECT_EQ(distance_lower_bound(b, pose_b, a, pose_a, {.sufficient = 0}) <=
                                  std::max(0.0, truth.upper_bound) + truth.error_bound + 1e-9 * size,
                              true);
                    ++(truth.upper_bound > 0 ? apart : touching);
                    near += truth.upper_bound > 0.05 * size && gap > 0.5 * truth.upper_bound;
                }
            }
        EXPECT_GT(touching, 15u);
        EXPECT_GT(near, apart / 3);
    }
    const Shape plane = Shape::half_space(Vec3::UnitZ(), 0), pillar = formula_shape(shapes::infinite_cylinder(1));
    EXPECT_EQ(distance_lower_bound(plane, {}, plane, Pose::from_translation({0, 0, -5}), {.sufficient = 1}), 0);
    EXPECT_EQ(distance_lower_bound(pillar, {}, ball_shape(1), Pose::from_translation({5, 0, 0}), {.sufficient = 1}), 0);
}

} // namespace world_step_test
} // namespace fathom
