#include <support/small_meshes.h>

#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/adjacency.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace fathom {
namespace adjacency_test {

using testing::box_of_tetrahedra;
using testing::cube_mesh;
using testing::random_triangles;
using testing::torus_mesh;

// What the table must say, by maps.
std::map<Edge, std::vector<Index>> sides_by_brute_force(const TriangleMesh& mesh) {
    std::map<Edge, std::vector<Index>> sides;
    for (Index t = 0; t < mesh.triangles.size(); ++t) {
        const Triangle& corners = mesh.triangles[t];
        if (std::set<Index>(corners.begin(), corners.end()).size() < 3) continue;
        for (Index k = 0; k < 3; ++k) {
            const auto [low, high] = std::minmax(corners[k], corners[(k + 1) % 3]);
            sides[{low, high}].push_back(3 * t + k);
        }
    }
    return sides;
}

TEST(Adjacency, edges_and_their_sides_are_those_that_maps_find) {
    Random random(7);
    for (const Index vertices : {1u, 3u, 20u, 9000u}) {
        const TriangleMesh mesh = random_triangles(random, vertices, 3000);
        const auto expected = sides_by_brute_force(mesh);
        const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
        ASSERT_EQ(table.edges.size(), expected.size());
        ASSERT_EQ(table.sides.size(), expected.size());
        std::size_t e = 0;
        for (const auto& [edge, sides] : expected) {
            EXPECT_EQ(table.edges[e], edge);
            EXPECT_TRUE(std::ranges::equal(table.sides[e], sides));
            for (const Index side : sides) {
                EXPECT_EQ(table.of_triangle[side / 3][side % 3], e);
            }
            ++e;
        }
    }
}

TEST(Adjacency, a_closed_grid_has_three_neighbours_everywhere_and_they_are_mutual) {
    const TriangleMesh mesh = torus_mesh(40, 30);
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    EXPECT_EQ(table.edges.size(), 3 * mesh.triangles.size() / 2);
    const auto neighbours = triangle_neighbours(table);
    for (Index t = 0; t < mesh.triangles.size(); ++t)
        for (const Index n : neighbours[t]) {
            ASSERT_NE(n, no_index);
            EXPECT_EQ(std::count(neighbours[n].begin(), neighbours[n].end(), t), 1);
        }
}

TEST(Adjacency, borders_and_crowded_edges_have_no_neighbour) {
    const std::vector<Triangle> triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {2, 1, 5}};
    const auto neighbours = triangle_neighbours(edge_table(triangles, 6));
    EXPECT_EQ(neighbours[0], (std::array<Index, 3>{no_index, 3, no_index})); // side 0 has three triangles
    EXPECT_EQ(neighbours[1], (std::array<Index, 3>{no_index, no_index, no_index}));
    EXPECT_EQ(neighbours[3], (std::array<Index, 3>{0, no_index, no_index}));
}

TEST(Adjacency, triangles_that_name_a_vertex_twice_are_left_out) {
    const std::vector<Triangle> triangles = {{0, 0, 1}, {0, 1, 2}, {2, 2, 2}};
    const EdgeTable table = edge_table(triangles, 3);
    EXPECT_EQ(table.edges.size(), 3u);
    EXPECT_EQ(table.of_triangle[0], (std::array<Index, 3>{no_index, no_index, no_index}));
    const Lists around = vertex_triangles(triangles, 3);
    for (std::size_t v = 0; v < 3; ++v) EXPECT_TRUE(std::ranges::equal(around[v], std::vector<Index>{1}));
}

TEST(Adjacency, a_vertex_lists_exactly_its_triangles) {
    Random random(8);
    const TriangleMesh mesh = random_triangles(random, 50, 400);
    const Lists around = vertex_triangles(mesh.triangles, mesh.vertices.size());
    ASSERT_EQ(around.size(), 50u);
    for (Index v = 0; v < 50; ++v) {
        std::vector<Index> expected;
        for (Index t = 0; t < mesh.triangles.size(); ++t) {
            const Triangle& c = mesh.triangles[t];
            if (!names_a_vertex_twice(c) && std::find(c.begin(), c.end(), v) != c.end()) expected.push_back(t);
        }
        EXPECT_FALSE(expected.empty());
        EXPECT_TRUE(std::ranges::equal(around[v], expected));
    }
}

TEST(Adjacency, six_tetrahedra_of_a_box_meet_in_a_ring) {
    const TetMesh mesh = box_of_tetrahedra(Box::around(Vec3::Zero(), Vec3::Ones()));
    const auto neighbours = tetrahedron_neighbours(mesh.tetrahedra, mesh.vertices.size());
    for (Index t = 0; t < 6; ++t) {
        std::set<Index> found(neighbours[t].begin(), neighbours[t].end());
        EXPECT_EQ(found, (std::set<Index>{(t + 1) % 6, (t + 5) % 6, no_index}));
        for (std::size_t k = 0; k < 4; ++k) { // their common face lacks corner k and has three common vertices
            if (neighbours[t][k] == no_index) continue;
            const Tetrahedron& other = mesh.tetrahedra[neighbours[t][k]];
            EXPECT_EQ(std::count(other.begin(), other.end(), mesh.tetrahedra[t][k]), 0);
        }
    }
}

TEST(Adjacency, a_face_of_three_tetrahedra_and_a_collapsed_tetrahedron_have_no_neighbour) {
    const std::vector<Tetrahedron> tetrahedra = {{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 1, 2, 5}, {0, 0, 1, 2}};
    for (const auto& list : tetrahedron_neighbours(tetrahedra, 6))
        for (const Index n : list) EXPECT_EQ(n, no_index);
}

TEST(Adjacency, nothing_has_no_edges) {
    const EdgeTable table = edge_table({}, 0);
    EXPECT_TRUE(table.edges.empty());
    EXPECT_EQ(table.sides.size(), 0u);
    EXPECT_TRUE(triangle_neighbours(table).empty());
    EXPECT_TRUE(tetrahedron_neighbours({}, 0).empty());
}

TEST(Adjacency, the_table_does_not_depend_on_the_number_of_threads) {
    Random random(9);
    const TriangleMesh mesh = random_triangles(random, 20000, 60000);
    set_thread_count(1);
    const EdgeTable one = edge_table(mesh.triangles, mesh.vertices.size());
    set_thread_count(0);
    const EdgeTable all = edge_table(mesh.triangles, mesh.vertices.size());
    EXPECT_EQ(one.edges, all.edges);
    EXPECT_EQ(one.sides.items, all.sides.items);
    EXPECT_EQ(one.sides.offsets, all.sides.offsets);
    EXPECT_EQ(one.of_triangle, all.of_triangle);
}

} // namespace adjacency_test
} // namespace fathom
