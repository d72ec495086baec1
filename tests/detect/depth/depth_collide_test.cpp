// Collisions by depth maps against exact intersections of meshes, and the cases of the paper's figures.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/geometry/generate/generate.h>
#include <support/mesh_oracle.h>
#include <support/small_meshes.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <iostream>

namespace fathom {

namespace depth_collide_test {

using testing::OracleBody;

TriangleMesh scaled(const TriangleMesh& mesh, double scale) {
    return mapped(mesh, [&](const Vec3& p) -> Vec3 { return scale * p; });
}

DrawnBody drawn(const TriangleMesh& mesh, const Pose& pose = {}, Index id = 0) {
    return {std::make_shared<DrawnMesh>(mesh), pose, id};
}

const Projection up{.direction = Vec3::UnitZ()};

struct Case {
    std::string name;
    TriangleMesh mesh;
    DepthSides sides;
    Vec3 direction;
};

// Convex ones, one that is a height map along z, and others in layers.
std::vector<Case> compliant_objects() {
    const Vec3 aslant = Vec3(0.3, -0.5, 0.8);
    return {
        {"box", make_box({.size = {1, 0.7, 0.5}}), DepthSides::both_sides, aslant},
        {"ball", make_sphere({.radius = 0.5, .resolution = 4}), DepthSides::both_sides, Vec3::UnitX()},
        {"cone", make_cone({.segments = 16}), DepthSides::both_sides, Vec3::UnitZ()},
        {"plate", make_box({.size = {1, 1, 0.08}}), DepthSides::both_sides, Vec3::UnitZ()},
        {"terrain", make_terrain({.size = 1, .height = 0.5, .cells = 8, .closed = true}), DepthSides::both_sides,
         Vec3::UnitZ()},
        {"ring along its axis", make_torus({.segments = 20, .tube_segments = 10}), DepthSides::both_sides,
         Vec3::UnitZ()},
        {"ring in layers", make_torus({.segments = 20, .tube_segments = 10}), DepthSides::layers, Vec3(1, 0.1, 0.2)},
        {"bowl in layers", make_bowl({.thickness = 0.12, .segments = 24}), DepthSides::layers, aslant},
        {"pawn in layers", make_pawn({.segments = 24}), DepthSides::layers, Vec3::UnitX()}};
}

struct Tally {
    std::size_t tried = 0, meeting = 0, missed = 0, alarms = 0, within = 0;
};

// Against exact intersections: a miss is a common ball of the tolerance's radius that was not found; a false alarm, a
// hit of solids that are farther apart than rounding explains.
void compare(DepthBackend& backend, const Case& object, double scale, std::size_t count, Random& random, Tally& tally) {
    const TriangleMesh own = scaled(object.mesh, scale);
    const OracleBody oracle(own);
    DepthObject maps(backend, own, std::array{Projection{object.direction, object.sides}}, {.pixels = 48});
    std::vector<std::pair<OracleBody, DrawnBody>> others;
    for (const TriangleMesh& mesh :
         {make_box({.size = {0.5, 0.6, 0.9}}), make_torus({.segments = 16, .tube_segments = 8}),
          make_bowl({.thickness = 0.1, .segments = 24})})
        others.emplace_back(OracleBody(scaled(mesh, scale)), drawn(scaled(mesh, scale)));
    for (std::size_t k = 0; k < count; ++k) {
        auto& [other, body] = others[k % others.size()];
        const Pose pose{random.rotation(), 2 * scale * random.direction()};
        const Pose relative_pose{random.rotation(), scale * random.uniform(0.1, 1.4) * random.direction()};
        body.pose = pose * relative_pose;
        const DepthCollision result = collide(maps, pose, std::array{body});
        const bool truth = solids_meet(oracle, other, relative_pose);
        const bool said = result.status == Status::overlapping;
        ++tally.tried;
        tally.meeting += truth;
        ASSERT_LT(result.tolerance, 0.05 * scale);
        ASSERT_LT(result.rounding, 0.2 * result.tolerance);
        if (truth == said) continue;
        ++tally.within;
        if (truth && meet_deeper_than(oracle, result.tolerance, other, result.tolerance, relative_pose)) ++tally.missed;
        if (said && !surfaces_within(oracle, other, relative_pose, 2 * result.rounding)) ++tally.alarms;
    }
}

TEST(DepthCollide, misses_and_alarms_stay_within_a_pixel_of_exact_intersection) {
    const auto backend = make_cpu_depth_backend();
    Random random(11);
    const std::size_t count = testing::count_of(24, 400); // 27 times
    for (const Case& object : compliant_objects()) {
        Tally tally;
        for (const double scale : {1e-3, 1.0, 1e3}) compare(*backend, object, scale, count, random, tally);
        EXPECT_EQ(tally.missed, 0u) << object.name;
        EXPECT_EQ(tally.alarms, 0u) << object.name;
        EXPECT_GT(tally.meeting, tally.tried / 5) << object.name;
        EXPECT_LT(tally.meeting, tally.tried * 4 / 5) << object.name;
        if (testing::long_run())
            std::cout << object.name << ": " << tally.tried << " poses, " << tally.meeting << " meeting, "
                      << tally.within << " other answers within the tolerance, " << tally.missed << " misses, "
                      << tally.alarms << " false alarms\n";
    }
}

// ---- Figure 2.

TEST(DepthCollide, finds_a_body_that_crosses_the_object) {
    const auto backend = make_cpu_depth_backend();
    DepthObject object(*backend, make_sphere({.radius = 0.5}), std::array{up});
    const DepthCollision result =
        collide(object, {}, std::array{drawn(make_box(), Pose::from_translation({0, 0, 0.8}), 5)});
    EXPECT_EQ(result.status, Status::overlapping);
    EXPECT_FALSE(result.proven);
    ASSERT_EQ(result.bodies.size(), 1u);
    const DepthBodyHit& hit = result.bodies[0];
    EXPECT_EQ(hit.body, 5u);
    // The box's lower face is at 0.3, where the ball has a disk of radius 0.4; the ball reaches 0.2 further.
    EXPECT_NEAR(hit.depth, 0.2, 0.01);
    EXPECT_NEAR(hit.area, 3.14159 * 0.16, 0.02);
    EXPECT_LT((hit.point - Vec3(0, 0, 0.3)).norm(), 0.02);
    EXPECT_LT((hit.surface_normal + Vec3::UnitZ()).norm(), 1e-4);
    EXPECT_LT((hit.separating_direction + Vec3::UnitZ()).norm(), 1e-9);
    const double lowest = make_box().corners(hit.primitive)[0].z();
    EXPECT_EQ(lowest, -0.5);
    EXPECT_TRUE(result.enclosed_by.empty());
}

TEST(DepthCollide, finds_a_body_inside_the_object) {
    const auto backend = make_cpu_depth_backend();
    DepthObject object(*backend, make_sphere({.radius = 0.5}), std::array{up});
    const DepthCollision result = collide(object, {}, std::array{drawn(make_box({.size = {0.2, 0.2, 0.2}}))});
    EXPECT_EQ(result.status, Status::overlapping);
    ASSERT_EQ(result.bodies.size(), 1u);
    EXPECT_NEAR(result.bodies[0].area, 0.04, 0.005);
}

TEST(DepthCollide, finds_a_body_that_the_object_is_inside_of) {
    const auto backend = make_cpu_depth_backend();
    DepthObject object(*backend, make_sphere({.radius = 0.5}), std::array{up});
    for (const double size : {1.2, 3.0, 1000.0}) {
        const DrawnBody around =
            drawn(make_box({.size = {size, size, size}}), Pose::from_axis_angle(0.3, Vec3::UnitX()), 9);
        const DepthCollision result = collide(object, {}, std::array{around});
        EXPECT_EQ(result.status, Status::overlapping) << size;
        EXPECT_TRUE(result.bodies.empty());
        ASSERT_EQ(result.enclosed_by.size(), 1u);
        EXPECT_EQ(result.enclosed_by[0].body, 9u);
        EXPECT_TRUE(result.enclosed_by[0].whole);
        EXPECT_LT(result.enclosed_by[0].point.norm(), 0.51);
        EXPECT_EQ(collide(object, {}, std::array{around}, {.enclosed = false}).status, Status::disjoint)
            << "the paper's blind case";
    }
}

TEST(DepthCollide, a_shell_encloses_only_bodies_in_its_wall) {
    const auto backend = make_cpu_depth_backend();
    TriangleMesh shell = make_sphere({.radius = 3, .resolution = 8});
    append(shell, flipped(make_sphere({.radius = 2, .resolution = 8})));
    const DrawnBody body = drawn(shell);
    DepthObject object(*backend, make_sphere({.radius = 0.3}), std::array{up}, {.pixels = 64});
    Random random(3);
    for (int k = 0; k < 20; ++k) {
        EXPECT_EQ(collide(object, Pose::from_translation(1.6 * random.direction()), std::array{body}).status,
                  Status::disjoint);
        EXPECT_EQ(
            collide(object, Pose::from_translation(2.5 * random.direction()), std::array{body}).enclosed_by.size(), 1u);
        EXPECT_EQ(collide(object, Pose::from_translation(3.4 * random.direction()), std::array{body}).status,
                  Status::disjoint);
    }
}

// The border of the body is seen edge on, so that no pixel of it is in the object.
TEST(DepthCollide, finds_a_plate_pushed_edge_on_into_a_block) {
    const auto backend = make_cpu_depth_backend();
    DepthObject object(*backend, make_box({.size = {1, 1, 0.05}}), std::array{up});
    const DepthCollision result =
        collide(object, {}, std::array{drawn(make_box(), Pose::from_translation({0.8, 0, 0}), 2)});
    EXPECT_EQ(result.status, Status::overlapping);
    EXPECT_TRUE(result.bodies.empty());
    ASSERT_EQ(result.enclosed_by.size(), 1u);
    EXPECT_FALSE(result.enclosed_by[0].whole);
    EXPECT_EQ(collide(object, {}, std::array{drawn(make_box(), Pose::from_translation({1.02, 0, 0}), 2)}).status,
              Status::disjoint);
}

// ---- Sides, projections, layers.

TEST(DepthCollide, bodies_behind_the_object_collide_with_its_far_side_only) {
    const auto backend = make_cpu_depth_backend();
    const TriangleMesh ship = make_cone({.radius = 0.4, .height = 1});
    const DrawnBody behind = drawn(make_sphere({.radius = 0.05}), Pose::from_translation({0.3, 0, -0.3}));
    const DrawnBody rear = drawn(make_sphere({.radius = 0.05}), Pose::from_translation({0.25, 0, 0.3}));
    DepthObject one(*backend, ship, std::array{Projection{-Vec3::UnitZ(), DepthSides::far_side}});
    DepthObject two(*backend, ship, std::array{Projection{-Vec3::UnitZ(), DepthSides::both_sides}});
    EXPECT_EQ(collide(one, {}, std::array{behind}).status, Status::overlapping);
    EXPECT_EQ(collide(two, {}, std::array{behind}).status, Status::overlapping);
    EXPECT_EQ(collide(one, {}, std::array{rear}).status, Status::overlapping) << "the paper's false alarm";
    EXPECT_EQ(collide(two, {}, std::array{rear}).status, Status::disjoint);
}

// Nothing of an environment hides the rest: a sheet before the object, in the way of figure 3c.
TEST(DepthCollide, finds_bodies_inside_the_object_behind_bodies_in_front) {
    const auto backend = make_cpu_depth_backend();
    DepthObject object(*backend, make_cone({.radius = 0.4, .height = 1}), std::array{Projection{-Vec3::UnitZ()}});
    TriangleMesh screen = mapped(make_cloth(), [](const Vec3& p) -> Vec3 { return p + Vec3(0, 0, 0.505); });
    EXPECT_EQ(collide(object, {}, std::array{drawn(screen)}).status, Status::disjoint);
    append(screen, mapped(make_sphere({.radius = 0.05}), [](const Vec3& p) -> Vec3 { return p + Vec3(0.3, 0, -0.3); }));
    EXPECT_EQ(collide(object, {}, std::array{drawn(screen)}).status, Status::overlapping);
}

TEST(DepthCollide, several_projections_agree_before_it_is_a_collision) {
    const auto backend = make_cpu_depth_backend();
    // A tray, hollow above; the hollow is filled as seen from the side, not from above.
    TriangleMesh tray = make_bowl({.thickness = 0.1});
    const Projection side{Vec3::UnitX()}, above{-Vec3::UnitZ()};
    const DrawnBody in_hollow = drawn(make_sphere({.radius = 0.2}), Pose::from_translation({0, 0, 0.0}));
    const DrawnBody in_wall = drawn(make_sphere({.radius = 0.2}), Pose::from_translation({0, 0, -0.3}));
    DepthObject by_side(*backend, tray, std::array{side}), by_both(*backend, tray, std::array{side, above});
    EXPECT_EQ(collide(by_side, {}, std::array{in_hollow}).status, Status::overlapping);
    EXPECT_EQ(collide(by_both, {}, std::array{in_hollow}).status, Status::disjoint);
    EXPECT_EQ(collide(by_both, {}, std::array{in_wall}).status, Status::overlapping);
}

TEST(DepthCollide, layers_leave_concavities_free_and_report_truncation) {
    const auto backend = make_cpu_depth_backend();
    TriangleMesh comb;
    for (int tooth = 0; tooth < 5; ++tooth)
        append(comb, mapped(make_box({.size = {1, 1, 0.1}}),
                            [&](const Vec3& p) -> Vec3 { return p + Vec3(0, 0, 0.3 * tooth); }));
    DepthObject all(*backend, comb, std::array{Projection{Vec3(0.05, 0.02, 1), DepthSides::layers}}, {.pixels = 128});
    DepthObject three(*backend, comb, std::array{Projection{Vec3(0.05, 0.02, 1), DepthSides::layers}},
                      {.pixels = 128, .max_layers = 3});
    EXPECT_EQ(all.parts()[0].maps[0].layers.size(), 5u);
    EXPECT_FALSE(all.parts()[0].maps[0].truncated);
    EXPECT_EQ(three.parts()[0].maps[0].layers.size(), 3u);
    for (int gap = 0; gap < 4; ++gap) {
        const std::array between{
            drawn(make_sphere({.radius = 0.05}), Pose::from_translation({0.1, 0, 0.3 * gap + 0.15}))};
        const std::array inside{
            drawn(make_sphere({.radius = 0.04}), Pose::from_translation({0.1, 0, 0.3 * gap + 0.3}))};
        EXPECT_EQ(collide(all, {}, between).status, Status::disjoint);
        EXPECT_FALSE(collide(all, {}, between).truncated);
        EXPECT_EQ(collide(all, {}, inside).status, Status::overlapping);
        EXPECT_EQ(collide(three, {}, between).status, gap < 2 ? Status::disjoint : Status::overlapping);
        EXPECT_EQ(collide(three, {}, inside).status, Status::overlapping);
        EXPECT_TRUE(collide(three, {}, inside).truncated);
    }
}

// ---- Articulated and deforming objects.

TEST(DepthCollide, parts_of_an_arm_are_named_and_move) {
    const auto backend = make_cpu_depth_backend();
    const TriangleMesh bone = mapped(make_capsule({.radius = 0.1, .length = 0.8}), [](const Vec3& p) -> Vec3 {
        return {p.z() + 0.5, p.y(), -p.x()};
    });
    std::vector<DepthPart> parts(3, {bone, {up}, {}});
    DepthObject arm(*backend, parts, {.pixels = 128});
    const auto bend = [&](double angle) {
        Pose joint;
        for (std::size_t k = 0; k < 3;
             ++k, joint = joint * Pose::from_translation({1, 0, 0}) * Pose::from_axis_angle(angle, Vec3::UnitZ()))
            arm.place(joint, k);
    };
    const std::array ball{drawn(make_sphere({.radius = 0.1}), Pose::from_translation({2.5, 0, 0}), 4)};
    bend(0);
    const DepthCollision straight = collide(arm, {}, ball);
    ASSERT_EQ(straight.bodies.size(), 1u);
    EXPECT_EQ(straight.bodies[0].part, 2u);
    bend(0.5);
    EXPECT_EQ(collide(arm, {}, ball).status, Status::disjoint);
    const Vec3 hand = arm.parts()[2].pose * Vec3(0.5, 0, 0);
    EXPECT_EQ(collide(arm, {}, std::array{drawn(make_sphere({.radius = 0.05}), Pose::from_translation(hand))})
                  .bodies.at(0)
                  .part,
              2u);
    EXPECT_EQ(collide(arm, Pose::from_translation({0, 0, 5}),
                      std::array{drawn(make_sphere({.radius = 0.05}), Pose::from_translation(hand))})
                  .status,
              Status::disjoint);
}

TEST(DepthCollide, a_deformed_object_is_hit_where_it_is_now) {
    const auto backend = make_cpu_depth_backend();
    const TriangleMesh rest = make_box({.size = {1, 1, 0.2}, .cells = {8, 8, 1}});
    DepthObject object(*backend, rest, std::array{up});
    const std::array ball{drawn(make_sphere({.radius = 0.1}), Pose::from_translation({0, 0, 0.4}))};
    EXPECT_EQ(collide(object, {}, ball).status, Status::disjoint);
    object.deform(mapped(rest, [](const Vec3& p) -> Vec3 { return p + Vec3(0, 0, 0.4 - p.squaredNorm()); }).vertices);
    EXPECT_EQ(collide(object, {}, ball).status, Status::overlapping);
    object.deform(rest.vertices);
    EXPECT_EQ(collide(object, {}, ball).status, Status::disjoint);
}

// ---- Bodies and pixels.

TEST(DepthCollide, names_every_body_even_behind_another) {
    const auto backend = make_cpu_depth_backend();
    DepthObject object(*backend, make_box({.size = {1, 1, 1}}), std::array{up});
    const std::array bodies{drawn(make_box({.size = {0.5, 0.5, 0.1}}), Pose::from_translation({0, 0, -0.2}), 30),
                            drawn(make_box({.size = {0.3, 0.3, 0.1}}), Pose::from_translation({0, 0, 0.2}), 10),
                            drawn(make_sphere({.radius = 0.2}), Pose::from_translation({0.5, 0.5, 0}), 20),
                            drawn(make_box(), Pose::from_translation({0, 0, 2}), 40)};
    const DepthCollision apart = collide(object, {}, bodies);
    ASSERT_EQ(apart.bodies.size(), 3u);
    EXPECT_EQ(apart.bodies[0].body, 30u);
    EXPECT_EQ(apart.bodies[1].body, 10u);
    EXPECT_EQ(apart.bodies[2].body, 20u);
    EXPECT_NEAR(apart.bodies[0].area, 0.25, 0.01);
    EXPECT_NEAR(apart.bodies[1].area, 0.09, 0.01);
    const DepthCollision together = collide(object, {}, bodies, {.separate_bodies = false});
    EXPECT_EQ(together.status, Status::overlapping);
    EXPECT_EQ(together.bodies.size(), 2u) << "one is behind another";
    EXPECT_LT(together.drawings, apart.drawings);
    const DepthCollision quick = collide(object, {}, bodies, {.goal = DepthGoal::status});
    EXPECT_EQ(quick.status, Status::overlapping);
    EXPECT_EQ(quick.drawings, 1u);
}

TEST(DepthCollide, lists_pixels_with_points_on_the_body_and_inside_the_object) {
    const auto backend = make_cpu_depth_backend();
    Random random(8);
    const Pose pose{random.rotation(), Vec3(3, -2, 1)};
    DepthObject object(*backend, make_sphere({.radius = 0.5, .resolution = 30}), std::array{up}, {.pixels = 100});
    const std::array body{
        drawn(make_sphere({.radius = 0.4, .resolution = 30}), Pose::from_translation(pose * Vec3(0.3, 0.2, 0.4)), 7)};
    const DepthCollision result = collide(object, pose, body, {.goal = DepthGoal::pixels});
    ASSERT_EQ(result.bodies.size(), 1u);
    ASSERT_EQ(result.hits.size(), result.pixels);
    EXPECT_GT(result.pixels, 100u);
    double deepest = 0;
    for (const DepthHit& hit : result.hits) {
        const Vec3 out = hit.point - body[0].pose.translation;
        EXPECT_NEAR(out.norm(), 0.4, 2e-3);
        EXPECT_GT(hit.surface_normal.dot(out.normalized()), 0.99);
        EXPECT_LT((hit.point - pose.translation).norm(), 0.502);
        EXPECT_EQ(hit.id.body, 7u);
        EXPECT_LT(hit.id.primitive, body[0].mesh->triangles().size());
        deepest = std::max(deepest, hit.depth);
    }
    EXPECT_EQ(result.bodies[0].depth, deepest);
    const DepthCollision some = collide(object, pose, body, {.goal = DepthGoal::pixels, .max_pixels = 10});
    EXPECT_EQ(some.hits.size(), 10u);
    EXPECT_TRUE(some.truncated);
    EXPECT_FALSE(result.truncated);
}

// ---- Hostile input.

TEST(DepthCollide, rejects_invalid_input_or_leaves_it_undecided) {
    const auto backend = make_cpu_depth_backend();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const TriangleMesh ball = make_sphere();
    DepthObject object(*backend, ball, std::array{up}, {.pixels = 32});
    EXPECT_THROW(DepthObject(*backend, std::span<const DepthPart>{}), Error);
    EXPECT_THROW(DepthObject(*backend, ball, std::span<const Projection>{}), Error);
    EXPECT_THROW(DepthObject(*backend, TriangleMesh{}, std::array{up}), Error);
    EXPECT_THROW(DepthObject(*backend, ball, std::array{Projection{Vec3::Zero()}}), Error);
    EXPECT_THROW(DepthObject(*backend, ball, std::array{Projection{Vec3(nan, 0, 0)}}), Error);
    EXPECT_THROW(DepthObject(*backend, ball, std::array{up}, {.pixels = 0}), Error);
    EXPECT_THROW(DepthObject(*backend, ball, std::array{up}, {.margin = 0}), Error);
    EXPECT_THROW(DepthObject(*backend, make_cloth(), std::array{Projection{Vec3::UnitZ(), DepthSides::layers}}), Error);
    EXPECT_THROW(DepthObject(*backend, flipped(ball), std::array{Projection{Vec3::UnitZ(), DepthSides::layers}}),
                 Error);
    EXPECT_THROW(object.deform(std::vector<Vec3>(3, Vec3::Zero())), Error);
    EXPECT_THROW(object.place({}, 1), Error);
    EXPECT_THROW((void)collide(object, {}, std::array{DrawnBody{}}), Error);
    EXPECT_THROW((void)collide(object, {}, std::array{drawn(ball, {}, no_index)}), Error);
    EXPECT_THROW((void)collide(object, {}, std::array{drawn(ball)}, {.conservative = true}), Error);
    EXPECT_EQ(collide(object, Pose::from_translation({nan, 0, 0}), std::array{drawn(ball)}).status, Status::undecided);
    EXPECT_EQ(collide(object, {}, std::array{drawn(ball, Pose::from_translation({nan, 0, 0}))}).status,
              Status::undecided);
    EXPECT_EQ(collide(object, {}, std::span<const DrawnBody>{}).status, Status::disjoint);
    EXPECT_EQ(collide(object, {}, std::array{drawn(TriangleMesh{})}).status, Status::disjoint);
    const DepthCollision far_away = collide(object, {}, std::array{drawn(ball, Pose::from_translation({1e6, 0, 0}))});
    EXPECT_EQ(far_away.status, Status::disjoint);
    EXPECT_TRUE(far_away.proven) << "the boxes are apart";
    EXPECT_EQ(far_away.drawings, 0u);
    EXPECT_FALSE(collide(object, {}, std::array{drawn(ball, Pose::from_translation({0.74, 0.74, 0}))}).proven);
}

} // namespace depth_collide_test

} // namespace fathom
