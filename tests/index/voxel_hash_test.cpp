#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/index/voxel_hash.h>

#include "index/random_boxes.h"
#include "index/simd_targets.h"
#include "support/test_counts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fathom {
namespace voxel_hash_test {

using namespace fathom::testing;
using Pairs = std::vector<IdPair>;

bool meet(const Box& a, const Box& b) {
    for (int axis = 0; axis < 3; ++axis)
        if (!(a.lower[axis] <= b.upper[axis] && b.lower[axis] <= a.upper[axis])) return false;
    return !a.empty() && !b.empty();
}

Pairs brute_pairs(const std::vector<Box>& boxes) {
    Pairs pairs;
    for (Index a = 0; a < boxes.size(); ++a)
        for (Index b = a + 1; b < boxes.size(); ++b)
            if (meet(boxes[a], boxes[b])) pairs.push_back({a, b});
    return pairs;
}

Pairs brute_pairs(const std::vector<Box>& a, const std::vector<Box>& b) {
    Pairs pairs;
    for (Index i = 0; i < a.size(); ++i)
        for (Index j = 0; j < b.size(); ++j)
            if (meet(a[i], b[j])) pairs.push_back({i, j});
    return pairs;
}

// Sizes from one to a thousand (and now and then far more), touching ones, points, and some that are away.
std::vector<Box> mixed_boxes(Random& random, const Scene& scene, std::size_t count) {
    std::vector<Box> boxes = random_boxes(random, scene, count);
    for (std::size_t k = 0; k < count; ++k) {
        if (k % 3 == 0) boxes[k] = random_box(random, scene, 0.3 * std::pow(10.0, -random.uniform(0, 3)));
        if (k % 50 == 0) boxes[k] = random_box(random, scene, 20);
        if (k % 11 == 10)
            boxes[k].lower = boxes[random.below(k)].upper,
            boxes[k].upper = boxes[k].lower + scene.scale * Vec3::Constant(0.01);
    }
    for (std::size_t k = 30; k < count; k += 31) boxes[k] = Box{};
    return boxes;
}

void move_some(Random& random, const Scene& scene, std::vector<Box>& boxes) {
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        if (boxes[k].empty() || random.chance(0.3)) continue;
        const Vec3 step = scene.scale * 0.05 * random.in_ball();
        boxes[k] = {boxes[k].lower + step, boxes[k].upper + step};
    }
    if (random.chance(0.3)) boxes[random.below(boxes.size())] = Box{};
    if (random.chance(0.3)) boxes[random.below(boxes.size())] = random_box(random, scene, 3);
}

TEST(VoxelHash, pairs_of_moving_boxes_of_all_sizes_are_those_of_brute_force) {
    const std::size_t steps = count_of(8, 400);
    for (const Scene& scene : scenes()) {
        Random random(71);
        std::vector<Box> boxes = mixed_boxes(random, scene, 300);
        std::vector<Box> others = mixed_boxes(random, scene, 200);
        VoxelHash hash;
        Pairs pairs;
        for (std::size_t step = 0; step < steps; ++step) {
            hash.update(boxes);
            const Pairs truth = brute_pairs(boxes);
            hash.find_pairs(pairs);
            ASSERT_EQ(pairs, truth) << scene.scale << ", step " << step;
            EXPECT_GT(truth.size(), 100u);
            EXPECT_LT(truth.size(), boxes.size() * boxes.size() / 4);
            hash.find_pairs(others, pairs);
            ASSERT_EQ(pairs, brute_pairs(others, boxes)) << scene.scale << ", step " << step;
            move_some(random, scene, boxes);
            if (step % 5 == 4)
                boxes.resize(step % 2 ? boxes.size() + 40 : boxes.size() - 30, random_box(random, scene, 0.1));
        }
    }
}

TEST(VoxelHash, finds_the_same_with_every_instruction_set) {
    Random random(5);
    const std::vector<Box> boxes = mixed_boxes(random, scenes()[0], 400);
    for_each_simd_target([&](const char* target) {
        VoxelHash hash;
        hash.update(boxes);
        Pairs pairs;
        hash.find_pairs(pairs);
        EXPECT_EQ(pairs, brute_pairs(boxes)) << target;
    });
}

TEST(VoxelHash, visits_every_box_that_a_point_a_box_or_a_segment_touches_once) {
    for (const Scene& scene : scenes()) {
        Random random(72);
        const std::vector<Box> boxes = mixed_boxes(random, scene, 500);
        VoxelHash hash;
        hash.update(boxes);
        std::size_t hits = 0, asked = 0, extra = 0;
        for (std::size_t k = 0; k < count_of(300, 20000); ++k) {
            const Segment segment{random_point(random, scene), random_point(random, scene, k % 2 ? 1.0 : 4.0)};
            Box query;
            query.extend(segment.start);
            if (k % 3 != 0)
                query.extend(segment.start +
                             scene.scale * std::pow(10.0, -random.uniform(0, 3)) * Vec3(1, random.uniform(), 0.5));
            std::vector<int> box_visits(boxes.size()), segment_visits(boxes.size());
            EXPECT_TRUE(hash.visit_overlapping(query, [&](Index id) { return ++box_visits[id], true; }));
            EXPECT_TRUE(hash.visit_segment(segment, [&](Index id) { return ++segment_visits[id], true; }));
            for (Index id = 0; id < boxes.size(); ++id) {
                ASSERT_EQ(box_visits[id], meet(query, boxes[id]) ? 1 : 0);
                ASSERT_LE(segment_visits[id], 1);
                bool inside = false; // a point of the segment is seen to be in the box
                for (int i = 0; i <= 20 && !boxes[id].empty(); ++i) {
                    const Vec3 p = segment.at(0.05 * i);
                    inside = inside || (meet({p, p}, boxes[id]) && meet(segment.bounds(), boxes[id]));
                }
                hits += inside;
                ++asked;
                extra += segment_visits[id] && !inside;
                ASSERT_TRUE(!inside || segment_visits[id] == 1) << scene.scale << " segment " << k;
            }
        }
        EXPECT_GT(hits, asked / 1000);
        EXPECT_LT(extra, asked / 20) << "a segment must not be given everything";
    }
}

TEST(VoxelHash, a_visitor_that_returns_false_ends_the_visit) {
    VoxelHash hash;
    hash.update(std::vector<Box>(10, Box::around(Vec3::Zero(), Vec3::Ones())));
    int calls = 0;
    EXPECT_FALSE(hash.visit_containing(Vec3::Zero(), [&](Index) { return ++calls < 3; }));
    EXPECT_EQ(calls, 3);
}

TEST(VoxelHash, one_and_two_threads_give_the_same_bytes) {
    Random random(73);
    const std::vector<Box> boxes = mixed_boxes(random, scenes()[0], 5000);
    Pairs found[2], between[2];
    for (std::size_t threads = 1; threads <= 2; ++threads) {
        set_thread_count(threads);
        VoxelHash hash;
        hash.update(boxes);
        hash.find_pairs(found[threads - 1]);
        hash.find_pairs(std::span(boxes).first(3000), between[threads - 1]);
    }
    set_thread_count(0);
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(between[0], between[1]);
    EXPECT_GT(found[0].size(), 1000u);
}

TEST(VoxelHash, does_not_sort_if_no_box_changes_its_voxel) {
    Random random(74);
    std::vector<Box> boxes = random_boxes(random, {1, Vec3::Zero(), 0.1}, 1000);
    VoxelHash hash;
    hash.update(boxes);
    EXPECT_EQ(hash.moved(), 1000u);
    hash.update(boxes);
    EXPECT_EQ(hash.moved(), 0u);
    boxes[7] = {boxes[7].lower + Vec3::Ones(), boxes[7].upper + Vec3::Ones()};
    hash.update(boxes);
    EXPECT_EQ(hash.moved(), 1u);
    Pairs pairs;
    hash.find_pairs(pairs);
    EXPECT_EQ(pairs, brute_pairs(boxes));
}

TEST(VoxelHash, hostile_boxes_are_rejected_by_number_and_nothing_is_lost) {
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    VoxelHash hash;
    Pairs pairs;
    hash.find_pairs(pairs);
    EXPECT_TRUE(pairs.empty());
    EXPECT_TRUE(hash.visit_containing(Vec3::Zero(), [](Index) { return false; }));
    std::vector<Box> boxes(3, Box::around(Vec3::Zero(), Vec3::Ones()));
    hash.update(boxes);
    for (const double bad : {infinity, nan}) {
        boxes[1].upper[1] = bad;
        try {
            hash.update(boxes);
            FAIL() << bad;
        } catch (const Error& error) {
            EXPECT_EQ(error.cause(), Cause::non_finite);
            EXPECT_EQ(error.place().index, 1);
        }
        hash.find_pairs(pairs);
        EXPECT_EQ(pairs.size(), 3u);
    }
    EXPECT_THROW(VoxelHash({.cell = -1}), Error);
    EXPECT_THROW(VoxelHash({.cell = nan}), Error);
    EXPECT_TRUE(hash.visit_overlapping({Vec3::Constant(nan), Vec3::Constant(1)}, [](Index) { return false; }));
    EXPECT_TRUE(hash.visit_segment({Vec3::Constant(infinity), Vec3::Zero()}, [](Index) { return false; }));
    // From the smallest numbers to the largest in one scene.
    std::vector<Box> all;
    for (const double size : {0.0, 5e-324, 1e-300, 1e-30, 1.0, 1e30, 1e300, 8e307})
        for (const double at : {-8e307, -1.0, 0.0, 5e-324, 1e30})
            all.push_back({Vec3::Constant(at), Vec3::Constant(at + size)});
    hash.update(all);
    hash.find_pairs(pairs);
    EXPECT_EQ(pairs, brute_pairs(all));
    hash.update({});
    hash.find_pairs(pairs);
    EXPECT_TRUE(pairs.empty());
}

} // namespace voxel_hash_test
} // namespace fathom
