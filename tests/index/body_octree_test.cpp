#include "index/octree_bodies.h"
#include "support/test_counts.h"

namespace fathom {
namespace body_octree_test {

using namespace testing;

TEST(BodyOctree, every_node_contains_its_points_after_every_update) {
    Random random(1);
    for (const Scene& scene : body_scenes())
        for (const BodyOctreeOptions& options : all_kinds())
            for (const int each : {1, 2, 3, 4}) {
                Body body = each == 3 ? ring(12, 20, scene, Vec3::Zero()) : soup(random, scene, each, 200);
                BodyOctree tree = body.tree(options);
                expect_enclosure(tree);
                const std::vector<Vec3> moved = deformed(body.points, random, scene, 0.4);
                tree.update(moved);
                expect_enclosure(tree);
                tree.update(moved, 0.05 * scene.scale);
                expect_enclosure(tree);
                tree.update_swept(moved, deformed(moved, random, scene, 0.5), 0.01 * scene.scale);
                expect_enclosure(tree);
                if (::testing::Test::HasFailure()) return;
            }
}

TEST(BodyOctree, spheres_of_the_better_rule_are_smaller) {
    const Body body = ring(16, 30, {1, Vec3::Zero()}, Vec3::Zero());
    const BodyOctree better = body.tree({.volume = NodeVolume::sphere}),
                     cubes = body.tree({.volume = NodeVolume::sphere, .sphere_rule = SphereRule::cube});
    double better_sum = 0, cube_sum = 0;
    each_node(better, [&](std::uint32_t word, const std::set<Index>&) {
        EXPECT_LT(better.sphere_of(word).radius, cubes.sphere_of(word).radius);
        better_sum += better.sphere_of(word).radius;
        cube_sum += cubes.sphere_of(word).radius;
    });
    EXPECT_LT(better_sum, 0.8 * cube_sum);
}

TEST(BodyOctree, pairs_of_deforming_bodies_equal_brute_force) {
    Random random(2);
    std::size_t cases = 0, touching = 0;
    for (std::size_t round = 0; round < testing::count_of(1, 40); ++round)
        for (const Scene& scene : body_scenes())
            for (BodyOctreeOptions options : all_kinds())
                for (const int cap : {-1, 0, 1, 2, 3}) {
                    options.level_cap = cap;
                    const Vec3 center = random.uniform(0.6, 2.2) * random.direction();
                    const Body a = ring(8, 14, scene, Vec3::Zero()),
                               b = ring(6 + static_cast<Index>(cases % 5), 11, scene, center);
                    BodyOctree tree_a = a.tree(options), tree_b = b.tree(options);
                    Held at_a{a.points, a.points}, at_b{b.points, b.points};
                    for (int step = 0; step < 3; ++step) {
                        at_a.starts = at_a.ends = deformed(at_a.starts, random, scene, 0.1);
                        at_b.starts = at_b.ends = deformed(at_b.starts, random, scene, 0.1);
                        at_b.margin = step == 1 ? 0.05 * scene.scale : 0;
                        tree_a.update(at_a.starts);
                        tree_b.update(at_b.starts, at_b.margin);
                        const auto expected = pairs_by_force(a, at_a, b, at_b),
                                   found = overlapping_primitives(tree_a, tree_b);
                        expect_pairs(found, expected, options.volume == NodeVolume::box, a, at_a, b, at_b);
                        ASSERT_EQ(visited(tree_a, tree_b), found);
                        for (IdPair pair : overlapping_primitives(tree_b, tree_a)) {
                            std::swap(pair[0], pair[1]);
                            ASSERT_TRUE(std::ranges::binary_search(expected, pair));
                        }
                        ++cases;
                        touching += !expected.empty();
                        if (::testing::Test::HasFailure()) return;
                    }
                }
    EXPECT_GT(touching, cases / 5);
    EXPECT_LT(touching, cases * 4 / 5);
}

TEST(BodyOctree, pairs_of_primitives_of_every_kind_equal_brute_force) {
    Random random(3);
    for (const Scene& scene : body_scenes())
        for (const int each_a : {1, 2, 3, 4})
            for (const int each_b : {1, 3, 4}) {
                const Body a = soup(random, scene, each_a, 150), b = soup(random, scene, each_b, 300);
                Held at_a{a.points, a.points, 0.1 * scene.scale}, at_b{b.points, b.points};
                BodyOctree tree_a = a.tree(), tree_b = b.tree({.split = BodySplit::surface_area});
                tree_a.update(a.points, at_a.margin);
                const auto expected = pairs_by_force(a, at_a, b, at_b);
                ASSERT_FALSE(expected.empty());
                ASSERT_EQ(overlapping_primitives(tree_a, tree_b), expected);
                ASSERT_EQ(overlapping_primitives(tree_b, tree_a), pairs_by_force(b, at_b, a, at_a));
                ASSERT_EQ(overlapping_primitives(tree_a, tree_a), pairs_by_force(a, at_a, a, at_a));
            }
}

TEST(BodyOctree, pairs_of_bodies_of_unlike_size_are_complete) {
    Random random(4);
    const Scene large{1e4, Vec3(2e4, 0, 0), 0.3};
    for (const double ratio : {1.0, 1e-2, 1e-6, 1e-40})
        for (const NodeVolume volume : {NodeVolume::box, NodeVolume::sphere}) {
            const Body a = soup(random, large, 3, 300);
            const Scene small{large.scale * ratio, a.points[a.corners[4]], 0.3};
            const Body b = soup(random, small, 3, 300);
            const Held at_a{a.points, a.points}, at_b{b.points, b.points};
            const auto expected = pairs_by_force(a, at_a, b, at_b);
            EXPECT_FALSE(expected.empty());
            const auto found = overlapping_primitives(a.tree({.volume = volume}), b.tree({.volume = volume}));
            expect_pairs(found, expected, volume == NodeVolume::box, a, at_a, b, at_b);
        }
}

TEST(BodyOctree, a_swept_step_finds_all_overlaps_along_the_path) {
    Random random(5);
    std::size_t cases = 0, touching = 0;
    for (const Scene& scene : body_scenes())
        for (const BodyOctreeOptions& options : all_kinds())
            for (int round = 0; round < 6; ++round) {
                const Body a = ring(8, 12, scene, Vec3::Zero()),
                           b = ring(7, 9, scene, random.uniform(1.6, 3.2) * random.direction());
                BodyOctree tree_a = a.tree(options), tree_b = b.tree(options);
                const Held at_a{a.points, deformed(a.points, random, scene, 0.3), 0.01 * scene.scale};
                const Held at_b{b.points, deformed(b.points, random, scene, 0.3)};
                tree_a.update_swept(at_a.starts, at_a.ends, at_a.margin);
                tree_b.update_swept(at_b.starts, at_b.ends);
                const auto expected = pairs_by_force(a, at_a, b, at_b);
                expect_pairs(overlapping_primitives(tree_a, tree_b), expected, options.volume == NodeVolume::box, a,
                             at_a, b, at_b);
                ++cases;
                touching += !expected.empty();
                if (::testing::Test::HasFailure()) return;
            }
    EXPECT_GT(touching, cases / 5);
    EXPECT_LT(touching, cases * 4 / 5);
}

TEST(BodyOctree, self_pairs_equal_brute_force_with_and_without_neighbours) {
    Random random(6);
    std::size_t folded = 0, cases = 0;
    for (const Scene& scene : body_scenes())
        for (BodyOctreeOptions options : all_kinds())
            for (const int cap : {-1, 0, 2}) {
                options.level_cap = cap;
                const Body body = cases % 2 ? ring(9, 16, scene, Vec3::Zero()) : soup(random, scene, 3, 150);
                BodyOctree tree = body.tree(options);
                Held at{deformed(body.points, random, scene, 0.5), {}, 0};
                at.ends = at.starts;
                tree.update(at.starts);
                for (const bool skip : {false, true}) {
                    const auto expected = self_pairs_by_force(body, at, skip),
                               found = overlapping_primitives(tree, {.skip_neighbours = skip});
                    expect_pairs(found, expected, options.volume == NodeVolume::box, body, at, body, at);
                    std::vector<IdPair> seen;
                    visit_overlapping_primitives(tree,
                                                 [&](Index p, Index q) {
                                                     seen.push_back({p, q});
                                                     return true;
                                                 },
                                                 {.skip_neighbours = skip});
                    std::sort(seen.begin(), seen.end());
                    ASSERT_EQ(seen, found);
                    folded += skip && !expected.empty();
                }
                ++cases;
            }
    EXPECT_GT(folded, cases / 5);
}

// Whether the word is the node or below it.
bool below(const BodyOctree& tree, std::uint32_t word, std::uint32_t node) {
    if (word == node) return true;
    if (BvhNode::is_leaf(node)) return false;
    for (const std::uint32_t child : tree.nodes()[node].child)
        if (child != no_index && below(tree, word, child)) return true;
    return false;
}

TEST(BodyOctree, node_pairs_at_a_level_lie_above_all_pairs_of_deeper_levels) {
    Random random(7);
    for (const BodyOctreeOptions& options : all_kinds()) {
        const Scene scene{1, Vec3::Zero()};
        const Body a = ring(12, 20, scene, Vec3::Zero()), b = ring(5, 9, scene, Vec3(1.2, 0.3, 0.2));
        const BodyOctree tree_a = a.tree(options), tree_b = b.tree(options);
        const NodeOverlap leaves = overlapping_nodes(tree_a, tree_b);
        ASSERT_FALSE(leaves.pairs.empty());
        ASSERT_TRUE(std::ranges::is_sorted(leaves.pairs));
        std::size_t tests = 0;
        for (int level = 0; level <= std::max(tree_a.depth(), tree_b.depth()); ++level) {
            const NodeOverlap nodes = overlapping_nodes(tree_a, tree_b, level);
            if (level == 0) {
                ASSERT_EQ(nodes.pairs, (std::vector<OverlappingNodes>{{0, 0}}));
            }
            ASSERT_GE(nodes.volume_tests, tests);
            tests = nodes.volume_tests;
            for (const OverlappingNodes& leaf : leaves.pairs)
                ASSERT_TRUE(std::ranges::any_of(nodes.pairs, [&](const OverlappingNodes& pair) {
                    return below(tree_a, leaf.a, pair.a) && below(tree_b, leaf.b, pair.b);
                }));
        }
        EXPECT_EQ(tests, leaves.volume_tests);
        // Every leaf pair that overlaps by a clear way, and none that is clear of it.
        if (options.volume == NodeVolume::sphere) continue;
        std::vector<std::uint32_t> words_a, words_b;
        each_node(tree_a, [&](std::uint32_t word, const auto&) {
            if (BvhNode::is_leaf(word)) words_a.push_back(word);
        });
        each_node(tree_b, [&](std::uint32_t word, const auto&) {
            if (BvhNode::is_leaf(word)) words_b.push_back(word);
        });
        for (const std::uint32_t x : words_a)
            for (const std::uint32_t y : words_b) {
                const bool found = std::ranges::binary_search(leaves.pairs, OverlappingNodes{x, y});
                ASSERT_TRUE(found || !tree_a.box_of(x).grown(-1e-6).overlaps(tree_b.box_of(y)));
                ASSERT_TRUE(!found || tree_a.box_of(x).grown(1e-6).overlaps(tree_b.box_of(y)));
            }
    }
}

TEST(BodyOctree, visits_agree_with_brute_force_on_the_moved_shape) {
    Random random(9);
    for (const Scene& scene : body_scenes()) {
        const Body body = ring(14, 24, scene, Vec3::Zero());
        BodyOctree tree = body.tree();
        Held at{deformed(body.points, random, scene, 0.3), {}, 0.01 * scene.scale};
        at.ends = at.starts;
        tree.update(at.starts, at.margin);
        std::size_t overlaps = 0, pierced = 0;
        const std::size_t queries = testing::count_of(150, 5000);
        for (std::size_t q = 0; q < queries; ++q) {
            const Box query = testing::random_box(random, scene, 0.5);
            std::set<Index> found, expected;
            tree.visit_overlapping(query, [&](Index id) { return found.insert(id).second; });
            const Vec3 p = random_point(random, scene, q % 5 == 0 ? 40 : 1.2);
            double nearest = infinity, expected_nearest = infinity, radius = infinity;
            tree.visit_nearest(p, radius, [&](Index id) {
                return nearest = std::min(nearest, tree.primitive_box(id).squared_distance(p));
            });
            const Ray ray{p, (random_point(random, scene, 0.8) - p)};
            std::set<Index> on_ray;
            tree.visit_ray(ray, 1.0, [&](Index id) {
                on_ray.insert(id);
                return 1.0;
            });
            bool any = false;
            for (Index k = 0; k < body.count(); ++k) {
                const Box box = box_by_force(body, at, k);
                if (box.overlaps(query)) expected.insert(k);
                expected_nearest = std::min(expected_nearest, box.squared_distance(p));
                double enter = 0, leave = 1;
                for (int axis = 0; axis < 3; ++axis) {
                    const double x = (box.lower[axis] - p[axis]) / ray.direction[axis],
                                 y = (box.upper[axis] - p[axis]) / ray.direction[axis];
                    enter = std::max(enter, std::min(x, y)), leave = std::min(leave, std::max(x, y));
                }
                if (enter <= leave) {
                    ASSERT_TRUE(on_ray.contains(k));
                    any = true;
                }
            }
            ASSERT_EQ(found, expected);
            ASSERT_EQ(nearest, expected_nearest);
            overlaps += !expected.empty();
            pierced += any;
        }
        EXPECT_GT(overlaps, queries / 10);
        EXPECT_LT(overlaps, queries * 9 / 10);
        EXPECT_GT(pierced, queries / 10);
        EXPECT_LT(pierced, queries * 9 / 10);
    }
}

TEST(BodyOctree, visitors_can_stop_the_traversal) {
    const Body body = ring(10, 20, {1, Vec3::Zero()}, Vec3::Zero());
    const BodyOctree tree = body.tree();
    int calls = 0;
    EXPECT_FALSE(tree.visit_overlapping(tree.bounds(), [&](Index) { return ++calls < 3; }));
    EXPECT_FALSE(tree.visit_nearest(Vec3::Zero(), infinity, [&](Index) { return ++calls < 6 ? infinity : -1.0; }));
    EXPECT_FALSE(tree.visit_ray({Vec3(-5, 0, 0), Vec3::UnitX()}, infinity,
                                [&](Index) { return ++calls < 9 ? infinity : -1.0; }));
    EXPECT_FALSE(visit_overlapping_primitives(tree, tree, [&](Index, Index) { return ++calls < 12; }));
    EXPECT_FALSE(
        visit_overlapping_primitives(tree, [&](Index, Index) { return ++calls < 15; }, {.skip_neighbours = false}));
    EXPECT_EQ(calls, 15);
}

} // namespace body_octree_test
} // namespace fathom
