#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/index/sphere_tree.h>

#include "support/test_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace fathom {
namespace sphere_tree_test {

using Wide = Eigen::Matrix<long double, 3, 1>;

// In long double, so that only the tree can be wrong.
bool holds(const Sphere& sphere, const Vec3& p) {
    const Wide d = p.cast<long double>() - sphere.center.cast<long double>();
    return d.dot(d) <= static_cast<long double>(sphere.radius) * static_cast<long double>(sphere.radius) * (1 + 1e-17L);
}

struct Subtree {
    Index begin, end; // points
};

Subtree check_node(const SphereTree& tree, const SphereNode& node, std::vector<char>& seen) {
    Subtree all{no_index, 0};
    if (node.is_leaf()) {
        all = {node.first, node.first + node.size()};
        for (Index k = all.begin; k < all.end; ++k) EXPECT_EQ(seen[k]++, 0);
        EXPECT_TRUE(std::is_sorted(tree.order().begin() + all.begin, tree.order().begin() + all.end));
    } else {
        EXPECT_GE(node.size(), 2u);
        EXPECT_LE(node.size(), SphereTree::width);
        for (std::uint32_t c = 0; c < node.size(); ++c) {
            const Subtree part = check_node(tree, tree.nodes()[node.first + c], seen);
            if (c > 0) {
                EXPECT_EQ(part.begin, all.end) << "points of a subtree lie side by side";
            }
            all = {std::min(all.begin, part.begin), part.end};
        }
    }
    EXPECT_EQ(node.least, *std::min_element(tree.order().begin() + all.begin, tree.order().begin() + all.end));
    const Sphere sphere = tree.sphere(node);
    for (Index k = all.begin; k < all.end; ++k)
        EXPECT_TRUE(holds(sphere, tree.points()[k]))
            << tree.points()[k].transpose() << " centre " << sphere.center.transpose() << " radius " << sphere.radius;
    return all;
}

void check(const SphereTree& tree, const std::vector<Vec3>& points) {
    ASSERT_EQ(tree.size(), points.size());
    std::vector<char> seen(points.size()), given(points.size());
    const Subtree all = check_node(tree, tree.nodes()[0], seen);
    EXPECT_EQ(all.begin, 0u);
    EXPECT_EQ(all.end, points.size());
    for (std::size_t k = 0; k < points.size(); ++k) {
        EXPECT_EQ(given[tree.order()[k]]++, 0);
        EXPECT_EQ(tree.points()[k], points[tree.order()[k]]);
    }
}

TEST(SphereTree, every_sphere_contains_all_points_below_it_at_every_scale_and_place) {
    Random random(1);
    for (const double scale : {1e-3, 1.0, 1e3, 1e-200, 1e150})
        for (const double offset : {0.0, 1e3, 1e9})
            for (const std::size_t count : {1, 2, 8, 9, 65, 1000, 5000}) {
                std::vector<Vec3> points(count);
                for (Vec3& p : points) p = scale * (Vec3::Constant(offset) + random.in_ball());
                check(SphereTree(points), points);
            }
}

TEST(SphereTree, duplicates_lines_and_planes_are_no_trouble) {
    Random random(2);
    std::vector<Vec3> same(1000, Vec3(1, 2, 3)), line(1000), plane(1000), two(1000);
    for (std::size_t k = 0; k < 1000; ++k) {
        line[k] = random.uniform() * Vec3(1, 2, 3);
        plane[k] = Vec3(random.uniform(), random.uniform(), 0);
        two[k] = Vec3::Constant(random.chance(0.9) ? 0.0 : 1.0);
    }
    for (const auto& points : {same, line, plane, two}) check(SphereTree(points), points);
    EXPECT_EQ(SphereTree(same).nodes()[0].radius, 0.0f);
}

TEST(SphereTree, spheres_are_small) {
    Random random(3);
    std::vector<Vec3> ball(20000);
    for (Vec3& p : ball) p = random.direction();
    const SphereTree tree(ball);
    EXPECT_LT(tree.sphere(tree.nodes()[0]).radius, 1.05);
    // A leaf of eight on the unit sphere covers an area of 4 pi / 2500: a disk of radius 0.04, stretched by chance.
    double sum = 0;
    std::size_t leaves = 0;
    for (const SphereNode& node : tree.nodes())
        if (node.is_leaf()) sum += tree.sphere(node).radius, ++leaves;
    EXPECT_LT(sum / static_cast<double>(leaves), 0.045);
}

TEST(SphereTree, has_the_same_bytes_for_any_number_of_threads) {
    Random random(4);
    std::vector<Vec3> points(30000);
    for (Vec3& p : points) p = random.in_ball();
    set_thread_count(1);
    const SphereTree one(points);
    set_thread_count(0);
    const SphereTree all(points);
    ASSERT_EQ(one.nodes().size(), all.nodes().size());
    EXPECT_EQ(std::memcmp(one.nodes().data(), all.nodes().data(), one.nodes().size_bytes()), 0);
    EXPECT_TRUE(std::equal(one.order().begin(), one.order().end(), all.order().begin()));
    EXPECT_LT(all.memory_bytes(), 40 * points.size());
}

TEST(SphereTree, nothing_makes_an_empty_tree_and_bad_points_are_named) {
    EXPECT_TRUE(SphereTree(std::vector<Vec3>{}).empty());
    EXPECT_EQ(SphereTree().level_count(), 0u);
    std::vector<Vec3> points(100, Vec3::Zero());
    points[37].y() = std::nan("");
    points[90].x() = HUGE_VAL;
    try {
        SphereTree tree(points);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::non_finite);
        EXPECT_EQ(error.place().index, 37);
    }
    points.resize(30);
    EXPECT_THROW(SphereTree(points, {.leaf_size = 0}), Error);
    EXPECT_THROW(SphereTree(points, {.leaf_size = 65}), Error);
}

} // namespace sphere_tree_test
} // namespace fathom
