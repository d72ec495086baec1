#include <fathom/simulate/springs/spring_network.h>

#include <fathom/base/error.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/springs/spring_forces.h>
#include <fathom/simulate/springs/spring_stability.h>
#include <simulate/springs/small_networks.h>

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

namespace fathom {
namespace spring_network_test {

using testing::loose_points;
using testing::two_masses;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Cause cause_of(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.cause();
    }
    return Cause::cancelled; // nothing was thrown
}

std::size_t count(const SpringNetwork& network, SpringKind kind) {
    return static_cast<std::size_t>(
        std::count_if(network.springs.begin(), network.springs.end(), [&](const Spring& s) { return s.kind == kind; }));
}

TEST(SpringNetwork, a_closed_surface_has_a_spring_on_every_edge_and_one_across_it) {
    const TriangleMesh mesh = make_sphere({.resolution = 4});
    const SpringNetwork network = surface_network(mesh, {.density = 3});
    EXPECT_EQ(count(network, SpringKind::edge), 3 * mesh.triangles.size() / 2);
    EXPECT_EQ(count(network, SpringKind::bending), 3 * mesh.triangles.size() / 2);
    EXPECT_EQ(network.areas.size(), mesh.triangles.size());
    double area = 0;
    for (const AreaTerm& term : network.areas) area += term.rest;
    EXPECT_NEAR(total_mass(network), 3 * area, 1e-12 * area);
    EXPECT_NO_THROW(check(network));
}

TEST(SpringNetwork, bending_springs_join_the_corners_opposite_an_edge) {
    const TriangleMesh two{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
    const SpringNetwork network = surface_network(two);
    ASSERT_EQ(network.springs.size(), 6u);
    EXPECT_EQ(network.springs.back().kind, SpringKind::bending);
    EXPECT_EQ(network.springs.back().points, (std::array<Index, 2>{1, 3}));
    EXPECT_DOUBLE_EQ(network.springs.back().rest, std::numbers::sqrt2);
    // On a tetrahedron the opposite corners share an edge already.
    const TriangleMesh closed{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                              {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
    EXPECT_EQ(count(surface_network(closed), SpringKind::bending), 0u);
}

TEST(SpringNetwork, a_solid_has_the_mass_of_its_volume_and_every_edge_once) {
    const TetMesh mesh = make_tet_ball({.resolution = 3});
    const SpringNetwork network = solid_network(mesh, {.density = 500});
    double volume = 0;
    for (const VolumeTerm& term : network.volumes) volume += term.rest;
    EXPECT_NEAR(total_mass(network), 500 * volume, 1e-9);
    EXPECT_EQ(network.volumes.size(), mesh.tetrahedra.size());
    for (std::size_t s = 1; s < network.springs.size(); ++s)
        EXPECT_LT(network.springs[s - 1].points, network.springs[s].points);
}

// Energy of a sheet of nearly equilateral triangles that is stretched by 1 % along x and contracted across according to
// a Poisson ratio of 1/3.
double sheet_energy(std::size_t cells, double scale) {
    const double height = std::sqrt(0.75);
    TriangleMesh mesh;
    const std::size_t rows = cells;
    for (std::size_t j = 0; j <= rows; ++j)
        for (std::size_t i = 0; i <= cells; ++i)
            mesh.vertices.push_back(
                scale / static_cast<double>(cells) *
                Vec3(static_cast<double>(i) + 0.5 * static_cast<double>(j % 2), height * static_cast<double>(j), 0));
    const auto id = [&](std::size_t i, std::size_t j) { return static_cast<Index>(j * (cells + 1) + i); };
    for (std::size_t j = 0; j < rows; ++j)
        for (std::size_t i = 0; i < cells; ++i) {
            const std::size_t odd = j % 2;
            mesh.triangles.push_back({id(i, j), id(i + 1, j), id(i + odd, j + 1)});
            mesh.triangles.push_back({id(i + 1, j + 1), id(i, j + 1), id(i + 1 - odd, j)});
        }
    const SpringNetwork network = surface_network(mesh, {.stretch = 100, .bending = 0, .area = 0});
    SpringState state = start_state(network);
    for (Vec3& p : state.positions) p = Vec3(1.01 * p.x(), (1 - 0.01 / 3) * p.y(), 0);
    double area = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) area += 0.5 * area_vector(mesh.corners(t)).norm();
    return spring_energy(network, state).stretch / area;
}

TEST(SpringNetwork, the_energy_of_a_stretched_sheet_follows_its_modulus_for_any_mesh_and_scale) {
    const double expected = 0.5 * 100 * 0.01 * 0.01; // J/m^2: half modulus times strain squared
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const std::size_t cells : {8, 16, 32})
            EXPECT_NEAR(sheet_energy(cells, scale) / expected, 1, 0.02) << cells;
}

TEST(SpringNetwork, unused_vertices_are_held_and_degenerate_triangles_keep_all_numbers_finite) {
    const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 9, 9}, {0.5, 0, 0}, {1, 0, 0}},
                            {{0, 1, 2}, {0, 1, 4}, {1, 5, 2}, {0, 0, 1}}};
    const SpringNetwork network = surface_network(mesh);
    EXPECT_NO_THROW(check(network));
    EXPECT_TRUE(network.fixed[3]);
    EXPECT_FALSE(network.fixed[4]);
    EXPECT_GT(network.masses[4], 0);
    for (const Spring& s : network.springs)
        EXPECT_TRUE(std::isfinite(s.stiffness)) << s.points[0] << ' ' << s.points[1];
    EXPECT_EQ(cause_of([] { (void)surface_network({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}}); }), Cause::empty);
}

TEST(SpringNetwork, a_flat_triangle_requires_no_smaller_step_than_a_low_one) {
    const auto largest = [](double height, double scale) { // a ball with a flap of this height over one of its sides
        TriangleMesh mesh = make_sphere({.resolution = 4});
        const Vec3 a = mesh.vertices[mesh.triangles[0][0]], b = mesh.vertices[mesh.triangles[0][1]];
        mesh.vertices.push_back(0.5 * (a + b) + height * (b - a).norm() * (a + b).normalized());
        mesh.triangles.push_back(
            {mesh.triangles[0][0], mesh.triangles[0][1], static_cast<Index>(mesh.vertices.size() - 1)});
        for (Vec3& vertex : mesh.vertices) vertex *= scale;
        return largest_stable_step(surface_network(mesh)) / scale;
    };
    const double low = largest(0.1, 1);
    for (const double height : {1e-2, 1e-3, 1e-6})
        for (const double scale : {1e-3, 1.0, 1e3})
            EXPECT_GE(largest(height, scale), 0.4 * low) << height << " at " << scale;
    const auto stiffness = [](double height) {
        TriangleMesh mesh{.vertices = {{0, 0, 0}, {1, 0, 0}, {0.5, height, 0}}, .triangles = {{0, 1, 2}}};
        return surface_network(mesh, {.area = 7}).areas.at(0).stiffness;
    };
    EXPECT_EQ(stiffness(0.2), 7);
    EXPECT_NEAR(stiffness(0.05), 3.5, 1e-12);
}

TEST(SpringNetwork, parts_of_an_appended_network_come_after_the_others) {
    SpringNetwork network = two_masses();
    EXPECT_EQ(append(network, two_masses()), 2u);
    EXPECT_EQ(append(network, network), 4u);
    EXPECT_EQ(network.part_count(), 4u);
    EXPECT_EQ(network.springs[3].points, (std::array<Index, 2>{6, 7}));
    EXPECT_NO_THROW(check(network));
}

TEST(SpringNetwork, a_split_point_hands_over_elements_and_mass) {
    SpringNetwork network = loose_points({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 2);
    network.springs = {{.points = {0, 1}, .rest = 1, .stiffness = 1}, {.points = {1, 2}, .rest = 1, .stiffness = 1}};
    const std::array<Index, 1> over = {1};
    EXPECT_EQ(split_point(network, 1, {.springs = over, .mass_share = 0.25}), 3u);
    EXPECT_EQ(network.springs[0].points, (std::array<Index, 2>{0, 1}));
    EXPECT_EQ(network.springs[1].points, (std::array<Index, 2>{3, 2}));
    EXPECT_EQ(network.masses[1], 1.5);
    EXPECT_EQ(network.masses[3], 0.5);
    EXPECT_EQ(cause_of([&] { split_point(network, 1, {.springs = over}); }),
              Cause::invalid_argument); // spring 1 has left point 1
    EXPECT_EQ(cause_of([&] { split_point(network, 9, {}); }), Cause::index_out_of_range);
    EXPECT_EQ(cause_of([&] { split_point(network, 1, {.mass_share = 1}); }), Cause::invalid_argument);
    remove_spring(network, 0);
    EXPECT_EQ(network.springs[0].kind, SpringKind::removed);
    EXPECT_EQ(cause_of([&] { remove_spring(network, 2); }), Cause::index_out_of_range);
    EXPECT_NO_THROW(check(network));
}

TEST(SpringNetwork, hostile_networks_are_refused_by_name) {
    const auto broken = [](const auto& change) {
        SpringNetwork network = two_masses();
        change(network);
        return cause_of([&] { check(network); });
    };
    EXPECT_EQ(broken([](SpringNetwork&) {}), Cause::cancelled);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.masses[1] = -1; }), Cause::invalid_argument);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.masses[1] = 0; }), Cause::invalid_argument);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.masses[1] = nan; }), Cause::non_finite);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.masses.pop_back(); }), Cause::count_mismatch);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.points[0].y() = nan; }), Cause::non_finite);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.part[0] = no_index; }), Cause::invalid_argument);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.springs[0].points[1] = 2; }), Cause::index_out_of_range);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.springs[0].points[1] = 0; }), Cause::invalid_argument);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.springs[0].stiffness = -1; }), Cause::invalid_argument);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.springs[0].damping = nan; }), Cause::non_finite);
    EXPECT_EQ(broken([](SpringNetwork& n) { n.springs[0].rest = -1; }), Cause::invalid_argument);
    EXPECT_EQ(broken([](SpringNetwork& n) {
                  n.areas.push_back({.points = {0, 1, 1}, .rest = 0, .stiffness = 1});
              }),
              Cause::invalid_argument);
    EXPECT_EQ(broken([](SpringNetwork& n) {
                  n.volumes.push_back({.points = {0, 1, 1, 7}, .rest = 1, .stiffness = 1});
              }),
              Cause::index_out_of_range);
    const TriangleMesh mesh = make_sphere({.resolution = 1});
    EXPECT_EQ(cause_of([&] { (void)surface_network(mesh, {.density = 0}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { (void)surface_network(mesh, {.stretch = nan}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { (void)solid_network(make_tet_box(), {.volume = -1}); }), Cause::invalid_argument);
}

} // namespace spring_network_test
} // namespace fathom
