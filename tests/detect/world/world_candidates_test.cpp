// candidates(): pairs of bounds without a narrow phase, for shapes, for bodies without a shape, and over motions.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/world/world.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace fathom {
namespace world_candidates_test {

std::vector<IdPair> listed(World& world) {
    const auto pairs = world.candidates();
    return {pairs.begin(), pairs.end()};
}

Box random_box(Random& random) {
    return Box::around(random.in_box({Vec3::Zero(), Vec3::Constant(3)}), Vec3::Constant(random.uniform(0.05, 0.4)));
}

TEST(WorldCandidates, are_the_pairs_of_boxes_that_overlap_and_may_touch) {
    Random random(11);
    std::size_t found = 0, apart = 0, filtered = 0;
    for (const std::size_t count : {5u, 20u, 80u}) { // by brute force, and by the packed tree
        World world;
        std::vector<Box> boxes(count);
        std::vector<char> still(count);
        for (Index k = 0; k < count; ++k) ASSERT_EQ(world.add(Box{}), k);
        for (int step = 0; step < 10; ++step) {
            for (Index k = 0; k < count; ++k) {
                boxes[k] = k % 7 == 3 ? Box{} : random_box(random);
                still[k] = random.chance(0.4) ? 1 : 0;
                world.set_bounds(k, boxes[k]);
                world.set_static(k, still[k] != 0);
            }
            std::vector<IdPair> truth;
            for (Index a = 0; a < count; ++a)
                for (Index b = a + 1; b < count; ++b) {
                    const bool overlap = !boxes[a].empty() && !boxes[b].empty() && boxes[a].overlaps(boxes[b]);
                    ++(overlap ? still[a] && still[b] ? filtered : found : apart);
                    if (overlap && !(still[a] && still[b])) truth.push_back({a, b});
                }
            ASSERT_EQ(listed(world), truth);
        }
    }
    EXPECT_GT(found, 100u);
    EXPECT_GT(apart, 100u);
    EXPECT_GT(filtered, 20u);
}

TEST(WorldCandidates, know_unbounded_bodies_with_a_shape_and_without) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    World world;
    const Index ground = world.add(Shape::half_space({0, 0, 1}, 0), {}, {.is_static = true}),
                low = world.add(Box::around({0, 0, 0.5}, Vec3::Constant(0.6))),
                high = world.add(Box::around({0, 0, 5}, Vec3::Constant(0.6)));
    EXPECT_EQ(listed(world), (std::vector<IdPair>{{ground, low}})) << "the range of its field excludes the other";
    world.set_bounds(high, Box::around({0, 0, 2.5}, Vec3(0.6, 0.6, 3.1)));
    EXPECT_EQ(listed(world), (std::vector<IdPair>{{ground, low}, {ground, high}, {low, high}})) << "over a fall";
    const Index everywhere = world.add(Box::around(Vec3::Zero(), Vec3::Constant(inf)));
    EXPECT_EQ(listed(world).size(), 6u);
    world.remove(everywhere);
    EXPECT_EQ(listed(world).size(), 3u);
    EXPECT_THROW(world.set_bounds(low, Box::around(Vec3::Constant(std::nan("")), Vec3::Ones())), Error);
}

TEST(WorldCandidates, of_a_moving_shape_are_those_of_its_swept_bounds_until_it_is_moved) {
    World world;
    const Shape ball(make_sphere({.radius = 0.5}));
    const Index still = world.add(ball), flying = world.add(ball, Pose::from_translation({3, 0, 0}));
    EXPECT_TRUE(listed(world).empty());
    world.set_bounds(flying, Box{{-3.5, -0.5, -0.5}, {3.5, 0.5, 0.5}});
    EXPECT_EQ(listed(world), (std::vector<IdPair>{{still, flying}}));
    world.move(flying, Pose::from_translation({3, 0, 0}));
    EXPECT_TRUE(listed(world).empty());
}

TEST(WorldCandidates, without_a_shape_are_not_seen_by_queries) {
    World world;
    const Shape ball(make_sphere({.radius = 0.5}));
    const Index seen = world.add(ball, Pose::from_translation({4, 0, 0}));
    const Index bounds = world.add(Box::around(Vec3::Zero(), Vec3::Ones()));
    EXPECT_EQ(world.cast({{-5, 0, 0}, {1, 0, 0}}).body, seen);
    EXPECT_EQ(world.nearest(ball, {}).body, seen);
    EXPECT_TRUE(world.collide(ball, {}).empty());
    EXPECT_EQ(world.sweep(ball, {{}, Pose::from_translation({5, 0, 0})}).body, seen);
    world.add(ball, Pose::from_translation({0.2, 0, 0}));
    EXPECT_TRUE(world.update().pairs.empty());
    EXPECT_THROW((void)world.shape(bounds), Error);
    EXPECT_THROW(world.move(bounds, {}), Error);
    EXPECT_THROW((void)world.clearances(bounds, {}), Error);
}

} // namespace world_candidates_test
} // namespace fathom
