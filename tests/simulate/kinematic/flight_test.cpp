// Flights: as large as they say, poses as smooth functions of the frame, and collisions in some frames only.
#include <fathom/simulate/kinematic/flight.h>

#include <support/mesh_oracle.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace {

// Do surfaces cross? Of every n-th frame.
double share_of_collisions(const Flight& flight, std::size_t every) {
    std::vector<testing::OracleBody> obstacles;
    for (const KinematicObstacle& obstacle : flight.obstacles) obstacles.emplace_back(*obstacle.mesh);
    const testing::OracleBody ship(*flight.ship);
    std::size_t hit = 0, all = 0;
    for (std::size_t frame = 0; frame < flight.frames; frame += every, ++all) {
        bool any = false;
        for (std::size_t k = 0; k < obstacles.size() && !any; ++k)
            any =
                testing::any_pair(obstacles[k], ship, relative(flight.obstacle_pose(k, frame), flight.ship_pose(frame)),
                                  0, [](const auto& a, const auto& b) { return triangles_overlap(a, b); });
        hit += any;
    }
    return static_cast<double>(hit) / static_cast<double>(all);
}

TEST(Flight, through_the_tunnel_is_the_size_of_the_papers_and_collides_as_often) {
    const Flight flight = make_tunnel_flight();
    EXPECT_EQ(flight.frames, 800u);
    EXPECT_NEAR(static_cast<double>(flight.ship->triangles.size()), 9'716, 60);
    EXPECT_NEAR(static_cast<double>(flight.obstacle_triangles()), 70'000, 1'500);
    EXPECT_NEAR(share_of_collisions(flight, testing::count_of(16, 1)), 515.0 / 800, 0.08);
}

TEST(Flight, over_the_valley_has_more_triangles_than_the_papers_and_a_part_that_moves) {
    const Flight flight = make_valley_flight();
    EXPECT_GT(flight.obstacle_triangles(), 315'000u);
    EXPECT_NEAR(static_cast<double>(flight.ship->triangles.size()), 16'792, 100);
    EXPECT_FALSE(flight.obstacles.back().stationary());
    const double share = share_of_collisions(flight, testing::count_of(25, 1));
    EXPECT_GT(share, 0.15);
    EXPECT_LT(share, 0.7);
}

TEST(Flight, the_ship_points_along_its_path_and_moves_continuously) {
    for (const Flight& flight : {make_tunnel_flight(), make_valley_flight()})
        for (std::size_t frame = 1; frame < flight.frames; ++frame) {
            const Pose before = flight.ship_pose(frame - 1), now = flight.ship_pose(frame);
            const Vec3 way = now.translation - before.translation;
            EXPECT_LT(way.norm(), 0.2);
            EXPECT_GT(way.normalized().dot(now.rotate(Vec3::UnitX())), 0.99);
            EXPECT_LT(before.rotation.angularDistance(now.rotation), 0.1);
        }
    const Flight flight = make_tunnel_flight();
    EXPECT_EQ(flight.ship_pose(5'000).translation, flight.ship_pose(799).translation);
}

} // namespace
} // namespace fathom
