#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/baseline/scene_octree.h>

#include "support/test_counts.h"

#include <gtest/gtest.h>

namespace fathom {
namespace scene_octree_test {

std::vector<Box> cubes(Random& random, int count, double reach, double half) {
    std::vector<Box> boxes;
    for (int k = 0; k < count; ++k)
        boxes.push_back(
            Box::around(random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(reach))), Vec3::Constant(half)));
    return boxes;
}

void shift(std::vector<Box>& boxes, Random& random, double step) {
    for (Box& box : boxes) box = Box::around(box.center() + step * random.direction(), box.half());
}

TEST(SceneOctree, keeps_one_region_until_it_has_two_objects) {
    SceneOctree tree;
    tree.update({});
    EXPECT_EQ(tree.region_count(), 1u);
    std::vector<Box> boxes{Box::around(Vec3::Zero(), Vec3::Ones())};
    tree.update({boxes});
    EXPECT_EQ(tree.region_count(), 1u);
    boxes.push_back(Box::around(Vec3::Constant(9), Vec3::Ones()));
    tree.update({boxes});
    EXPECT_EQ(tree.region_count(), 9u);
    EXPECT_EQ(tree.pair_test_count(), 0u);
}

TEST(SceneOctree, does_not_split_where_that_cannot_separate) {
    for (const int objects : {2, 10}) {
        const std::vector<Box> alike(static_cast<std::size_t>(objects), Box::around(Vec3::Zero(), Vec3::Ones()));
        SceneOctree tree({.level_cap = 10});
        tree.update({alike});
        EXPECT_EQ(tree.region_count(), 1u);
    }
    // Two that overlap in a corner, far from a third: a chain of regions at most, never a bush.
    const std::vector<Box> boxes{{Vec3::Zero(), Vec3::Ones()},
                                 {Vec3::Constant(0.9), Vec3::Constant(2)},
                                 Box::around(Vec3::Constant(90), Vec3::Ones())};
    SceneOctree tree({.level_cap = 16});
    tree.update({boxes});
    EXPECT_LE(tree.region_count(), 1u + 8 * 16);
    EXPECT_EQ(tree.pair_test_count(), 1u);
}

TEST(SceneOctree, keeps_to_the_level_cap) {
    Random random(1);
    const std::vector<Box> boxes = cubes(random, 500, 10, 0.05);
    int last = -1;
    for (const int cap : {0, 1, 2, 4, 8}) {
        SceneOctree tree({.level_cap = cap});
        tree.update({boxes});
        EXPECT_LE(tree.depth(), cap);
        EXPECT_GE(tree.depth(), last);
        last = tree.depth();
    }
    EXPECT_GT(last, 3);
    EXPECT_THROW(SceneOctree({.level_cap = -1}), Error);
}

// Two corners hold the root in place, so that a fresh tree has the same one.
TEST(SceneOctree, expands_and_reduces_to_the_tree_that_a_fresh_build_gives) {
    std::size_t changes = 0;
    for (std::size_t k = 0; k < testing::count_of(40, 2000); ++k) {
        Random random(2, k);
        std::vector<Box> boxes = cubes(random, 100, 5, random.uniform(0.05, 0.8));
        std::vector<Sphere> spheres(k % 2 ? boxes.size() + 2 : 0, Sphere{Vec3::Zero(), -1});
        boxes.push_back(Box::around(Vec3::Constant(-20), Vec3::Constant(0.5)));
        boxes.push_back(Box::around(Vec3::Constant(20), Vec3::Constant(0.5)));
        SceneOctree moving;
        std::size_t last = 0;
        for (int step = 0; step < 6; ++step) {
            for (std::size_t n = 0; n + 2 < boxes.size(); ++n) {
                if (random.chance(0.5))
                    boxes[n] = Box::around(boxes[n].center() + 0.5 * random.direction(), boxes[n].half());
                if (k % 2) boxes[n] = bounds_of_sphere(spheres[n] = {boxes[n].center(), boxes[n].half().x()});
            }
            const SceneObjects objects{boxes, spheres};
            SceneOctree fresh;
            moving.update(objects);
            fresh.update(objects);
            ASSERT_EQ(moving.root().lower, fresh.root().lower);
            ASSERT_EQ(moving.region_count(), fresh.region_count()) << "scene " << k << " step " << step;
            ASSERT_EQ(moving.pair_test_count(), fresh.pair_test_count());
            ASSERT_EQ(moving.depth(), fresh.depth());
            changes += moving.region_count() != last;
            last = moving.region_count();
        }
    }
    EXPECT_GT(changes, 20u);
}

TEST(SceneOctree, follows_objects_that_leave_the_root_and_those_that_crowd_together) {
    Random random(4);
    std::vector<Box> boxes = cubes(random, 200, 5, 0.3);
    SceneOctree tree;
    std::vector<IdPair> pairs, expected;
    for (int step = 0; step < 40; ++step) {
        const double factor = step < 20 ? 1.3 : 0.7;
        for (Box& box : boxes) box = Box::around(factor * box.center(), box.half());
        shift(boxes, random, 0.1);
        tree.update({boxes});
        tree.find_pairs({boxes}, pairs);
        pairs_by_force({boxes}, expected);
        ASSERT_EQ(pairs, expected) << step;
    }
    EXPECT_GT(pairs.size(), 100u);
}

TEST(SceneOctree, tests_fewer_pairs_with_the_exact_sphere_test_than_with_the_grown_box) {
    Random random(6);
    std::vector<Sphere> spheres;
    std::vector<Box> boxes;
    for (int k = 0; k < 400; ++k) {
        spheres.push_back({random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(5))), random.uniform(0.1, 0.6)});
        boxes.push_back(bounds_of_sphere(spheres.back()));
    }
    const SceneObjects objects{boxes, spheres};
    SceneOctree exact({.sphere_test = SphereTest::closest_point}), grown({.sphere_test = SphereTest::grown_box});
    std::vector<IdPair> by_exact, by_grown, expected;
    exact.update(objects);
    grown.update(objects);
    exact.find_pairs(objects, by_exact);
    grown.find_pairs(objects, by_grown);
    pairs_by_force(objects, expected);
    EXPECT_EQ(by_exact, expected);
    EXPECT_EQ(by_grown, expected);
    EXPECT_LT(exact.pair_test_count(), grown.pair_test_count());
    EXPECT_GT(expected.size(), 50u);
}

} // namespace scene_octree_test
} // namespace fathom
