#include <fathom/base/primitives.h>
#include <fathom/base/random.h>

#include <gtest/gtest.h>

namespace fathom {
namespace primitives_test {

TEST(Box, an_empty_box_contains_nothing_and_extends_to_any_point) {
    Box box;
    EXPECT_TRUE(box.empty());
    EXPECT_FALSE(box.contains(Vec3(0, 0, 0)));
    EXPECT_FALSE(box.overlaps(Box{Vec3::Constant(-1), Vec3::Constant(1)}));
    EXPECT_EQ(box.volume(), 0);
    box.extend(Vec3(1, 2, 3));
    EXPECT_EQ(box.lower, box.upper);
    EXPECT_FALSE(box.empty());
}

TEST(Box, touching_boxes_overlap) {
    const Box a{{0, 0, 0}, {1, 1, 1}}, b{{1, 1, 1}, {2, 2, 2}}, c{{1.0000001, 0, 0}, {2, 1, 1}};
    EXPECT_TRUE(a.overlaps(b));
    EXPECT_FALSE(a.overlaps(c));
    EXPECT_EQ(intersection(a, b).volume(), 0);
    EXPECT_TRUE(intersection(a, c).empty());
    EXPECT_TRUE(hull(a, c).contains(a));
}

TEST(Box, corners_are_numbered_by_their_bits) {
    const Box box{{0, 0, 0}, {1, 2, 3}};
    EXPECT_EQ(box.corner(0), Vec3(0, 0, 0));
    EXPECT_EQ(box.corner(5), Vec3(1, 0, 3));
    EXPECT_EQ(box.corner(7), Vec3(1, 2, 3));
    EXPECT_EQ(box.surface_area(), 22);
}

TEST(Box, closest_point_is_never_farther_than_a_random_member) {
    Random random(1);
    const Box box{{-1, -2, -3}, {2, 1, 0.5}};
    int outside = 0;
    for (int i = 0; i < 5000; ++i) {
        const Vec3 p = random.in_box({Vec3::Constant(-4), Vec3::Constant(4)});
        const Vec3 member = random.in_box(box);
        EXPECT_LE(box.squared_distance(p), (p - member).squaredNorm());
        EXPECT_EQ(box.contains(p), box.squared_distance(p) == 0);
        outside += !box.contains(p);
    }
    EXPECT_GT(outside, 1000);
    EXPECT_LT(outside, 4900);
}

TEST(OrientedBox, agrees_with_the_box_in_its_own_frame) {
    Random random(2);
    int inside = 0;
    for (int i = 0; i < 5000; ++i) {
        const OrientedBox box{{random.rotation(), random.in_ball()}, Vec3(0.5, 1.0, 0.25)};
        const Vec3 p = box.pose * (1.2 * random.in_ball());
        const Box local = Box::around(Vec3::Zero(), box.half);
        EXPECT_EQ(box.contains(p), local.contains(box.pose.to_local(p)));
        EXPECT_NEAR((box.closest(p) - p).squaredNorm(), local.squared_distance(box.pose.to_local(p)), 1e-12);
        EXPECT_TRUE(box.bounds().grown(1e-12).contains(box.closest(p)));
        inside += box.contains(p);
    }
    EXPECT_GT(inside, 500);
    EXPECT_LT(inside, 4500);
}

TEST(Segment, closest_fraction_is_clamped_and_survives_zero_length) {
    const Segment s{{0, 0, 0}, {2, 0, 0}};
    EXPECT_EQ(s.closest_fraction({1, 5, 0}), 0.5);
    EXPECT_EQ(s.closest_fraction({-3, 5, 0}), 0);
    EXPECT_EQ(s.closest_fraction({9, 0, 1}), 1);
    EXPECT_EQ((Segment{{1, 1, 1}, {1, 1, 1}}.closest_fraction({4, 4, 4})), 0);
}

} // namespace primitives_test
} // namespace fathom
