#include <fathom/base/motion.h>
#include <fathom/base/random.h>

#include <gtest/gtest.h>

#include <numbers>

namespace fathom {
namespace motion_test {

Pose any_pose(Random& random, double scale) { return {random.rotation(), scale * random.in_ball()}; }

TEST(Pose, composition_and_inverse_undo_each_other) {
    Random random(1);
    for (int i = 0; i < 1000; ++i) {
        const Pose a = any_pose(random, 3), b = any_pose(random, 3);
        const Vec3 p = random.in_ball();
        EXPECT_LT(((a * b) * p - a * (b * p)).norm(), 1e-14);
        EXPECT_LT((a.inverse() * (a * p) - p).norm(), 1e-14);
        EXPECT_LT((a.to_local(a * p) - p).norm(), 1e-14);
        EXPECT_LT((relative(a, b) * p - a.to_local(b * p)).norm(), 1e-14);
        EXPECT_LT((a.rotate_to_local(a.rotate(p)) - p).norm(), 1e-14);
    }
}

TEST(Screw, carries_the_start_pose_to_the_end_pose_at_every_scale) {
    Random random(2);
    for (const double scale : {1e-3, 1.0, 1e3})
        for (int i = 0; i < 2000; ++i) {
            const Pose start = any_pose(random, scale), end = any_pose(random, scale);
            const Screw screw = screw_between(start, end);
            const Vec3 p = scale * random.in_ball();
            const Vec3 moved = screw.displacement(1) * (start * p);
            EXPECT_LT((moved - end * p).norm(), 1e-11 * scale) << "angle " << screw.angle;
            EXPECT_GE(screw.angle, 0);
            EXPECT_LE(screw.angle, std::numbers::pi + 1e-12);
        }
}

TEST(Screw, tiny_turns_and_half_turns_are_kept) {
    for (const double angle : {0.0, 1e-14, 1e-9, 1e-5, std::numbers::pi - 1e-9, std::numbers::pi}) {
        const Pose start = Pose::from_translation({1, 2, 3});
        const Pose end = Pose::from_axis_angle(angle, Vec3(1, 1, 0).normalized(), {-1, 0, 4});
        const Vec3 moved = screw_between(start, end).displacement(1) * (start * Vec3(0.3, 0.2, 0.1));
        EXPECT_LT((moved - end * Vec3(0.3, 0.2, 0.1)).norm(), 1e-6) << angle;
    }
}

// On its own line, as on Path::straight.
Vec3 on_line(const Motion& motion, const Vec3& p, double t) {
    return (1 - t) * (motion.start * p) + t * (motion.end * p);
}

TEST(Mover, the_screw_joins_the_ends) {
    Random random(3);
    for (int i = 0; i < 500; ++i) {
        const Motion motion{any_pose(random, 1), any_pose(random, 1)};
        const Mover mover(motion);
        const Vec3 p = random.in_ball();
        EXPECT_LT((mover.pose(1e-15) * p - motion.start * p).norm(), 1e-13);
        EXPECT_LT((mover.pose(1 - 1e-15) * p - motion.end * p).norm(), 1e-13);
    }
}

TEST(Mover, bend_bounds_the_gap_between_the_paths_and_is_not_wasteful) {
    Random random(4);
    double tightest = 0;
    for (int i = 0; i < 2000; ++i) {
        const Motion motion{any_pose(random, 1), any_pose(random, 1)};
        const Mover screw(motion);
        const Vec3 p = random.in_ball();
        const double bend = screw.chord_deviation(p);
        for (double t = 0; t <= 1; t += 0.05) {
            const double gap = (screw.pose(t) * p - on_line(motion, p, t)).norm();
            EXPECT_LE(gap, bend * (1 + 1e-9) + 1e-12);
            if (bend > 1e-3) tightest = std::max(tightest, gap / bend);
        }
    }
    EXPECT_GT(tightest, 0.9);
}

TEST(Mover, no_point_within_the_radius_travels_past_the_reach) {
    Random random(5);
    for (int i = 0; i < 2000; ++i) {
        const Motion motion{any_pose(random, 1), any_pose(random, 1)};
        const Mover screw(motion);
        const Vec3 p = 0.7 * random.in_ball();
        for (double t = 0; t <= 1; t += 0.1) {
            const double reach = screw.max_displacement(0.7) + 1e-9;
            EXPECT_LE((screw.pose(t) * p - motion.start * p).norm(), reach);
            EXPECT_LE((on_line(motion, p, t) - motion.start * p).norm(), reach);
        }
    }
}

} // namespace motion_test
} // namespace fathom
