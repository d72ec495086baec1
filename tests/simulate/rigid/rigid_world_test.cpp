#include <fathom/simulate/rigid/rigid_world.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <simulate/springs/small_bodies.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <cmath>

namespace fathom {
namespace rigid_world_test {

using testing::box_shape;
using testing::ground;

Body box_body(const Vec3& center, const Vec3& size = Vec3::Constant(0.5)) {
    return {.shape = box_shape(size),
            .name = "box",
            .pose = Pose::from_translation(center),
            .stiffness = 2e4,
            .damping = 400};
}

void run(RigidWorld& world, double seconds) {
    for (double end = world.time() + seconds - 0.5 * world.options().step; world.time() < end;) world.step();
}

TEST(RigidWorld, a_free_body_follows_symplectic_euler) {
    RigidWorld world(RigidOptions{.step = 0.01});
    world.add(box_body({0, 0, 10}));
    run(world, 1);
    EXPECT_NEAR(world.states()[0].velocity.z(), -9.81, 1e-9);
    EXPECT_NEAR(world.states()[0].center.z(), 10 - 9.81 * 0.5 * 1.01, 1e-9); // half a step more than the parabola
    EXPECT_EQ(world.report().contacts, 0u);
}

TEST(RigidWorld, a_free_top_keeps_its_angular_momentum_and_its_energy) {
    RigidWorld world(RigidOptions{.step = 1e-3, .gravity = Vec3::Zero()});
    Body top{.shape = box_shape({0.2, 0.5, 1}), .spin = {0.1, 8, 0.1}}; // about its middle axis: it tumbles
    world.add(top);
    const Vec3 before = world.states()[0].angular_momentum;
    const double energy = world.energy().kinetic;
    double turned = 0;
    for (int k = 0; k < 10000; ++k) {
        world.step();
        turned = std::max(turned, (world.states()[0].spin - top.spin).norm());
    }
    EXPECT_EQ(world.states()[0].angular_momentum, before);
    EXPECT_NEAR(world.energy().kinetic / energy, 1, 1e-4);
    EXPECT_NEAR(world.states()[0].rotation.norm(), 1, 1e-15);
    EXPECT_GT(turned, 5); // it did tumble
}

TEST(RigidWorld, a_body_comes_to_rest_at_the_depth_that_balances_its_weight) {
    for (const ContactMode mode : {ContactMode::continuous, ContactMode::discrete})
        for (const Stepping stepping : {Stepping::symplectic, Stepping::implicit}) {
            RigidWorld world(RigidOptions{.mode = mode, .stepping = stepping});
            world.add(box_body({0, 0, 0.6}));
            world.add(ground());
            run(world, 3);
            const double weight = 125 * 9.81, depth = weight / (9 * 2e4); // nine points of the lower face
            EXPECT_NEAR(world.states()[0].center.z(), 0.25 - depth, 1e-4);
            EXPECT_LT(world.states()[0].velocity.norm(), 1e-3);
            EXPECT_NEAR(world.contact_wrenches()[0].force.z(), weight, 1e-2 * weight);
            EXPECT_NEAR(world.report().deepest_now, depth, 1e-4);
            EXPECT_NEAR(world.energy().stored, 9 * 0.5 * 2e4 * depth * depth, 1e-2 * world.energy().stored);
        }
}

TEST(RigidWorld, a_box_on_a_slope_rests_below_the_friction_angle_and_slides_above_it) {
    for (const double friction : {0.2, 0.6}) {
        RigidWorld world(RigidOptions{.gravity = 9.81 * Vec3(std::sin(0.4), 0, -std::cos(0.4)),
                                      .law = {.slip_speed = 0.01, .damped = DampedPart::normal}}); // tan 0.4 = 0.42
        Body box = box_body({0, 0, 0.25 - 0.0063});
        box.friction = friction;
        world.add(box);
        world.add(ground(friction));
        run(world, 0.5);
        const double way = world.states()[0].center.x();
        const double sliding = 0.5 * 0.25 * 9.81 * (std::sin(0.4) - friction * std::cos(0.4)); // a t^2 / 2
        if (friction < 0.42) {
            EXPECT_NEAR(way, sliding, 0.05 * sliding);
        } else {
            EXPECT_LT(way, 0.01); // it creeps at about the slip speed
        }
    }
}

TEST(RigidWorld, a_pair_keeps_its_momentum_and_angular_momentum_through_a_collision) {
    for (const ContactSpan span : {ContactSpan::coming, ContactSpan::last})
        for (const ContactMode mode : {ContactMode::continuous, ContactMode::discrete}) {
            RigidWorld world(RigidOptions{.gravity = Vec3::Zero(), .mode = mode, .span = span});
            Body a = box_body({0, 0, 0}), b = box_body({0.9, 0.2, 0.1}, {0.6, 0.3, 0.4});
            a.velocity = {2, 0, 0};
            b.spin = {1, 2, 3};
            b.pose.rotation = Quat(Eigen::AngleAxisd(0.5, Vec3(1, 1, 1).normalized()));
            world.add(a);
            world.add(b);
            const Vec3 before = testing::momentum(world), turn = testing::angular_momentum(world);
            std::size_t touched = 0;
            for (int k = 0; k < 600; ++k) {
                world.step();
                touched += world.report().contacts > 0;
            }
            EXPECT_GT(touched, 5u);
            EXPECT_GT(world.states()[1].velocity.x(), 0.5); // pushed
            EXPECT_LT((testing::momentum(world) - before).norm(), 1e-9 * before.norm());
            EXPECT_LT((testing::angular_momentum(world) - turn).norm(), 1e-9 * turn.norm());
        }
}

TEST(RigidWorld, damped_contact_never_gains_energy) {
    for (const PathInTime path : {PathInTime::chord, PathInTime::screw, PathInTime::acceleration}) {
        RigidWorld world(RigidOptions{.law = {.path = path}});
        Body box = box_body({0, 0, 1});
        box.pose.rotation = Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 0).normalized()));
        box.spin = {3, -2, 5};
        world.add(box);
        world.add(ground());
        const double start = world.energy().total();
        double highest = start;
        for (int k = 0; k < 3000; ++k) {
            world.step();
            highest = std::max(highest, world.energy().total());
        }
        EXPECT_LT(highest, start * 1.001);
        EXPECT_LT(world.energy().kinetic, 1e-3 * start);
    }
}

TEST(RigidWorld, a_thin_plate_acts_on_a_fast_body_that_passes_it_within_one_step) {
    for (const ContactMode mode : {ContactMode::continuous, ContactMode::discrete}) {
        RigidWorld world(
            RigidOptions{.step = 0.01, .gravity = Vec3::Zero(), .mode = mode, .law = {.normal = ContactNormal::shell}});
        Body plate = box_body({0, 0, 0}, {2, 2, 0.02});
        plate.fixed = true;
        plate.shape = make_body_shape(make_box({Vec3(2, 2, 0.02), {16, 16, 1}}), {.grid = {.resolution = 256}});
        world.add(plate);
        Body bullet = box_body({0.01, 0.02, 0.45}, Vec3::Constant(0.1));
        bullet.velocity = {0, 0, -30}; // fifteen thicknesses a step
        bullet.stiffness = 2e5;
        bullet.damping = 0;
        world.add(bullet);
        std::size_t felt = 0;
        for (int k = 0; k < 4; ++k) {
            world.step();
            felt += world.report().contacts;
        }
        if (mode == ContactMode::continuous) {
            EXPECT_GT(felt, 20u);
            EXPECT_GT(world.states()[1].velocity.z(), -28); // and slowed
        } else {
            EXPECT_EQ(felt, 0u); // it was never inside at the end of a step
        }
    }
}

TEST(RigidWorld, implicit_stepping_is_stable_at_a_step_where_explicit_diverges) {
    for (const Stepping stepping : {Stepping::symplectic, Stepping::implicit}) {
        RigidWorld world(RigidOptions{.step = 0.01, .stepping = stepping});
        Body box = box_body({0, 0, 0.3});
        box.stiffness = 1e6;
        box.damping = 3e3;
        world.add(box);
        world.add(ground());
        if (stepping == Stepping::symplectic) {
            EXPECT_THROW(run(world, 5), Error);
        } else {
            run(world, 5);
            EXPECT_LT(world.states()[0].velocity.norm(), 1e-6);
            EXPECT_NEAR(world.states()[0].center.z(), 0.25, 1e-3);
        }
    }
}

TEST(RigidWorld, the_guard_names_step_body_and_energy_instead_of_giving_nan) {
    RigidWorld world(RigidOptions{.step = 0.02});
    Body box = box_body({0, 0, 0.3});
    box.name = "doomed";
    box.stiffness = 1e12;
    world.add(box);
    world.add(ground());
    try {
        run(world, 1);
        FAIL() << "nothing blew up";
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::too_large);
        for (const char* word : {"step ", "doomed", " J"})
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
}

TEST(RigidWorld, bodies_at_rest_sleep_and_wake_when_hit) {
    RigidWorld world(RigidOptions{.sleep_speed = 0.02, .sleep_steps = 50});
    world.add(box_body({0, 0, 0.25}));
    world.add(ground());
    run(world, 1);
    ASSERT_TRUE(world.states()[0].asleep);
    const Vec3 place = world.states()[0].center;
    run(world, 0.2);
    EXPECT_EQ(world.states()[0].center, place);
    EXPECT_EQ(world.report().pairs, 0u);
    Body hammer = box_body({-0.8, 0, 0.3});
    hammer.velocity = {3, 0, 0};
    world.add(hammer);
    run(world, 0.3);
    EXPECT_GT((world.states()[0].center - place).norm(), 0.01);
}

TEST(RigidWorld, states_are_the_same_bits_for_any_number_of_threads) {
    Fingerprint hashes[2];
    for (const std::size_t threads : {1u, 2u}) {
        set_thread_count(threads);
        RigidWorld world;
        Random random(3);
        const BodyShapePtr shape = box_shape(Vec3::Constant(0.3));
        for (int k = 0; k < 12; ++k)
            world.add({.shape = shape,
                       .pose = {random.rotation(), Vec3(0.3 * random.uniform(), 0.3 * random.uniform(), 0.4 + 0.4 * k)},
                       .stiffness = 1e4,
                       .damping = 30});
        world.add(ground());
        run(world, 0.6);
        EXPECT_GT(world.report().contacts, 10u);
        hashes[threads - 1] = world.state_hash();
    }
    set_thread_count(0);
    EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(RigidWorld, the_tree_and_point_by_point_give_the_same_states) {
    Fingerprint hashes[2];
    for (const bool tree : {false, true}) {
        RigidWorld world(RigidOptions{.tree = tree});
        Body ball{.shape = testing::ball_shape(0.3), .pose = Pose::from_translation({0.05, 0, 0.9})}, other = ball;
        other.pose = Pose::from_translation({0, 0, 0.3});
        world.add(ball);
        world.add(other);
        world.add(ground());
        run(world, 0.8);
        EXPECT_GT(world.report().contacts, 0u);
        hashes[tree] = world.state_hash();
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(RigidWorld, results_do_not_depend_on_the_scale) {
    double heights[3];
    int k = 0;
    for (const double scale : {1e-3, 1.0, 1e3}) {
        // Time as it is; lengths, gravity and velocities scaled; stiffness by mass, damping too.
        RigidWorld world(RigidOptions{.gravity = {0, 0, -9.81 * scale}, .law = {.slip_speed = 0.01 * scale}});
        Body box = box_body({0, 0, 0.6 * scale}, Vec3::Constant(0.5 * scale));
        box.density = 1000 / (scale * scale * scale);
        box.pose.rotation = Quat(Eigen::AngleAxisd(0.4, Vec3(1, 1, 0).normalized()));
        world.add(box);
        world.add(ground());
        run(world, 0.5);
        heights[k++] = world.states()[0].center.z() / scale;
    }
    EXPECT_NEAR(heights[0], heights[1], 1e-4);
    EXPECT_NEAR(heights[2], heights[1], 1e-4);
}

TEST(RigidWorld, bad_bodies_and_options_are_refused_by_name) {
    EXPECT_THROW(RigidWorld(RigidOptions{.step = 0}), Error);
    EXPECT_THROW(RigidWorld(RigidOptions{.step = NAN}), Error);
    EXPECT_THROW(RigidWorld(RigidOptions{.gravity = {0, 0, INFINITY}}), Error);
    RigidWorld world;
    Body good = box_body({0, 0, 1});
    for (const auto& spoil : std::initializer_list<void (*)(Body&)>{
             [](Body& b) { b.shape = nullptr; }, [](Body& b) { b.density = 0; }, [](Body& b) { b.velocity.x() = NAN; },
             [](Body& b) { b.stiffness = -1; }, [](Body& b) { b.pose.translation.y() = INFINITY; },
             [](Body& b) { b.pose.rotation.coeffs().setZero(); }, [](Body& b) { b.shape = ground().shape; }}) {
        Body bad = good;
        spoil(bad);
        EXPECT_THROW(world.add(bad), Error);
    }
    EXPECT_THROW((void)make_body_shape(flipped(testing::cube_mesh())), Error); // inside-out: no positive volume
    world.add(good);
    EXPECT_EQ(world.bodies().size(), 1u);
}

} // namespace rigid_world_test
} // namespace fathom
