// Points of one body in leaves of another's octree, against all leaves.
#include <fathom/baseline/colliding_points.h>

#include "index/octree_bodies.h"

#include <gtest/gtest.h>

namespace fathom {
namespace colliding_points_test {

using namespace testing;

// The points of a body that are inside some leaf of the tree of another.
std::set<Index> points_in_leaves(const Body& body, const BodyOctree& other) {
    std::set<Index> inside;
    each_node(other, [&](std::uint32_t word, const std::set<Index>&) {
        if (!BvhNode::is_leaf(word)) return;
        const bool spheres = other.options().volume == NodeVolume::sphere;
        for (Index k = 0; k < body.points.size(); ++k) {
            const Vec3& p = body.points[k];
            if (spheres ? other.sphere_of(word).contains(p) : other.box_of(word).contains(p)) inside.insert(k);
        }
    });
    return inside;
}

TEST(CollidingPoints, are_the_points_inside_a_leaf_of_the_other_body) {
    Random random(8);
    std::size_t inside = 0, outside = 0;
    for (const Scene& scene : body_scenes())
        for (const BodyOctreeOptions& options : all_kinds()) {
            const Body a = ring(10, 16, scene, Vec3::Zero()), b = ring(8, 12, scene, 1.2 * random.direction());
            BodyOctree tree_a = a.tree(options), tree_b = b.tree(options);
            tree_b.update(b.points, 0.02 * scene.scale);
            const CollidingPoints found = colliding_points(tree_a, tree_b);
            const std::set<Index> of_a = points_in_leaves(a, tree_b), of_b = points_in_leaves(b, tree_a);
            ASSERT_TRUE(std::ranges::equal(found.of_a, of_a));
            ASSERT_TRUE(std::ranges::equal(found.of_b, of_b));
            inside += of_a.size() + of_b.size();
            outside += a.points.size() + b.points.size() - of_a.size() - of_b.size();
        }
    EXPECT_GT(inside, outside / 50);
    EXPECT_GT(outside, inside / 50);
}

} // namespace colliding_points_test
} // namespace fathom
