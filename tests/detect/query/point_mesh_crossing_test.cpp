// Points that pass through sheets: times that are known, by closed form or by looking at every point at many times.
#include <fathom/base/motion.h>
#include <fathom/base/random.h>
#include <fathom/detect/query/conservative_advancement.h>
#include <fathom/detect/query/query.h>
#include <fathom/geometry/generate/generate.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace fathom {
namespace point_mesh_crossing_test {

Shape sheet(double size) { return Shape(make_cloth({.size = {size, size}, .cells = {7, 5}})); }

bool over_sheet(const Vec3& p, double size) { return std::abs(p.x()) < 0.5 * size && std::abs(p.y()) < 0.5 * size; }

TEST(PointMeshCrossing, falling_points_cross_a_sheet_at_the_time_of_the_closed_form) {
    Random random(5);
    std::size_t met = 0, missed = 0;
    for (std::size_t k = 0; k < testing::count_of(60, 1500); ++k) {
        const double size = std::array{1e-3, 1.0, 1e3}[k % 3];
        std::vector<Vec3> points;
        for (std::size_t n = 1 + random.below(6); n > 0; --n)
            points.push_back(size *
                             Vec3(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), random.uniform(0.1, 0.9)));
        std::vector<double> times;
        for (const Vec3& p : points)
            if (over_sheet(p, size)) times.push_back(p.z() / size);
        std::sort(times.begin(), times.end());
        const Motion fall{{}, Pose::from_translation({0, 0, -size})};
        const SweepOptions ask{.goal = SweepGoal::all, .tolerance = 1e-6, .resolution = 1e-6};
        const SweepResult s = sweep(Shape(points), fall, sheet(size), Motion::stationary({}), ask),
                          back = sweep(sheet(size), Motion::stationary({}), Shape(points), fall, ask);
        EXPECT_EQ(s.status, times.empty() ? Status::disjoint : Status::overlapping) << k;
        EXPECT_EQ(s.status, back.status);
        ++(times.empty() ? missed : met);
        if (times.empty()) continue;
        EXPECT_NEAR(s.time, times.front(), 1e-9);
        EXPECT_LE(s.error, 1e-9);
        EXPECT_NEAR(std::abs(s.normal.z()), 1, 1e-6);
        EXPECT_EQ(s.intervals.size(), times.size());
        for (const double t : times)
            EXPECT_TRUE(std::any_of(s.intervals.begin(), s.intervals.end(), [&](const ContactInterval& i) {
                return i.proven && i.start <= t + 1e-12 && t <= i.end + 1e-12;
            })) << t;
    }
    EXPECT_GT(met, 10u);
    EXPECT_GT(missed, 10u);
}

// The first time of `looks` after which any point has changed sides over the sheet.
double first_seen(const std::vector<Vec3>& points, const Motion& motion, double size, int looks) {
    const Mover mover(motion);
    for (int k = 1; k <= looks; ++k)
        for (const Vec3& p : points) {
            const Vec3 before = mover.pose(double(k - 1) / looks) * p, after = mover.pose(double(k) / looks) * p;
            if ((before.z() > 0) != (after.z() > 0) && over_sheet(0.5 * (before + after), size))
                return double(k) / looks;
        }
    return 2;
}

TEST(PointMeshCrossing, rotating_points_cross_when_they_change_sides) {
    Random random(6);
    const int looks = 4000;
    std::size_t met = 0, missed = 0;
    for (std::size_t k = 0; k < testing::count_of(40, 600); ++k) {
        std::vector<Vec3> points(1 + random.below(4));
        for (Vec3& p : points) p = 0.7 * random.in_ball();
        const Motion motion{{random.rotation(), 0.8 * random.direction()},
                            {random.rotation(), 0.8 * random.direction()}};
        const double truth = first_seen(points, motion, 1, looks);
        const SweepResult s = sweep(Shape(points), motion, sheet(1), Motion::stationary({}));
        EXPECT_NE(s.status, Status::undecided);
        ++(truth <= 1 ? met : missed);
        if (truth > 1) continue; // looks may pass over a corner of the sheet
        ASSERT_EQ(s.status, Status::overlapping);
        EXPECT_LE(s.time, truth + 1e-9);
        if (s.time < truth - 1.0 / looks - 1e-6) { // then it was a crossing that the looks did not see: at the border
            const Vec3 at = s.point;
            EXPECT_GT(std::max(std::abs(at.x()), std::abs(at.y())), 0.499);
        }
    }
    EXPECT_GT(met, 10u);
    EXPECT_GT(missed, 5u);
}

TEST(PointMeshCrossing, no_crossing_is_certain_where_a_point_turns_back_or_passes_beside) {
    const Shape one(std::vector<Vec3>{{0.03, 0.04, 0}}), beside(std::vector<Vec3>{{0.6, 0, 0}});
    const Shape flat = sheet(1);
    const Motion through{Pose::from_translation({0, 0, 1e-6}), Pose::from_translation({0, 0, -1e-6})},
        above{Pose::from_translation({0, 0, 2e-6}), Pose::from_translation({0, 0, 1e-6})},
        still = Motion::stationary({});
    EXPECT_TRUE(points_cross(one, through, flat, still, 0, 1));
    EXPECT_TRUE(points_cross(one, through, flat, still, 0.4, 0.6));
    EXPECT_FALSE(points_cross(one, through, flat, still, 0, 0.4));
    EXPECT_FALSE(points_cross(one, above, flat, still, 0, 1));
    EXPECT_FALSE(points_cross(beside, through, flat, still, 0, 1));
}

} // namespace point_mesh_crossing_test
} // namespace fathom
