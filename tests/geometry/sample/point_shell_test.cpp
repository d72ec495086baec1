#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/sample/point_shell.h>
#include <fathom/geometry/sample/shell_surface.h>
#include <support/test_counts.h>
#include <support/topology.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace fathom {
namespace point_shell_test {

void expect_on_surface(const PointShell& shell, const TriangleMesh& mesh) {
    ASSERT_EQ(shell.points.size(), shell.normals.size());
    ASSERT_EQ(shell.points.size(), shell.triangles.size());
    const double size = bounds(mesh.vertices).diagonal();
    for (std::size_t i = 0; i < shell.points.size(); ++i) {
        ASSERT_LT(shell.triangles[i], mesh.triangles.size());
        const auto c = mesh.corners(shell.triangles[i]);
        const Vec3 normal = area_vector(c).normalized(), weights = barycentric(shell.points[i], c);
        ASSERT_LT(std::abs((shell.points[i] - c[0]).dot(normal)), 1e-12 * size) << i;
        ASSERT_GT(weights.minCoeff(), -1e-6) << i;
        ASSERT_NEAR(shell.normals[i].norm(), 1, 1e-12) << i;
        ASSERT_GT(shell.normals[i].dot(normal), 0) << i;
    }
}

// ---- Vertices.

TEST(VertexShell, normals_are_exact_on_a_sphere_and_even_on_a_box) {
    const TriangleMesh sphere = make_sphere({.radius = 2, .resolution = 10});
    const PointShell shell = vertex_shell(sphere);
    ASSERT_EQ(shell.points, sphere.vertices);
    for (std::size_t i = 0; i < shell.points.size(); ++i)
        ASSERT_LT((shell.normals[i] - shell.points[i] / 2).norm(), 1e-12);
    // However the faces are cut, a corner of a box points along the diagonal.
    const PointShell box = vertex_shell(make_box());
    for (std::size_t i = 0; i < 8; ++i) EXPECT_LT((box.normals[i] - box.points[i].normalized()).norm(), 1e-12);
}

TEST(VertexShell, leaves_out_vertices_without_a_triangle_that_has_area) {
    TriangleMesh mesh = make_box();
    mesh.vertices.push_back({5, 5, 5});
    mesh.vertices.push_back({6, 6, 6});
    mesh.triangles.push_back({8, 9, 8});
    const PointShell shell = vertex_shell(mesh);
    EXPECT_EQ(shell.points.size(), 8u);
    for (const Vec3& n : shell.normals) EXPECT_TRUE(n.allFinite());
}

// ---- Random samples.

TEST(RandomShell, spreads_points_by_area) {
    const TriangleMesh box = make_box({.size = {1, 1, 8}, .cells = {1, 2, 3}});
    const PointShell shell = random_shell(box, {.count = 34'000, .seed = 3});
    expect_on_surface(shell, box);
    std::size_t on_ends = 0; // 2 of 34 m^2
    for (const Vec3& p : shell.points) on_ends += std::abs(p.z()) > 4 - 1e-9;
    EXPECT_NEAR(static_cast<double>(on_ends), 2000, 200);
}

TEST(RandomShell, spacing_sets_the_count) {
    const TriangleMesh sphere = make_sphere({.radius = 1, .resolution = 20});
    const double spacing = 0.1, wanted = testing::area_of(sphere) / (spacing * spacing * std::sqrt(3) / 2);
    EXPECT_NEAR(static_cast<double>(random_shell(sphere, {.spacing = spacing}).points.size()), wanted, 1);
    EXPECT_NEAR(shell_quality(random_shell(sphere, {.spacing = spacing}), sphere).ideal_spacing, spacing,
                1e-3 * spacing);
}

// ---- Repulsion.

TEST(RepelledShell, is_far_more_even_than_random_samples) {
    const TriangleMesh shapes[] = {make_sphere(), make_torus(), make_creature({.triangles = 8000})};
    for (const TriangleMesh& mesh : shapes) {
        const PointShell even = repelled_shell(mesh, {.count = 3000});
        expect_on_surface(even, mesh);
        ASSERT_EQ(even.points.size(), 3000u);
        const ShellQuality best = shell_quality(even, mesh),
                           chance = shell_quality(random_shell(mesh, {.count = 3000}), mesh);
        // Random samples show the figures of a Poisson process.
        EXPECT_LT(chance.smallest, 0.1);
        EXPECT_NEAR(chance.mean, 0.465, 0.03);
        EXPECT_NEAR(chance.variation, 0.52, 0.04);
        EXPECT_GT(chance.largest_gap, 2);
        EXPECT_GT(best.smallest, 0.6);
        EXPECT_GT(best.mean, 0.85);
        EXPECT_LT(best.variation, 0.07);
        EXPECT_LT(best.largest_gap, 1.5);
    }
}

TEST(RepelledShell, more_rounds_never_hurt_much_and_the_first_help_most) {
    const TriangleMesh mesh = make_torus();
    double last = shell_quality(repelled_shell(mesh, {.count = 1000, .rounds = 0}), mesh).mean;
    for (const std::size_t rounds : {10u, 40u, 160u}) {
        const double mean = shell_quality(repelled_shell(mesh, {.count = 1000, .rounds = rounds}), mesh).mean;
        EXPECT_GT(mean, last);
        last = mean;
    }
}

TEST(RepelledShell, keeps_corners_and_creases) {
    const TriangleMesh box = make_box({.cells = {3, 3, 3}});
    const auto with = [&](bool corners, bool creases) {
        return repelled_shell(box, {.count = 800, .keep_corners = corners, .keep_creases = creases});
    };
    const auto on_edges = [](const PointShell& shell, int sides) { // points on at least `sides` of the box's sides
        std::size_t found = 0;
        for (const Vec3& p : shell.points) found += (p.cwiseAbs().array() > 0.5 - 1e-9).count() >= sides;
        return found;
    };
    EXPECT_EQ(on_edges(with(true, true), 3), 8u);
    EXPECT_EQ(on_edges(with(true, false), 3), 8u);
    EXPECT_EQ(on_edges(with(false, false), 3), 0u);
    // Spacing 0.093: each of the twelve edges of 1 m is cut into 11 pieces by 10 points.
    EXPECT_EQ(on_edges(with(true, true), 2), 8u + 12 * 10);
    expect_on_surface(with(true, true), box);
    EXPECT_GT(shell_quality(with(true, true), box).smallest, 0.5);
}

TEST(RepelledShell, keeps_the_rims_of_a_cylinder_which_have_no_corner) {
    const TriangleMesh cylinder = make_cylinder({.radius = 0.5, .height = 1, .segments = 96});
    const PointShell shell = repelled_shell(cylinder, {.count = 1500});
    std::size_t on_rim = 0;
    for (const Vec3& p : shell.points) on_rim += std::abs(std::abs(p.z()) - 0.5) < 1e-9 && p.head<2>().norm() > 0.499;
    const double ideal = shell_quality(shell, cylinder).ideal_spacing;
    EXPECT_NEAR(static_cast<double>(on_rim), 2 * std::numbers::pi / ideal, 3);
}

TEST(RepelledShell, does_not_mix_the_two_sides_of_a_thin_wall) {
    const TriangleMesh plate = make_box({.size = {1, 1, 1e-3}, .cells = {4, 4, 1}});
    const PointShell shell = repelled_shell(plate, {.count = 2000, .keep_corners = false, .keep_creases = false});
    std::size_t above = 0, below = 0;
    for (const Vec3& n : shell.normals) {
        above += n.z() > 0.9;
        below += n.z() < -0.9;
    }
    // The rest found room on the rim, a row of points one behind the other.
    EXPECT_GT(above, 900u);
    EXPECT_GT(below, 900u);
    EXPECT_LT(std::max(above, below) - std::min(above, below), 40u);
    EXPECT_GT(shell_quality(shell, plate).mean, 0.8);
}

TEST(RepelledShell, stays_on_open_and_non_manifold_meshes) {
    TriangleMesh mesh = make_cloth({.cells = {5, 5}});
    append(mesh, mapped(make_cloth({.cells = {5, 5}}), [](const Vec3& p) { return Vec3(p.x(), p.z(), p.y()); }));
    mesh.triangles.push_back({0, 1, 40}); // a third triangle on an edge
    mesh.triangles.push_back({3, 3, 4});  // and one without area
    const PointShell shell = repelled_shell(mesh, {.count = 500, .keep_corners = false, .keep_creases = false});
    EXPECT_EQ(shell.points.size(), 500u);
    expect_on_surface(shell, mesh);
}

TEST(RepelledShell, has_the_same_bytes_for_any_number_of_threads) {
    const TriangleMesh mesh = make_creature({.triangles = 5000});
    set_thread_count(1);
    const PointShell one = repelled_shell(mesh, {.count = 4000, .rounds = 15});
    const ShellQuality of_one = shell_quality(one, mesh);
    set_thread_count(5);
    const PointShell five = repelled_shell(mesh, {.count = 4000, .rounds = 15});
    const ShellQuality of_five = shell_quality(five, mesh);
    set_thread_count(0);
    EXPECT_EQ(one, five);
    EXPECT_EQ(of_one.mean, of_five.mean);
    EXPECT_EQ(of_one.largest_gap, of_five.largest_gap);
    EXPECT_NE(one, repelled_shell(mesh, {.count = 4000, .seed = 2, .rounds = 15}));
}

TEST(RepelledShell, has_the_same_quality_at_every_scale) {
    const TriangleMesh mesh = make_torus();
    const ShellQuality whole = shell_quality(repelled_shell(mesh, {.count = 2000}), mesh);
    for (const double scale : {1e-3, 1e3}) {
        const TriangleMesh scaled = mapped(mesh, [&](const Vec3& p) { return Vec3(scale * p); });
        const PointShell shell = repelled_shell(scaled, {.count = 2000});
        expect_on_surface(shell, scaled);
        const ShellQuality quality = shell_quality(shell, scaled);
        EXPECT_NEAR(quality.ideal_spacing / scale, whole.ideal_spacing, 1e-12);
        EXPECT_NEAR(quality.mean, whole.mean, 0.01);
        EXPECT_NEAR(quality.variation, whole.variation, 0.01);
        EXPECT_NEAR(quality.smallest, whole.smallest, 0.06);
    }
}

TEST(ShellQuality, a_hexagonal_packing_scores_one) {
    // Rows of a hexagonal lattice on a sheet that it tiles.
    const std::size_t columns = 20, rows = 24;
    const double width = static_cast<double>(columns), height = static_cast<double>(rows) * std::sqrt(3) / 2;
    const TriangleMesh sheet = make_cloth({.size = {width, height}, .cells = {4, 4}});
    PointShell shell;
    for (std::size_t j = 0; j < rows; ++j)
        for (std::size_t i = 0; i < columns; ++i) {
            const double x = static_cast<double>(i) + (j % 2 ? 0.75 : 0.25),
                         y = (static_cast<double>(j) + 0.5) * std::sqrt(3) / 2;
            shell.points.push_back({x - width / 2, y - height / 2, 0});
            shell.normals.push_back(Vec3::UnitZ());
            shell.triangles.push_back(0);
        }
    const ShellQuality quality = shell_quality(shell, sheet);
    EXPECT_NEAR(quality.ideal_spacing, 1, 1e-12);
    EXPECT_NEAR(quality.smallest, 1, 1e-9);
    EXPECT_NEAR(quality.mean, 1, 1e-9);
    EXPECT_NEAR(quality.variation, 0, 1e-6);
    EXPECT_GT(quality.largest_gap, 0.95); // at the border it is a little more than 1
    EXPECT_LT(quality.largest_gap, 1.6);
}

TEST(PointShell, refuses_broken_meshes_and_options) {
    const auto cause_of = [](auto&& action) {
        try {
            action();
        } catch (const Error& error) {
            return error.cause();
        }
        return Cause::cancelled;
    };
    const TriangleMesh box = make_box();
    TriangleMesh bad = box;
    bad.vertices[3].x() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(cause_of([&] { (void)vertex_shell(bad); }), Cause::non_finite);
    bad = box;
    bad.triangles[2][1] = 99;
    EXPECT_EQ(cause_of([&] { (void)repelled_shell(bad); }), Cause::index_out_of_range);
    EXPECT_EQ(cause_of([&] { (void)random_shell({}); }), Cause::empty);
    const TriangleMesh flat = mapped(box, [](const Vec3& p) { return Vec3(p.x(), 0, 0); });
    EXPECT_EQ(cause_of([&] { (void)repelled_shell(flat); }), Cause::empty);
    EXPECT_EQ(cause_of([&] { (void)random_shell(box, {.count = 0}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { (void)random_shell(box, {.spacing = -1}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { (void)random_shell(box, {.spacing = 1e-9}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { (void)random_shell(box, {.spacing = std::nan("")}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { (void)repelled_shell(box, {.count = 7}); }), Cause::invalid_argument); // eight corners
    EXPECT_EQ(cause_of([&] { (void)repelled_shell(box, {.crease_angle = 0}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { (void)shell_quality({}, box); }), Cause::empty);
    EXPECT_EQ(repelled_shell(box, {.count = 1, .keep_corners = false, .keep_creases = false}).points.size(), 1u);
}

// ---- Walking.

TEST(SurfaceWalk, on_an_unfolded_box_is_a_straight_line) {
    const TriangleMesh box = make_box({.size = {2, 2, 2}, .cells = {3, 4, 5}});
    const SurfaceWalker walker(box);
    // From the middle of the side x = 1 straight up for 1.5 m: over the edge and half a metre back over the top.
    for (std::size_t t = 0; t < box.triangles.size(); ++t) {
        const auto c = box.corners(t);
        const Vec3 start = (c[0] + c[1] + c[2]) / 3;
        if (start.x() < 1 - 1e-12) continue;
        const SurfaceSpot end = walker.walk({start, static_cast<Index>(t)}, {0, 0, 1.5});
        const double over = start.z() + 1.5 - 1;
        const Vec3 expected = over > 0 ? Vec3(1 - over, start.y(), 1) : Vec3(1, start.y(), start.z() + 1.5);
        ASSERT_LT((end.point - expected).norm(), 1e-6);
    }
}

TEST(SurfaceWalk, keeps_its_length_on_a_sphere_and_never_leaves_it) {
    const TriangleMesh sphere = make_sphere({.radius = 1, .resolution = 12});
    const SurfaceWalker walker(sphere);
    Random random(5);
    for (std::size_t k = 0; k < testing::count_of(2000, 100'000); ++k) {
        const auto t = static_cast<Index>(random.below(sphere.triangles.size()));
        const auto c = sphere.corners(t);
        const Vec3 start = (c[0] + c[1] + c[2]) / 3, normal = walker.normal(t);
        const Vec3 heading = normal.cross(random.direction()).normalized();
        const double length = random.uniform(0, 3);
        const SurfaceSpot end = walker.walk({start, t}, length * heading);
        ASSERT_GT(barycentric(end.point, sphere.corners(end.triangle)).minCoeff(), -1e-9);
        // Along a great circle, nearly: the angle walked is the length.
        const double angle = std::acos(std::clamp(start.normalized().dot(end.point.normalized()), -1.0, 1.0));
        ASSERT_NEAR(angle, length, 0.06);
    }
}

TEST(PointGrid, finds_exactly_the_points_in_reach) {
    Random random(9);
    std::vector<Vec3> points(800);
    for (Vec3& p : points) p = random.in_ball();
    for (const double cell : {0.01, 0.2, 5.0}) {
        const PointGrid grid(points, cell);
        std::size_t total = 0;
        for (std::size_t k = 0; k < 200; ++k) {
            const Vec3 p = 1.2 * random.in_ball();
            const double radius = random.uniform(0, 0.5);
            std::vector<int> seen(points.size(), 0);
            grid.near(p, radius, [&](Index i, const Vec3& q) {
                EXPECT_EQ(q, points[i]);
                ++seen[i];
            });
            for (std::size_t i = 0; i < points.size(); ++i) {
                ASSERT_LE(seen[i], 1);
                if ((points[i] - p).norm() <= radius) {
                    ASSERT_EQ(seen[i], 1);
                    ++total;
                }
            }
        }
        EXPECT_GT(total, 1000u);
    }
}

} // namespace point_shell_test
} // namespace fathom
