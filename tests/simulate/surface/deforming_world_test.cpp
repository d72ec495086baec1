// Deforming objects: they bounce, edges do not slip through edges, sheets lie on what is below them, and no energy
// comes from nowhere.
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/generate/mesh_catalogue.h>
#include <fathom/simulate/record/recording.h>
#include <fathom/simulate/surface/deforming_world.h>

#include <support/test_counts.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fathom {
namespace deforming_world_test {

TriangleMesh shape(const std::string& name, const ShapeValues& values = {}, const Vec3& at = Vec3::Zero(),
                   double scale = 1) {
    return mapped(std::get<TriangleMesh>(make_shape(name, values)),
                  [&](const Vec3& v) { return Vec3(scale * (v + at)); });
}

DeformingOptions still_air(double step = 1e-3) {
    DeformingOptions options;
    options.springs.step = step;
    options.springs.gravity = Vec3::Zero();
    return options;
}

Vec3 mean_velocity(const DeformingWorld& world, Index body) {
    Vec3 sum = Vec3::Zero();
    double mass = 0;
    for (std::size_t v = 0; v < world.vertices(body).size(); ++v) {
        const std::size_t k = world.first_point(body) + v;
        sum += world.springs().network().masses[k] * world.springs().velocities()[k];
        mass += world.springs().network().masses[k];
    }
    return sum / mass;
}

double lowest(std::span<const Vec3> vertices) { return bounds(vertices).lower.z(); }

// Two balls that collide head on, at any scale: lengths are scaled by s, stiffness and speeds so that times do not
// change.
DeformingWorld two_balls(double s, const DeformingOptions& options) {
    std::vector<DeformingBody> bodies(2);
    for (int k = 0; k < 2; ++k) {
        DeformingBody& body = bodies[static_cast<std::size_t>(k)];
        body.name = k == 0 ? "left" : "right";
        body.mesh = shape("sphere", {{"resolution", 5}}, {k == 0 ? -0.6 : 0.6, 0.03 * k, 0.05 * k}, s);
        body.velocity = {k == 0 ? s : -s, 0, 0};
        body.material.stretch = body.material.area = 1000 * s * s;
        body.material.bending = 100 * s * s;
    }
    return DeformingWorld(std::move(bodies), {}, options);
}

TEST(DeformingWorld, two_balls_bounce_and_keep_momentum_and_energy_at_every_scale) {
    for (const double s : {1e-3, 1.0, 1e3}) {
        DeformingWorld world = two_balls(s, still_air(5e-4));
        const double start = world.energy().total();
        double highest = start;
        bool touched = false;
        for (int k = 0; k < 1600; ++k) {
            world.step();
            highest = std::max(highest, world.energy().total());
            touched = touched || !world.contacts().empty();
        }
        EXPECT_TRUE(touched);
        EXPECT_TRUE(world.contacts().empty()) << s;
        EXPECT_LT(mean_velocity(world, 0).x(), -0.2 * s);
        EXPECT_GT(mean_velocity(world, 1).x(), 0.2 * s);
        EXPECT_LT(world.springs().momentum().norm(), 1e-9 * std::sqrt(start)) << s;
        EXPECT_LT(highest, 1.01 * start) << s;
        EXPECT_GT(world.energy().total(), 0.97 * start) << s;
    }
}

TEST(DeformingWorld, without_response_contacts_are_reported_and_bodies_pass) {
    DeformingOptions options = still_air();
    options.respond = false;
    options.springs.step = 5e-4;
    DeformingWorld world = two_balls(1, options);
    const double start = world.energy().total();
    std::size_t most = 0;
    for (int k = 0; k < 1200; ++k) {
        world.step();
        most = std::max(most, world.contacts().size());
    }
    EXPECT_GT(most, 50u);
    EXPECT_NEAR(mean_velocity(world, 0).x(), 1, 1e-9);
    EXPECT_NEAR(world.energy().total(), start, 1e-9 * start);
}

// Two long bars of twelve triangles each, crosswise, so that no vertex is ever inside the other.
TEST(DeformingWorld, edges_do_not_slip_through_edges) {
    const auto passed = [](bool respond) {
        DeformingOptions options = still_air();
        options.respond = respond;
        std::vector<DeformingBody> bodies(2);
        for (std::size_t k = 0; k < 2; ++k) {
            const Quat turn(Eigen::AngleAxisd(k == 0 ? 0.3 : 1.7, Vec3::UnitZ()));
            const Quat on_edge(Eigen::AngleAxisd(0.25 * std::numbers::pi, Vec3::UnitX()));
            bodies[k].mesh =
                mapped(shape("box", {{"width", 2}, {"depth", 0.2}, {"height", 0.2}, {"resolution", 1}}),
                       [&](const Vec3& v) { return Vec3(turn * (on_edge * v) + Vec3(0, 0, k == 0 ? 0.2 : -0.2)); });
            bodies[k].material.stretch = bodies[k].material.area = 1e4;
            bodies[k].velocity = {0, 0, k == 0 ? -0.5 : 0.5};
        }
        DeformingWorld world(std::move(bodies), {}, options);
        bool vertex_inside = false, met = false;
        for (int k = 0; k < 1200; ++k) {
            world.step();
            for (const BodyContact& c : world.contacts()) vertex_inside = vertex_inside || c.feature_a != no_index;
            met = met || !world.contacts().empty();
        }
        EXPECT_TRUE(met);
        EXPECT_FALSE(respond && vertex_inside);
        return bounds(world.vertices(0)).center().z() < bounds(world.vertices(1)).center().z();
    };
    EXPECT_TRUE(passed(false));
    EXPECT_FALSE(passed(true));
}

TEST(DeformingWorld, a_ball_bounces_on_the_ground_and_comes_to_rest_with_damping) {
    DeformingOptions options;
    options.springs.step = 1e-3;
    options.springs.contact = {.stiffness = 4e4, .damping_ratio = 0.3, .friction = 0.5};
    options.springs.air_friction = 0.3;
    DeformingBody ball{.name = "ball", .mesh = shape("sphere", {{"resolution", 4}}, {0, 0, 0.8})};
    ball.material = {.stretch = 2000, .bending = 200, .area = 2000, .damping_time = 2e-3};
    const Body ground{.shape = make_body_shape(Shape::half_space(Vec3::UnitZ(), 0)), .name = "ground", .fixed = true};
    DeformingWorld world({ball}, {ground}, options);
    const double start = world.energy().total();
    bool rose = false;
    for (int k = 0; k < 6000; ++k) {
        const Vec3 before = mean_velocity(world, 0);
        world.step();
        rose = rose || (mean_velocity(world, 0).z() > 0.5 && before.z() > 0.5);
        EXPECT_LT(world.energy().total(), start * 1.001);
    }
    EXPECT_TRUE(rose);
    EXPECT_LT(mean_velocity(world, 0).norm(), 0.05);
    EXPECT_GT(lowest(world.vertices(0)), -0.02);
    EXPECT_GT(world.contacts().size(), 0u);
}

// A sheet with thickness comes down on a fixed ball: it drapes, and never runs through it or itself.
TEST(DeformingWorld, a_sheet_drapes_over_a_ball_and_crosses_nothing) {
    for (const SpringStepping stepping : {SpringStepping::verlet, SpringStepping::backward_euler}) {
        DeformingOptions options;
        options.springs.stepping = stepping;
        options.springs.step = 2e-3;
        options.springs.air_friction = 1;
        options.springs.unstable = UnstableStep::divide;
        options.springs.contact = {.stiffness = 2e4, .damping_ratio = 0.2, .friction = 0.3};
        options.thickness = 0.03;
        options.self = true;
        std::vector<DeformingBody> bodies(2);
        bodies[0] = {.name = "ball", .mesh = shape("sphere", {{"resolution", 8}}), .fixed = true};
        bodies[1] = {.name = "sheet",
                     .mesh = shape("cloth", {{"width", 1.2}, {"depth", 1.2}, {"resolution", 16}}, {0.03, 0.02, 0.54})};
        bodies[1].material = {.density = 0.3, .stretch = 200, .bending = 2, .area = 50, .damping_time = 1e-3};
        DeformingWorld world(std::move(bodies), {}, options);
        for (int k = 0; k < 250; ++k) {
            world.step();
            for (const deformable::BodyContacts& pair : world.detection().contacts())
                ASSERT_TRUE(pair.triangles.contacts.empty())
                    << k << " bodies " << pair.bodies[0] << " " << pair.bodies[1];
        }
        EXPECT_GT(world.contacts().size(), 100u);
        EXPECT_LT(lowest(world.vertices(1)), 0.3); // its corners hang down
        EXPECT_GT(bounds(world.vertices(1)).upper.z(), 0.5);
    }
}

DeformingWorld crowd(int side, std::uint64_t seed) {
    std::vector<DeformingBody> bodies;
    Random random(seed);
    const TriangleMesh ball = shape("sphere", {{"resolution", 4}});
    for (int k = 0; k < side * side * side; ++k) {
        const Vec3 at = 1.1 * Vec3(k % side, k / side % side, k / side / side) + 0.05 * random.in_ball();
        bodies.push_back(
            {.name = fmt::format("ball {}", k), .mesh = mapped(ball, [&](const Vec3& v) { return Vec3(v + at); })});
    }
    DeformingOptions options = still_air(2e-3);
    options.springs.unstable = UnstableStep::divide;
    options.springs.environment = Box{Vec3::Zero(), Vec3::Constant(1.1 * (side - 1))}.grown(0.6);
    options.springs.contact.damping_ratio = 0.05;
    options.motion = RandomMotion{.drift = 1.5, .deformation = 0.3, .seed = seed};
    return DeformingWorld(std::move(bodies), {}, options);
}

TEST(DeformingWorld, a_crowd_gains_no_energy_and_is_the_same_for_any_number_of_threads) {
    std::array<std::string, 2> hashes;
    for (std::size_t threads = 1; threads <= 2; ++threads) {
        set_thread_count(threads);
        DeformingWorld world = crowd(3, 7);
        const double start = world.energy().total();
        double highest = 0;
        std::size_t contacts = 0;
        for (std::size_t k = 0; k < testing::count_of(400, 5000); ++k) {
            world.step();
            highest = std::max(highest, world.energy().total());
            contacts += world.contacts().size();
        }
        EXPECT_GT(contacts, 1000u);
        EXPECT_LT(highest, 1.003 * start);
        hashes[threads - 1] = world.state_hash().text();
    }
    set_thread_count(0);
    EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(DeformingWorld, a_recording_contains_the_shapes_of_each_step) {
    DeformingWorld world = two_balls(1, still_air(5e-4));
    Recording recording({.every = 100});
    world.record(recording);
    for (int k = 0; k < 300; ++k) {
        world.step();
        world.record(recording);
    }
    ASSERT_EQ(recording.frames().size(), 4u);
    const RecordedFrame& last = recording.frames().back();
    ASSERT_EQ(last.bodies[1].vertices.size(), world.vertices(1).size());
    for (std::size_t v = 0; v < world.vertices(1).size(); ++v)
        EXPECT_LT((last.vertex(1, *recording.bodies()[1].mesh, v) - world.vertices(1)[v]).norm(), 1e-6);
    EXPECT_EQ(last.contact_count, world.contacts().size());
    EXPECT_NEAR(last.energy.total(), world.energy().total(), 1e-12);
    EXPECT_EQ(recording.bodies()[0].name, "left");
}

TEST(DeformingWorld, errors_name_the_body) {
    const auto complaint = [](DeformingBody body, const DeformingOptions& options = {}) -> std::string {
        try {
            DeformingWorld world({{.name = "good", .mesh = shape("box")}, std::move(body)}, {}, options);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    DeformingBody bad{.name = "spoiled", .mesh = shape("box")};
    EXPECT_EQ(complaint(bad), "");
    bad.mesh.vertices[3].x() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(complaint(bad).find("spoiled"), std::string::npos) << complaint(bad);
    bad.mesh = shape("box");
    bad.fixed_vertices = {100000};
    EXPECT_NE(complaint(bad).find("spoiled"), std::string::npos);
    bad.fixed_vertices = {};
    bad.material.stretch = -1;
    EXPECT_NE(complaint(bad).find("stretch"), std::string::npos) << complaint(bad);
    bad.material.stretch = 1e9;
    EXPECT_NE(complaint(bad).find("stable"), std::string::npos) << complaint(bad); // the step is named
    bad.material.stretch = 100;
    DeformingOptions thin;
    thin.thickness = -1;
    EXPECT_NE(complaint(bad, thin).find("thickness"), std::string::npos);
    EXPECT_THROW(DeformingWorld({}), Error);
}

} // namespace deforming_world_test
} // namespace fathom
