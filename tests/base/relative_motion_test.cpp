#include <fathom/base/motion.h>
#include <fathom/base/random.h>

#include "support/test_counts.h"

#include <gtest/gtest.h>

#include <numbers>

namespace fathom {
namespace relative_motion_test {

struct Pair {
    Motion moving, seen_from;
};

// From none to half a turn, near the origin and far from it, the second body still at times.
Pair random_pair(Random& random, double scale) {
    const auto motion = [&] {
        const Pose start{random.rotation(), scale * random.in_ball()};
        const double angle = random.chance(0.1) ? 0.0 : random.uniform(0, std::numbers::pi);
        const Pose turn = Pose::from_axis_angle(angle, random.direction());
        return Motion{start, {Quat(turn.rotation * start.rotation).normalized(), scale * random.in_ball()}};
    };
    Pair pair{motion(), motion()};
    if (random.chance(0.2)) pair.seen_from.end = pair.seen_from.start;
    return pair;
}

TEST(RelativeMotion, both_paths_agree_with_the_poses_at_the_ends) {
    Random random(1);
    for (const double scale : {1e-3, 1.0, 1e3})
        for (int k = 0; k < 500; ++k) {
            const Pair pair = random_pair(random, scale);
            const Vec3 p = scale * random.in_ball();
            const Vec3 first = pair.seen_from.start.to_local(pair.moving.start * p),
                       last = pair.seen_from.end.to_local(pair.moving.end * p);
            for (const Path path : {Path::straight, Path::screw}) {
                const RelativeMotion motion(pair.moving, pair.seen_from, path);
                EXPECT_LT((motion.at(p, 0) - first).norm(), 1e-12 * scale);
                EXPECT_LT((motion.at(p, 1) - last).norm(), 1e-11 * scale);
                EXPECT_LT((motion.chord(p).start - first).norm(), 1e-12 * scale);
                EXPECT_LT((motion.chord(p).end - last).norm(), 1e-12 * scale);
            }
        }
}

TEST(RelativeMotion, on_screw_motions_it_equals_the_relative_pose) {
    Random random(2);
    for (int k = 0; k < 500; ++k) {
        const Pair pair = random_pair(random, 1);
        const Mover moving(pair.moving), from(pair.seen_from);
        const RelativeMotion motion(pair.moving, pair.seen_from, Path::screw);
        const Vec3 p = random.in_ball();
        const double t = random.uniform();
        EXPECT_LT((motion.at(p, t) - from.pose(t).to_local(moving.pose(t) * p)).norm(), 1e-11);
    }
}

TEST(RelativeMotion, small_rotations_about_a_distant_axis_keep_their_precision) {
    Random random(5);
    for (const double angle : {1e-11, 1e-9, 1e-6, 1e-3})
        for (int k = 0; k < 100; ++k) {
            const Pose turn = Pose::from_axis_angle(angle, random.direction());
            Motion moving{{random.rotation(), random.in_ball()}, {}},
                still = Motion::stationary({random.rotation(), random.in_ball()});
            moving.end = {Quat(turn.rotation * moving.start.rotation).normalized(), random.in_ball()};
            const RelativeMotion motion(moving, still, Path::screw);
            const Vec3 p = random.in_ball();
            EXPECT_LT((motion.at(p, 1) - motion.chord(p).end).norm(), 1e-13 + 1e-15 / angle * 1e-3);
        }
}

TEST(RelativeMotion, bounds_on_speed_and_chord_deviation_are_valid_and_tight) {
    Random random(3);
    double tightest_speed = 0, tightest_bend = 0;
    for (const double scale : {1e-3, 1.0, 1e3})
        for (std::size_t k = 0; k < testing::count_of(1000, 30000); ++k) {
            const Pair pair = random_pair(random, scale);
            const Vec3 p = scale * random.in_ball();
            const double start = random.uniform(),
                         end = random.chance(0.3) ? 1.0 : start + (1 - start) * std::pow(random.uniform(), 3);
            for (const Path path : {Path::straight, Path::screw}) {
                const RelativeMotion motion(pair.moving, pair.seen_from, path);
                const RelativeMotion::State state = motion.over(p, start, end);
                const Segment chord{motion.at(p, start), motion.at(p, end)};
                const double rounding = 1e-12 * scale;
                Vec3 before = chord.start;
                EXPECT_LT((state.position - motion.at(p, 0.5 * (start + end))).norm(), rounding);
                for (int n = 1; n <= 32; ++n) {
                    const double t = start + (end - start) * n / 32;
                    const Vec3 x = motion.at(p, t);
                    EXPECT_LE((x - before).norm(), state.speed * (end - start) / 32 + rounding);
                    EXPECT_LE((x - chord.at(n / 32.0)).norm(), state.bend + rounding);
                    EXPECT_LE((x - state.position - (t - 0.5 * (start + end)) * state.velocity).norm(),
                              state.bend + rounding);
                    EXPECT_LE((x - state.position).norm(), 0.5 * state.speed * (end - start) + rounding);
                    if (end - start > 1e-3 && state.speed > 0)
                        tightest_speed =
                            std::max(tightest_speed, 32 * (x - before).norm() / (state.speed * (end - start)));
                    if (path == Path::screw && state.bend > 1e-4 * scale)
                        tightest_bend = std::max(tightest_bend, (x - chord.at(n / 32.0)).norm() / state.bend);
                    before = x;
                }
            }
        }
    EXPECT_GT(tightest_speed, 0.95);
    EXPECT_GT(tightest_bend, 0.8);
}

TEST(RelativeMotion, points_never_move_apart) {
    Random random(4);
    for (int k = 0; k < 1000; ++k) {
        const Pair pair = random_pair(random, 1);
        const Vec3 p = random.in_ball(), q = random.in_ball();
        for (const Path path : {Path::straight, Path::screw}) {
            const RelativeMotion motion(pair.moving, pair.seen_from, path);
            for (double t = 0; t <= 1; t += 0.1)
                EXPECT_LE((motion.at(p, t) - motion.at(q, t)).norm(), (p - q).norm() + 1e-12);
        }
    }
}

} // namespace relative_motion_test
} // namespace fathom
