#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/index/body_octree_pairs.h>

#include "index/random_boxes.h"
#include "index/simd_targets.h"
#include "support/test_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <set>

namespace fathom {
namespace {

using testing::random_point;
using testing::Scene;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Body {
    std::vector<Vec3> points;
    std::vector<Index> corners;
    int each = 3;

    [[nodiscard]] Index count() const { return static_cast<Index>(corners.size()) / static_cast<Index>(each); }
    [[nodiscard]] std::span<const Index> primitive(Index k) const {
        return std::span(corners).subspan(k * static_cast<std::size_t>(each), static_cast<std::size_t>(each));
    }
    [[nodiscard]] BodyOctree tree(const BodyOctreeOptions& options = {}) const { return {points, corners, each, options}; }
};

const std::vector<Scene>& body_scenes() {
    static const std::vector<Scene> all = {
        {1, Vec3::Zero()}, {1e-3, Vec3::Zero()}, {1e3, Vec3(5e3, -2e3, 1e3)}, {1, Vec3(1e6, 1e6, -1e6)}};
    return all;
}

// A ring of rows x columns quads, cut into triangles, about `center`.
Body ring(Index rows, Index columns, const Scene& scene, const Vec3& center) {
    Body body;
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j) {
            const double u = 2 * M_PI * i / rows, v = 2 * M_PI * j / columns;
            const Vec3 p((0.7 + 0.3 * std::cos(u)) * std::cos(v), (0.7 + 0.3 * std::cos(u)) * std::sin(v), 0.3 * std::sin(u));
            body.points.push_back(scene.offset + scene.scale * (center + p));
        }
    const auto at = [&](Index i, Index j) { return (i % rows) * columns + j % columns; };
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j)
            for (const Index k : {at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)}) body.corners.push_back(k);
    return body;
}

// Primitives of any kind, small, with points that several share; every ninth has all its corners in one point.
Body soup(Random& random, const Scene& scene, int each, Index count) {
    Body body;
    body.each = each;
    for (Index k = 0; k < count; ++k) {
        const Vec3 middle = random_point(random, scene);
        const Index first = static_cast<Index>(body.points.size());
        body.points.push_back(middle);
        for (int c = 0; c < each; ++c) {
            const bool shared = k > 0 && random.chance(0.2);
            if (c == 0 || k % 9 == 0) {
                body.corners.push_back(first);
            } else if (shared) {
                body.corners.push_back(static_cast<Index>(random.below(body.points.size())));
            } else {
                body.corners.push_back(static_cast<Index>(body.points.size()));
                body.points.push_back(middle + 0.1 * scene.scale * random.in_ball());
            }
        }
    }
    return body;
}

// A smooth motion of everything, in scales.
std::vector<Vec3> deformed(const std::vector<Vec3>& points, Random& random, const Scene& scene, double size) {
    const Vec3 wave = 3 * random.in_ball(), phase = 6 * random.in_ball(), shift = size * random.in_ball();
    std::vector<Vec3> moved;
    for (const Vec3& p : points) {
        const Vec3 x = (p - scene.offset) / scene.scale;
        const Vec3 step(std::sin(wave.x() * x.y() + phase.x()), std::sin(wave.y() * x.z() + phase.y()), std::sin(wave.z() * x.x() + phase.z()));
        moved.push_back(p + scene.scale * (size * step + shift));
    }
    return moved;
}

struct Held { // points at both ends of a step, and the margin
    std::vector<Vec3> starts, ends;
    double margin = 0;
};

Box box_by_force(const Body& body, const Held& held, Index primitive) {
    Box box;
    for (const Index k : body.primitive(primitive)) box.extend(held.starts[k]), box.extend(held.ends[k]);
    return box.grown(held.margin);
}

std::vector<IdPair> pairs_by_force(const Body& a, const Held& at_a, const Body& b, const Held& at_b) {
    std::vector<IdPair> pairs;
    std::vector<Box> boxes;
    for (Index j = 0; j < b.count(); ++j) boxes.push_back(box_by_force(b, at_b, j));
    for (Index i = 0; i < a.count(); ++i) {
        const Box box = box_by_force(a, at_a, i);
        for (Index j = 0; j < b.count(); ++j)
            if (box.overlaps(boxes[j])) pairs.push_back({i, j});
    }
    return pairs;
}

bool share(const Body& body, Index p, Index q) {
    for (const Index x : body.primitive(p))
        for (const Index y : body.primitive(q))
            if (x == y) return true;
    return false;
}

std::vector<IdPair> self_pairs_by_force(const Body& body, const Held& at, bool skip) {
    std::vector<IdPair> pairs = pairs_by_force(body, at, body, at);
    std::erase_if(pairs, [&](const IdPair& pair) { return pair[0] >= pair[1] || (skip && share(body, pair[0], pair[1])); });
    return pairs;
}

// The closed overlap of the two, minus what only boxes share: an edge of one triangle passes through the other, by a clear way.
bool pierces(const std::vector<Vec3>& a, std::span<const Index> edge_of, const std::vector<Vec3>& b, std::span<const Index> through) {
    const auto volume = [](const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) { return (q - p).cross(r - p).dot(s - p); };
    const Vec3 &x = b[through[0]], &y = b[through[1]], &z = b[through[2]];
    for (int k = 0; k < 3; ++k) {
        const Vec3 &p = a[edge_of[static_cast<std::size_t>(k)]], &q = a[edge_of[static_cast<std::size_t>((k + 1) % 3)]];
        const double unit = 1e-6 * std::pow((y - x).norm() + (z - x).norm() + (q - p).norm(), 3);
        const double above = volume(x, y, z, p), below = volume(x, y, z, q);
        if (!(above * below < 0 && std::min(std::abs(above), std::abs(below)) > unit)) continue;
        const double s = volume(p, q, x, y), t = volume(p, q, y, z), u = volume(p, q, z, x);
        if ((s > unit && t > unit && u > unit) || (s < -unit && t < -unit && u < -unit)) return true;
    }
    return false;
}

// Calls see(word, points below) for every node.
void each_node(const BodyOctree& tree, const std::function<void(std::uint32_t, const std::set<Index>&)>& see) {
    const std::function<std::set<Index>(std::uint32_t)> below = [&](std::uint32_t word) {
        std::set<Index> points;
        if (BvhNode::is_leaf(word)) {
            for (const Index primitive : tree.leaf(word & ~BvhNode::leaf_bit))
                for (const Index point : tree.corners(primitive)) points.insert(point);
            const auto listed = tree.leaf_points(word & ~BvhNode::leaf_bit);
            EXPECT_TRUE(std::ranges::equal(listed, points));
        } else {
            for (const std::uint32_t child : tree.nodes()[word].child)
                if (child != no_index) points.merge(below(child));
        }
        see(word, points);
        return points;
    };
    if (!tree.empty()) below(0);
}

void expect_enclosure(const BodyOctree& tree) {
    std::size_t nodes = 0, primitives = 0;
    const bool spheres = tree.options().volume == NodeVolume::sphere;
    each_node(tree, [&](std::uint32_t word, const std::set<Index>& points) {
        ++nodes;
        if (BvhNode::is_leaf(word)) primitives += tree.leaf(word & ~BvhNode::leaf_bit).size();
        const Box box = tree.box_of(word);
        const Sphere sphere = spheres ? tree.sphere_of(word) : Sphere{Vec3::Zero(), infinity};
        for (const Index k : points)
            for (const double t : {0.0, 0.3, 1.0}) {
                const Vec3 p = t == 0 ? tree.points()[k] : t == 1 ? tree.ends()[k] : Vec3((1 - t) * tree.points()[k] + t * tree.ends()[k]);
                const double rounding = t == 0 || t == 1 ? 0.0 : 4e-16 * p.cwiseAbs().maxCoeff(); // of p itself
                ASSERT_TRUE(box.grown(rounding - 0.999 * tree.margin()).contains(p));
                ASSERT_LE((p - sphere.center).norm(), sphere.radius + rounding - 0.999 * tree.margin());
            }
    });
    EXPECT_EQ(primitives, tree.size());
    EXPECT_GT(nodes, 1u);
}

std::vector<BodyOctreeOptions> all_kinds() {
    std::vector<BodyOctreeOptions> kinds;
    for (const BodySplit split : {BodySplit::octants, BodySplit::median, BodySplit::surface_area}) {
        kinds.push_back({.volume = NodeVolume::box, .split = split});
        kinds.push_back({.volume = NodeVolume::sphere, .split = split});
        kinds.push_back({.volume = NodeVolume::sphere, .split = split, .sphere_rule = SphereRule::cube});
    }
    return kinds;
}

std::vector<IdPair> visited(const BodyOctree& a, const BodyOctree& b) {
    std::vector<IdPair> pairs;
    EXPECT_TRUE(visit_overlapping_primitives(a, b, [&](Index p, Index q) {
        pairs.push_back({p, q});
        return true;
    }));
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// Boxes: the very pairs. Spheres: none but those, and every one that truly touches.
void expect_pairs(const std::vector<IdPair>& found, const std::vector<IdPair>& expected, bool exact, const Body& a, const Held& at_a, const Body& b,
                  const Held& at_b) {
    if (exact) {
        ASSERT_EQ(found, expected);
        return;
    }
    ASSERT_TRUE(std::ranges::includes(expected, found));
    if (a.each != 3 || b.each != 3) return;
    for (const IdPair& pair : expected)
        if (pierces(at_a.starts, a.primitive(pair[0]), at_b.starts, b.primitive(pair[1]))) {
            ASSERT_TRUE(std::ranges::binary_search(found, pair));
        }
}

TEST(BodyOctree, every_node_holds_its_points_after_every_update) {
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
    const BodyOctree better = body.tree({.volume = NodeVolume::sphere}), cubes = body.tree({.volume = NodeVolume::sphere, .sphere_rule = SphereRule::cube});
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
                    const Body a = ring(8, 14, scene, Vec3::Zero()), b = ring(6 + static_cast<Index>(cases % 5), 11, scene, center);
                    BodyOctree tree_a = a.tree(options), tree_b = b.tree(options);
                    Held at_a{a.points, a.points}, at_b{b.points, b.points};
                    for (int step = 0; step < 3; ++step) {
                        at_a.starts = at_a.ends = deformed(at_a.starts, random, scene, 0.1);
                        at_b.starts = at_b.ends = deformed(at_b.starts, random, scene, 0.1);
                        at_b.margin = step == 1 ? 0.05 * scene.scale : 0;
                        tree_a.update(at_a.starts);
                        tree_b.update(at_b.starts, at_b.margin);
                        const auto expected = pairs_by_force(a, at_a, b, at_b), found = overlapping_primitives(tree_a, tree_b);
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

TEST(BodyOctree, a_swept_step_finds_all_that_meet_on_the_way) {
    Random random(5);
    std::size_t cases = 0, touching = 0;
    for (const Scene& scene : body_scenes())
        for (const BodyOctreeOptions& options : all_kinds())
            for (int round = 0; round < 6; ++round) {
                const Body a = ring(8, 12, scene, Vec3::Zero()), b = ring(7, 9, scene, random.uniform(1.6, 3.2) * random.direction());
                BodyOctree tree_a = a.tree(options), tree_b = b.tree(options);
                const Held at_a{a.points, deformed(a.points, random, scene, 0.3), 0.01 * scene.scale};
                const Held at_b{b.points, deformed(b.points, random, scene, 0.3)};
                tree_a.update_swept(at_a.starts, at_a.ends, at_a.margin);
                tree_b.update_swept(at_b.starts, at_b.ends);
                const auto expected = pairs_by_force(a, at_a, b, at_b);
                expect_pairs(overlapping_primitives(tree_a, tree_b), expected, options.volume == NodeVolume::box, a, at_a, b, at_b);
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
                    const auto expected = self_pairs_by_force(body, at, skip), found = overlapping_primitives(tree, {.skip_neighbours = skip});
                    expect_pairs(found, expected, options.volume == NodeVolume::box, body, at, body, at);
                    std::vector<IdPair> seen;
                    visit_overlapping_primitives(tree, [&](Index p, Index q) {
                        seen.push_back({p, q});
                        return true;
                    }, {.skip_neighbours = skip});
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
        each_node(tree_a, [&](std::uint32_t word, const auto&) { if (BvhNode::is_leaf(word)) words_a.push_back(word); });
        each_node(tree_b, [&](std::uint32_t word, const auto&) { if (BvhNode::is_leaf(word)) words_b.push_back(word); });
        for (const std::uint32_t x : words_a)
            for (const std::uint32_t y : words_b) {
                const bool found = std::ranges::binary_search(leaves.pairs, OverlappingNodes{x, y});
                ASSERT_TRUE(found || !tree_a.box_of(x).grown(-1e-6).overlaps(tree_b.box_of(y)));
                ASSERT_TRUE(!found || tree_a.box_of(x).grown(1e-6).overlaps(tree_b.box_of(y)));
            }
    }
}

TEST(BodyOctree, colliding_points_are_those_of_a_leaf_inside_a_leaf_of_the_other) {
    Random random(8);
    std::size_t inside = 0, outside = 0;
    for (const Scene& scene : body_scenes())
        for (const BodyOctreeOptions& options : all_kinds()) {
            const Body a = ring(10, 16, scene, Vec3::Zero()), b = ring(8, 12, scene, 1.2 * random.direction());
            BodyOctree tree_a = a.tree(options), tree_b = b.tree(options);
            tree_b.update(b.points, 0.02 * scene.scale);
            const CollidingPoints found = colliding_points(tree_a, tree_b);
            std::set<Index> of_a, of_b;
            for (const OverlappingNodes& pair : overlapping_nodes(tree_a, tree_b).pairs) {
                const auto meets = [&](const BodyOctree& tree, std::uint32_t word, const Vec3& p) {
                    return options.volume == NodeVolume::box ? tree.box_of(word).contains(p) : tree.sphere_of(word).contains(p);
                };
                for (const Index k : tree_a.leaf_points(pair.a & ~BvhNode::leaf_bit))
                    if (meets(tree_b, pair.b, a.points[k])) of_a.insert(k);
                for (const Index k : tree_b.leaf_points(pair.b & ~BvhNode::leaf_bit))
                    if (meets(tree_a, pair.a, b.points[k])) of_b.insert(k);
            }
            ASSERT_TRUE(std::ranges::equal(found.of_a, of_a));
            ASSERT_TRUE(std::ranges::equal(found.of_b, of_b));
            inside += of_a.size() + of_b.size();
            outside += a.points.size() + b.points.size() - of_a.size() - of_b.size();
        }
    EXPECT_GT(inside, outside / 50);
    EXPECT_GT(outside, inside / 50);
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
            tree.visit_nearest(p, radius, [&](Index id) { return nearest = std::min(nearest, tree.primitive_box(id).squared_distance(p)); });
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
                    const double x = (box.lower[axis] - p[axis]) / ray.direction[axis], y = (box.upper[axis] - p[axis]) / ray.direction[axis];
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

TEST(BodyOctree, visits_stop_when_told) {
    const Body body = ring(10, 20, {1, Vec3::Zero()}, Vec3::Zero());
    const BodyOctree tree = body.tree();
    int calls = 0;
    EXPECT_FALSE(tree.visit_overlapping(tree.bounds(), [&](Index) { return ++calls < 3; }));
    EXPECT_FALSE(tree.visit_nearest(Vec3::Zero(), infinity, [&](Index) { return ++calls < 6 ? infinity : -1.0; }));
    EXPECT_FALSE(tree.visit_ray({Vec3(-5, 0, 0), Vec3::UnitX()}, infinity, [&](Index) { return ++calls < 9 ? infinity : -1.0; }));
    EXPECT_FALSE(visit_overlapping_primitives(tree, tree, [&](Index, Index) { return ++calls < 12; }));
    EXPECT_FALSE(visit_overlapping_primitives(tree, [&](Index, Index) { return ++calls < 15; }, {.skip_neighbours = false}));
    EXPECT_EQ(calls, 15);
}

// What an edited body should be: alive or not, and its corners.
struct Edited {
    Body body;
    std::vector<bool> alive;
};

void edit_once(Random& random, const Scene& scene, Edited& edited, BodyOctree& tree) {
    Body& body = edited.body;
    const auto random_corners = [&] {
        std::vector<Index> corners;
        // Most near one another, as a cut leaves them; some across the body.
        const std::size_t start = random.below(body.points.size());
        for (int c = 0; c < body.each; ++c)
            corners.push_back(static_cast<Index>(random.chance(0.9) ? (start + random.below(4)) % body.points.size() : random.below(body.points.size())));
        return corners;
    };
    const Index id = static_cast<Index>(random.below(body.count()));
    if (random.chance(0.2)) {
        const std::vector<Vec3> more = {random_point(random, scene, random.chance(0.1) ? 3 : 1)};
        ASSERT_EQ(tree.add_points(more), body.points.size());
        body.points.push_back(more[0]);
    }
    const auto corners = random_corners();
    const auto set = [&](Index k) { std::copy(corners.begin(), corners.end(), body.corners.begin() + static_cast<std::ptrdiff_t>(k * corners.size())); };
    const double choice = random.uniform();
    if (choice < 0.25) {
        tree.add(body.count(), corners);
        body.corners.insert(body.corners.end(), corners.begin(), corners.end());
        edited.alive.push_back(true);
    } else if (!edited.alive[id]) {
        tree.add(id, corners);
        set(id);
        edited.alive[id] = true;
    } else if (choice < 0.6) {
        tree.change(id, corners);
        set(id);
    } else {
        tree.remove(id);
        edited.alive[id] = false;
    }
}

void expect_edited(const BodyOctree& tree, const Edited& edited, const BodyOctree& other, const Body& other_body) {
    const Held at{edited.body.points, edited.body.points}, at_other{other_body.points, other_body.points};
    const auto dead = [&](const IdPair& pair) { return !edited.alive[pair[0]]; };
    auto expected = pairs_by_force(edited.body, at, other_body, at_other);
    std::erase_if(expected, dead);
    expect_pairs(overlapping_primitives(tree, other), expected, tree.options().volume == NodeVolume::box, edited.body, at, other_body, at_other);
    auto self = self_pairs_by_force(edited.body, at, true);
    std::erase_if(self, [&](const IdPair& pair) { return dead(pair) || !edited.alive[pair[1]]; });
    expect_pairs(overlapping_primitives(tree), self, tree.options().volume == NodeVolume::box, edited.body, at, edited.body, at);
}

TEST(BodyOctree, after_hundreds_of_edits_the_pairs_still_equal_brute_force) {
    Random random(10);
    for (const Scene& scene : body_scenes())
        for (BodyOctreeOptions options : all_kinds())
            for (const int cap : {-1, 2}) {
                options.level_cap = cap;
                options.rebuild_at = cap < 0 ? 0 : 1.8;
                Edited edited{ring(7, 12, scene, Vec3::Zero()), {}};
                edited.alive.assign(edited.body.count(), true);
                BodyOctree tree = edited.body.tree(options);
                const Body other = soup(random, scene, 3, 60);
                const BodyOctree other_tree = other.tree(options);
                const int edits = static_cast<int>(testing::count_of(400, 2000));
                for (int k = 1; k <= edits; ++k) {
                    edit_once(random, scene, edited, tree);
                    if (k % 50 == 0) {
                        expect_enclosure(tree);
                        expect_edited(tree, edited, other_tree, other);
                    }
                    if (k % 90 == 0) {
                        edited.body.points = deformed(edited.body.points, random, scene, 0.1);
                        tree.update(edited.body.points);
                    }
                    if (::testing::Test::HasFailure()) return;
                }
                EXPECT_EQ(tree.size(), static_cast<std::size_t>(std::count(edited.alive.begin(), edited.alive.end(), true)));
                EXPECT_EQ(tree.builds() > 1, options.rebuild_at > 0);
            }
}

TEST(BodyOctree, can_be_emptied_and_filled_again) {
    for (const NodeVolume volume : {NodeVolume::box, NodeVolume::sphere}) {
        const Body body = ring(5, 8, {1, Vec3::Zero()}, Vec3::Zero());
        BodyOctree tree = body.tree({.volume = volume}), whole = body.tree({.volume = volume});
        for (Index k = 0; k < body.count(); ++k) tree.remove(k);
        EXPECT_TRUE(tree.empty());
        EXPECT_TRUE(overlapping_primitives(tree, whole).empty());
        EXPECT_TRUE(tree.bounds().empty());
        tree.update(body.points);
        for (Index k = body.count(); k-- > 0;) tree.add(k, body.primitive(k));
        expect_enclosure(tree);
        EXPECT_EQ(overlapping_primitives(tree, whole), overlapping_primitives(whole, whole));
    }
}

TEST(BodyOctree, decays_when_the_body_crumples_and_is_built_anew) {
    Random random(11);
    const Body body = ring(20, 40, {1, Vec3::Zero()}, Vec3::Zero());
    BodyOctree kept = body.tree({.rebuild_at = 0}), renewed = body.tree();
    EXPECT_EQ(kept.decay(), 1.0);
    std::vector<Vec3> crumpled;
    for (std::size_t k = 0; k < body.points.size(); ++k) crumpled.push_back(random.in_ball());
    kept.update(crumpled);
    renewed.update(crumpled);
    EXPECT_GT(kept.decay(), 1.8);
    EXPECT_EQ(kept.builds(), 1u);
    EXPECT_EQ(renewed.decay(), 1.0);
    EXPECT_EQ(renewed.builds(), 2u);
    kept.update(body.points);
    EXPECT_DOUBLE_EQ(kept.decay(), 1.0);
}

bool same_bytes(const BodyOctree& a, const BodyOctree& b) {
    const auto same = [](auto x, auto y) { return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size_bytes()) == 0; };
    return same(a.nodes(), b.nodes()) && same(a.spheres(), b.spheres()) && a.decay() == b.decay();
}

TEST(BodyOctree, one_thread_and_two_give_the_same_bytes) {
    const Scene scene{1, Vec3::Zero()};
    const Body body = ring(60, 150, scene, Vec3::Zero()), other = ring(50, 140, scene, Vec3(0.4, 0.2, 0.1));
    for (const BodyOctreeOptions& options : all_kinds()) {
        const auto run = [&](std::size_t threads) {
            Random random(12);
            set_thread_count(threads);
            BodyOctree tree = body.tree(options);
            tree.update_swept(body.points, deformed(body.points, random, scene, 0.02), 0.001);
            auto pairs = overlapping_primitives(tree, other.tree(options));
            const auto self = overlapping_primitives(tree);
            pairs.insert(pairs.end(), self.begin(), self.end());
            set_thread_count(0);
            return std::pair(std::move(tree), std::move(pairs));
        };
        const auto one = run(1), two = run(2);
        EXPECT_TRUE(same_bytes(one.first, two.first));
        EXPECT_EQ(one.second, two.second);
        EXPECT_GT(one.second.size(), 1000u);
    }
}

TEST(BodyOctree, a_tree_that_views_its_points_has_the_bytes_of_one_that_copies_them) {
    const Scene scene{1, Vec3(3, 2, 1)};
    for (BodyOctreeOptions options : all_kinds()) {
        Random random(14);
        Body body = ring(20, 33, scene, Vec3::Zero());
        BodyOctree copies = body.tree(options);
        options.storage = PointStorage::views;
        BodyOctree views = body.tree(options);
        EXPECT_EQ(views.points().data(), body.points.data());
        for (int step = 0; step < 4; ++step) {
            const std::vector<Vec3> starts = deformed(body.points, random, scene, step == 2 ? 9.0 : 0.1), ends = deformed(starts, random, scene, 0.1);
            for (BodyOctree* tree : {&copies, &views}) {
                if (step % 2) tree->update_swept(starts, ends, 0.01);
                else tree->update(starts, 0.02);
            }
            EXPECT_EQ(views.points().data(), starts.data());
            ASSERT_TRUE(same_bytes(copies, views));
            const std::vector<Vec3> more = {random_point(random, scene)};
            const std::vector<Index> corners = {static_cast<Index>(body.points.size()), 3, 4};
            for (BodyOctree* tree : {&copies, &views}) {
                tree->add_points(more);
                tree->add(tree->primitive_ids(), corners);
                tree->remove(static_cast<Index>(step));
            }
            ASSERT_TRUE(same_bytes(copies, views));
            ASSERT_TRUE(std::ranges::equal(copies.points(), views.points()));
            ASSERT_EQ(overlapping_primitives(copies), overlapping_primitives(views));
            expect_enclosure(views);
            std::vector<Vec3> bad = starts;
            bad.push_back(Vec3(0, 0, nan));
            EXPECT_THROW(views.update(bad), Error);
            ASSERT_TRUE(same_bytes(copies, views));
            body.points.push_back(more[0]);
        }
    }
}

TEST(BodyOctree, every_simd_target_gives_sound_nodes_and_the_same_pairs) {
    const Scene scene{1, Vec3(100, 0, 0)};
    const Body a = ring(12, 30, scene, Vec3::Zero()), b = ring(10, 21, scene, Vec3(0.5, 0.3, 0.2));
    int targets = 0;
    testing::for_each_simd_target([&](const char* name) {
        ++targets;
        for (const BodyOctreeOptions& options : all_kinds()) {
            Random random(13);
            Held at_a{a.points, deformed(a.points, random, scene, 0.2), 0.01}, at_b{b.points, b.points};
            BodyOctree tree_a = a.tree(options), tree_b = b.tree(options);
            tree_a.update_swept(at_a.starts, at_a.ends, at_a.margin);
            expect_enclosure(tree_a);
            expect_pairs(overlapping_primitives(tree_a, tree_b), pairs_by_force(a, at_a, b, at_b), options.volume == NodeVolume::box, a, at_a, b, at_b);
            std::vector<Vec3> bad = a.points;
            bad[77].y() = nan;
            EXPECT_THROW(tree_a.update(bad), Error) << name;
        }
    });
    EXPECT_GE(targets, 2);
}

template <class Call>
void expect_error(Cause cause, std::int64_t index, const Call& call) {
    try {
        call();
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), cause) << error.what();
        EXPECT_EQ(error.place().index, index) << error.what();
    }
}

TEST(BodyOctree, refuses_bad_points_by_name_and_stays_as_it_was) {
    const Body body = ring(30, 40, {1, Vec3::Zero()}, Vec3::Zero());
    for (const double bad : {nan, infinity, -infinity})
        for (const std::size_t at : {std::size_t{0}, std::size_t{255}, std::size_t{256}, body.points.size() - 1})
            for (int axis = 0; axis < 3; ++axis) {
                BodyOctree tree = body.tree();
                const BodyOctree before = tree;
                std::vector<Vec3> points = body.points;
                points[at][axis] = bad;
                expect_error(Cause::non_finite, static_cast<std::int64_t>(at), [&] { tree.update(points); });
                expect_error(Cause::non_finite, static_cast<std::int64_t>(at), [&] { tree.update_swept(body.points, points); });
                expect_error(Cause::non_finite, static_cast<std::int64_t>(at), [&] { BodyOctree(points, body.corners, 3); });
                ASSERT_TRUE(same_bytes(tree, before));
                ASSERT_TRUE(std::ranges::equal(tree.points(), body.points));
                ASSERT_EQ(overlapping_primitives(tree), overlapping_primitives(before));
            }
}

TEST(BodyOctree, refuses_other_hostile_input) {
    Body body = ring(6, 8, {1, Vec3::Zero()}, Vec3::Zero());
    BodyOctree tree = body.tree();
    const BodyOctree before = tree;
    const std::vector<Vec3> few(3, Vec3::Zero());
    expect_error(Cause::count_mismatch, -1, [&] { tree.update(few); });
    expect_error(Cause::count_mismatch, -1, [&] { tree.update_swept(body.points, few); });
    expect_error(Cause::invalid_argument, -1, [&] { tree.update(body.points, -1); });
    expect_error(Cause::invalid_argument, -1, [&] { tree.update(body.points, nan); });
    expect_error(Cause::too_large, -1, [&] { tree.update(body.points, 1.7e308); });
    const std::vector<Index> good = {0, 1, 2}, short_list = {0, 1}, beyond = {0, 1, 48};
    expect_error(Cause::index_out_of_range, 7, [&] { tree.change(7, beyond); });
    expect_error(Cause::count_mismatch, 7, [&] { tree.change(7, short_list); });
    expect_error(Cause::index_out_of_range, 500, [&] { tree.change(500, good); });
    expect_error(Cause::index_out_of_range, 3, [&] { tree.add(3, good); });
    expect_error(Cause::index_out_of_range, 500, [&] { tree.add(500, good); });
    expect_error(Cause::index_out_of_range, 96, [&] { tree.remove(96); });
    expect_error(Cause::non_finite, 1, [&] { tree.add_points(std::vector<Vec3>{Vec3::Zero(), Vec3(0, nan, 0)}); });
    EXPECT_TRUE(same_bytes(tree, before));
    body.corners[10] = 48;
    expect_error(Cause::index_out_of_range, 3, [&] { BodyOctree(body.points, body.corners, 3); });
    expect_error(Cause::count_mismatch, -1, [&] { BodyOctree(body.points, good, 2); });
    expect_error(Cause::invalid_argument, -1, [&] { BodyOctree(body.points, good, 5); });
    expect_error(Cause::invalid_argument, -1, [&] { BodyOctree(body.points, good, 3, {.leaf_size = 0}); });
    expect_error(Cause::invalid_argument, -1, [&] { BodyOctree(body.points, good, 3, {.rebuild_at = nan}); });
}

TEST(BodyOctree, serves_nothing_one_thing_and_many_in_one_place) {
    BodyOctree nothing;
    nothing.update({});
    EXPECT_TRUE(nothing.empty());
    EXPECT_TRUE(overlapping_primitives(nothing).empty());
    EXPECT_TRUE(nothing.visit_nearest(Vec3::Zero(), infinity, [](Index) { return 0.0; }));
    const std::vector<Vec3> points(100, Vec3(3, 4, 5));
    std::vector<Index> corners(100);
    for (Index k = 0; k < 100; ++k) corners[k] = k;
    for (const BodyOctreeOptions& options : all_kinds())
        for (const std::size_t count : {std::size_t{1}, std::size_t{100}}) {
            BodyOctree tree(points, std::span(corners).first(count), 1, options);
            EXPECT_EQ(overlapping_primitives(tree).size(), count * (count - 1) / 2);
            EXPECT_EQ(overlapping_primitives(tree, nothing).size(), 0u);
            tree.update(points);
            EXPECT_EQ(overlapping_primitives(tree, tree).size(), count * count);
        }
    std::vector<Vec3> wide = {Vec3(-1e300, 0, 0), Vec3(1e300, 1, 0), Vec3(0, -1e300, 1e300)};
    const BodyOctree huge(wide, std::vector<Index>{0, 1, 2}, 3, {.volume = NodeVolume::sphere});
    EXPECT_EQ(overlapping_primitives(huge, huge).size(), 1u);
}

} // namespace
} // namespace fathom
