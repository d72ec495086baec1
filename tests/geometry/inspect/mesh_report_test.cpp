#include <support/small_meshes.h>
#include <support/test_counts.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/mesh/components.h>
#include <fathom/geometry/primitive/triangle_triangle.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <gtest/gtest.h>

#include <limits>

namespace fathom {
namespace mesh_report_test {

using testing::as_soup;
using testing::box_of_tetrahedra;
using testing::cube_mesh;
using testing::joined;
using testing::random_triangles;
using testing::sphere_mesh;
using testing::torus_mesh;

TEST(MeshReport, a_cube_is_clean) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const MeshReport report = mesh_report(cube_mesh(scale * Vec3(1, 2, 3), scale));
        EXPECT_TRUE(report.clean());
        EXPECT_TRUE(report.watertight);
        EXPECT_EQ(report.vertices, 8u);
        EXPECT_EQ(report.positions, 8u);
        EXPECT_EQ(report.triangles, 12u);
        EXPECT_EQ(report.tetrahedra, 0u);
        EXPECT_EQ(report.components, 1u);
        EXPECT_EQ(report.genus, 0u);
        EXPECT_NEAR(report.volume.value() / (8 * scale * scale * scale), 1, 1e-14);
        EXPECT_NEAR(report.area / (24 * scale * scale), 1, 1e-14);
        EXPECT_LT((report.bounds.upper - scale * Vec3(2, 3, 4)).norm(), 1e-15 * scale);
        EXPECT_FALSE(report.self_intersections.has_value());
    }
}

TEST(MeshReport, equal_positions_count_as_one_vertex) {
    const MeshReport soup = mesh_report(as_soup(cube_mesh()));
    EXPECT_TRUE(soup.clean());
    EXPECT_EQ(soup.vertices, 36u);
    EXPECT_EQ(soup.positions, 8u);
    EXPECT_EQ(soup.components, 1u);
}

TEST(MeshReport, a_missing_triangle_leaves_three_open_edges_and_no_volume) {
    TriangleMesh mesh = cube_mesh();
    mesh.triangles.erase(mesh.triangles.begin());
    const MeshReport report = mesh_report(mesh);
    EXPECT_FALSE(report.watertight);
    EXPECT_EQ(report.open_edges.count, 3u);
    EXPECT_EQ(report.open_edges.first, (std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}}));
    EXPECT_FALSE(report.volume.has_value());
    EXPECT_FALSE(report.genus.has_value());
    EXPECT_FALSE(report.clean());
}

TEST(MeshReport, an_inverted_triangle_conflicts_with_its_three_neighbours) {
    TriangleMesh mesh = cube_mesh();
    std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
    const MeshReport report = mesh_report(mesh);
    EXPECT_EQ(report.clashing_edges.count, 3u);
    EXPECT_EQ(report.open_edges.count, 0u);
    EXPECT_FALSE(report.watertight);
}

TEST(MeshReport, a_fin_makes_a_non_manifold_edge) {
    TriangleMesh mesh = cube_mesh();
    mesh.vertices.emplace_back(5, 5, 5);
    mesh.triangles.push_back({0, 1, 8});
    const MeshReport report = mesh_report(mesh);
    EXPECT_EQ(report.nonmanifold_edges.count, 1u);
    EXPECT_EQ(report.nonmanifold_edges.first, (std::vector<Edge>{{0, 1}}));
    EXPECT_EQ(report.open_edges.count, 2u);
    EXPECT_EQ(report.nonmanifold_vertices.count, 0u); // all triangles of each vertex are connected by edges
}

TEST(MeshReport, two_cubes_that_touch_in_a_corner_have_one_non_manifold_vertex_and_genus_zero) {
    const TriangleMesh mesh = joined(cube_mesh(), cube_mesh(Vec3(2, 2, 2)));
    const MeshReport report = mesh_report(mesh);
    EXPECT_TRUE(report.watertight);
    EXPECT_EQ(report.components, 1u);
    EXPECT_EQ(report.nonmanifold_vertices.count, 1u);
    EXPECT_EQ(report.nonmanifold_vertices.first, (std::vector<Index>{7}));
    EXPECT_EQ(report.genus, 0u);
    EXPECT_NEAR(report.volume.value(), 16, 1e-13);
}

TEST(MeshReport, genus_counts_the_handles_of_all_parts) {
    const TriangleMesh torus = torus_mesh(24, 12);
    EXPECT_EQ(mesh_report(torus).genus, 1u);
    const TriangleMesh other = mapped(torus, [](const Vec3& p) -> Vec3 { return p + Vec3(5, 0, 0); });
    const MeshReport report = mesh_report(joined(joined(torus, other), sphere_mesh(2)));
    EXPECT_EQ(report.components, 3u);
    EXPECT_EQ(report.genus, 2u);
}

TEST(MeshReport, duplicates_and_triangles_without_area_are_found) {
    TriangleMesh mesh = cube_mesh();
    mesh.vertices.emplace_back(0, -1, -1); // on the edge of vertices 0 and 1
    mesh.triangles.push_back({1, 3, 2});   // triangle 1, begun elsewhere
    mesh.triangles.push_back({1, 2, 3});   // and once more
    mesh.triangles.push_back({2, 1, 3});   // and turned
    mesh.triangles.push_back({0, 8, 1});   // a line
    mesh.triangles.push_back({4, 4, 5});   // another
    const MeshReport report = mesh_report(mesh);
    EXPECT_EQ(report.duplicate_faces.count, 3u);
    EXPECT_EQ(report.duplicate_faces.first, (std::vector<Index>{12, 13, 14}));
    EXPECT_EQ(report.degenerate_faces.count, 2u);
    EXPECT_EQ(report.degenerate_faces.first, (std::vector<Index>{15, 16}));
    EXPECT_EQ(report.nonmanifold_edges.count, 4u); // three of the duplicates, one of the line
}

TEST(MeshReport, a_triangle_that_names_a_vertex_twice_neither_opens_nor_joins_anything) {
    TriangleMesh mesh = joined(cube_mesh(), cube_mesh(Vec3(9, 0, 0)));
    mesh.triangles.push_back({0, 0, 8});
    mesh.triangles.push_back({0, 0, 8});
    const MeshReport report = mesh_report(mesh);
    EXPECT_TRUE(report.watertight);
    EXPECT_EQ(report.components, 2u);
    EXPECT_EQ(report.degenerate_faces.count, 2u);
    EXPECT_EQ(report.duplicate_faces.count, 0u);
    EXPECT_EQ(report.volume, 16.0);
}

TEST(MeshReport, names_only_the_first_few_and_counts_all) {
    const TriangleMesh mesh{as_soup(sphere_mesh(5)).vertices, {}};
    const MeshReport report = mesh_report(mesh, {.first_count = 3});
    EXPECT_EQ(report.unreferenced_vertices.count, mesh.vertices.size());
    EXPECT_EQ(report.unreferenced_vertices.first, (std::vector<Index>{0, 1, 2}));
    EXPECT_TRUE(mesh_report(mesh, {.first_count = 0}).unreferenced_vertices.first.empty());
    EXPECT_FALSE(report.watertight); // no faces
    EXPECT_NEAR(report.bounds.upper.x(), 1, 1e-15);
}

TEST(MeshReport, unreferenced_vertices_do_not_stretch_the_bounds) {
    TriangleMesh mesh = cube_mesh();
    mesh.vertices.emplace_back(100, 0, 0);
    const MeshReport report = mesh_report(mesh);
    EXPECT_EQ(report.unreferenced_vertices.first, (std::vector<Index>{8}));
    EXPECT_EQ(report.bounds.upper.x(), 1);
    EXPECT_TRUE(report.clean());
}

TEST(MeshReport, non_finite_vertices_are_named_and_do_no_harm) {
    TriangleMesh mesh = cube_mesh();
    mesh.vertices[2].x() = std::numeric_limits<double>::quiet_NaN();
    mesh.vertices[5].z() = -std::numeric_limits<double>::infinity();
    const MeshReport report = mesh_report(mesh, {.self_intersections = true});
    EXPECT_EQ(report.non_finite_vertices.count, 2u);
    EXPECT_EQ(report.non_finite_vertices.first, (std::vector<Index>{2, 5}));
    EXPECT_FALSE(report.volume.has_value());
    EXPECT_FALSE(report.self_intersections.has_value());
    EXPECT_TRUE(report.watertight); // a matter of indices
    EXPECT_FALSE(report.clean());
    EXPECT_EQ(report.bounds.upper, Vec3(1, 1, 1));
}

TEST(MeshReport, bad_indices_are_refused_with_the_triangle) {
    TriangleMesh mesh = cube_mesh();
    mesh.triangles[7][1] = 8;
    try {
        (void)mesh_report(mesh);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::index_out_of_range);
        EXPECT_EQ(error.place().index, 7);
    }
}

TEST(MeshReport, nothing_is_not_watertight) {
    const MeshReport report = mesh_report(TriangleMesh{});
    EXPECT_FALSE(report.watertight);
    EXPECT_EQ(report.components, 0u);
    EXPECT_FALSE(report.volume.has_value());
    EXPECT_TRUE(report.bounds.empty());
    EXPECT_EQ(mesh_report(TetMesh{}).tetrahedra, 0u);
}

TEST(InsideOut, an_inverted_part_is_found_and_a_cavity_is_not) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const auto sphere = [&](double radius, const Vec3& center = Vec3::Zero()) {
            return mapped(sphere_mesh(3), [&](const Vec3& p) -> Vec3 { return scale * (radius * p + center); });
        };
        EXPECT_EQ(mesh_report(sphere(1)).inside_out_parts.count, 0u);
        EXPECT_EQ(mesh_report(flipped(sphere(1))).inside_out_parts.count, 1u);

        const TriangleMesh hollow = joined(sphere(3), flipped(sphere(2)));
        EXPECT_EQ(mesh_report(hollow).inside_out_parts.count, 0u);
        const MeshReport kernel = mesh_report(joined(hollow, flipped(sphere(1)))); // a turned body in the cavity
        EXPECT_EQ(kernel.inside_out_parts.first, (std::vector<Index>{1024}));
        EXPECT_EQ(mesh_report(joined(hollow, sphere(1))).inside_out_parts.count, 0u);
        EXPECT_EQ(mesh_report(joined(joined(hollow, sphere(1)), flipped(sphere(0.5)))).inside_out_parts.count, 0u);

        const MeshReport beside = mesh_report(joined(flipped(sphere(0.5, Vec3(2.9, 2.9, 0))), sphere(3)));
        EXPECT_EQ(beside.inside_out_parts.first, (std::vector<Index>{0})); // in the other's box, not in the other
        TriangleMesh open = sphere(3);
        open.triangles.pop_back();
        EXPECT_EQ(mesh_report(joined(open, flipped(sphere(1)))).inside_out_parts.count,
                  1u);                                                    // an open part holds nothing
        EXPECT_EQ(mesh_report(flipped(open)).inside_out_parts.count, 0u); // and has no inside
    }
}

TEST(InsideOut, rays_through_vertices_and_edges_are_counted_once) {
    // Cubes on an integer grid: the ray from every cavity's face runs through edges and vertices of what lies above.
    TriangleMesh mesh = cube_mesh(Vec3::Zero(), 8);
    for (int x = -6; x <= 6; x += 3)
        for (int y = -6; y <= 6; y += 3)
            for (int z = -6; z <= 6; z += 3) append(mesh, flipped(cube_mesh(Vec3(x, y, z), 1)));
    EXPECT_EQ(mesh_report(mesh).components, 126u);
    EXPECT_EQ(mesh_report(mesh).inside_out_parts.count, 0u);
    EXPECT_EQ(mesh_report(flipped(mesh)).inside_out_parts.count, 1u);
    EXPECT_EQ(mesh_report(flipped(mesh)).inside_out_parts.first, (std::vector<Index>{0}));
}

TEST(InsideOut, a_flat_closed_part_has_no_inside) {
    const TriangleMesh pillow{{{0.1, 0.2, 0.3}, {1, 0.7, 0.3}, {0.3, 1, 0.9}}, {{0, 1, 2}, {0, 2, 1}}};
    const MeshReport report = mesh_report(pillow);
    EXPECT_TRUE(report.watertight);
    EXPECT_EQ(report.inside_out_parts.count, 0u);
    EXPECT_EQ(report.duplicate_faces.count, 1u);
}

TEST(Components, know_their_triangles_size_and_volume) {
    TriangleMesh mesh = joined(cube_mesh(Vec3(5, 0, 0), 0.5), torus_mesh(12, 6));
    mesh.triangles.push_back({0, 0, 1});
    mesh.vertices.insert(mesh.vertices.end(), {{9, 9, 9}, {9, 9, 8}, {9, 8, 9}});
    const Index last = static_cast<Index>(mesh.vertices.size());
    mesh.triangles.push_back({last - 3, last - 2, last - 1});
    const Components found = components(mesh);
    ASSERT_EQ(found.parts.size(), 3u);
    EXPECT_EQ(found.parts[0].first_triangle, 0u);
    EXPECT_EQ(found.parts[0].triangle_count, 12u);
    EXPECT_NEAR(found.parts[0].volume, 1, 1e-14);
    EXPECT_NEAR(found.parts[0].area, 6, 1e-14);
    EXPECT_EQ(found.parts[0].bounds.lower, Vec3(4.5, -0.5, -0.5));
    EXPECT_EQ(found.parts[1].first_triangle, 12u);
    EXPECT_EQ(found.parts[1].genus, 1u);
    EXPECT_FALSE(found.parts[2].closed);
    EXPECT_FALSE(found.parts[2].genus.has_value());
    EXPECT_EQ(found.parts[2].volume, 0);
    EXPECT_EQ(found.part_of_triangle[12 + 144], no_index);
    EXPECT_EQ(found.triangles_of_part[2].size(), 1u);
}

TEST(MeshReport, a_box_of_tetrahedra_is_judged_by_its_boundary) {
    TetMesh mesh = box_of_tetrahedra(Box{{0, 0, 0}, {1, 2, 3}});
    const MeshReport report = mesh_report(mesh);
    EXPECT_TRUE(report.clean());
    EXPECT_EQ(report.tetrahedra, 6u);
    EXPECT_EQ(report.triangles, 12u);
    EXPECT_EQ(report.genus, 0u);
    EXPECT_NEAR(report.volume.value(), 6, 1e-14);
    EXPECT_NEAR(report.area, 22, 1e-14);

    std::swap(mesh.tetrahedra[2][0], mesh.tetrahedra[2][1]);
    mesh.vertices.emplace_back(0.5, 0, 0);
    mesh.tetrahedra.push_back({0, 8, 1, 5});
    const MeshReport worse = mesh_report(mesh);
    EXPECT_EQ(worse.inverted_tetrahedra.first, (std::vector<Index>{2}));
    EXPECT_EQ(worse.flat_tetrahedra.first, (std::vector<Index>{6}));
    EXPECT_FALSE(worse.clean());
}

TEST(SelfIntersection, finds_the_pairs_that_all_against_all_finds) {
    Random random(33);
    TriangleMesh mesh = random_triangles(random, 600, testing::count_of(500, 2000));
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) { // smaller triangles, so that most pairs miss
        const Index a = mesh.triangles[t][0], b = static_cast<Index>(mesh.vertices.size());
        for (int k = 0; k < 2; ++k) mesh.vertices.push_back(mesh.vertices[a] + 0.2 * random.in_ball());
        mesh.triangles[t] = {a, b, b + 1};
    }
    std::vector<std::array<Index, 2>> expected;
    for (Index i = 0; i < mesh.triangles.size(); ++i)
        for (Index j = i + 1; j < mesh.triangles.size(); ++j)
            if (triangles_cross(mesh, i, j)) expected.push_back({i, j});
    ASSERT_GT(expected.size(), 50u);
    ASSERT_LT(expected.size(), mesh.triangles.size() * mesh.triangles.size() / 10);
    for (const std::size_t threads : {1u, 2u}) {
        set_thread_count(threads);
        const SelfIntersections found = self_intersections(mesh);
        EXPECT_EQ(found.count, expected.size());
        EXPECT_EQ(found.pairs, expected);
        EXPECT_EQ(crosses_itself(mesh, SurfaceTree(mesh).tree()), found.count > 0);
        const SelfIntersections few = self_intersections(mesh, {.max_pairs = 5});
        EXPECT_EQ(few.count, expected.size());
        EXPECT_EQ(few.pairs, std::vector(expected.begin(), expected.begin() + 5));
    }
    set_thread_count(0);
}

TEST(SelfIntersection, clean_shapes_have_none_and_crossing_ones_do) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const auto scaled = [&](const TriangleMesh& mesh) {
            return mapped(mesh, [&](const Vec3& p) -> Vec3 { return scale * p; });
        };
        EXPECT_EQ(self_intersections(scaled(sphere_mesh(4))).count, 0u);
        EXPECT_FALSE(crosses_itself(scaled(sphere_mesh(4)), SurfaceTree(scaled(sphere_mesh(4))).tree()));
        EXPECT_EQ(self_intersections(scaled(as_soup(torus_mesh(40, 20)))).count, 0u);
        const MeshReport report =
            mesh_report(scaled(joined(cube_mesh(), cube_mesh(Vec3(0.9, 0.8, 0.7)))), {.self_intersections = true});
        EXPECT_GT(report.self_intersections.value().count, 5u);
        EXPECT_FALSE(report.clean());
    }
    EXPECT_EQ(self_intersections(TriangleMesh{}).count, 0u);
}

TEST(SelfIntersection, can_be_cancelled) {
    struct Stop : Progress {
        bool update(std::string_view, double) override { return false; }
    } stop;
    EXPECT_THROW((void)self_intersections(sphere_mesh(3), {.progress = &stop}), Error);
}

TEST(MeshReport, does_not_depend_on_the_number_of_threads) {
    Random random(11);
    TriangleMesh mesh = as_soup(sphere_mesh(6));
    append(mesh, random_triangles(random, 3000, 20000));
    set_thread_count(1);
    const MeshReport one = mesh_report(mesh);
    set_thread_count(0);
    const MeshReport all = mesh_report(mesh);
    EXPECT_EQ(one.area, all.area);
    EXPECT_EQ(one.center, all.center);
    EXPECT_EQ(one.open_edges.count, all.open_edges.count);
    EXPECT_EQ(one.open_edges.first, all.open_edges.first);
    EXPECT_EQ(one.nonmanifold_edges.first, all.nonmanifold_edges.first);
    EXPECT_EQ(one.nonmanifold_vertices.first, all.nonmanifold_vertices.first);
    EXPECT_GT(one.nonmanifold_vertices.count, 10u);
    EXPECT_EQ(one.degenerate_faces.first, all.degenerate_faces.first);
}

} // namespace mesh_report_test
} // namespace fathom
