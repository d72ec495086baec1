#include <fathom/geometry/primitive/oriented_box.h>

#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <support/exact.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace oriented_box_test {

using testing::count_of;
using testing::hulls_meet;

struct BoxPair {
    OrientedBox a, b;
};

enum class Turns { any, equal, nearly_equal, about_one_axis };
constexpr std::array all_turns = {Turns::any, Turns::equal, Turns::nearly_equal, Turns::about_one_axis};

Quat turned(Random& random, const Quat& other, Turns turns) {
    switch (turns) {
    case Turns::any:
        return random.rotation();
    case Turns::equal:
        return other;
    case Turns::nearly_equal:
        return (other * Quat(Eigen::AngleAxisd(std::pow(10.0, random.uniform(-16, -3)), random.direction())))
            .normalized();
    case Turns::about_one_axis:
        return (other * Quat(Eigen::AngleAxisd(random.uniform(0, 6), Vec3::Unit(static_cast<int>(random.below(3))))))
            .normalized();
    }
    return other;
}

// Long, flat and ordinary boxes, of which about half overlap.
BoxPair random_pair(Random& random, Turns turns, double scale) {
    BoxPair pair;
    pair.a.pose = {random.rotation(), scale * random.in_ball()};
    pair.b.pose.rotation = turned(random, pair.a.pose.rotation, turns);
    for (OrientedBox* box : {&pair.a, &pair.b})
        for (double& h : box->half) h = random.chance(0.05) ? 0 : scale * std::pow(10.0, random.uniform(-1.5, 0));
    const double reach = 0.8 * (pair.a.half.norm() + pair.b.half.norm());
    pair.b.pose.translation = pair.a.pose.translation + reach * random.in_ball();
    return pair;
}

OrientedBox grown(OrientedBox box, double margin) {
    box.half = (box.half + Vec3::Constant(margin)).cwiseMax(0.0);
    return box;
}

// By a linear programme in whole numbers on the corners.
bool exactly_meet(const OrientedBox& a, const OrientedBox& b) { return hulls_meet(corners_of(a), corners_of(b)); }

// By all pairs of triangles of the two surfaces; 0 where one is inside the other.
double exact_distance(const OrientedBox& a, const OrientedBox& b) {
    if (a.contains(b.pose.translation) || b.contains(a.pose.translation)) return 0;
    constexpr std::array<std::array<std::size_t, 4>, 6> faces = {
        {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}}};
    const auto ca = corners_of(a), cb = corners_of(b);
    double least = HUGE_VAL;
    for (const auto& f : faces)
        for (const auto& g : faces)
            for (const std::size_t i : {1u, 2u})
                for (const std::size_t j : {1u, 2u})
                    least = std::min(least, closest_points(std::array{ca[f[0]], ca[f[i]], ca[f[i + 1]]},
                                                           std::array{cb[g[0]], cb[g[j]], cb[g[j + 1]]})
                                                .squared_distance);
    return std::sqrt(least);
}

TEST(OrientedBoxes, overlap_agrees_with_a_linear_programme_in_whole_numbers) {
    const std::size_t count = count_of(150, 10000);
    for (const Turns turns : all_turns)
        for (const double scale : {1e-3, 1.0, 1e3}) {
            Random random(71, static_cast<std::uint64_t>(turns));
            std::size_t hits = 0, near = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const BoxPair pair = random_pair(random, turns, scale);
                const bool ours = boxes_overlap(pair.a, pair.b);
                hits += ours;
                EXPECT_EQ(ours, boxes_overlap(pair.b, pair.a));
                const double band = 1e-13 * scale; // corners in double are themselves rounded
                if (ours && !exactly_meet(grown(pair.a, band), pair.b)) ADD_FAILURE() << "an overlap that is none";
                if (!ours && exactly_meet(grown(pair.a, -band), grown(pair.b, -band))) {
                    const bool flat = pair.a.half.minCoeff() == 0 || pair.b.half.minCoeff() == 0;
                    if (flat && gap_between(pair.a, pair.b) < 4 * band)
                        ++near;
                    else
                        ADD_FAILURE() << "an overlap that was missed";
                }
            }
            EXPECT_GT(hits, count / 5);
            EXPECT_LT(hits, count * 4 / 5);
            EXPECT_LT(near, 1 + count / 100);
        }
}

// Boxes set corner to face, edge to edge and face to face, then moved off by far less and far more than rounding.
TEST(OrientedBoxes, touching_counts_and_the_smallest_honest_gap_is_seen) {
    Random random(72);
    for (std::size_t i = 0; i < count_of(2000, 100000); ++i) {
        const double scale = std::array{1e-3, 1.0, 1e3}[i % 3];
        BoxPair pair = random_pair(random, all_turns[i / 3 % 4], scale);
        const int axis = static_cast<int>(random.below(3));
        const Vec3 normal = pair.a.pose.rotate(Vec3::Unit(axis));
        Vec3 place = random.in_box({-0.9 * pair.a.half, 0.9 * pair.a.half});
        place[axis] = pair.a.half[axis]; // on a face of a, where the corner of b comes to lie that reaches farthest
                                         // against its normal
        const Vec3 against = pair.b.pose.rotate_to_local(normal);
        const Vec3 corner = (against.array() > 0).select(-pair.b.half, pair.b.half);
        pair.b.pose.translation = pair.a.pose * place - pair.b.pose.rotate(corner);
        EXPECT_TRUE(boxes_overlap(pair.a, pair.b)) << i;
        pair.b.pose.translation += 1e-11 * scale * normal;
        EXPECT_FALSE(boxes_overlap(pair.a, pair.b)) << i;
        EXPECT_NEAR(gap_between(pair.a, pair.b), 1e-11 * scale, 1e-12 * scale);
    }
}

TEST(OrientedBoxes, the_gap_is_a_tight_lower_bound_on_the_distance) {
    Random random(73);
    std::size_t apart = 0, exact = 0;
    const std::size_t count = count_of(400, 20000);
    for (std::size_t i = 0; i < count; ++i) {
        const BoxPair pair = random_pair(random, all_turns[i % 4], 1);
        const double gap = gap_between(pair.a, pair.b), truth = exact_distance(pair.a, pair.b);
        EXPECT_LE(gap, truth * (1 + 1e-12));
        EXPECT_EQ(gap > 0, !boxes_overlap(pair.a, pair.b));
        apart += gap > 0;
        exact += gap > 0 && gap > truth * (1 - 1e-9);
        if (gap > 0) {
            EXPECT_GT(gap, 0.3 * truth);
        }
    }
    EXPECT_GT(apart, count / 5);
    EXPECT_LT(apart, count * 4 / 5);
    EXPECT_GT(exact, apart / 10);
}

TEST(OrientedBoxes, an_axis_aligned_box_equals_an_oriented_box_without_rotation) {
    Random random(74);
    std::size_t hits = 0;
    for (int i = 0; i < 300; ++i) {
        const BoxPair pair = random_pair(random, Turns::any, 1);
        const Box plain = Box::around(pair.a.pose.translation, pair.a.half);
        const bool meet = boxes_overlap(plain, pair.b);
        hits += meet;
        EXPECT_EQ(meet, boxes_overlap(OrientedBox{Pose::from_translation(plain.center()), plain.half()}, pair.b));
    }
    EXPECT_GT(hits, 60u);
    EXPECT_LT(hits, 240u);
    EXPECT_FALSE(boxes_overlap(Box{}, OrientedBox{{}, Vec3::Ones()}));
}

TEST(OrientedBoxes, certain_containment_is_never_wrong_and_seldom_missed) {
    Random random(75);
    std::size_t inside = 0, missed = 0;
    for (int i = 0; i < 2000; ++i) {
        const OrientedBox outer{{random.rotation(), 10 * random.in_ball()}, Vec3(1, 0.7, 0.5)};
        const Box inner = Box::around(outer.pose.translation + 0.6 * random.in_ball(),
                                      0.2 * random.in_box({Vec3::Zero(), Vec3::Ones()}));
        bool truth = true;
        for (int k = 0; k < 8; ++k) truth = truth && outer.contains(inner.corner(k));
        const bool ours = certainly_contains(outer, inner);
        inside += truth;
        missed += truth && !ours;
        EXPECT_FALSE(ours && !truth);
    }
    EXPECT_GT(inside, 400u);
    EXPECT_LT(inside, 1600u);
    EXPECT_EQ(missed, 0u);
}

TEST(FittedBox, contains_every_point_and_is_nearly_as_small_as_the_original_box) {
    Random random(76);
    for (const double scale : {1e-3, 1.0, 1e3})
        for (std::size_t i = 0; i < count_of(30, 1000); ++i) {
            const OrientedBox box{{random.rotation(), scale * 5 * random.in_ball()},
                                  scale * random.in_box({Vec3::Constant(0.1), Vec3::Ones()})};
            std::vector<Vec3> points;
            for (const Vec3& c : corners_of(box)) points.push_back(c);
            for (int k = 0; k < 400; ++k) points.push_back(box.pose * random.in_box({-box.half, box.half}));
            const OrientedBox plain = fitted_box(points, BoxFit::principal), fine = fitted_box(points);
            for (const Vec3& p : points) {
                EXPECT_TRUE(plain.contains(p));
                EXPECT_TRUE(fine.contains(p));
            }
            EXPECT_LE(fine.volume(), plain.volume() * (1 + 1e-12));
            EXPECT_LE(fine.volume(), 1.35 * box.volume());
        }
}

TEST(FittedBox, flat_straight_and_single_clouds_have_flat_boxes) {
    Random random(77);
    const Pose pose{random.rotation(), Vec3(3, 2, 1)};
    std::vector<Vec3> flat, straight;
    for (int k = 0; k < 200; ++k) {
        flat.push_back(pose * random.in_box({Vec3(-1, -2, 0), Vec3(1, 2, 0)}));
        straight.push_back(pose * random.in_box({Vec3(-1, 0, 0), Vec3(1, 0, 0)}));
    }
    EXPECT_LT(fitted_box(flat).half.minCoeff(), 1e-6);
    EXPECT_LT(fitted_box(flat).volume(), 1e-5);
    Vec3 half = fitted_box(straight).half;
    std::sort(half.begin(), half.end());
    EXPECT_LT(half[1], 1e-6);
    EXPECT_NEAR(half[2], 1, 0.05);
    EXPECT_LT(fitted_box(std::vector<Vec3>{Vec3(1, 2, 3)}).half.maxCoeff(), 1e-12);
    EXPECT_LT(fitted_box(std::vector<Vec3>(5, Vec3(1, 2, 3))).half.maxCoeff(), 1e-12);
}

TEST(FittedBox, refuses_no_points_and_points_that_are_not_finite) {
    EXPECT_THROW((void)fitted_box({}), Error);
    try {
        (void)fitted_box(std::vector<Vec3>{Vec3::Zero(), Vec3(0, std::nan(""), 0)});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::non_finite);
        EXPECT_EQ(error.place().index, 1);
    }
}

} // namespace oriented_box_test
} // namespace fathom
