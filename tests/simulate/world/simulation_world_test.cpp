// Bodies of several kinds in one world: what one gets the other gives, nothing sinks in, and particles see all of them.
#include <fathom/simulate/world/simulation_world.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/record/recording.h>

#include "simulate/springs/small_bodies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace fathom {
namespace simulation_world_test {

using testing::ball_shape;
using testing::box_shape;

constexpr double step = 1e-3;

RigidWorld rigid_world(std::vector<Body> bodies, const Vec3& gravity = {0, 0, -9.81}) {
    RigidWorld world({.step = step, .gravity = gravity});
    for (Body& body : bodies) world.add(std::move(body));
    return world;
}

TetWorldBody block(const Vec3& center, const Vec3& size, double modulus = 2e5) {
    TetWorldBody body{.name = "block", .mesh = make_tet_box({size, {4, 4, 4}})};
    const Vec3 middle = bounds(body.mesh.vertices).center();
    for (Vec3& v : body.mesh.vertices) v += center - middle;
    body.material = {.density = 500, .stretch = modulus, .volume = modulus, .damping_time = 2e-3};
    return body;
}

SpringOptions spring_options(SpringStepping stepping, const Vec3& gravity = {0, 0, -9.81}) {
    SpringOptions options{.step = step, .gravity = gravity, .stepping = stepping, .unstable = UnstableStep::divide};
    options.contact = {.scaling = ContactScaling::area, .stiffness = 2e6, .damping_ratio = 0.1};
    options.solve.tolerance = 1e-14;
    return options;
}

TetWorld tet_world(std::vector<TetWorldBody> bodies, SpringStepping stepping, const Vec3& gravity = {0, 0, -9.81},
                   std::vector<Body> obstacles = {}, TetResponse response = TetResponse::segments) {
    TetWorldOptions options{.springs = spring_options(stepping, gravity), .response = response};
    return TetWorld(std::move(bodies), std::move(obstacles), options);
}

DeformingBody cloth(double width, std::size_t resolution, const Vec3& center) {
    DeformingBody body{.name = "cloth",
                       .mesh = make_cloth({.size = {width, width}, .cells = {resolution, resolution}})};
    const Vec3 middle = bounds(body.mesh.vertices).center();
    for (Vec3& v : body.mesh.vertices) v += center - middle;
    body.material = {.density = 0.5, .stretch = 300, .bending = 3, .area = 100, .damping_time = 1e-3};
    return body;
}

DeformingWorld surface_world(std::vector<DeformingBody> bodies, SpringStepping stepping,
                             const Vec3& gravity = {0, 0, -9.81}) {
    DeformingOptions options;
    options.springs = spring_options(stepping, gravity);
    return DeformingWorld(std::move(bodies), {}, options);
}

SimulationOptions firm(double stiffness = 2e6, double damping = 0.2, double friction = 0.3) {
    return {.coupling = {.law = {.scaling = ContactScaling::area,
                                 .stiffness = stiffness,
                                 .damping_ratio = damping,
                                 .friction = friction}}};
}

Body floor_at(double height) {
    return {.shape = make_body_shape(Shape::half_space({0, 0, 1}, height)), .name = "floor", .fixed = true};
}

// A ball falls on a block, both free: gravity alone changes the momentum of the two.
TEST(SimulationWorld, the_forces_of_a_soft_block_and_a_rigid_ball_are_opposite) {
    for (const SpringStepping stepping : {SpringStepping::verlet, SpringStepping::backward_euler})
        for (const TetResponse response : {TetResponse::segments, TetResponse::points}) {
            SimulationSystems parts;
            parts.rigid.emplace(rigid_world({{.shape = ball_shape(0.2),
                                              .name = "ball",
                                              .pose = {Quat::Identity(), {0.03, 0.02, 0.42}},
                                              .velocity = {0.2, 0, -1.5},
                                              .density = 800}}));
            parts.solids.emplace(
                tet_world({block(Vec3::Zero(), {0.5, 0.5, 0.4})}, stepping, {0, 0, -9.81}, {}, response));
            SimulationWorld world(std::move(parts), firm());
            const double mass = world.rigid()->masses()[0].mass + total_mass(world.solids()->springs().network());
            const Vec3 start = world.momentum();
            double largest = 0;
            std::size_t touching = 0;
            for (std::size_t k = 0; k < 300; ++k) {
                world.step();
                touching += world.coupling().contacts().empty() ? 0 : 1;
                const Vec3 expected = start + mass * world.time() * Vec3(0, 0, -9.81);
                largest = std::max(largest, (world.momentum() - expected).norm() / expected.norm());
            }
            EXPECT_GT(touching, 20u);
            EXPECT_LT(largest, 1e-11) << static_cast<int>(stepping);
            EXPECT_GT(world.rigid()->states()[0].velocity.z(),
                      world.solids()->springs().momentum().z() / total_mass(world.solids()->springs().network()))
                << "they part again";
        }
}

TEST(SimulationWorld, a_rigid_ball_comes_to_rest_on_a_soft_block) {
    SimulationSystems parts;
    parts.rigid.emplace(rigid_world(
        {{.shape = ball_shape(0.15), .name = "ball", .pose = {Quat::Identity(), {0.01, 0.02, 0.58}}, .density = 800}}));
    parts.solids.emplace(
        tet_world({block({0, 0, 0.2}, {0.5, 0.5, 0.4})}, SpringStepping::backward_euler, {0, 0, -9.81}, {floor_at(0)}));
    SimulationWorld world(std::move(parts), firm(5e6, 0.3));
    double deepest = 0, highest = world.energy().total();
    const double first = highest;
    for (std::size_t k = 0; k < 2500; ++k) {
        world.step();
        for (const BodyContact& c : world.coupling().contacts()) deepest = std::max(deepest, c.depth);
        highest = std::max(highest, world.energy().total());
    }
    const BodyState& ball = world.rigid()->states()[0];
    EXPECT_LT(std::abs(ball.velocity.z()), 0.01);
    EXPECT_LT(ball.velocity.norm(), 0.05) << "it may roll";
    EXPECT_GT(ball.center.z(), 0.45) << "on the block, 0.4 high";
    EXPECT_LT(ball.center.z(), 0.56);
    EXPECT_LT(deepest, 0.02);
    EXPECT_LT(highest, first + 0.01 * world.rigid()->masses()[0].mass * 9.81);
    // At rest the block carries what the ball weighs.
    EXPECT_NEAR(world.coupling().on_rigid()[0].force.z(), world.rigid()->masses()[0].mass * 9.81,
                0.1 * world.rigid()->masses()[0].mass * 9.81);
}

TEST(SimulationWorld, contact_without_damping_keeps_the_energy) {
    SimulationSystems parts;
    parts.rigid.emplace(rigid_world({{.shape = ball_shape(0.2),
                                      .name = "ball",
                                      .pose = {Quat::Identity(), {0.0, 0.0, 0.45}},
                                      .velocity = {0, 0, -1},
                                      .density = 300}},
                                    Vec3::Zero()));
    TetWorldBody soft = block(Vec3::Zero(), {0.5, 0.5, 0.4});
    soft.material.damping_time = 0;
    parts.solids.emplace(tet_world({soft}, SpringStepping::verlet, Vec3::Zero()));
    SimulationWorld world(std::move(parts), firm(1e6, 0, 0));
    const double first = world.energy().total();
    double lowest = first, highest = first;
    for (std::size_t k = 0; k < 400; ++k) {
        world.step();
        lowest = std::min(lowest, world.energy().total());
        highest = std::max(highest, world.energy().total());
    }
    EXPECT_LT(highest, 1.01 * first);
    EXPECT_GT(lowest, 0.9 * first);
    EXPECT_GT(world.rigid()->states()[0].velocity.z(), -0.5);
}

SimulationWorld cloth_over_box(SpringStepping stepping) {
    SimulationSystems parts;
    parts.rigid.emplace(rigid_world({{.shape = box_shape({0.3, 0.3, 0.3}, 32),
                                      .name = "box",
                                      .pose = {Quat::Identity(), {0, 0, 0.15}},
                                      .density = 400,
                                      .friction = 0.1},
                                     testing::ground(0.1)}));
    parts.surfaces.emplace(surface_world({cloth(0.8, 20, {0.02, 0.01, 0.36})}, stepping));
    return SimulationWorld(std::move(parts), firm(2e5, 0.3, 0.5));
}

TEST(SimulationWorld, a_cloth_drapes_over_a_box_and_follows_when_it_is_pushed) {
    SimulationWorld world = cloth_over_box(SpringStepping::backward_euler);
    const auto deepest = [&] {
        double depth = 0;
        for (const BodyContact& c : world.coupling().contacts()) depth = std::max(depth, c.depth);
        return depth;
    };
    double worst = 0;
    for (std::size_t k = 0; k < 600; ++k) world.step(), worst = std::max(worst, deepest());
    EXPECT_GT(world.coupling().contacts().size(), 100u);
    const auto middle = [&] {
        Vec3 sum = Vec3::Zero();
        for (const Vec3& v : world.surfaces()->vertices(0)) sum += v;
        return Vec3(sum / static_cast<double>(world.surfaces()->vertices(0).size()));
    };
    const Vec3 before = middle();
    EXPECT_LT(before.z(), 0.3) << "its corners hang down";
    EXPECT_GT(before.z(), 0.1);
    world.push(0, {{40, 0, 0}, Vec3::Zero()});
    for (std::size_t k = 0; k < 400; ++k) world.step(), worst = std::max(worst, deepest());
    const double way = world.rigid()->states()[0].center.x();
    EXPECT_GT(way, 0.05);
    EXPECT_GT(middle().x() - before.x(), 0.6 * way) << "the cloth goes along";
    EXPECT_LT(worst, 0.02);
}

TEST(SimulationWorld, a_falling_cloth_and_a_rigid_ball_conserve_momentum) {
    SimulationSystems parts;
    const Vec3 none = Vec3::Zero();
    parts.rigid.emplace(rigid_world(
        {{.shape = ball_shape(0.1), .name = "ball", .pose = {Quat::Identity(), {0, 0, -0.12}}, .density = 100}}, none));
    DeformingBody sheet = cloth(0.6, 16, {0.01, 0.02, 0});
    sheet.velocity = {0, 0, -2};
    parts.surfaces.emplace(surface_world({sheet}, SpringStepping::verlet, none));
    SimulationWorld world(std::move(parts), firm(2e5));
    const Vec3 start = world.momentum();
    for (std::size_t k = 0; k < 200; ++k) world.step();
    EXPECT_LT((world.momentum() - start).norm(), 1e-12 * start.norm());
    EXPECT_LT(world.rigid()->states()[0].velocity.z(), -0.1);
}

TEST(SimulationWorld, a_surface_lies_on_a_solid) {
    SimulationSystems parts;
    TetWorldBody table = block({0, 0, 0.2}, {0.5, 0.5, 0.4});
    table.fixed = true;
    parts.solids.emplace(tet_world({table}, SpringStepping::backward_euler));
    parts.surfaces.emplace(surface_world({cloth(0.4, 10, {0.02, 0.01, 0.42})}, SpringStepping::backward_euler));
    SimulationWorld world(std::move(parts), firm(5e5));
    for (std::size_t k = 0; k < 500; ++k) world.step();
    EXPECT_FALSE(world.coupling().contacts().empty());
    for (const Vec3& v : world.surfaces()->vertices(0)) EXPECT_NEAR(v.z(), 0.4, 0.02);
}

ParticleSystem rain(const Vec3& from, const Vec3& direction) {
    ParticleSystem particles{
        .emitters = {{.center = from, .direction = direction, .radius = 0.15, .rate = 20000, .speed = 3, .life = 5}}};
    particles.options = {
        .step = step, .gravity = Vec3::Zero(), .restitution = 1, .view_direction = direction, .pixels = 128};
    return particles;
}

// A block flies against a stream of particles: those that come back do so by its speed too, as if it were a wall.
TEST(SimulationWorld, particles_bounce_off_a_solid_that_moves) {
    SimulationSystems parts;
    TetWorldBody flying = block({0, 0, 0}, {0.5, 0.5, 0.2});
    flying.velocity = {0, 0, 1};
    parts.solids.emplace(tet_world({flying}, SpringStepping::backward_euler, Vec3::Zero()));
    parts.particles = rain({0.01, 0.02, 0.7}, {0, 0, -1});
    SimulationWorld world(std::move(parts));
    for (std::size_t k = 0; k < 250; ++k) world.step();
    std::size_t back = 0;
    const double top = 0.1 + world.time();
    for (std::size_t k = 0; k < world.particles()->positions().size(); ++k) {
        EXPECT_GT(world.particles()->positions()[k].z(), top - 1e-3) << "none is inside or behind";
        if (world.particles()->velocities()[k].z() > 0) {
            ++back;
            EXPECT_NEAR(world.particles()->velocities()[k].z(), 3 + 2 * 1, 0.01);
        }
    }
    EXPECT_GT(back, 100u);
}

TEST(SimulationWorld, particles_bounce_off_rigid_bodies_and_open_sheets_that_move) {
    SimulationSystems parts;
    parts.rigid.emplace(
        rigid_world({{.shape = box_shape({0.4, 0.4, 0.2}), .name = "box", .velocity = {0, 0, 1}}}, Vec3::Zero()));
    DeformingBody sheet = cloth(0.5, 10, {1, 0, 0.1});
    sheet.velocity = {0, 0, 1};
    parts.surfaces.emplace(surface_world({sheet}, SpringStepping::backward_euler, Vec3::Zero()));
    parts.particles = rain({0, 0, 0.7}, {0, 0, -1});
    parts.particles->emitters.push_back(parts.particles->emitters[0]);
    parts.particles->emitters[1].center = {1, 0, 0.7};
    parts.particles->options.pixels = 256;
    SimulationWorld world(std::move(parts));
    for (std::size_t k = 0; k < 250; ++k) world.step();
    std::array<std::size_t, 2> back{};
    for (std::size_t k = 0; k < world.particles()->positions().size(); ++k) {
        const Vec3& at = world.particles()->positions()[k];
        EXPECT_GT(at.z(), 0.1 + world.time() - 1e-3);
        if (world.particles()->velocities()[k].z() > 0) {
            ++back[at.x() > 0.5 ? 1 : 0];
            EXPECT_NEAR(world.particles()->velocities()[k].z(), 5, 0.05);
        }
    }
    EXPECT_GT(back[0], 100u);
    EXPECT_GT(back[1], 100u);
}

SimulationWorld all_kinds() {
    const Body floor = floor_at(0);
    SimulationSystems parts;
    parts.rigid.emplace(rigid_world({{.shape = ball_shape(0.1),
                                      .name = "ball",
                                      .pose = {Quat::Identity(), {0.01, 0.02, 0.31}},
                                      .velocity = {0, 0, -1},
                                      .density = 800},
                                     floor}));
    parts.solids.emplace(
        tet_world({block({0, 0, 0.1}, {0.4, 0.4, 0.2})}, SpringStepping::backward_euler, {0, 0, -9.81}, {floor}));
    DeformingOptions options;
    options.springs = spring_options(SpringStepping::backward_euler);
    DeformingBody sheet = cloth(0.3, 8, {0, 0, 0.43});
    sheet.velocity = {0, 0, -1};
    parts.surfaces.emplace(std::vector<DeformingBody>{sheet}, std::vector<Body>{floor}, options);
    parts.particles = rain({0, 0, 0.7}, {0, 0, -1});
    return SimulationWorld(std::move(parts), firm(1e6));
}

TEST(SimulationWorld, ends_in_the_same_bits_on_one_thread_and_on_four) {
    std::vector<std::string> hashes;
    for (const std::size_t threads : {1u, 4u}) {
        set_thread_count(threads);
        SimulationWorld world = all_kinds();
        for (std::size_t k = 0; k < 150; ++k) world.step();
        EXPECT_FALSE(world.coupling().contacts().empty());
        hashes.push_back(world.state_hash().text());
    }
    set_thread_count(0);
    EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(SimulationWorld, records_every_body_once_and_contacts_between_all) {
    SimulationWorld world = all_kinds();
    Recording recording;
    world.record(recording);
    for (std::size_t k = 0; k < 200; ++k) world.step(), world.record(recording);
    std::vector<std::string> names;
    for (const RecordedBody& body : recording.bodies()) names.push_back(body.name);
    EXPECT_EQ(names, (std::vector<std::string>{"ball", "floor", "block", "cloth", "particles"}));
    const RecordedFrame& last = recording.frames().back();
    ASSERT_EQ(last.bodies.size(), 5u);
    EXPECT_FALSE(last.bodies[2].vertices.empty());
    EXPECT_FALSE(last.bodies[3].vertices.empty());
    EXPECT_GT(last.bodies[4].vertices.size(), 100u);
    EXPECT_EQ(last.contacts.size(), last.contact_count);
    std::set<std::pair<Index, Index>> pairs;
    for (const RecordedFrame& frame : recording.frames())
        for (const BodyContact& c : frame.contacts) {
            ASSERT_LT(c.a, 5u);
            ASSERT_LT(c.b, 5u);
            pairs.insert(std::minmax(c.a, c.b));
        }
    for (const auto& pair : {std::pair<Index, Index>{0, 2}, {0, 3}, {1, 2}, {3, 4}})
        EXPECT_TRUE(pairs.contains(pair)) << pair.first << ' ' << pair.second;
    EXPECT_NEAR(last.energy.total(), world.energy().total(), 0);
}

TEST(SimulationWorld, a_blow_up_is_stopped_and_named) {
    SimulationSystems parts;
    parts.rigid.emplace(rigid_world({{.shape = ball_shape(0.1),
                                      .name = "ball",
                                      .pose = {Quat::Identity(), {0, 0, 0.12}},
                                      .velocity = {0, 0, -2},
                                      .density = 500}}));
    parts.surfaces.emplace(surface_world({cloth(0.4, 8, {0, 0, 0})}, SpringStepping::backward_euler));
    SimulationWorld world(std::move(parts), firm(1e12, 0, 0)); // no explicit step follows such contact
    const auto run = [&] {
        for (std::size_t k = 0; k < 2000; ++k) world.step();
    };
    EXPECT_THROW(run(), Error);
}

TEST(SimulationWorld, rejects_worlds_that_cannot_be_stepped) {
    EXPECT_THROW(SimulationWorld(SimulationSystems{}), Error);
    SimulationSystems parts;
    parts.rigid.emplace(RigidOptions{.step = 2e-3});
    parts.particles = rain({0, 0, 1}, {0, 0, -1});
    EXPECT_THROW(SimulationWorld(std::move(parts)), Error) << "steps differ";
    SimulationSystems one;
    one.rigid.emplace(rigid_world({{.shape = ball_shape(0.1)}}));
    SimulationWorld world(std::move(one));
    EXPECT_THROW(world.push(1, {}), Error);
    EXPECT_THROW(world.push(0, {{std::numeric_limits<double>::quiet_NaN(), 0, 0}, Vec3::Zero()}), Error);
}

} // namespace simulation_world_test
} // namespace fathom
