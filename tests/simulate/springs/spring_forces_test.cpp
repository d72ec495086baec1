#include <fathom/simulate/springs/spring_forces.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/springs/spring_solve.h>
#include <simulate/springs/small_networks.h>

#include <gtest/gtest.h>

#include <limits>

namespace fathom {
namespace spring_forces_test {

using testing::loose_points;
using testing::shaken;
using testing::two_masses;

SpringNetwork only(SpringNetwork network, const std::string& kind) {
    if (kind != "springs") network.springs.clear();
    if (kind != "areas") network.areas.clear();
    if (kind != "volumes") network.volumes.clear();
    return network;
}

// A ball with springs, areas on its border, and volumes.
SpringNetwork everything(double scale = 1) {
    TetMesh mesh = make_tet_ball({.radius = 0.5, .resolution = 2});
    for (Vec3& p : mesh.vertices) p *= scale;
    SpringNetwork network = solid_network(mesh);
    network.areas = surface_network(boundary(mesh)).areas;
    for (AreaTerm& area : network.areas) area.stiffness = 3e4 * scale;
    return network;
}

TEST(SpringForces, the_force_of_a_damped_spring_is_equation_2) {
    const SpringNetwork network = two_masses(100, 7);
    SpringState state = start_state(network);
    state.positions[1] = {0, 3, 4};
    state.velocities[0] = {0, 1, 0};
    state.velocities[1] = {5, 2, -3};
    const std::vector<Vec3> forces = spring_forces(network, state);
    const Vec3 unit(0, 0.6, 0.8);
    const double tension = 100 * (5 - 1) + 7 * Vec3(5, 1, -3).dot(unit);
    EXPECT_NEAR((forces[0] - tension * unit).norm(), 0, 1e-12);
    EXPECT_EQ(forces[1], -forces[0]);
    EXPECT_NEAR(spring_energy(network, state).stretch, 0.5 * 100 * 16, 1e-12);
}

TEST(SpringForces, air_friction_and_gravity_act_on_the_mass) {
    const SpringNetwork network = loose_points({{1, 2, 3}}, 4);
    SpringState state = start_state(network);
    state.velocities[0] = {2, 0, 0};
    EXPECT_EQ(spring_forces(network, state, {.gravity = {0, 0, -10}, .air_friction = 3})[0], Vec3(-24, 0, -40));
    const SpringEnergy energy = spring_energy(network, state, {.gravity = {0, 0, -10}});
    EXPECT_EQ(energy.gravity, 120);
    EXPECT_EQ(energy.kinetic, 8);
}

TEST(SpringForces, every_force_is_minus_the_slope_of_its_energy) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const char* kind : {"springs", "areas", "volumes"}) {
            const SpringNetwork network = only(everything(scale), kind);
            const SpringState state = shaken(network, 0.03 * scale, 0);
            const std::vector<Vec3> forces = spring_forces(network, state, {.gravity = {1, 2, -9}});
            double largest = 0, worst = 0;
            for (std::size_t p = 0; p < network.size(); ++p)
                for (int axis = 0; axis < 3; ++axis) {
                    const double shift = 1e-6 * scale;
                    const auto at = [&](double by) {
                        SpringState moved = state;
                        moved.positions[p][axis] += by;
                        return spring_energy(network, moved, {.gravity = {1, 2, -9}}).total();
                    };
                    const double slope = (at(shift) - at(-shift)) / (2 * shift);
                    largest = std::max(largest, std::abs(forces[p][axis]));
                    worst = std::max(worst, std::abs(forces[p][axis] + slope));
                }
            EXPECT_GT(largest, 0);
            EXPECT_LT(worst, 1e-6 * largest) << kind << ' ' << scale;
        }
}

TEST(SpringForces, collapsed_springs_and_triangles_have_finite_forces) {
    SpringNetwork network = loose_points({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    network.springs = {{.points = {0, 1}, .rest = 1, .stiffness = 100, .damping = 1}};
    network.areas = {{.points = {0, 1, 2}, .rest = 0.5, .stiffness = 100}};
    network.volumes = {{.points = {0, 1, 2, 3}, .rest = 1.0 / 6, .stiffness = 100}};
    SpringState state = start_state(network);
    for (const double size : {0.0, 1e-320, 1e-160, 1e-30}) {
        for (std::size_t k = 0; k < 4; ++k) state.positions[k] = size * network.points[k];
        for (const Vec3& f : spring_forces(network, state)) EXPECT_TRUE(is_finite(f)) << size;
        EXPECT_TRUE(std::isfinite(spring_energy(network, state).total()));
    }
    EXPECT_EQ(spring_energy(network, start_state(network)).elastic(), 0);
}

TEST(SpringForces, forces_within_a_body_add_up_to_nothing) {
    const SpringNetwork network = everything();
    const SpringState state = shaken(network, 0.1, 1);
    Vec3 sum = Vec3::Zero(), turn = Vec3::Zero();
    double size = 0;
    const std::vector<Vec3> forces = spring_forces(network, state);
    for (std::size_t k = 0; k < forces.size(); ++k) {
        sum += forces[k];
        turn += state.positions[k].cross(forces[k]);
        size += forces[k].norm();
    }
    EXPECT_LT(sum.norm(), 1e-14 * size);
    EXPECT_LT(turn.norm(), 1e-14 * size);
}

TEST(SpringForces, sums_over_blocks_are_the_same_for_any_number_of_threads_and_equal_those_of_one_block) {
    const SpringNetwork network = surface_network(make_sphere({.resolution = 32})); // 10242 points: several blocks
    const SpringBlocks blocks(network);
    ASSERT_GT(blocks.size(), 3u);
    const SpringState state = shaken(network, 0.005, 1);
    std::vector<Vec3> plain(network.size(), Vec3::Zero());
    for (const Spring& s : network.springs) {
        const Vec3 d = state.positions[s.points[1]] - state.positions[s.points[0]];
        const Vec3 f = s.stiffness * (d.norm() - s.rest) * d.normalized();
        plain[s.points[0]] += f;
        plain[s.points[1]] -= f;
    }
    SpringNetwork springs = network;
    springs.areas.clear();
    const std::vector<Vec3> ours = spring_forces(springs, state);
    for (std::size_t k = 0; k < plain.size(); ++k) ASSERT_NEAR((ours[k] - plain[k]).norm(), 0, 1e-10);
    set_thread_count(1);
    const std::vector<Vec3> alone = spring_forces(network, state);
    set_thread_count(2);
    EXPECT_EQ(spring_forces(network, state), alone);
    set_thread_count(0);
}

TEST(SpringForces, hostile_states_are_refused) {
    const SpringNetwork network = two_masses();
    SpringState state = start_state(network);
    state.velocities[1].x() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW((void)spring_forces(network, state), Error);
    state = start_state(network);
    state.positions.pop_back();
    EXPECT_THROW((void)spring_energy(network, state), Error);
}

// The matrix, column by column, against how the forces change.
void expect_slope_of_forces(const SpringNetwork& network, const SpringState& state, double tolerance) {
    const SpringBlocks blocks(network);
    SpringMatrix matrix(network, blocks);
    matrix.assemble(network, blocks, state.positions, {.stiffness = 1});
    std::vector<Vec3> in(network.size(), Vec3::Zero()), out(network.size()), product(network.size());
    double largest = 0, worst = 0;
    for (std::size_t p = 0; p < network.size(); ++p)
        for (int axis = 0; axis < 3; ++axis) {
            in[p][axis] = 1;
            matrix.multiply(in, out);
            spring_product(network, blocks, state.positions, {.stiffness = 1}, in, product);
            in[p][axis] = 0;
            const auto at = [&](double by) {
                SpringState moved = state;
                moved.positions[p][axis] += by;
                return spring_forces(network, moved);
            };
            const std::vector<Vec3> after = at(1e-6), before = at(-1e-6);
            for (std::size_t k = 0; k < network.size(); ++k) {
                const Vec3 slope = -(after[k] - before[k]) / 2e-6;
                largest = std::max(largest, slope.norm());
                worst = std::max({worst, (slope - out[k]).norm(), (out[k] - product[k]).norm()});
            }
        }
    EXPECT_LT(worst, tolerance * largest);
}

TEST(SpringMatrix, equals_the_slope_of_the_forces_without_omitted_terms) {
    SpringNetwork network = everything();
    expect_slope_of_forces(network, start_state(network), 1e-5); // at rest
    network = only(network, "springs");
    SpringState stretched = shaken(network, 0.01, 0);
    for (Vec3& p : stretched.positions) p *= 1.5; // all springs longer than at rest
    expect_slope_of_forces(network, stretched, 1e-6);
}

TEST(SpringMatrix, has_no_negative_eigenvalue_however_the_network_is_crushed) {
    Random random(3);
    for (int k = 0; k < 50; ++k) {
        const SpringNetwork network = everything();
        const SpringState state = shaken(network, 0.5, 0, static_cast<std::uint64_t>(k));
        const SpringBlocks blocks(network);
        SpringMatrix matrix(network, blocks);
        matrix.assemble(network, blocks, state.positions, {.damping = 1, .stiffness = 1});
        std::vector<Vec3> in(network.size()), out(network.size());
        for (int trial = 0; trial < 20; ++trial) {
            for (Vec3& v : in) v = random.in_ball();
            matrix.multiply(in, out);
            double power = 0, size = 0;
            for (std::size_t i = 0; i < in.size(); ++i)
                power += in[i].dot(out[i]), size += in[i].norm() * out[i].norm();
            ASSERT_GE(power, -1e-12 * size);
        }
    }
}

TEST(SpringSolve, both_solvers_agree_with_contacts_and_fixed_points) {
    SpringNetwork network = everything();
    network.fixed[3] = network.fixed[10] = 1;
    const SpringState state = shaken(network, 0.05, 0);
    const SpringBlocks blocks(network);
    SpringMatrix matrix(network, blocks);
    matrix.assemble(network, blocks, state.positions,
                    {.mass = 1, .damping = 0.01, .stiffness = 1e-4, .air_friction = 2});
    const WeightedContact contact{.points = {0, 5, 3, 20},
                                  .weights = {1, -0.2, -0.3, -0.5},
                                  .count = 4,
                                  .separating_direction = Vec3(1, 2, 2) / 3,
                                  .depth = 0.1};
    matrix.set_contacts({{&contact, 1e3 * contact.separating_direction * contact.separating_direction.transpose()}});
    Random random(5);
    std::vector<Vec3> right(network.size()), by_steps(network.size()), by_factors(network.size()), back(network.size());
    for (std::size_t k = 0; k < right.size(); ++k) right[k] = network.fixed[k] ? Vec3(Vec3::Zero()) : random.in_ball();
    SpringSolve solve;
    const SolveReport report = solve(matrix, right, by_steps, {.tolerance = 1e-12});
    EXPECT_TRUE(report.converged);
    EXPECT_GT(report.iterations, 3u);
    EXPECT_TRUE(solve(matrix, right, by_factors, {.solver = SpringSolver::factorisation}).converged);
    matrix.multiply(by_factors, back);
    for (std::size_t k = 0; k < right.size(); ++k) {
        EXPECT_NEAR((by_steps[k] - by_factors[k]).norm(), 0, 1e-9 * by_factors[k].norm() + 1e-12);
        EXPECT_NEAR((back[k] - right[k]).norm(), 0, 1e-10);
        EXPECT_TRUE(!network.fixed[k] || by_steps[k] == Vec3::Zero());
    }
    EXPECT_FALSE(solve(matrix, right, by_steps, {.tolerance = 1e-12, .max_iterations = 2}).converged);
}

} // namespace spring_forces_test
} // namespace fathom
