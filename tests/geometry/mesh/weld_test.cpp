#include <support/small_meshes.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/weld.h>

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace fathom {
namespace weld_test {

using testing::as_soup;
using testing::cube_mesh;
using testing::random_triangles;
using testing::sphere_mesh;

// Triangles that stay, as sets of positions, must be the same ones.
void expect_same_corners(const TriangleMesh& before, const Welded& welded, double tolerance) {
    for (std::size_t t = 0; t < welded.mesh.triangles.size(); ++t) {
        const auto old_corners = before.corners(welded.source_triangles[t]), new_corners = welded.mesh.corners(t);
        for (std::size_t k = 0; k < 3; ++k) EXPECT_LE((old_corners[k] - new_corners[k]).norm(), tolerance);
    }
}

TEST(Weld, a_soup_becomes_the_mesh_it_was) {
    const TriangleMesh sphere = sphere_mesh(4), soup = as_soup(sphere);
    const Welded welded = weld(soup);
    EXPECT_EQ(welded.mesh.vertices.size(), sphere.vertices.size());
    EXPECT_EQ(welded.mesh.triangles.size(), sphere.triangles.size());
    EXPECT_EQ(welded.merged_vertices, soup.vertices.size() - sphere.vertices.size());
    EXPECT_EQ(welded.collapsed_triangles, 0u);
    EXPECT_EQ(welded.largest_move, 0);
    expect_same_corners(soup, welded, 0);
    for (std::size_t v = 0; v < soup.vertices.size(); ++v)
        EXPECT_EQ(welded.mesh.vertices[welded.vertex_map[v]], soup.vertices[v]);
}

TEST(Weld, minus_zero_is_zero_and_the_smallest_difference_is_one) {
    const double tiny = std::numeric_limits<double>::denorm_min();
    const std::vector<Vec3> points = {{0.0, -0.0, 1}, {-0.0, 0.0, 1}, {tiny, 0, 1}, {-tiny, 0, 1}, {0, 0, 1}};
    EXPECT_EQ(equal_positions(points), (std::vector<Index>{0, 0, 2, 3, 0}));
}

TEST(Weld, many_equal_positions_join_the_first) {
    std::vector<Vec3> points(50000, Vec3(1, 2, 3));
    points[10] = Vec3(3, 2, 1);
    const auto lowest = equal_positions(points);
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(lowest[i], i == 10 ? 10u : 0u);
    EXPECT_TRUE(equal_positions({}).empty());
}

TEST(Weld, with_a_tolerance_vertices_move_little_and_the_remaining_ones_are_apart) {
    Random random(21);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        TriangleMesh mesh = random_triangles(random, 1500, 500);
        for (Vec3& v : mesh.vertices) v = scale * (v + Vec3(2, -1, 0.3));
        const double tolerance = 0.08 * scale;
        const Welded welded = weld(mesh, {.tolerance = tolerance});
        EXPECT_GT(welded.merged_vertices, 100u);
        EXPECT_GT(welded.mesh.vertices.size(), 100u);
        EXPECT_LE(welded.largest_move, tolerance);
        EXPECT_GT(welded.largest_move, 0.9 * tolerance);
        expect_same_corners(mesh, welded, tolerance);
        const auto& left = welded.mesh.vertices;
        for (std::size_t i = 0; i < left.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) ASSERT_GT((left[i] - left[j]).norm(), tolerance);
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) // each joins the nearest of those kept before it
            for (std::size_t i = 0; i < left.size(); ++i) {
                if (std::find(welded.vertex_map.begin(), welded.vertex_map.end(), i) - welded.vertex_map.begin() >
                    static_cast<std::ptrdiff_t>(v))
                    continue;
                ASSERT_GE((mesh.vertices[v] - left[i]).norm(), (mesh.vertices[v] - left[welded.vertex_map[v]]).norm());
            }
    }
}

TEST(Weld, chains_do_not_creep) {
    TriangleMesh mesh;
    for (int i = 0; i < 10; ++i) mesh.vertices.emplace_back(0.9 * i, 0, 0);
    const Welded welded = weld(mesh, {.tolerance = 1});
    EXPECT_EQ(welded.vertex_map, (std::vector<Index>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
}

TEST(Weld, collapsed_and_duplicate_triangles_are_counted_and_dropped_on_request) {
    TriangleMesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {5, 5, 5}};
    mesh.triangles = {{0, 1, 2}, {0, 3, 1}, {4, 3, 2}, {1, 1, 2}};
    const Welded kept = weld(mesh, {.drop_collapsed = false});
    EXPECT_EQ(kept.merged_vertices, 2u);
    EXPECT_EQ(kept.collapsed_triangles, 1u); // {1, 1, 2} named a vertex twice before
    EXPECT_EQ(kept.duplicate_triangles, 1u);
    EXPECT_EQ(kept.mesh.triangles.size(), 4u);
    const Welded dropped = weld(mesh, {.drop_duplicates = true, .drop_unreferenced = true});
    EXPECT_EQ(dropped.mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
    EXPECT_EQ(dropped.source_triangles, (std::vector<Index>{0}));
    EXPECT_EQ(dropped.vertex_map, (std::vector<Index>{0, 1, 2, 0, 1, no_index}));
    EXPECT_EQ(dropped.mesh.vertices.size(), 3u);
}

TEST(Weld, unreferenced_vertices_can_be_dropped_without_merging) {
    TriangleMesh mesh = as_soup(cube_mesh());
    const TriangleMesh before = mesh;
    mesh.vertices.insert(mesh.vertices.begin() + 5, Vec3(9, 9, 9));
    for (Triangle& t : mesh.triangles)
        for (Index& v : t) v += v >= 5;
    EXPECT_EQ(without_unreferenced_vertices(mesh), before);
    EXPECT_TRUE(without_unreferenced_vertices({mesh.vertices, {}}).vertices.empty());
}

TEST(Weld, duplicates_are_those_that_sets_find) {
    Random random(5);
    const TriangleMesh mesh = random_triangles(random, 12, 600);
    std::set<std::set<Index>> seen;
    std::vector<Index> expected;
    for (Index t = 0; t < mesh.triangles.size(); ++t) {
        const std::set<Index> corners(mesh.triangles[t].begin(), mesh.triangles[t].end());
        if (corners.size() == 3 && !seen.insert(corners).second) expected.push_back(t);
    }
    EXPECT_GT(expected.size(), 100u);
    EXPECT_LT(expected.size(), 590u);
    EXPECT_EQ(duplicate_triangles(mesh.triangles, edge_table(mesh.triangles, 12)), expected);
}

TEST(Weld, rejects_invalid_options) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const auto cause_of = [](const TriangleMesh& mesh, double tolerance) {
        try {
            (void)weld(mesh, {.tolerance = tolerance});
        } catch (const Error& error) {
            return error.cause();
        }
        return Cause::cancelled;
    };
    for (const double bad : {-1.0, nan, inf, 1e-30})
        EXPECT_EQ(cause_of(cube_mesh(), bad), Cause::invalid_argument) << bad;
    TriangleMesh mesh = cube_mesh();
    mesh.vertices[3].y() = nan;
    EXPECT_EQ(cause_of(mesh, 0), Cause::non_finite);
    mesh = cube_mesh();
    mesh.triangles[0][0] = 8;
    EXPECT_EQ(cause_of(mesh, 0), Cause::index_out_of_range);
    EXPECT_TRUE(weld(TriangleMesh{}, {.tolerance = 1}).mesh.vertices.empty());
    EXPECT_EQ(weld(cube_mesh(), {.tolerance = 1e300}).mesh.vertices.size(), 1u);
    EXPECT_EQ(weld(cube_mesh(), {.tolerance = 1e-13}).mesh.vertices.size(), 8u);
}

TEST(Weld, does_not_depend_on_the_number_of_threads) {
    const TriangleMesh soup = as_soup(sphere_mesh(6));
    set_thread_count(1);
    const Welded one = weld(soup, {.tolerance = 0.03});
    set_thread_count(0);
    const Welded all = weld(soup, {.tolerance = 0.03});
    EXPECT_GT(one.collapsed_triangles, 0u);
    EXPECT_EQ(one.mesh, all.mesh);
    EXPECT_EQ(one.vertex_map, all.vertex_map);
}

} // namespace weld_test
} // namespace fathom
