// Compound shapes against the same parts as separate bodies, over all pairs of parts.
#include "detect/world/world_shapes.h"

#include <fathom/base/error.h>
#include <fathom/detect/query/compound.h>
#include <support/test_counts.h>
#include <tool/verify/referee.h>

#include <gtest/gtest.h>

namespace fathom {
namespace compound_test {

using namespace testing;
using query::Pair;
using query::PartPairs;

std::vector<query::Placed> bodies_of(const Shape& shape, const Pose& pose) {
    std::vector<query::Placed> bodies;
    for (Index k = 0; k < query::part_count(shape); ++k) bodies.push_back(query::part_of({&shape, pose}, k));
    return bodies;
}

struct Trial {
    Shape a, b;
    RandomPoses now, later;
};

// A compound against a compound, against another kind, and sometimes an unbounded one.
std::vector<Trial> trials(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<Trial> all;
    for (std::size_t k = 0; k < count; ++k) {
        const double size = std::array{1e-3, 1.0, 1e3}[k % 3];
        constexpr std::array others = {ShapeKind::compound,    ShapeKind::analytic,   ShapeKind::compound,
                                       ShapeKind::closed_mesh, ShapeKind::open_mesh,  ShapeKind::point_shell,
                                       ShapeKind::grid,        ShapeKind::half_space, ShapeKind::tetrahedra};
        Shape a = random_shape(ShapeKind::compound, random, size);
        const Shape b = random_shape(others[k % others.size()], random, size);
        const RandomPoses now = random_poses(a, b, random), later = random_poses(a, b, random);
        if (k % 7 == 3 && b.bounded()) a = Shape::compound({{a}, {Shape::half_space(Vec3::UnitZ(), -0.8 * size)}});
        all.push_back({a, b, now, later});
    }
    return all;
}

TEST(Compound, status_and_contacts_are_those_of_the_pairs_of_parts) {
    std::size_t overlapping = 0, disjoint = 0;
    for (const Trial& t : trials(count_of(54, 1000), 1)) {
        Status wanted = Status::disjoint;
        double depth = 0;
        std::set<IdPair> touching;
        const auto parts_a = bodies_of(t.a, t.now.a), parts_b = bodies_of(t.b, t.now.b);
        for (Index i = 0; i < parts_a.size(); ++i)
            for (Index j = 0; j < parts_b.size(); ++j) {
                const CollideResult one = collide(*parts_a[i].shape, parts_a[i].pose, *parts_b[j].shape,
                                                  parts_b[j].pose, {.goal = CollideGoal::contacts});
                if (one.status == Status::undecided && wanted == Status::disjoint) wanted = one.status;
                if (one.status != Status::overlapping) continue;
                wanted = one.status;
                depth = std::max(depth, one.local_depth);
                touching.insert({i, j});
            }
        const CollideResult all = collide(t.a, t.now.a, t.b, t.now.b, {.goal = CollideGoal::contacts});
        ASSERT_EQ(all.status, wanted);
        EXPECT_EQ(all.method, Method::compound);
        EXPECT_EQ(collide(t.a, t.now.a, t.b, t.now.b).status, wanted);
        (wanted == Status::overlapping ? overlapping : disjoint) += 1;
        EXPECT_NEAR(all.local_depth, depth, 1e-9 * depth);
        EXPECT_EQ(all.contacts.empty(), touching.empty());
        for (const Contact& c : all.contacts) {
            EXPECT_LT(c.feature_a.part, t.a.parts().size());
            const Index other = t.b.kind() == ShapeKind::compound ? c.feature_b.part : 0;
            EXPECT_TRUE(touching.contains({c.feature_a.part, other}));
        }
        const CollideResult back = collide(t.b, t.now.b, t.a, t.now.a, {.goal = CollideGoal::contacts});
        EXPECT_EQ(back.status, all.status);
        ASSERT_EQ(back.contacts.size(), all.contacts.size());
        for (std::size_t k = 0; k < all.contacts.size(); ++k) {
            EXPECT_EQ(back.contacts[k].point_a, all.contacts[k].point_b);
            EXPECT_EQ(back.contacts[k].feature_b.part, all.contacts[k].feature_a.part);
            EXPECT_EQ(back.contacts[k].normal, -all.contacts[k].normal);
        }
    }
    EXPECT_GT(overlapping, 10u);
    EXPECT_GT(disjoint, 10u);
}

TEST(Compound, distance_is_the_least_of_the_pairs_of_parts) {
    std::size_t overlapping = 0, apart = 0;
    for (const Trial& t : trials(count_of(54, 1000), 2)) {
        if (!t.a.bounded() && !t.b.bounded()) continue;
        const DistanceResult all = distance(t.a, t.now.a, t.b, t.now.b);
        const double size = std::min(t.a.radius(), t.b.radius()), tolerance = 2e-3 * size;
        double least = HUGE_VAL, lower = HUGE_VAL;
        for (const auto& a : bodies_of(t.a, t.now.a))
            for (const auto& b : bodies_of(t.b, t.now.b)) {
                const DistanceResult one = distance(*a.shape, a.pose, *b.shape, b.pose, {.tolerance = tolerance});
                least = std::min(least, one.upper_bound);
                lower = std::min(lower, one.lower_bound);
            }
        if (least > 0) {
            EXPECT_NEAR(all.upper_bound, least, tolerance + all.error_bound);
            EXPECT_LE(all.lower_bound, least);
            EXPECT_GE(all.upper_bound, lower);
            EXPECT_NEAR((all.point_a - all.point_b).norm(), all.upper_bound, 1e-9 * size + all.error_bound);
            ++apart;
        } else {
            EXPECT_NEAR(all.upper_bound, least, 1e-9 * size);
            EXPECT_EQ(all.status, Status::overlapping);
            ++overlapping;
        }
        const DistanceResult back = distance(t.b, t.now.b, t.a, t.now.a);
        EXPECT_EQ(back.upper_bound, all.upper_bound);
        EXPECT_EQ(back.lower_bound, all.lower_bound);
        EXPECT_EQ(back.point_a, all.point_b);
    }
    EXPECT_GT(overlapping, 10u);
    EXPECT_GT(apart, 10u);
}

TEST(Compound, sweeps_are_the_earliest_and_the_union_of_the_pairs_of_parts) {
    std::size_t hits = 0, misses = 0;
    for (const Trial& t : trials(count_of(27, 300), 3)) {
        const double size = std::min(t.a.radius(), t.b.radius());
        const Motion still = Motion::stationary(t.now.a), moving{t.now.b, t.later.b};
        const SweepOptions options{.tolerance = 1e-4, .resolution = 1.0 / 64};
        SweepOptions every = options;
        every.goal = SweepGoal::all;
        const SweepResult first = sweep(t.a, still, t.b, moving, options), all = sweep(t.a, still, t.b, moving, every);
        double latest_start = 2, earliest_seen = HUGE_VAL;
        for (Index i = 0; i < query::part_count(t.a); ++i)
            for (Index j = 0; j < query::part_count(t.b); ++j) {
                const query::Placed a = query::part_of({&t.a, t.now.a}, i), b = query::part_of({&t.b, t.now.b}, j),
                                    end = query::part_of({&t.b, t.later.b}, j);
                const SweepResult one =
                    sweep(*a.shape, Motion::stationary(a.pose), *b.shape, {b.pose, end.pose}, every);
                if (one.status == Status::disjoint) continue;
                latest_start = std::min(latest_start, one.time);
                if (one.status == Status::overlapping) earliest_seen = std::min(earliest_seen, one.time + one.error);
                for (const ContactInterval& i : one.intervals)
                    EXPECT_TRUE(std::ranges::any_of(all.intervals, [&](const ContactInterval& in) {
                        return in.start <= i.start && i.end <= in.end && (in.proven || !i.proven);
                    }));
            }
        EXPECT_EQ(first.status == Status::overlapping, earliest_seen <= 1) << size;
        EXPECT_EQ(first.status == Status::disjoint, latest_start > 1);
        if (first.status != Status::overlapping) {
            ++misses;
            continue;
        }
        ++hits;
        for (const SweepResult* s : {&first, &all}) {
            EXPECT_LE(s->time, earliest_seen);
            EXPECT_GE(s->time + s->error, latest_start);
        }
        for (std::size_t k = 1; k < all.intervals.size(); ++k)
            EXPECT_LT(all.intervals[k - 1].end, all.intervals[k].start);
        const SweepResult back = sweep(t.b, moving, t.a, still, options);
        EXPECT_EQ(back.time, first.time);
        EXPECT_EQ(back.normal, -first.normal);
    }
    EXPECT_GT(hits, 4u);
    EXPECT_GT(misses, 2u);
}

// Copies of a part at the points of a lattice of ten points a side.
Shape lattice(const Shape& part) {
    std::vector<CompoundPart> parts;
    for (int k = 0; k < 1000; ++k) parts.push_back({part, Pose::from_translation(Vec3(k % 10, k / 10 % 10, k / 100))});
    return Shape::compound(std::move(parts));
}

TEST(Compound, of_a_thousand_parts_queries_fewer_than_three_times_the_pairs_that_touch) {
    const Shape box(make_box({.size = Vec3::Constant(0.9)})), ball = ball_shape(0.45);
    Random random(5);
    std::size_t all = 0;
    for (const Shape& many : {lattice(box), lattice(ball)})
        for (const Shape& other : {ball_shape(1.5), Shape(make_box({.size = {4, 0.5, 2}})), lattice(ball)}) {
            std::size_t listed = 0, touched = 0;
            for (std::size_t k = 0; k < count_of(3, 30); ++k) {
                const Pose pose{random.rotation(), random.in_box({Vec3::Constant(-1), Vec3::Constant(10)})};
                const Pair pair{{&many, {}}, {&other, pose}};
                PartPairs pairs(pair);
                for (PartPairs::Parts parts; pairs.next(0, parts);) {
                    ++listed;
                    const query::Placed a = part_of(pair.a, parts.a), b = part_of(pair.b, parts.b);
                    touched += collide(*a.shape, a.pose, *b.shape, b.pose).status == Status::overlapping;
                }
            }
            EXPECT_GT(touched, 10u);
            EXPECT_LT(listed, 3 * touched);
            std::printf("%zu pairs of parts queried, %zu touch\n", listed, touched);
            all += listed;
        }
    RecordProperty("pairs of parts", static_cast<int>(all));
}

TEST(Compound, pairs_of_parts_are_complete_and_come_in_ascending_order_of_their_gaps) {
    for (const Trial& t : trials(9, 6)) {
        const Pair pair{{&t.a, t.now.a}, {&t.b, t.now.b}};
        PartPairs pairs(pair);
        std::set<IdPair> listed;
        double before = 0;
        for (PartPairs::Parts parts; pairs.next(HUGE_VAL, parts); before = parts.gap) {
            EXPECT_GE(parts.gap, before);
            EXPECT_LE(parts.gap, pairs.least_gap());
            const query::Placed a = part_of(pair.a, parts.a), b = part_of(pair.b, parts.b);
            const bool both_unbounded = !a.shape->bounded() && !b.shape->bounded();
            if (!both_unbounded) {
                EXPECT_LE(parts.gap, std::max(distance(*a.shape, a.pose, *b.shape, b.pose).upper_bound, 0.0));
            }
            EXPECT_TRUE(listed.insert({parts.a, parts.b}).second);
        }
        EXPECT_EQ(listed.size(), query::part_count(t.a) * query::part_count(t.b));
    }
}

TEST(Compound, parts_of_a_nested_compound_become_parts_of_the_outer_one) {
    const Pose shifted = Pose::from_translation({1, 0, 0});
    const Shape inner = Shape::compound({{.shape = ball_shape(1), .pose = shifted, .name = "ball", .user = 7},
                                         {.shape = ball_shape(2), .category = 4, .mask = 3}});
    const Shape outer = Shape::compound({{.shape = inner, .pose = shifted, .name = "arm", .category = 2, .mask = 6},
                                         {.shape = ball_shape(3), .name = "base"}});
    ASSERT_EQ(outer.parts().size(), 3u);
    EXPECT_EQ(outer.parts()[0].name, "arm/ball");
    EXPECT_EQ(outer.parts()[0].user, 7u);
    EXPECT_EQ(outer.parts()[0].pose.translation, Vec3(2, 0, 0));
    EXPECT_EQ(outer.parts()[1].name, "arm");
    EXPECT_EQ(outer.parts()[1].category, 6u);
    EXPECT_EQ(outer.parts()[1].mask, 2u);
    EXPECT_EQ(outer.parts()[2].name, "base");
    EXPECT_TRUE(outer.bounds().contains(Vec3(3, 0, 0)));
    EXPECT_FALSE(has_field(outer.kind()) || has_surface(outer.kind()));
    EXPECT_GT(outer.memory_bytes(), sizeof(CompoundPart));
}

TEST(Compound, masks_of_parts_exclude_pairs) {
    const Shape a = Shape::compound({{.shape = ball_shape(1), .category = 1, .mask = 2},
                                     {.shape = ball_shape(1), .pose = Pose::from_translation({4, 0, 0})}});
    const Shape b = Shape::compound({{.shape = ball_shape(1), .category = 2}});
    const auto status = [&](const Shape& other, double x) {
        return collide(a, {}, other, Pose::from_translation({x, 0, 0})).status;
    };
    EXPECT_EQ(status(b, 0), Status::overlapping);
    EXPECT_EQ(status(b, 4), Status::overlapping);
    EXPECT_EQ(status(ball_shape(1), 0), Status::disjoint);
    EXPECT_EQ(status(ball_shape(1), 4), Status::overlapping);
    EXPECT_NEAR(distance(a, {}, ball_shape(1), {}).upper_bound, 2, 1e-2);
    const Shape none = Shape::compound({{.shape = ball_shape(1), .mask = 0}});
    EXPECT_EQ(distance(a, {}, none, {}).upper_bound, HUGE_VAL);
}

TEST(Compound, a_separating_translation_of_compounds_leaves_all_parts_disjoint) {
    Random random(9);
    std::size_t separated = 0;
    for (const Trial& t : trials(count_of(27, 100), 9)) {
        if (!t.a.bounded() || !t.b.bounded()) continue;
        const CollideResult found = collide(t.a, t.now.a, t.b, t.now.b, {.goal = CollideGoal::separation});
        if (found.status != Status::overlapping || found.separates != Separates::proven) continue;
        ++separated;
        EXPECT_GE(found.depth, found.local_depth * (1 - 1e-6) - found.error_bound);
        const Pose moved{t.now.b.rotation, t.now.b.translation + found.depth * found.normal};
        for (const auto& a : bodies_of(t.a, t.now.a))
            for (const auto& b : bodies_of(t.b, moved))
                EXPECT_EQ(collide(*a.shape, a.pose, *b.shape, b.pose).status, Status::disjoint);
    }
    EXPECT_GT(separated, 1u);
}

TEST(Compound, rejects_no_parts_and_invalid_poses) {
    EXPECT_THROW((void)Shape::compound({}), Error);
    EXPECT_THROW((void)Shape::compound({{ball_shape(1), Pose::from_translation({0, NAN, 0})}}), Error);
    EXPECT_THROW((void)Shape::compound({{ball_shape(1), {Quat(2, 0, 0, 0), Vec3::Zero()}}}), Error);
    EXPECT_THROW((void)ball_shape(1).parts(), Error);
    EXPECT_THROW((void)Shape::compound({{ball_shape(1)}}).field(), Error);
    EXPECT_THROW((void)Shape::compound({{ball_shape(1)}}).mesh(), Error);
    Shape many = Shape::compound({{ball_shape(1)}, {ball_shape(2)}});
    EXPECT_THROW(
        {
            for (int depth = 0; depth < 40; ++depth)
                many = Shape::compound(std::vector<CompoundPart>(64, CompoundPart{many}));
        },
        Error);
}

} // namespace compound_test
} // namespace fathom
