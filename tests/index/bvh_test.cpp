#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/index/bvh.h>

#include "index/random_boxes.h"
#include "index/simd_targets.h"
#include "support/test_counts.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace fathom {
namespace bvh_test {

using testing::random_box;
using testing::random_boxes;
using testing::random_point;
using testing::Scene;
using testing::scenes;

std::vector<Index> overlapping(const Bvh& tree, const Box& box) {
    std::vector<Index> found;
    tree.visit_overlapping(box, [&](Index id) {
        found.push_back(id);
        return true;
    });
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<Index> overlapping_by_force(const std::vector<Box>& boxes, const Box& box) {
    std::vector<Index> found;
    for (Index k = 0; k < boxes.size(); ++k)
        if (boxes[k].overlaps(box)) found.push_back(k);
    return found;
}

double nearest(const Bvh& tree, const std::vector<Box>& boxes, const Vec3& p, double radius) {
    double best = radius;
    tree.visit_nearest(p, radius, [&](Index id) { return best = std::min(best, boxes[id].squared_distance(p)); });
    return best;
}

// Entry of a ray into a closed box, or infinity.
double entry(const Box& box, const Ray& ray) {
    double enter = 0, leave = infinity;
    for (int axis = 0; axis < 3; ++axis) {
        if (ray.direction[axis] == 0) {
            if (ray.origin[axis] < box.lower[axis] || ray.origin[axis] > box.upper[axis]) return infinity;
            continue;
        }
        const double a = (box.lower[axis] - ray.origin[axis]) / ray.direction[axis];
        const double b = (box.upper[axis] - ray.origin[axis]) / ray.direction[axis];
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
    }
    return enter <= leave ? enter : infinity;
}

std::vector<IdPair> pairs_by_force(const std::vector<Box>& a, const std::vector<Box>& b) {
    std::vector<IdPair> pairs;
    for (Index i = 0; i < a.size(); ++i)
        for (Index j = 0; j < b.size(); ++j)
            if (a[i].overlaps(b[j])) pairs.push_back({i, j});
    return pairs;
}

std::vector<IdPair> pairs_by_force(const std::vector<Box>& boxes) {
    std::vector<IdPair> pairs = pairs_by_force(boxes, boxes);
    std::erase_if(pairs, [](const IdPair& pair) { return pair[0] >= pair[1]; });
    return pairs;
}

bool same_bytes(const Bvh& a, const Bvh& b) {
    return a.nodes().size() == b.nodes().size() && std::ranges::equal(a.order(), b.order()) &&
           std::memcmp(a.nodes().data(), b.nodes().data(), a.nodes().size_bytes()) == 0;
}

// Every id in one leaf, every child box inside the box its parent has of it, levels in order.
void expect_sound(const Bvh& tree, const std::vector<Box>& boxes) {
    std::vector<Index> ids(tree.order().begin(), tree.order().end());
    std::sort(ids.begin(), ids.end());
    std::vector<Index> all(boxes.size());
    std::iota(all.begin(), all.end(), Index{0});
    ASSERT_EQ(ids, all);
    std::vector<int> parents(tree.nodes().size(), 0), owners(tree.leaf_count(), 0);
    for (std::size_t k = 0; k < tree.nodes().size(); ++k) {
        const BvhNode& node = tree.nodes()[k];
        for (int slot = 0; slot < BvhNode::width; ++slot) {
            const std::uint32_t child = node.child[slot];
            if (child == no_index) continue;
            const auto holds = [&](const Vec3& low, const Vec3& high) {
                for (int axis = 0; axis < 3; ++axis) {
                    ASSERT_LE(static_cast<double>(node.lower[axis][slot]), low[axis]);
                    ASSERT_GE(static_cast<double>(node.upper[axis][slot]), high[axis]);
                }
            };
            if (BvhNode::is_leaf(child)) {
                const std::uint32_t leaf = child & ~BvhNode::leaf_bit;
                ++owners[leaf];
                for (const Index id : tree.leaf(leaf))
                    holds(tree.frame().to_local(boxes[id].lower), tree.frame().to_local(boxes[id].upper));
            } else {
                ASSERT_GT(child, k);
                ++parents[child];
                for (int inner = 0; inner < BvhNode::width; ++inner)
                    if (tree.nodes()[child].child[inner] != no_index)
                        for (int axis = 0; axis < 3; ++axis) {
                            ASSERT_LE(node.lower[axis][slot], tree.nodes()[child].lower[axis][inner]);
                            ASSERT_GE(node.upper[axis][slot], tree.nodes()[child].upper[axis][inner]);
                        }
            }
        }
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), std::ssize(owners));
    if (!parents.empty()) {
        EXPECT_EQ(std::count(parents.begin() + 1, parents.end(), 1), std::ssize(parents) - 1);
    }
}

TEST(Bvh, every_id_lies_in_one_leaf_inside_the_boxes_above_it) {
    Random random(1);
    for (const Scene& scene : scenes())
        for (const std::size_t count : {1u, 2u, 7u, 8u, 9u, 100u, 20000u})
            for (const Index leaf_size : {1u, 8u}) {
                const std::vector<Box> boxes = random_boxes(random, scene, count);
                const Bvh tree(boxes, {.leaf_size = leaf_size});
                expect_sound(tree, boxes);
                for (std::size_t k = 0; k < tree.leaf_count(); ++k) EXPECT_LE(tree.leaf(k).size(), leaf_size);
            }
}

TEST(Bvh, overlaps_agree_with_brute_force_at_every_scale) {
    Random random(2);
    for (const Scene& scene : scenes()) {
        const std::vector<Box> boxes = random_boxes(random, scene, 500);
        const Bvh single(boxes), packed(boxes, {.leaf_size = 8});
        std::size_t hits = 0, queries = testing::count_of(200, 20000);
        for (std::size_t k = 0; k < queries; ++k) {
            // A third of the queries share a face with a box of the tree.
            Box query = random_box(random, scene, k % 4 == 0 ? 0 : 0.6);
            if (k % 3 == 0) query.lower.x() = query.upper.x() = boxes[random.below(boxes.size())].upper.x();
            const std::vector<Index> expected = overlapping_by_force(boxes, query);
            hits += !expected.empty();
            ASSERT_EQ(overlapping(single, query), expected);
            ASSERT_EQ(overlapping(packed, query), expected);
        }
        EXPECT_GT(hits, queries / 10);
        EXPECT_LT(hits, queries * 9 / 10);
    }
}

TEST(Bvh, the_nearest_box_is_never_lost) {
    Random random(3);
    for (const Scene& scene : scenes()) {
        const std::vector<Box> boxes = random_boxes(random, scene, 700);
        const Bvh tree(boxes, {.leaf_size = 4, .keep_boxes = false});
        std::size_t found = 0, queries = testing::count_of(300, 30000);
        for (std::size_t k = 0; k < queries; ++k) {
            const Vec3 p = random_point(random, scene, k % 10 == 0 ? 100 : 1.2);
            double expected = infinity;
            for (const Box& box : boxes) expected = std::min(expected, box.squared_distance(p));
            ASSERT_EQ(nearest(tree, boxes, p, infinity), expected);
            const double radius = std::pow(scene.scale * random.uniform(0, 0.2), 2);
            ASSERT_EQ(nearest(tree, boxes, p, radius), std::min(radius, expected));
            found += expected <= radius;
        }
        EXPECT_GT(found, queries / 10);
        EXPECT_LT(found, queries * 9 / 10);
    }
}

TEST(Bvh, a_ray_loses_no_box_even_along_faces_and_axes) {
    Random random(4);
    for (const Scene& scene : scenes()) {
        const std::vector<Box> boxes = random_boxes(random, scene, 400);
        const Bvh tree(boxes);
        std::size_t pierced = 0, queries = testing::count_of(300, 30000);
        for (std::size_t k = 0; k < queries; ++k) {
            Ray ray{random_point(random, scene, k % 8 == 0 ? 50 : 1.5), random.direction()};
            if (k % 3 == 0)
                ray.direction = (random.chance(0.5) ? 1 : -1) * Vec3::Unit(static_cast<int>(random.below(3)));
            if (k % 6 == 0) ray.origin = boxes[random.below(boxes.size())].corner(static_cast<int>(random.below(8)));
            ray.direction *= scene.scale;
            std::vector<bool> seen(boxes.size(), false);
            tree.visit_ray(ray, infinity, [&](Index id) {
                seen[id] = true;
                return infinity;
            });
            double first = infinity, first_seen = infinity;
            for (std::size_t b = 0; b < boxes.size(); ++b) {
                const double t = entry(boxes[b], ray);
                first = std::min(first, t);
                if (t < infinity) {
                    ASSERT_TRUE(seen[b]);
                }
            }
            tree.visit_ray(ray, infinity,
                           [&](Index id) { return first_seen = std::min(first_seen, entry(boxes[id], ray)); });
            ASSERT_EQ(first_seen, first);
            pierced += first < infinity;
        }
        EXPECT_GT(pierced, queries / 10);
        EXPECT_LT(pierced, queries * 95 / 100);
    }
}

TEST(Bvh, a_ray_visits_few_boxes_that_it_misses) {
    Random random(5);
    const std::vector<Box> boxes = random_boxes(random, scenes()[0], 2000);
    const Bvh tree(boxes);
    std::size_t visited = 0, pierced = 0;
    for (int k = 0; k < 300; ++k) {
        const Ray ray{random_point(random, scenes()[0], 2), random.direction()};
        tree.visit_ray(ray, infinity, [&](Index id) {
            ++visited;
            pierced += entry(boxes[id], ray) < infinity;
            return infinity;
        });
    }
    EXPECT_LT(visited, pierced + 5);
    EXPECT_GT(pierced, 50u);
}

TEST(Bvh, pairs_agree_with_brute_force_each_once_and_sorted) {
    Random random(6);
    for (const Scene& scene : scenes())
        for (const std::size_t count : {1u, 9u, 60u, 900u}) {
            const std::vector<Box> a = random_boxes(random, scene, count),
                                   b = random_boxes(random, scene, count / 2 + 1);
            const Bvh tree_a(a), tree_b(b, {.leaf_size = 5});
            ASSERT_EQ(overlapping_pairs(tree_a), pairs_by_force(a));
            ASSERT_EQ(overlapping_pairs(tree_b), pairs_by_force(b));
            ASSERT_EQ(overlapping_pairs(tree_a, tree_b), pairs_by_force(a, b));
            ASSERT_EQ(overlapping_pairs(tree_b, tree_a), pairs_by_force(b, a));
            ASSERT_EQ(overlapping_pairs(tree_a, tree_a), pairs_by_force(a, a));
        }
}

TEST(Bvh, pairs_of_trees_of_unlike_size_and_place_are_complete) {
    Random random(7);
    const Scene large{1e4, Vec3(2e4, 0, 0), 0.3};
    for (const double ratio : {1.0, 1e-2, 1e-6, 1e-40}) {
        const std::vector<Box> a = random_boxes(random, large, 300);
        const Scene small{large.scale * ratio, a[1].center(), 0.3};
        const std::vector<Box> b = random_boxes(random, small, 300);
        const auto expected = pairs_by_force(a, b);
        EXPECT_FALSE(expected.empty());
        EXPECT_EQ(overlapping_pairs(Bvh(a), Bvh(b)), expected);
        EXPECT_EQ(overlapping_pairs(Bvh(b), Bvh(a)), pairs_by_force(b, a));
    }
}

TEST(Bvh, a_pair_visit_gives_the_same_pairs_and_can_be_stopped) {
    Random random(8);
    const std::vector<Box> boxes = random_boxes(random, scenes()[0], 800);
    const Bvh tree(boxes);
    std::vector<IdPair> seen;
    const auto collect = [&](Index a, Index b) {
        seen.push_back({a, b});
        return true;
    };
    EXPECT_TRUE(visit_overlapping_pairs(tree, collect));
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, overlapping_pairs(tree));
    ASSERT_GT(seen.size(), 10u);
    int left = 5;
    EXPECT_FALSE(visit_overlapping_pairs(tree, [&](Index, Index) { return --left > 0; }));
    EXPECT_EQ(left, 0);
}

TEST(Bvh, every_visit_can_be_stopped) {
    Random random(9);
    const Bvh tree(random_boxes(random, {1, Vec3::Zero(), 1.0}, 300), {.leaf_size = 8});
    int calls = 0;
    EXPECT_FALSE(tree.visit_overlapping(tree.bounds(), [&](Index) { return ++calls < 3; }));
    EXPECT_EQ(calls, 3);
    calls = 0;
    EXPECT_FALSE(tree.visit_nearest(Vec3::Zero(), infinity, [&](Index) { return ++calls < 3 ? infinity : -1.0; }));
    EXPECT_EQ(calls, 3);
    calls = 0;
    const Ray ray{Vec3(-5, 0, 0), Vec3::UnitX()};
    EXPECT_FALSE(tree.visit_ray(ray, infinity, [&](Index) { return ++calls < 3 ? infinity : -1.0; }));
    EXPECT_EQ(calls, 3);
}

TEST(Bvh, the_same_boxes_give_the_same_bytes_on_one_thread_and_on_two) {
    Random random(10);
    const std::vector<Box> boxes = random_boxes(random, scenes()[0], 60000);
    set_thread_count(1);
    const Bvh one(boxes, {.leaf_size = 8});
    const auto pairs_one = overlapping_pairs(one);
    set_thread_count(2);
    const Bvh two(boxes, {.leaf_size = 8});
    const auto pairs_two = overlapping_pairs(two);
    set_thread_count(0);
    EXPECT_TRUE(same_bytes(one, two));
    EXPECT_EQ(pairs_one, pairs_two);
}

TEST(Bvh, every_simd_target_gives_the_same_answers) {
    Random random(13);
    const std::vector<Box> boxes = random_boxes(random, scenes()[0], 2000);
    const Bvh tree(boxes, {.leaf_size = 3});
    const Bvh other(random_boxes(random, scenes()[0], 500));
    const auto pairs = overlapping_pairs(tree), pairs_of_two = overlapping_pairs(tree, other);
    int targets = 0;
    testing::for_each_simd_target([&](const char* name) {
        ++targets;
        Random again(14);
        for (int k = 0; k < 200; ++k) {
            const Box query = random_box(again, scenes()[0], 0.3);
            ASSERT_EQ(overlapping(tree, query), overlapping_by_force(boxes, query)) << name;
            double expected = infinity;
            for (const Box& box : boxes) expected = std::min(expected, box.squared_distance(query.lower));
            ASSERT_EQ(nearest(tree, boxes, query.lower, infinity), expected) << name;
            const Ray ray{query.lower, again.direction()};
            double first = infinity, first_seen = infinity;
            for (const Box& box : boxes) first = std::min(first, entry(box, ray));
            tree.visit_ray(ray, infinity,
                           [&](Index id) { return first_seen = std::min(first_seen, entry(boxes[id], ray)); });
            ASSERT_EQ(first_seen, first) << name;
        }
        EXPECT_EQ(overlapping_pairs(tree), pairs) << name;
        EXPECT_EQ(overlapping_pairs(tree, other), pairs_of_two) << name;
    });
    EXPECT_GE(targets, 2);
}

TEST(Bvh, a_refitted_tree_answers_like_a_new_one_and_reports_its_decay) {
    Random random(11);
    std::vector<Box> boxes = random_boxes(random, scenes()[0], 3000);
    Bvh tree(boxes);
    const Bvh fresh = tree;
    tree.refit(boxes);
    EXPECT_TRUE(same_bytes(tree, fresh));
    EXPECT_DOUBLE_EQ(tree.decay(), 1.0);

    for (Box& box : boxes) box = Box{3 * box.lower + Vec3(10, 0, 0), 3 * box.upper + Vec3(10, 0, 0)};
    tree.refit(boxes);
    EXPECT_NEAR(tree.decay(), 1.0, 1e-3);
    EXPECT_EQ(overlapping_pairs(tree), overlapping_pairs(Bvh(boxes)));

    for (Box& box : boxes) box = random_box(random, scenes()[2], 0.1);
    tree.refit(boxes);
    expect_sound(tree, boxes);
    EXPECT_GT(tree.decay(), 2.0);
    EXPECT_EQ(overlapping_pairs(tree), overlapping_pairs(Bvh(boxes)));
    for (int k = 0; k < 100; ++k) {
        const Vec3 p = random_point(random, scenes()[2]);
        EXPECT_EQ(nearest(tree, boxes, p, infinity), nearest(Bvh(boxes), boxes, p, infinity));
    }
}

TEST(Bvh, equal_boxes_and_boxes_in_a_row_make_a_shallow_tree) {
    const std::vector<Box> alike(5000, Box{Vec3(1, 2, 3), Vec3(1, 2, 3)});
    const Bvh tree(alike);
    expect_sound(tree, alike);
    EXPECT_LE(tree.level_count(), 8u);
    EXPECT_EQ(overlapping(tree, alike[0]).size(), alike.size());

    // Every box half as far as the one before: surface-area splits would peel off one at a time.
    std::vector<Box> row;
    for (int k = 0; k < 1000; ++k) row.push_back(Box::around(Vec3(std::ldexp(1.0, -k), 0, 0), Vec3::Zero()));
    const Bvh deep(row, {.leaf_size = 2});
    expect_sound(deep, row);
    EXPECT_LE(deep.level_count(), 81u);
    for (const Box& box : row) EXPECT_EQ(overlapping(deep, box), overlapping_by_force(row, box));
}

TEST(Bvh, coordinates_near_the_end_of_the_doubles_are_borne) {
    std::vector<Box> boxes;
    for (const double x : {-1.7e308, -1e300, 0.0, 1e-300, 1e200, 1.7e308})
        boxes.push_back(Box::around(Vec3(x, x, 0), Vec3::Zero()));
    const Bvh tree(boxes);
    for (const Box& box : boxes) EXPECT_EQ(overlapping(tree, box), overlapping_by_force(boxes, box));
    EXPECT_EQ(overlapping(tree, Box{Vec3::Constant(-infinity), Vec3::Constant(infinity)}).size(), boxes.size());
    std::vector<Box> tiny;
    for (const double x : {-4e-320, 0.0, 5e-324, 1e-310}) tiny.push_back(Box::around(Vec3(x, 0, x), Vec3::Zero()));
    const Bvh small(tiny);
    for (const Box& box : tiny) EXPECT_EQ(overlapping(small, box), overlapping_by_force(tiny, box));
}

TEST(Bvh, an_empty_tree_finds_nothing) {
    const Bvh empty, built{std::span<const Box>{}};
    const auto fail_box = [](Index) { return ADD_FAILURE(), true; };
    const auto fail_limit = [](Index) { return ADD_FAILURE(), 0.0; };
    for (const Bvh* tree : {&empty, &built}) {
        EXPECT_TRUE(tree->visit_overlapping(Box::around(Vec3::Zero(), Vec3::Ones()), fail_box));
        EXPECT_TRUE(tree->visit_nearest(Vec3::Zero(), infinity, fail_limit));
        EXPECT_TRUE(tree->visit_ray(Ray{}, infinity, fail_limit));
        EXPECT_TRUE(overlapping_pairs(*tree).empty());
        EXPECT_EQ(tree->level_count(), 0u);
        EXPECT_EQ(tree->decay(), 1.0);
    }
    const std::vector<Box> one{Box::around(Vec3::Zero(), Vec3::Ones())};
    const Bvh tree(one);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(tree.visit_overlapping(Box{}, fail_box));
    EXPECT_TRUE(tree.visit_overlapping(Box{Vec3::Constant(nan), Vec3::Constant(nan)}, fail_box));
    EXPECT_TRUE(tree.visit_nearest(Vec3::Constant(nan), infinity, fail_limit));
    EXPECT_TRUE(tree.visit_nearest(Vec3::Zero(), -1, fail_limit));
    EXPECT_TRUE(tree.visit_ray(Ray{Vec3::Zero(), Vec3::Zero()}, infinity, fail_limit));
    EXPECT_TRUE(tree.visit_ray(Ray{Vec3::Zero(), Vec3(nan, 0, 1)}, infinity, fail_limit));
}

TEST(Bvh, bad_boxes_are_refused_by_id) {
    Random random(12);
    for (const std::size_t bad : {0u, 77u, 9999u}) {
        std::vector<Box> boxes = random_boxes(random, scenes()[0], 10000);
        Bvh good(boxes);
        const auto expect_refused = [&](Cause cause) {
            for (const bool refit : {false, true}) try {
                    if (refit)
                        good.refit(boxes);
                    else
                        good = Bvh(boxes);
                    ADD_FAILURE() << "accepted";
                } catch (const Error& error) {
                    EXPECT_EQ(error.cause(), cause);
                    EXPECT_EQ(error.place().element, "box");
                    EXPECT_EQ(error.place().index, static_cast<std::int64_t>(bad));
                }
        };
        boxes[bad] = Box{};
        expect_refused(Cause::non_finite);
        boxes[bad] = Box{Vec3(1, 0, 0), Vec3(0, 1, 1)};
        expect_refused(Cause::invalid_argument);
        boxes[bad] = Box{Vec3::Zero(), Vec3(0, std::numeric_limits<double>::quiet_NaN(), 0)};
        expect_refused(Cause::non_finite);
    }
    const std::vector<Box> boxes(3, Box{Vec3::Zero(), Vec3::Ones()});
    EXPECT_THROW(Bvh(boxes, {.leaf_size = 0}), Error);
    EXPECT_THROW(Bvh(boxes, {.leaf_size = 65}), Error);
    Bvh tree(boxes);
    EXPECT_THROW(tree.refit(std::span(boxes).first(2)), Error);
}

} // namespace bvh_test
} // namespace fathom
