#include <fathom/simulate/springs/spring_world.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/generate/generate.h>
#include <simulate/springs/small_networks.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

namespace fathom {
namespace spring_world_test {

using testing::loose_points;
using testing::shaken;
using testing::two_masses;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const Vec3 none = Vec3::Zero();

SpringNetwork small_ball(const SurfaceMaterial& material = {}) {
    return surface_network(make_sphere({.resolution = 4}), material);
}

void run(SpringWorld& world, double seconds) {
    for (double end = world.time() + seconds - 0.5 * world.options().step; world.time() < end;) world.step();
}

// Two masses of 1 kg on a spring: the stretch swings as cos(w t) with w^2 = 2 k, times e^(-damping t), w^2 reduced by
// its square.
double oscillator_error(SpringStepping stepping, double step, double damping, double seconds) {
    SpringWorld world(two_masses(100, damping), {.step = step, .gravity = none, .stepping = stepping});
    SpringState state = start_state(world.network());
    state.positions[1].x() = 1.1;
    world.set_state(state);
    double worst = 0;
    const double decay = damping, w = std::sqrt(200 - decay * decay);
    while (world.time() < seconds) {
        world.step();
        const double t = world.time();
        const double exact = 0.1 * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
        worst = std::max(worst, std::abs((world.positions()[1] - world.positions()[0]).norm() - 1 - exact));
    }
    return worst;
}

TEST(SpringWorld, two_masses_oscillate_as_in_the_closed_form_with_errors_of_order_two_and_one) {
    const double fine = oscillator_error(SpringStepping::verlet, 5e-4, 0, 2),
                 coarse = oscillator_error(SpringStepping::verlet, 1e-3, 0, 2);
    EXPECT_LT(fine, 1e-5);
    EXPECT_NEAR(coarse / fine, 4, 0.2);
    const double implicit_fine = oscillator_error(SpringStepping::backward_euler, 1e-4, 0, 1),
                 implicit_coarse = oscillator_error(SpringStepping::backward_euler, 2e-4, 0, 1);
    EXPECT_LT(implicit_fine, 2e-3);
    EXPECT_NEAR(implicit_coarse / implicit_fine, 2, 0.1);
}

TEST(SpringWorld, a_damped_spring_decays_as_in_the_closed_form) {
    for (const SpringStepping stepping : {SpringStepping::verlet, SpringStepping::backward_euler}) {
        const double fine = oscillator_error(stepping, 1e-4, 1.5, 2), coarse = oscillator_error(stepping, 2e-4, 1.5, 2);
        EXPECT_LT(fine, 6e-4);
        EXPECT_NEAR(coarse / fine, 2, 0.1); // the damping of Verlet is of order one, too
    }
}

TEST(SpringWorld, air_friction_slows_a_free_point_exactly_whatever_the_step) {
    SpringWorld world(loose_points({none}), {.step = 0.5, .gravity = none, .air_friction = 4});
    world.set_state({{none}, {Vec3(1, 0, 0)}});
    run(world, 1);
    EXPECT_NEAR(world.velocities()[0].x(), std::exp(-4), 1e-15);
}

TEST(SpringWorld, energy_of_a_free_undamped_body_swings_but_does_not_drift_with_verlet) {
    const SpringNetwork network = small_ball();
    SpringWorld world(network, {.step = 0.2 * largest_stable_step(network), .gravity = none});
    world.set_state(shaken(network, 0.005, 0.5));
    const double start = world.energy().total();
    const std::size_t steps = testing::count_of(20000, 100000);
    double least = start, most = start, early = 0, late = 0;
    for (std::size_t k = 0; k < steps; ++k) {
        world.step();
        const double now = world.energy().total();
        least = std::min(least, now), most = std::max(most, now);
        (k < steps / 2 ? early : late) += 2 * now / static_cast<double>(steps);
    }
    EXPECT_GT(world.energy().elastic(), 0.1 * start); // it does swing
    EXPECT_LT((most - least) / start, 0.02);
    EXPECT_NEAR(late / early, 1, 1e-3);
}

TEST(SpringWorld, momentum_and_angular_momentum_are_kept_in_free_motion) {
    SpringNetwork network = small_ball({.damping_time = 1e-3});
    SpringWorld world(network, {.step = 0.3 * largest_stable_step(network), .gravity = none});
    SpringState state = shaken(network, 0.01, 1);
    for (std::size_t k = 0; k < network.size(); ++k)
        state.velocities[k] += Vec3(1, 0, 0) + Vec3(0, 0, 2).cross(state.positions[k]);
    world.set_state(state);
    const Vec3 momentum = world.momentum(), turning = world.angular_momentum();
    for (int k = 0; k < 3000; ++k) world.step();
    EXPECT_LT((world.momentum() - momentum).norm(), 1e-12 * momentum.norm());
    EXPECT_LT((world.angular_momentum() - turning).norm(), 1e-11 * turning.norm());
}

TEST(SpringWorld, backward_euler_keeps_momentum_to_the_tolerance_of_its_solve) {
    const SpringNetwork network = small_ball();
    SpringWorld world(network, {.step = 0.01, .gravity = none, .stepping = SpringStepping::backward_euler});
    SpringState state = shaken(network, 0.01, 1);
    for (Vec3& v : state.velocities) v.x() += 1;
    world.set_state(state);
    const Vec3 momentum = world.momentum();
    double energy = world.energy().total();
    for (int k = 0; k < 300; ++k) {
        world.step();
        EXPECT_TRUE(world.report().solve.converged);
    }
    EXPECT_LT((world.momentum() - momentum).norm(), 1e-6 * momentum.norm());
    EXPECT_LT(world.energy().total(), energy);
}

TEST(SpringWorld, drifting_objects_keep_their_kinetic_energy_to_rounding_over_many_reflections) {
    for (const Reflection reflection : {Reflection::object, Reflection::point}) {
        SpringNetwork network;
        const SpringNetwork one = loose_points({{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}, 0.3);
        for (int k = 0; k < 10; ++k) append(network, one);
        const Box room = Box::around({0.05, 0.05, 0.05}, Vec3::Constant(0.5));
        SpringWorld world(network, {.step = 0.01, .gravity = none, .environment = room, .reflection = reflection});
        SpringState state = start_state(network);
        add_random_motion(network, {.drift = 2, .seed = 4}, state.velocities);
        world.set_state(state);
        const double start = world.energy().kinetic;
        EXPECT_NEAR(start, 0.5 * total_mass(network) * 4, 1e-12);
        std::size_t reflections = 0;
        while (reflections < 10000) {
            world.step();
            reflections += world.report().reflections;
            for (const Vec3& p : world.positions()) ASSERT_TRUE(room.grown(1e-12).contains(p));
        }
        EXPECT_NEAR(world.energy().kinetic / start, 1, 1e-12);
    }
}

TEST(SpringWorld, bouncing_in_a_room_feeds_no_energy_to_bodies_that_swing_and_fall) {
    for (const Reflection reflection : {Reflection::object, Reflection::point}) {
        SpringNetwork network;
        for (int k = 0; k < 3; ++k) append(network, surface_network(make_sphere({.radius = 0.2, .resolution = 2})));
        SpringWorld world(network, {.step = 0.1 * largest_stable_step(network),
                                    .gravity = {0, 0, -5},
                                    .environment = Box::around(none, Vec3::Constant(1)),
                                    .reflection = reflection});
        SpringState state = start_state(network);
        add_random_motion(network, {.drift = 2, .deformation = 0.3, .seed = 5}, state.velocities);
        world.set_state(state);
        const double start = world.energy().total(), scale = world.energy().kinetic;
        std::size_t reflections = 0;
        double worst = 0;
        for (int k = 0; k < 20000; ++k) {
            world.step();
            reflections += world.report().reflections;
            worst = std::max(worst, std::abs(world.energy().total() - start) / scale);
        }
        EXPECT_GT(reflections, 50u);
        EXPECT_LT(worst, 0.02);
    }
}

TEST(SpringWorld, areas_are_kept_better_with_the_term_of_area) {
    const auto area_error = [](double stiffness) {
        SpringNetwork network = small_ball({.stretch = 20, .area = stiffness});
        SpringWorld world(network, {.step = 5e-4, .gravity = none, .air_friction = 5});
        const Vec3 pull(2, 0, 0);
        world.set_motion([&](SpringMotion& motion) {
            for (std::size_t k = 0; k < motion.pushes.size(); ++k)
                motion.pushes[k] = (network.points[k].x() > 0 ? 0.02 : -0.02) * pull;
        });
        run(world, 2);
        double error = 0;
        for (const Triangle& t : make_sphere({.resolution = 4}).triangles) {
            const double rest =
                0.5 * area_vector({network.points[t[0]], network.points[t[1]], network.points[t[2]]}).norm();
            const double now =
                0.5 * area_vector({world.positions()[t[0]], world.positions()[t[1]], world.positions()[t[2]]}).norm();
            error += std::abs(now - rest) / rest;
        }
        return error / 320;
    };
    const double without = area_error(0), with = area_error(200);
    EXPECT_GT(without, 0.01);
    EXPECT_LT(with, 0.5 * without);
}

double energy_after(const SpringNetwork& network, double step, int steps) {
    SpringWorld world(network, {.step = step, .gravity = none, .unstable = UnstableStep::allow, .energy_limit = 1e12});
    world.set_state(shaken(network, 1e-5, 0));
    const double start = world.energy().total();
    for (int k = 0; k < steps; ++k) {
        try {
            world.step();
        } catch (const Error&) {
            return std::numeric_limits<double>::infinity();
        }
    }
    return world.energy().total() / start;
}

TEST(SpringWorld, the_largest_stable_step_is_just_that) {
    for (const double damping_time : {0.0, 2e-3})
        for (const bool solid : {false, true}) {
            const SpringNetwork network =
                solid ? solid_network(make_tet_ball({.resolution = 3}), {.damping_time = 0.3 * damping_time})
                      : small_ball({.damping_time = damping_time});
            const double largest = largest_stable_step(network);
            EXPECT_LT(energy_after(network, 0.98 * largest, 1000), 100) << damping_time << solid;
            EXPECT_GT(energy_after(network, 1.1 * largest, 1000), 1e6) << damping_time << solid;
            EXPECT_GT(energy_after(network, 1.5 * largest, 1000), 1e6) << damping_time << solid;
            EXPECT_NO_THROW(SpringWorld(network, {.step = 0.98 * largest}));
            try {
                SpringWorld world(network, {.step = 1.5 * largest});
                ADD_FAILURE();
            } catch (const Error& error) {
                EXPECT_EQ(error.cause(), Cause::invalid_argument);
                EXPECT_EQ(error.place().element, "option step");
                EXPECT_NE(error.reason().find("the largest stable Verlet step of this network is 0.0"),
                          std::string::npos)
                    << error.what();
            }
        }
    const double k = 100; // the oscillator: w^2 = 2 k / m, h = 2 / w
    EXPECT_NEAR(largest_stable_step(two_masses(k)), 2 / std::sqrt(2 * k), 1e-9);
    EXPECT_EQ(largest_stable_step(loose_points({none})), std::numeric_limits<double>::infinity());
}

TEST(SpringWorld, a_step_that_is_too_large_is_divided_if_requested) {
    const SpringNetwork network = small_ball();
    const double largest = largest_stable_step(network);
    SpringWorld world(network, {.step = 7.5 * largest, .gravity = none, .unstable = UnstableStep::divide});
    world.set_state(shaken(network, 1e-3, 0.1));
    const double start = world.energy().total();
    for (int k = 0; k < 200; ++k) world.step();
    EXPECT_EQ(world.report().parts, 11u);
    EXPECT_NEAR(world.time(), 200 * 7.5 * largest, 1e-9);
    EXPECT_LT(world.energy().total(), 1.5 * start);
    EXPECT_THROW(SpringWorld(network, {.step = 1e6 * largest, .unstable = UnstableStep::divide}).step(), Error);
}

TEST(SpringWorld, unstable_settings_end_in_a_named_error_never_in_nan) {
    const SpringNetwork network = small_ball();
    SpringWorld world(network,
                      {.step = 3 * largest_stable_step(network), .gravity = none, .unstable = UnstableStep::allow});
    world.set_state(shaken(network, 1e-3, 0));
    try {
        for (int k = 0; k < 10000; ++k) world.step();
        ADD_FAILURE() << "no guard";
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::too_large);
        EXPECT_NE(error.reason().find("largest stable step is now"), std::string::npos);
    }
    for (const Vec3& p : world.positions()) EXPECT_TRUE(is_finite(p));
}

TEST(SpringWorld, backward_euler_is_stable_at_a_hundred_times_the_largest_stable_step) {
    for (const bool solid : {false, true}) {
        const SpringNetwork network = solid ? solid_network(make_tet_ball({.resolution = 3})) : small_ball();
        const double step = 100 * largest_stable_step(network);
        for (const double size : {1e-3, 0.2}) { // the second crushes most springs
            SpringWorld world(network, {.step = step, .gravity = none, .stepping = SpringStepping::backward_euler});
            world.set_state(shaken(network, size, 0));
            const double start = world.energy().total();
            for (int k = 0; k < 200; ++k) {
                world.step();
                ASSERT_LT(world.energy().total(), 1.1 * start) << k;
            }
            EXPECT_LT(world.energy().total(), 0.6 * start);
        }
    }
}

TEST(SpringWorld, crushed_networks_do_not_blow_up) {
    for (const SpringStepping stepping : {SpringStepping::verlet, SpringStepping::backward_euler}) {
        const SpringNetwork network = small_ball({.damping_time = 1e-3});
        SpringWorld world(network, {.step = 5e-4, .gravity = none, .stepping = stepping});
        SpringState state = shaken(network, 1e-3, 0);
        for (Vec3& p : state.positions) p *= 0.05;
        state.positions[0] = state.positions[1] = state.positions[2]; // springs without length, triangles without area
        world.set_state(state);
        const double start = world.energy().total();
        for (int k = 0; k < 4000; ++k) world.step();
        EXPECT_LT(world.energy().total(), 0.9 * start);
        EXPECT_GT(bounds(world.positions()).diagonal(), 0.5 * bounds(network.points).diagonal()); // it has unfolded
    }
}

TEST(SpringWorld, fixed_points_stay_and_follow_their_prescribed_motion) {
    for (const SpringStepping stepping : {SpringStepping::verlet, SpringStepping::backward_euler}) {
        SpringNetwork network = two_masses(100, 5);
        network.fixed[0] = 1;
        SpringWorld world(network, {.step = 1e-3, .stepping = stepping});
        run(world, 8);
        EXPECT_EQ(world.positions()[0], Vec3(0, 0, 0));
        const double hung = world.energy().stretch;
        EXPECT_GT(hung, 0.1);
        SpringState state{{none, Vec3(0, 0, -1 - 9.81 / 100)}, {Vec3(0, 0, 1), Vec3(0, 0, 1)}};
        world.set_state(state); // lifted at 1 m/s, in balance
        run(world, 1);
        EXPECT_NEAR(world.positions()[0].z(), 1, 1e-9);
        EXPECT_NEAR(world.positions()[1].z(), -9.81 / 100, 1e-6);
    }
}

TEST(SpringWorld, hooks_push_move_and_stop_points) {
    SpringWorld world(loose_points({none, none, none}), {.step = 0.01, .gravity = none});
    world.set_motion([&](SpringMotion& motion) {
        motion.pushes[0] = Vec3(2, 0, 0);
        motion.positions[1] = Vec3(0, motion.time, 0);
        motion.velocities[2] = Vec3(0, 0, 3);
    });
    run(world, 1);
    EXPECT_NEAR(world.positions()[0].x(), 0.5 * 2 * 1 * 1, 1e-12);
    EXPECT_NEAR(world.velocities()[0].x(), 2, 1e-12);
    EXPECT_NEAR(world.positions()[1].y(), 0.99, 1e-12);
    EXPECT_NEAR(world.positions()[2].z(), 3, 1e-12);
    world.set_motion([](SpringMotion& motion) { motion.positions[0].x() = nan; });
    try {
        world.step();
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::non_finite);
        EXPECT_EQ(error.place().index, 0);
    }
}

TEST(SpringWorld, rest_lengths_creep_only_past_the_yield_strain_and_no_further_than_allowed) {
    const auto rest_after = [](double length, double seconds) {
        SpringNetwork network = two_masses();
        network.fixed = {1, 1};
        SpringWorld world(
            network,
            {.step = 0.01, .gravity = none, .plastic = {.yield_strain = 0.1, .creep_rate = 5, .largest_change = 0.3}});
        SpringState state = start_state(network);
        state.positions[1].x() = length;
        world.set_state(state);
        run(world, seconds);
        return world.network().springs[0].rest;
    };
    EXPECT_EQ(rest_after(1.09, 1), 1);
    EXPECT_EQ(rest_after(0.91, 1), 1);
    EXPECT_NEAR(rest_after(1.2, 10), 1.2 / 1.1, 1e-9);
    EXPECT_NEAR(rest_after(1.2, 0.2), 1 + (1.2 / 1.1 - 1) * (1 - std::exp(-1)), 1e-9);
    EXPECT_NEAR(rest_after(0.8, 10), 0.8 / 0.9, 1e-9);
    EXPECT_EQ(rest_after(3, 10), 1.3);
    EXPECT_EQ(rest_after(0.1, 10), 0.7);
}

// Two balls on their way to each other, pressed apart vertex by vertex wherever those are near.
struct Bounce {
    double energy_before = 0, energy_after = 0, deepest = 0, momentum_change = 0;
    Vec3 velocity_a = Vec3::Zero();
};

Bounce bounce(SpringStepping stepping, double scale, double damping_ratio) {
    TriangleMesh mesh = make_sphere({.radius = 0.5, .resolution = 3});
    for (Vec3& p : mesh.vertices) p *= scale;
    // Masses go with the square of the length, and so must the moduli, in kg/s^2, for the same times.
    const double square = scale * scale;
    SpringNetwork network =
                      surface_network(mesh, {.stretch = 1000 * square, .bending = 200 * square, .area = 1000 * square}),
                  other = network;
    for (Vec3& p : other.points) p.x() += 1.4 * scale;
    const Index second = append(network, other);
    SpringWorld world(network, {.step = 5e-4,
                                .gravity = none,
                                .stepping = stepping,
                                .contact = {.stiffness = 4e4, .damping_ratio = damping_ratio}});
    SpringState state = start_state(network);
    for (Index k = 0; k < network.size(); ++k) state.velocities[k].x() = (k < second ? 1 : -1) * scale;
    world.set_state(state);
    world.set_contact_finder(
        [&](std::span<const Vec3> x, std::span<const Vec3>, std::vector<WeightedContact>& contacts) {
            for (Index a = 0; a < second; ++a)
                for (Index b = second; b < x.size(); ++b)
                    if (const Vec3 d = x[a] - x[b]; d.norm() < 0.25 * scale)
                        contacts.push_back({.points = {a, b},
                                            .weights = {1, -1},
                                            .count = 2,
                                            .separating_direction = d.normalized(),
                                            .depth = 0.25 * scale - d.norm()});
        });
    Bounce result;
    result.energy_before = world.energy().total();
    const Vec3 momentum = world.momentum();
    for (int k = 0; k < 1200; ++k) {
        world.step();
        result.deepest = std::max(result.deepest, world.report().deepest / scale);
    }
    result.energy_after = world.energy().total();
    result.momentum_change = (world.momentum() - momentum).norm() / (total_mass(network) * scale);
    for (Index k = 0; k < second; ++k)
        result.velocity_a += network.masses[k] * world.velocities()[k] / (0.5 * total_mass(network) * scale);
    return result;
}

TEST(SpringWorld, bodies_bounce_off_each_other_and_keep_their_momentum) {
    for (const SpringStepping stepping : {SpringStepping::verlet, SpringStepping::backward_euler}) {
        const Bounce result = bounce(stepping, 1, 0);
        EXPECT_GT(result.deepest, 0.005);
        EXPECT_LT(result.deepest, 0.24); // nobody passes through
        EXPECT_LT(result.velocity_a.x(), -0.3);
        EXPECT_LT(result.momentum_change, 1e-7);
        EXPECT_LT(result.energy_after, 1.01 * result.energy_before);
        EXPECT_LT(bounce(stepping, 1, 0.5).energy_after, result.energy_after);
    }
}

TEST(SpringWorld, a_bounce_is_the_same_in_any_units) {
    const Bounce usual = bounce(SpringStepping::verlet, 1, 0.1);
    for (const double scale : {1e-3, 1e3}) {
        const Bounce scaled = bounce(SpringStepping::verlet, scale, 0.1);
        EXPECT_NEAR(scaled.velocity_a.x(), usual.velocity_a.x(), 1e-6);
        EXPECT_NEAR(scaled.deepest, usual.deepest, 1e-6);
    }
}

TEST(SpringWorld, stiff_contact_in_the_matrix_supports_a_body_that_explicit_contact_cannot) {
    const SpringNetwork network = small_ball();
    const auto floor = [](std::span<const Vec3> x, std::span<const Vec3>, std::vector<WeightedContact>& contacts) {
        for (Index k = 0; k < x.size(); ++k)
            if (x[k].z() < -0.6)
                contacts.push_back({.points = {k},
                                    .weights = {1},
                                    .count = 1,
                                    .separating_direction = {0, 0, 1},
                                    .depth = -0.6 - x[k].z()});
    };
    SpringOptions options{.step = 4e-3,
                          .air_friction = 3,
                          .unstable = UnstableStep::allow,
                          .contact = {.stiffness = 1e8, .damping_ratio = 0.1}};
    SpringWorld explicit_world(network, options);
    explicit_world.set_contact_finder(floor);
    EXPECT_THROW(run(explicit_world, 2), Error);
    EXPECT_LT(explicit_world.report().largest_stable_step, 3e-4); // 2 / 1e4
    options.unstable = UnstableStep::refuse;
    options.stepping = SpringStepping::backward_euler;
    SpringWorld implicit_world(network, options);
    implicit_world.set_contact_finder(floor);
    run(implicit_world, 2);
    EXPECT_GT(implicit_world.report().contacts, 0u);
    EXPECT_LT(implicit_world.report().deepest, 1e-4);
    EXPECT_LT(implicit_world.energy().kinetic, 1e-2);
}

TEST(SpringWorld, the_state_is_the_same_for_one_and_two_threads) {
    for (const SpringStepping stepping : {SpringStepping::verlet, SpringStepping::backward_euler}) {
        std::vector<Fingerprint> hashes;
        for (const std::size_t threads : {1, 2}) {
            set_thread_count(threads);
            SpringNetwork network = surface_network(make_sphere({.resolution = 16}), {.damping_time = 1e-4});
            append(network, surface_network(make_torus()));
            append(network, network);
            SpringWorld world(network, {.step = 2e-4,
                                        .stepping = stepping,
                                        .plastic = {.yield_strain = 0.01},
                                        .environment = Box::around(none, Vec3::Constant(0.6))});
            SpringState state = start_state(network);
            add_random_motion(network, {.drift = 2, .deformation = 2}, state.velocities);
            world.set_state(state);
            const Fingerprint first = world.state_hash();
            for (int k = 0; k < 25; ++k) world.step();
            EXPECT_NE(world.state_hash(), first);
            hashes.push_back(world.state_hash());
        }
        EXPECT_EQ(hashes[0], hashes[1]);
    }
    set_thread_count(0);
}

TEST(SpringWorld, springs_can_go_and_points_split_while_it_runs) {
    for (const SpringStepping stepping : {SpringStepping::verlet, SpringStepping::backward_euler}) {
        SpringNetwork chain = loose_points({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}});
        chain.springs = {{.points = {0, 1}, .rest = 1, .stiffness = 50},
                         {.points = {1, 2}, .rest = 1, .stiffness = 50}};
        SpringWorld world(chain, {.step = 1e-3, .gravity = none, .stepping = stepping});
        SpringState state = start_state(chain);
        state.velocities[0].x() = -1, state.velocities[2].x() = 1;
        world.set_state(state);
        run(world, 0.1);
        const double mass = total_mass(world.network());
        const Vec3 momentum = world.momentum();
        const std::array<Index, 1> over = {1};
        const Index twin = world.split_point(1, {.springs = over});
        run(world, 2);
        EXPECT_EQ(world.positions().size(), 4u);
        EXPECT_GT(world.positions()[twin].x() - world.positions()[1].x(), 1); // two halves fly apart
        EXPECT_EQ(total_mass(world.network()), mass);
        EXPECT_LT((world.momentum() - momentum).norm(), 1e-7);
        const double length = (world.positions()[1] - world.positions()[0]).norm();
        EXPECT_LT(length, 2);
        world.remove_spring(0);
        world.remove_spring(1);
        run(world, 0.01);
        EXPECT_EQ(world.energy().elastic(), 0);
    }
}

TEST(SpringWorld, random_motion_drifts_every_object_independently_and_preserves_momentum) {
    SpringNetwork network = small_ball();
    append(network, network);
    std::vector<Vec3> v(network.size(), none);
    add_random_motion(network, {.drift = 3, .deformation = 1, .seed = 2}, v);
    std::array<Vec3, 2> momentum = {none, none};
    for (std::size_t k = 0; k < v.size(); ++k) momentum[network.part[k]] += network.masses[k] * v[k];
    const double mass = 0.5 * total_mass(network);
    EXPECT_NEAR(momentum[0].norm() / mass, 3, 1e-9);
    EXPECT_NEAR(momentum[1].norm() / mass, 3, 1e-9);
    EXPECT_GT((momentum[0] - momentum[1]).norm() / mass, 0.1);
    EXPECT_GT((v[0] - v[1]).norm(), 0.01);
}

TEST(SpringWorld, hostile_options_and_answers_are_refused_by_name) {
    const auto element_of = [](const SpringOptions& options) {
        try {
            SpringWorld world(two_masses(), options);
        } catch (const Error& error) {
            return error.place().element;
        }
        return std::string("nothing");
    };
    EXPECT_EQ(element_of({}), "nothing");
    EXPECT_EQ(element_of({.step = 0}), "option step");
    EXPECT_EQ(element_of({.step = nan}), "option step");
    EXPECT_EQ(element_of({.gravity = {nan, 0, 0}}), "option gravity");
    EXPECT_EQ(element_of({.air_friction = -1}), "option air_friction");
    EXPECT_EQ(element_of({.max_parts = 0}), "option max_parts");
    EXPECT_EQ(element_of({.plastic = {.yield_strain = -1}}), "option yield_strain");
    EXPECT_EQ(element_of({.plastic = {.largest_change = 1}}), "option largest_change");
    EXPECT_EQ(element_of({.contact = {.friction = nan}}), "option friction");
    EXPECT_EQ(element_of({.environment = {Vec3(nan, 0, 0), Vec3(1, 1, 1)}}), "option environment");
    EXPECT_EQ(element_of({.solve = {.tolerance = 0}}), "option tolerance");
    EXPECT_EQ(element_of({.energy_limit = nan}), "option energy_limit");
    SpringWorld world(two_masses(), {.gravity = none});
    EXPECT_THROW(world.set_state({{none}, {none}}), Error);
    EXPECT_THROW(world.set_state({{none, Vec3(nan, 0, 0)}, {none, none}}), Error);
    EXPECT_THROW(world.set_contact_finder([](auto, auto, auto& contacts) {
        contacts.push_back({.points = {7}, .weights = {1}, .count = 1, .separating_direction = {0, 0, 1}, .depth = 1});
    }),
                 Error);
}

TEST(SpringWorld, an_empty_network_steps) {
    for (const SpringStepping stepping : {SpringStepping::verlet, SpringStepping::backward_euler}) {
        SpringWorld world(SpringNetwork{}, {.stepping = stepping});
        EXPECT_NO_THROW(world.step());
        EXPECT_EQ(world.energy().total(), 0);
    }
}

} // namespace spring_world_test
} // namespace fathom
