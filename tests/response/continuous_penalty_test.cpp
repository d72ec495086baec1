#include <fathom/response/continuous_penalty.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <response/random_contacts.h>
#include <support/plain_fields.h>
#include <support/test_counts.h>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <cmath>

namespace fathom {
namespace continuous_penalty_test {

using testing::floor_field;
using testing::RandomContacts;

constexpr double step = 0.01;

// One point that goes from `start` to `end` in world coordinates; its body's centre is `center` away from it.
struct OnePoint {
    std::vector<Vec3> points = {Vec3::Zero()}, normals = {-Vec3::UnitZ()};
    MovingBody shell, still = MovingBody::still({});
    std::vector<point_field::PointContact> contacts;

    OnePoint(const Vec3& start, const Vec3& end, const ContactInterval& time, const Vec3& center = Vec3::Zero()) {
        shell.motion = {Pose::from_translation(start), Pose::from_translation(end)};
        shell.center = center;
        shell.velocity_start = shell.velocity_end = (end - start) / step;
        contacts = {{0, time}};
    }
    [[nodiscard]] ContactRole role(const Field& field) const { return {points, normals, shell, field, still}; }
};

QuadratureOptions midpoint(int points) { return {.rule = QuadratureRule::midpoint, .points = points}; }

TEST(ContinuousPenalty, a_point_through_a_floor_gives_the_integral_of_its_depth) {
    // z falls from 1 to -3: inside from a quarter of the step on, 1.5 deep on average there.
    const OnePoint fall({0.5, 0, 1}, {0.5, 0, -3}, {0.25, 1}, {0, 0, 0.5});
    for (const ContactNormal normal : {ContactNormal::unit_gradient, ContactNormal::gradient, ContactNormal::shell})
        for (const QuadratureOptions& rule : {QuadratureOptions{}, midpoint(20)}) {
            const ContactLaw law{.stiffness = 100, .normal = normal, .quadrature = rule};
            const auto response = continuous_penalty(fall.contacts, fall.role(floor_field()), step, law);
            EXPECT_NEAR((response.on_shell.force - Vec3(0, 0, 100 * 0.75 * 1.5)).norm(), 0, 1e-10);
            EXPECT_NEAR((response.on_field.force + response.on_shell.force).norm(), 0, 0);
            EXPECT_NEAR(response.on_shell.torque.norm(), 0, 1e-10);       // straight below its centre
            EXPECT_NEAR(response.on_field.torque.y(), 0.5 * 112.5, 1e-9); // the reaction pulls down at x = 0.5
            EXPECT_NEAR(response.stored, 0.5 * 100 * 9, 1e-9);
            EXPECT_NEAR(response.deepest, 3, 1e-12);
        }
}

TEST(ContinuousPenalty, damping_acts_while_the_point_is_inside) {
    const OnePoint fall({0, 0, 1}, {2, 0, -3}, {0.25, 1});
    ContactLaw law{.stiffness = 0, .damping = 7};
    const Vec3 all = continuous_penalty(fall.contacts, fall.role(floor_field()), step, law).on_shell.force;
    EXPECT_NEAR((all + 0.75 * 7 * Vec3(200, 0, -400)).norm(), 0, 1e-9);
    law.damped = DampedPart::normal;
    const Vec3 along = continuous_penalty(fall.contacts, fall.role(floor_field()), step, law).on_shell.force;
    EXPECT_NEAR((along + 0.75 * 7 * Vec3(0, 0, -400)).norm(), 0, 1e-9);
}

TEST(ContinuousPenalty, a_point_through_a_sphere_matches_the_closed_form_at_any_scale) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        // A chord at distance b of the centre: pushed sideways by k (R - rho) b / rho, and not along in sum.
        const double radius = scale, b = 0.6 * scale, half = 0.8 * scale, length = 4 * scale;
        const testing::BallField ball(Vec3::Zero(), radius);
        const OnePoint shot({-2 * scale, b, 0}, {2 * scale, b, 0}, {0.5 - half / length, 0.5 + half / length});
        const double sideways = 1e4 * (radius * b * 2 * std::asinh(half / b) - 2 * half * b) / length;
        const auto response =
            continuous_penalty(shot.contacts, shot.role(ball), step,
                               {.stiffness = 1e4, .handle = HandleCenter::moving, .quadrature = {.tolerance = 1e-6}});
        EXPECT_NEAR(response.on_shell.force.y() / sideways, 1, 1e-6);
        EXPECT_NEAR(response.on_shell.force.x() / sideways, 0, 1e-6);
        EXPECT_NEAR(response.deepest / (radius - b), 1, 1e-3);
        EXPECT_LT(response.force_error.maxCoeff(), 1e-5 * sideways);
        const auto rough =
            continuous_penalty(shot.contacts, shot.role(ball), step, {.stiffness = 1e4, .quadrature = midpoint(20)});
        EXPECT_NEAR(rough.on_shell.force.y() / sideways, 1, 5e-3);
    }
}

TEST(ContinuousPenalty, constant_acceleration_follows_the_parabola_of_the_euler_step) {
    OnePoint fall({0, 0, 0}, {0, 0, -3 * step}, {0, 1});
    fall.shell.velocity_start = {0, 0, -1}; // position t h (v0 + t (v1 - v0)): depth = h (t + 2 t^2), 7/6 h on average
    fall.shell.velocity_end = {0, 0, -3};
    const ContactLaw law{.stiffness = 100, .damping = 5, .path = PathInTime::acceleration};
    const auto response = continuous_penalty(fall.contacts, fall.role(floor_field()), step, law);
    EXPECT_NEAR(response.on_shell.force.z(), 100 * step * 7 / 6 + 5 * 2, 1e-9);
}

TEST(ContinuousPenalty, the_adaptive_rule_is_exact_for_the_polynomials_of_grid_cells) {
    Random random(5);
    const GridLayout layout{Vec3(-0.4, -0.4, -0.4), 0.1, {1, 1, 1}};
    const GridField grid = testing::grid_of(
        layout, GridStorage::float32, [&](int, int, int) { return random.uniform(-2.0, -0.5); },
        [](std::size_t) { return true; });
    double largest = 0;
    for (std::size_t k = 0; k < testing::count_of(200, 20000); ++k) {
        const OnePoint path(0.39 * random.direction(), 0.39 * random.direction(),
                            {0.1 * random.uniform(), 1 - 0.1 * random.uniform()}, random.in_ball());
        ContactLaw law{.damping = 3, .normal = ContactNormal::gradient, .handle = HandleCenter::moving};
        law.quadrature = {.tolerance = 1e-12, .halvings = 0}; // the small rule does not reach it: nine points per cell
        const auto once = continuous_penalty(path.contacts, path.role(grid), step, law);
        law.quadrature = midpoint(20000);
        const auto dense = continuous_penalty(path.contacts, path.role(grid), step, law);
        const double force = once.on_shell.force.norm() + 1, torque = once.on_shell.torque.norm() + 1;
        EXPECT_LT(once.force_error.maxCoeff(), 1e-10 * force); // Gauss's four points agree: degree 7 was enough
        EXPECT_LT(once.torque_error.maxCoeff(), 1e-10 * torque);
        // The gradient jumps by up to 30 at some twenty borders, each felt for half a sub-interval: k * depth * 30 /
        // 40000 is 15 N.
        EXPECT_LT((once.on_shell.force - dense.on_shell.force).norm(), 30);
        EXPECT_LT((once.on_shell.torque - dense.on_shell.torque).norm(), 30);
        largest = std::max(largest, force);
    }
    EXPECT_GT(largest, 1e4);
}

TEST(ContinuousPenalty, the_midpoint_rule_converges_to_the_adaptive_one) {
    Random random(6);
    const AnalyticField ball(shapes::sphere(3)); // all points are inside all the time
    const RandomContacts some(random, 100);
    ContactLaw law{.damping = 20, .friction = 0.4, .quadrature = {.tolerance = 1e-8}};
    const Vec3 best = continuous_penalty(some.contacts, some.role(ball), step, law).on_shell.force;
    double before = 0;
    for (const int points : {20, 80, 320}) {
        law.quadrature = midpoint(points);
        const double off =
            (continuous_penalty(some.contacts, some.role(ball), step, law).on_shell.force - best).norm() / best.norm();
        if (points > 20) {
            EXPECT_NEAR(before / off, 16, 2); // of second order
        }
        before = off;
    }
    EXPECT_LT(before, 1e-6);
}

TEST(ContinuousPenalty, both_bodies_keep_their_momentum_and_angular_momentum_in_sum) {
    Random random(7);
    const testing::BallField ball(Vec3::Zero(), 0.8);
    std::size_t loaded = 0;
    for (int k = 0; k < 300; ++k)
        for (const PathInTime path : {PathInTime::chord, PathInTime::screw, PathInTime::acceleration}) {
            const RandomContacts some(random, 5);
            const ContactLaw law{.damping = 10, .friction = 0.5, .path = path, .quadrature = midpoint(7)};
            const auto r = continuous_penalty(some.contacts, some.role(ball), step, law);
            EXPECT_EQ(r.on_shell.force, -r.on_field.force);
            const Vec3 a = some.shell.motion.end * some.shell.center, b = some.other.motion.end * some.other.center;
            const Vec3 turn =
                a.cross(r.on_shell.force) + r.on_shell.torque + b.cross(r.on_field.force) + r.on_field.torque;
            EXPECT_LT(turn.norm(), 1e-12 * (1 + r.on_shell.force.norm())) << k;
            loaded += r.on_shell.force.norm() > 1;
        }
    EXPECT_GT(loaded, 450u);
}

TEST(ContinuousPenalty, damping_and_friction_only_dissipate_energy_and_friction_stays_in_its_cone) {
    Random random(8);
    for (std::size_t k = 0; k < testing::count_of(10000, 1000000); ++k) {
        ContactState state;
        state.depth = random.uniform(-0.1, 0.5);
        state.separating_direction = random.direction();
        state.velocity = std::pow(10, random.uniform(-5.0, 3.0)) * random.in_ball();
        const ContactLaw law{.stiffness = 1e3,
                             .damping = k % 2 ? 20.0 : 0.0,
                             .friction = 0.7,
                             .damped = k % 4 < 2 ? DampedPart::all : DampedPart::normal};
        const Vec3 push = 1e3 * std::max(state.depth, 0.0) * state.separating_direction,
                   rest = contact_force(state, law) - push;
        EXPECT_LE(rest.dot(state.velocity), 1e-9 * push.norm());
        if (k % 2 == 0) {
            EXPECT_LE(rest.norm(), 0.7 * push.norm() * (1 + 1e-12));
            EXPECT_NEAR(rest.dot(state.separating_direction), 0, 1e-9 * (1 + push.norm()));
        }
        if (state.depth < 0) {
            EXPECT_EQ(rest, Vec3::Zero());
        }
    }
}

TEST(ContinuousPenalty, forces_scale_with_length_and_torques_with_its_square) {
    for (const double scale : {1e-3, 1e3}) {
        Random one(9), other(9);
        const RandomContacts a(one, 50), b(other, 50, scale);
        const testing::BallField ball(Vec3::Zero(), 0.8), scaled(Vec3::Zero(), 0.8 * scale);
        const QuadratureOptions fine{.tolerance = 1e-7};
        const ContactLaw law{.damping = 10, .friction = 0.5, .slip_speed = 0.01, .quadrature = fine},
            scaled_law{.damping = 10, .friction = 0.5, .slip_speed = 0.01 * scale, .quadrature = fine};
        auto spun = b; // spins are not lengths
        for (MovingBody* body : {&spun.shell, &spun.other}) body->spin_start /= scale, body->spin_end /= scale;
        const auto ra = continuous_penalty(a.contacts, a.role(ball), step, law),
                   rb = continuous_penalty(spun.contacts, spun.role(scaled), step, scaled_law);
        EXPECT_LT((rb.on_shell.force / scale - ra.on_shell.force).norm(), 1e-5 * ra.on_shell.force.norm());
        EXPECT_LT((rb.on_shell.torque / (scale * scale) - ra.on_shell.torque).norm(), 1e-5 * ra.on_shell.torque.norm());
    }
}

TEST(ContinuousPenalty, without_contact_there_is_no_force) {
    Random random(10);
    const RandomContacts some(random, 20);
    const testing::BallField far(Vec3(100, 0, 0), 1);
    for (const auto& response : {continuous_penalty({}, some.role(far), step, {}),
                                 continuous_penalty(some.contacts, some.role(far), step, {.damping = 5}),
                                 discrete_penalty({}, some.role(far), step, {}),
                                 discrete_penalty(some.contacts, some.role(far), step, {.damping = 5})}) {
        EXPECT_EQ(response.on_shell.force, Vec3::Zero());
        EXPECT_EQ(response.on_field.torque, Vec3::Zero());
        EXPECT_EQ(response.deepest, 0);
    }
}

TEST(ContinuousPenalty, gives_the_same_bits_for_any_number_of_threads) {
    Random random(11);
    const RandomContacts some(random, 3000);
    const testing::BallField ball(Vec3::Zero(), 0.8);
    std::vector<ContactRecord> records[2];
    ContactResponse responses[2];
    for (const std::size_t threads : {1u, 2u}) {
        set_thread_count(threads);
        responses[threads - 1] = continuous_penalty(some.contacts, some.role(ball), step, {.friction = 0.3},
                                                    {.slopes = true, .records = &records[threads - 1]});
    }
    set_thread_count(0);
    EXPECT_EQ(responses[0].on_shell.force, responses[1].on_shell.force);
    EXPECT_EQ(responses[0].on_field.torque, responses[1].on_field.torque);
    EXPECT_EQ(responses[0].shell_slope.stiffness, responses[1].shell_slope.stiffness);
    ASSERT_EQ(records[0].size(), 3000u);
    for (std::size_t k = 0; k < 3000; ++k) EXPECT_EQ(records[0][k].depth, records[1][k].depth);
}

TEST(ContinuousPenalty, laws_out_of_range_are_refused_by_name) {
    for (const ContactLaw& bad : {ContactLaw{.stiffness = -1}, ContactLaw{.damping = NAN},
                                  ContactLaw{.friction = INFINITY}, ContactLaw{.slip_speed = 0}})
        EXPECT_THROW(check(bad), Error);
    EXPECT_NO_THROW(check(ContactLaw{}));
}

TEST(DiscretePenalty, takes_the_end_of_the_step_for_the_whole) {
    const OnePoint fall({0, 0, 1}, {0, 0, -3}, {0.25, 1}), gone({0, 0, -1}, {0, 0, 1}, {0, 0.5});
    const auto response = discrete_penalty(fall.contacts, fall.role(floor_field()), step, {.stiffness = 100});
    EXPECT_EQ(response.on_shell.force, Vec3(0, 0, 300));
    EXPECT_EQ(discrete_penalty(gone.contacts, gone.role(floor_field()), step, {.stiffness = 100}).on_shell.force,
              Vec3::Zero());
}

TEST(DiscretePenalty, its_slope_predicts_the_force_after_a_small_displacement) {
    Random random(12);
    const AnalyticField floor = floor_field();
    for (int k = 0; k < 100; ++k) {
        RandomContacts some(random, 20);
        some.other = MovingBody::still({});
        for (point_field::PointContact& c : some.contacts) c.time = {0, 1};
        const ContactLaw law{.stiffness = 100};
        const auto before = discrete_penalty(some.contacts, some.role(floor), step, law, {.slopes = true});
        const Vec3 move = 1e-7 * random.in_ball();
        some.shell.motion.end.translation += move;
        const auto after = discrete_penalty(some.contacts, some.role(floor), step, law);
        const Vec3 foretold = -before.shell_slope.stiffness.topLeftCorner<3, 3>() * move;
        EXPECT_LT((after.on_shell.force - before.on_shell.force - foretold).norm(), 1e-9);
        EXPECT_LT((before.shell_slope.stiffness - before.shell_slope.stiffness.transpose()).norm(), 1e-9);
        EXPECT_GE(Eigen::SelfAdjointEigenSolver<Mat6>(before.shell_slope.stiffness).eigenvalues().minCoeff(), -1e-9);
    }
}

} // namespace continuous_penalty_test
} // namespace fathom
