// The choice of directions: what they see, what they fill, and which objects no direction serves.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/depth/depth_directions.h>
#include <fathom/geometry/generate/generate.h>
#include <support/mesh_oracle.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <iostream>
#include <numbers>

namespace fathom {

namespace depth_directions_test {

const DirectionOptions coarse{.pixels = 96, .spread = 12};

DirectionReport report_of(const TriangleMesh& mesh, const DirectionOptions& options = coarse) {
    const auto backend = make_cpu_depth_backend();
    return choose_directions(*backend, mesh, options);
}

TEST(DepthDirections, one_direction_suffices_for_convex_objects) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const TriangleMesh& mesh :
             {make_box({.size = scale * Vec3(1, 2, 3)}), make_sphere({.radius = scale, .resolution = 8}),
              make_cone({.radius = scale, .height = scale})}) {
            const DirectionReport report = report_of(mesh);
            EXPECT_TRUE(report.closed);
            EXPECT_TRUE(report.compliant_to_one);
            EXPECT_TRUE(report.compliant);
            EXPECT_EQ(report.chosen.size(), 1u);
            EXPECT_GT(report.seen, 0.9999);
            EXPECT_TRUE(report.hidden.empty());
            EXPECT_LT(*report.concavity, 0.03 * report.filled);
        }
}

TEST(DepthDirections, finds_the_axis_of_a_ring) {
    const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
    const TriangleMesh ring = mapped(make_torus(), [&](const Vec3& p) -> Vec3 { return turn * p; });
    const DirectionReport report = report_of(ring);
    EXPECT_TRUE(report.compliant_to_one);
    EXPECT_GT(std::abs(report.chosen.front().direction.dot(turn * Vec3::UnitZ())), 0.85)
        << "the whole hole is seen also somewhat aslant";
    // From the side the hole is filled.
    const double side_seen =
        report_of(ring, {.pixels = 96, .spread = 0, .candidates = {turn * Vec3::UnitX()}, .max_directions = 1})
            .candidates.back()
            .seen;
    EXPECT_LT(side_seen, 0.9);
}

TEST(DepthDirections, terrain_is_seen_from_above) {
    const DirectionReport report = report_of(make_terrain({.size = 2, .height = 1, .cells = 12, .closed = true}));
    EXPECT_TRUE(report.compliant_to_one);
    EXPECT_GT(std::abs(report.chosen.front().direction.z()), 0.99);
}

// Two bowls that face different ways: each direction sees into one.
TEST(DepthDirections, several_directions_fill_less_than_one) {
    TriangleMesh bowls = make_bowl({.thickness = 0.1});
    append(bowls, mapped(make_bowl({.thickness = 0.1}), [](const Vec3& p) -> Vec3 {
               return {p.z(), p.y() + 2, -p.x()};
           }));
    const DirectionReport report = report_of(bowls);
    ASSERT_GE(report.chosen.size(), 2u);
    EXPECT_FALSE(report.compliant_to_one);
    EXPECT_TRUE(report.compliant);
    EXPECT_LT(*report.concavity, 0.5 * *report.chosen.front().concavity);
    // Seen by the second direction alone: within half a pixel and a step of the surface at most.
    EXPECT_LT(*report.concavity, report.resolution * report.area);
    for (std::size_t k = 1; k < report.seen_by_chosen.size(); ++k)
        EXPECT_GT(report.seen_by_chosen[k], report.seen_by_chosen[k - 1]);
}

TEST(DepthDirections, a_hollow_that_no_direction_sees_is_named) {
    TriangleMesh hollow = make_sphere({.radius = 1, .resolution = 8});
    const std::size_t outer = hollow.triangles.size();
    append(hollow, flipped(make_sphere({.radius = 0.6, .resolution = 8})));
    const DirectionReport report = report_of(hollow);
    EXPECT_FALSE(report.compliant);
    EXPECT_FALSE(report.compliant_to_one);
    ASSERT_EQ(report.hidden.size(), hollow.triangles.size() - outer);
    EXPECT_EQ(report.hidden.front(), outer);
    EXPECT_NEAR(report.seen, 1 / 1.36, 0.01);
    EXPECT_NEAR(*report.concavity, 4.0 / 3 * std::numbers::pi * 0.216, 0.05);
    EXPECT_NEAR(report.unseen_bounds.diagonal(), 1.2 * std::sqrt(3.0), 0.1);
    EXPECT_NEAR(report.unseen_area, 4 * std::numbers::pi * 0.36, 0.1);
}

TEST(DepthDirections, the_far_side_alone_never_sees_the_rear) {
    const DirectionReport report =
        report_of(make_sphere({.radius = 1, .resolution = 8}),
                  {.sides = DepthSides::far_side, .pixels = 96, .spread = 12, .max_directions = 1});
    EXPECT_FALSE(report.compliant);
    EXPECT_GT(report.seen, 0.5);
    EXPECT_LT(report.seen, 0.7) << "half, and what is within a pixel and a half of the silhouette";
    EXPECT_EQ(report.projections().front().sides, DepthSides::far_side);
}

// A cup on a thick stem: what the report promises is what collide() does.
TEST(DepthDirections, chosen_projections_leave_a_seen_hollow_free) {
    const auto backend = make_cpu_depth_backend();
    const TriangleMesh bowl = make_bowl({.thickness = 0.1});
    const DirectionReport report = choose_directions(*backend, bowl, coarse);
    EXPECT_TRUE(report.compliant);
    DepthObject object(*backend, bowl, report.projections());
    const auto ball = std::make_shared<DrawnMesh>(make_sphere({.radius = 0.2}));
    EXPECT_EQ(collide(object, {}, std::array{DrawnBody{ball, Pose::from_translation({0, 0, 0}), 0}}).status,
              Status::disjoint);
    EXPECT_EQ(collide(object, {}, std::array{DrawnBody{ball, Pose::from_translation({0, 0, -0.3}), 0}}).status,
              Status::overlapping);
}

// Whatever the directions, a common ball of the tolerance's radius is never missed; where the report says compliant,
// hits of solids that are farther apart than a few pixels are the rare exception.
TEST(DepthDirections, compliant_objects_collide_as_their_meshes_do) {
    const auto backend = make_cpu_depth_backend();
    Random random(31);
    std::size_t meeting = 0, misses = 0, alarms = 0, tried = 0;
    const TriangleMesh other_mesh = make_torus({.segments = 16, .tube_segments = 8});
    const testing::OracleBody other(other_mesh);
    const auto drawn = std::make_shared<DrawnMesh>(other_mesh);
    for (const TriangleMesh& mesh :
         {make_pawn({.segments = 24}), make_bowl({.thickness = 0.1, .segments = 24}), make_heart({.resolution = 6})}) {
        const DirectionReport report = choose_directions(*backend, mesh, coarse);
        ASSERT_TRUE(report.compliant);
        const testing::OracleBody oracle(mesh);
        DepthObject object(*backend, mesh, report.projections(), {.pixels = 64});
        for (std::size_t k = 0; k < testing::count_of(60, 1000); ++k, ++tried) {
            const Pose between{random.rotation(), random.uniform(0.1, 1.2) * random.direction()};
            const DepthCollision result = collide(object, {}, std::array{DrawnBody{drawn, between, 0}});
            const bool meet = solids_meet(oracle, other, between), said = result.status == Status::overlapping;
            meeting += meet;
            misses += meet && !said && meet_deeper_than(oracle, result.tolerance, other, result.tolerance, between);
            alarms += said && !meet && !surfaces_within(oracle, other, between, 3 * report.resolution);
        }
    }
    EXPECT_EQ(misses, 0u);
    EXPECT_LE(alarms, tried / 100);
    EXPECT_GT(meeting, tried / 5);
    EXPECT_LT(meeting, tried * 4 / 5);
    if (testing::long_run())
        std::cout << tried << " poses, " << meeting << " meeting, " << misses << " misses, " << alarms
                  << " false alarms\n";
}

TEST(DepthDirections, sheets_are_not_compliant_and_invalid_input_is_rejected) {
    EXPECT_FALSE(report_of(make_cloth()).compliant);
    EXPECT_FALSE(report_of(make_cloth()).concavity.has_value());
    EXPECT_FALSE(report_of(flipped(make_sphere())).compliant);
    EXPECT_THROW((void)report_of(TriangleMesh{}), Error);
    TriangleMesh flat;
    flat.vertices = {Vec3::Zero(), Vec3::UnitX(), 2 * Vec3::UnitX()};
    flat.triangles = {{0, 1, 2}};
    EXPECT_THROW((void)report_of(flat), Error);
    EXPECT_THROW((void)report_of(make_box(), {.sides = DepthSides::layers}), Error);
    EXPECT_THROW((void)report_of(make_box(), {.max_directions = 0}), Error);
    EXPECT_THROW((void)report_of(make_box(), {.candidates = {Vec3::Zero()}}), Error);
}

} // namespace depth_directions_test

} // namespace fathom
