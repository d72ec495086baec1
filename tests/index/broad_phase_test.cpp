#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/baseline/scene_octree.h>
#include <fathom/index/broad_phase.h>

#include "index/simd_targets.h"
#include "support/test_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace fathom {
namespace broad_phase_test {

using Pairs = std::vector<IdPair>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// Every method, the scene octree among them as a method that the caller supplies.
std::array<BroadPhaseOptions, 4> methods() {
    return {BroadPhaseOptions{}, BroadPhaseOptions{.method = BroadMethod::brute_force},
            BroadPhaseOptions{.finder = scene_octree_finder()}, BroadPhaseOptions{.method = BroadMethod::packed_tree}};
}

Pairs list(std::span<const IdPair> pairs) { return {pairs.begin(), pairs.end()}; }

struct Volume {
    Box box;
    std::optional<Sphere> sphere{};
};

// Written apart from the library's own.
bool meet(const Volume& a, const Volume& b) {
    if (a.sphere && b.sphere) {
        const double reach = a.sphere->radius + b.sphere->radius;
        return (a.sphere->center - b.sphere->center).squaredNorm() <= reach * reach;
    }
    if (a.sphere || b.sphere) {
        const Sphere& sphere = a.sphere ? *a.sphere : *b.sphere;
        const Vec3 gap =
            sphere.center - sphere.center.cwiseMax((a.sphere ? b : a).box.lower).cwiseMin((a.sphere ? b : a).box.upper);
        return gap.squaredNorm() <= sphere.radius * sphere.radius;
    }
    for (int axis = 0; axis < 3; ++axis)
        if (a.box.lower[axis] > b.box.upper[axis] || b.box.lower[axis] > a.box.upper[axis]) return false;
    return true;
}

// A scene in which everything occurs: touching on a lattice, nested, equal, huge, tiny, points; boxes, and spheres at
// times.
struct RandomScene {
    Random random;
    double scale;
    double sphere_share;
    std::vector<std::optional<Volume>> objects{}; // by id

    Volume volume() {
        const double kind = random.uniform();
        Volume result;
        if (kind < 0.35) { // faces and corners that touch exactly
            const Vec3 corner(lattice(), lattice(), lattice());
            result.box = {scale * corner, scale * (corner + Vec3(side(), side(), side()))};
        } else if (kind < 0.5 && !objects.empty()) {
            const auto& other = objects[random.below(objects.size())];
            if (other)
                result = kind < 0.42
                             ? *other
                             : Volume{Box::around(other->box.center(), 0.5 * random.uniform() * other->box.size())};
        }
        if (result.box.empty()) {
            const double size = kind < 0.57 ? 8 : kind < 0.7 ? 1e-4 : kind < 0.75 ? 0 : 1;
            result.box = Box::around(scale * random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(3))),
                                     scale * size * Vec3(random.uniform(), random.uniform(), random.uniform()));
        }
        if (random.chance(sphere_share)) {
            result.sphere = Sphere{result.box.center(), 0.5 * result.box.size().maxCoeff()};
            result.box = result.sphere->bounds();
        } else {
            result.sphere.reset();
        }
        return result;
    }
    double lattice() { return static_cast<double>(random.below(6)) - 3; }
    double side() { return static_cast<double>(random.below(3)); }

    Pairs pairs() const {
        Pairs result;
        for (Index a = 0; a < objects.size(); ++a)
            for (Index b = a + 1; b < objects.size(); ++b)
                if (objects[a] && objects[b] && meet(*objects[a], *objects[b])) result.push_back({a, b});
        return result;
    }
    std::size_t pair_count() const {
        const auto n = static_cast<std::size_t>(
            std::count_if(objects.begin(), objects.end(), [](const auto& o) { return o.has_value(); }));
        return n * (n - (n > 0)) / 2;
    }

    void add(BroadPhase& phase) {
        const Volume v = volume();
        const Index id = v.sphere ? phase.add(*v.sphere) : phase.add(v.box);
        if (id >= objects.size()) objects.resize(id + 1);
        EXPECT_FALSE(objects[id].has_value());
        objects[id] = v;
    }
    void move(BroadPhase& phase, Index id) {
        if (!random.chance(0.2)) { // a small step, in lattice units at times
            const double step = random.chance(0.3) ? scale : 0.3 * scale * random.uniform();
            const Vec3 shift = step * Vec3(side() - 1, side() - 1, side() - 1);
            objects[id]->box = {objects[id]->box.lower + shift, objects[id]->box.upper + shift};
            if (objects[id]->sphere) objects[id]->sphere->center += shift;
        } else {
            objects[id] = volume();
        }
        objects[id]->sphere ? phase.move(id, *objects[id]->sphere) : phase.move(id, objects[id]->box);
    }
    void step(BroadPhase& phase) {
        const double moving = random.chance(0.5) ? 1.0 : 0.1;
        for (Index id = 0; id < objects.size(); ++id) {
            if (!objects[id]) continue;
            if (random.chance(0.05)) {
                phase.remove(id);
                objects[id].reset();
            } else if (random.chance(moving)) {
                move(phase, id);
            }
        }
        for (std::uint64_t k = random.below(5); k > 0; --k) add(phase);
    }
};

Pairs difference(const Pairs& a, const Pairs& b) {
    Pairs result;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    return result;
}

TEST(BroadPhase, reports_the_pairs_and_events_of_brute_force) {
    std::size_t overlapping = 0, possible = 0, began = 0, ended = 0;
    const std::size_t scenes = testing::count_of(1500, 100000);
    for (std::size_t k = 0; k < scenes; ++k) {
        Random dice(11, k);
        const double scale = std::array{1e-3, 1.0, 1e3}[k % 3];
        BroadPhaseOptions options = methods()[k / 3 % 4];
        SceneOctreeOptions octree{.level_cap = static_cast<int>(dice.below(7))};
        if (dice.chance(0.5)) octree.sphere_test = SphereTest::grown_box;
        if (options.finder) options.finder = scene_octree_finder(octree);
        RandomScene scene{Random(12, k), scale, k % 5 == 0 ? 0.5 : k % 5 == 1 ? 1.0 : 0.0};
        BroadPhase phase(options);
        const std::uint64_t count = 2 + dice.below(dice.chance(0.2) ? 199 : 40);
        for (std::uint64_t n = 0; n < count; ++n) scene.add(phase);
        Pairs before;
        for (int step = 0; step < 4; ++step) {
            if (step > 0) scene.step(phase);
            phase.find_pairs();
            const Pairs expected = scene.pairs();
            ASSERT_EQ(list(phase.pairs()), expected) << "scene " << k << " step " << step;
            ASSERT_EQ(list(phase.began()), difference(expected, before)) << "scene " << k << " step " << step;
            ASSERT_EQ(list(phase.ended()), difference(before, expected)) << "scene " << k << " step " << step;
            ASSERT_EQ(phase.stayed(), difference(expected, list(phase.began())));
            overlapping += expected.size();
            possible += scene.pair_count();
            began += phase.began().size();
            ended += phase.ended().size();
            before = expected;
        }
    }
    const double share = static_cast<double>(overlapping) / static_cast<double>(possible);
    EXPECT_GT(share, 0.1);
    EXPECT_LT(share, 0.8);
    EXPECT_GT(ended, began / 5);
}

TEST(BroadPhase, gives_the_same_bytes_for_any_thread_count_and_simd_target) {
    const auto run = [](const BroadPhaseOptions& options) {
        Random random(3);
        BroadPhase phase(options);
        std::vector<Box> boxes;
        Pairs all;
        for (int k = 0; k < 20000; ++k) {
            boxes.push_back(Box::around(random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(12))),
                                        Vec3::Constant(random.uniform(0, 0.7))));
            (void)phase.add(boxes.back());
        }
        for (int step = 0; step < 4; ++step) {
            for (Box& box : boxes) box = Box::around(box.center() + 0.2 * random.direction(), box.half());
            phase.update(boxes);
            for (const auto part : {phase.pairs(), phase.began(), phase.ended()})
                all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    };
    set_thread_count(1);
    const Pairs one = run({.method = BroadMethod::packed_tree}), octree = run({.finder = scene_octree_finder()});
    set_thread_count(2);
    testing::for_each_simd_target(
        [&](const char* target) { EXPECT_EQ(run({.method = BroadMethod::packed_tree}), one) << target; });
    set_thread_count(0);
    EXPECT_EQ(octree, one);
    EXPECT_GT(one.size(), 20000u);
}

TEST(BroadPhase, works_at_the_ends_of_the_number_range) {
    for (const BroadPhaseOptions& options : methods())
        for (const double scale : {1e-300, 1e-30, 1e30, 1e307}) {
            BroadPhase phase(options);
            for (int k = 0; k < 100; ++k) // a row of touching boxes
                (void)phase.add(Box{scale * Vec3(k * 0.1 - 5, 0, 0), scale * Vec3((k + 1) * 0.1 - 5, 1, 1)});
            phase.find_pairs();
            EXPECT_EQ(phase.pairs().size(), 99u) << scale;
            phase.move(0, Box::around(Vec3::Zero(), Vec3::Constant(1.5e308))); // holds all others
            phase.move(1, Box::around(Vec3::Constant(1.2e308), Vec3::Constant(1e307)));
            phase.find_pairs();
            EXPECT_EQ(phase.pairs().size(), 99u + 97u) << scale;
        }
}

TEST(BroadPhase, finds_dust_in_a_crowd_of_giants) {
    Random random(5);
    std::vector<Box> boxes;
    for (int k = 0; k < 3000; ++k) {
        const double size = std::pow(10.0, random.uniform(-9, 0));
        boxes.push_back(
            Box::around(k % 3 == 0 ? Vec3(1e-9 * random.in_ball()) : Vec3(random.in_ball()), Vec3::Constant(size)));
    }
    Pairs expected, found;
    pairs_by_force({boxes}, expected);
    for (const BroadPhaseOptions& options : methods()) {
        BroadPhase phase(options);
        for (const Box& box : boxes) (void)phase.add(box);
        phase.find_pairs();
        EXPECT_EQ(list(phase.pairs()), expected);
    }
    EXPECT_GT(expected.size(), 100000u);
}

TEST(BroadPhase, an_empty_box_marks_an_absent_object) {
    for (const BroadPhaseOptions& options : methods()) {
        BroadPhase phase(options);
        const Box cube{Vec3::Zero(), Vec3::Ones()};
        const Index a = phase.add(cube), b = phase.add(Box{}), c = phase.add(Box{Vec3::Ones(), Vec3::Zero()});
        phase.find_pairs();
        EXPECT_TRUE(phase.pairs().empty());
        phase.move(b, cube);
        phase.find_pairs();
        EXPECT_EQ(list(phase.began()), (Pairs{{a, b}}));
        phase.update(std::array{Box{}, cube, cube});
        EXPECT_EQ(list(phase.began()), (Pairs{{b, c}}));
        EXPECT_EQ(list(phase.ended()), (Pairs{{a, b}}));
    }
}

TEST(BroadPhase, ends_the_pairs_of_a_removed_object_before_its_id_is_reused) {
    BroadPhase phase;
    const Box cube{Vec3::Zero(), Vec3::Ones()};
    const Index a = phase.add(cube), b = phase.add(cube);
    phase.find_pairs();
    phase.remove(b);
    const Index c = phase.add(cube);
    EXPECT_NE(c, b);
    phase.find_pairs();
    EXPECT_EQ(list(phase.ended()), (Pairs{{a, b}}));
    EXPECT_EQ(list(phase.began()), (Pairs{{a, c}}));
    EXPECT_EQ(phase.add(cube), b);
    EXPECT_EQ(phase.size(), 3u);
}

template <class Work>
Cause cause_of(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.cause();
    }
    return Cause::cancelled; // nothing was thrown
}

TEST(BroadPhase, rejects_invalid_volumes_and_stays_unchanged) {
    BroadPhase phase;
    const Box cube{Vec3::Zero(), Vec3::Ones()};
    const Index a = phase.add(cube), b = phase.add(cube);
    const Box with_nan{Vec3(0, nan, 0), Vec3::Ones()}, endless{Vec3::Zero(), Vec3(1, infinity, 1)};
    EXPECT_EQ(cause_of([&] { (void)phase.add(with_nan); }), Cause::non_finite);
    EXPECT_EQ(cause_of([&] { phase.move(a, endless); }), Cause::non_finite);
    EXPECT_EQ(cause_of([&] { phase.update(std::array{Box{}, with_nan}); }), Cause::non_finite);
    EXPECT_EQ(cause_of([&] { (void)phase.add(Sphere{Vec3::Zero(), -1}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { (void)phase.add(Sphere{Vec3::Zero(), nan}); }), Cause::non_finite);
    EXPECT_EQ(cause_of([&] { (void)phase.add(Sphere{Vec3(1.7e308, 0, 0), 1.7e308}); }), Cause::non_finite);
    EXPECT_EQ(cause_of([&] { phase.update(std::array{cube}); }), Cause::count_mismatch);
    EXPECT_EQ(cause_of([&] { phase.remove(2); }), Cause::index_out_of_range);
    EXPECT_EQ(cause_of([&] { BroadPhase bad({.margin = -1}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { BroadPhase bad({.finder = scene_octree_finder({.level_cap = 17})}); }),
              Cause::invalid_argument);
    phase.find_pairs();
    EXPECT_EQ(list(phase.pairs()), (Pairs{{a, b}}));
    EXPECT_EQ(phase.size(), 2u);
}

TEST(BroadPhase, grows_objects_by_the_margin) {
    BroadPhase phase({.margin = 0.25});
    (void)phase.add(Box{Vec3::Zero(), Vec3::Ones()});
    (void)phase.add(Box{Vec3(1.5, 0, 0), Vec3(2, 1, 1)});
    (void)phase.add(Sphere{Vec3(3.5, 0.5, 0.5), 1});
    phase.find_pairs();
    EXPECT_EQ(list(phase.pairs()), (Pairs{{0, 1}, {1, 2}}));
}

TEST(PackedTree, sorts_again_only_when_its_walks_have_grown) {
    Random random(8);
    std::vector<Box> boxes;
    for (int k = 0; k < 5000; ++k)
        boxes.push_back(Box::around(random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(9))), Vec3::Constant(0.4)));
    PackedTree tree;
    Pairs pairs, expected;
    for (int step = 0; step < 10; ++step) tree.find_pairs(boxes, pairs);
    EXPECT_EQ(tree.sorts(), 1u);
    for (Box& box : boxes)
        box = Box::around(random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(9))), Vec3::Constant(0.4));
    for (int step = 0; step < 3; ++step) tree.find_pairs(boxes, pairs);
    EXPECT_EQ(tree.sorts(), 2u);
    pairs_by_force({boxes}, expected);
    EXPECT_EQ(pairs, expected);
}

} // namespace broad_phase_test
} // namespace fathom
