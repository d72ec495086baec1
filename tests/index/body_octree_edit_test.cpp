#include <fathom/base/error.h>
#include <fathom/base/parallel.h>

#include "index/octree_bodies.h"
#include "index/simd_targets.h"
#include "support/test_counts.h"

#include <cstring>

namespace fathom {
namespace body_octree_edit_test {

using namespace testing;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

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
            corners.push_back(static_cast<Index>(random.chance(0.9) ? (start + random.below(4)) % body.points.size()
                                                                    : random.below(body.points.size())));
        return corners;
    };
    const Index id = static_cast<Index>(random.below(body.count()));
    if (random.chance(0.2)) {
        const std::vector<Vec3> more = {random_point(random, scene, random.chance(0.1) ? 3 : 1)};
        ASSERT_EQ(tree.add_points(more), body.points.size());
        body.points.push_back(more[0]);
    }
    const auto corners = random_corners();
    const auto set = [&](Index k) {
        std::copy(corners.begin(), corners.end(),
                  body.corners.begin() + static_cast<std::ptrdiff_t>(k * corners.size()));
    };
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
    expect_pairs(overlapping_primitives(tree, other), expected, tree.options().volume == NodeVolume::box, edited.body,
                 at, other_body, at_other);
    auto self = self_pairs_by_force(edited.body, at, true);
    std::erase_if(self, [&](const IdPair& pair) { return dead(pair) || !edited.alive[pair[1]]; });
    expect_pairs(overlapping_primitives(tree), self, tree.options().volume == NodeVolume::box, edited.body, at,
                 edited.body, at);
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
                EXPECT_EQ(tree.size(),
                          static_cast<std::size_t>(std::count(edited.alive.begin(), edited.alive.end(), true)));
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

TEST(BodyOctree, quality_decays_when_the_body_crumples_and_the_tree_is_rebuilt) {
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
    const auto same = [](auto x, auto y) {
        return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size_bytes()) == 0;
    };
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
            const std::vector<Vec3> starts = deformed(body.points, random, scene, step == 2 ? 9.0 : 0.1),
                                    ends = deformed(starts, random, scene, 0.1);
            for (BodyOctree* tree : {&copies, &views}) {
                if (step % 2)
                    tree->update_swept(starts, ends, 0.01);
                else
                    tree->update(starts, 0.02);
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
            expect_pairs(overlapping_primitives(tree_a, tree_b), pairs_by_force(a, at_a, b, at_b),
                         options.volume == NodeVolume::box, a, at_a, b, at_b);
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

TEST(BodyOctree, rejects_bad_points_by_name_and_stays_unchanged) {
    const Body body = ring(30, 40, {1, Vec3::Zero()}, Vec3::Zero());
    for (const double bad : {nan, infinity, -infinity})
        for (const std::size_t at : {std::size_t{0}, std::size_t{255}, std::size_t{256}, body.points.size() - 1})
            for (int axis = 0; axis < 3; ++axis) {
                BodyOctree tree = body.tree();
                const BodyOctree before = tree;
                std::vector<Vec3> points = body.points;
                points[at][axis] = bad;
                expect_error(Cause::non_finite, static_cast<std::int64_t>(at), [&] { tree.update(points); });
                expect_error(Cause::non_finite, static_cast<std::int64_t>(at),
                             [&] { tree.update_swept(body.points, points); });
                expect_error(Cause::non_finite, static_cast<std::int64_t>(at),
                             [&] { BodyOctree(points, body.corners, 3); });
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

TEST(BodyOctree, accepts_zero_one_and_many_coincident_points) {
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

} // namespace body_octree_edit_test
} // namespace fathom
