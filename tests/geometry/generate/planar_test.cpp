#include <fathom/base/error.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <support/planar.h>

#include <gtest/gtest.h>

#include <numbers>

namespace fathom {
namespace planar_test {

double area(const TriangleMesh& mesh) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) sum += 0.5 * area_vector(mesh.corners(t)).z();
    return sum;
}

// By index: lips of a cut that lie on each other are border, although mesh_report() would weld them.
std::size_t border_edges(const TriangleMesh& mesh) {
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    std::size_t count = 0;
    for (std::size_t e = 0; e < table.edges.size(); ++e) count += table.sides[e].size() == 1;
    return count;
}

TEST(Planar, discs_have_the_requested_nodes_and_face_up) {
    for (const std::size_t nodes : {7u, 8u, 18u, 19u, 100u, 486u, 1000u}) {
        const TriangleMesh disc = testing::make_disc({.radius = 2, .nodes = nodes});
        ASSERT_EQ(disc.vertices.size(), nodes);
        for (std::size_t t = 0; t < disc.triangles.size(); ++t) ASSERT_GT(area_vector(disc.corners(t)).z(), 0);
        const MeshReport report = mesh_report(disc);
        EXPECT_EQ(report.components, 1u);
        EXPECT_EQ(report.nonmanifold_edges.count, 0u);
        EXPECT_EQ(report.unreferenced_vertices.count, 0u);
        EXPECT_EQ(2 * disc.vertices.size(), disc.triangles.size() + border_edges(disc) + 2); // Euler: no hole
        EXPECT_GT(area(disc), 0.8 * 4 * std::numbers::pi);
        EXPECT_LT(area(disc), 4 * std::numbers::pi);
    }
}

TEST(Planar, cuts_separate_and_lose_no_area) {
    const TriangleMesh cloth = make_cloth({.size = {2, 1}, .cells = {20, 10}});
    const std::array<Segment, 1> through = {{{Vec3(0.03, -1, 0), Vec3(0.03, 1, 0)}}};
    const std::array<Segment, 1> slit = {{{Vec3(0.03, -1, 0), Vec3(0.03, 0.02, 0)}}};
    const TriangleMesh two = testing::cut_open(cloth, through), one = testing::cut_open(cloth, slit);
    EXPECT_EQ(border_edges(testing::cut_open(cloth, {})), border_edges(cloth));
    EXPECT_GT(border_edges(one), border_edges(cloth));
    EXPECT_GT(border_edges(two), border_edges(one));
    EXPECT_NEAR(area(two), 2, 1e-12);
    EXPECT_NEAR(area(one), 2, 1e-12);
    EXPECT_EQ(two.vertices.size(), cloth.vertices.size() + 11);
    EXPECT_LT(one.vertices.size(), two.vertices.size());
    EXPECT_GT(one.vertices.size(), cloth.vertices.size());
}

TEST(Planar, torn_bodies_have_the_requested_nodes) {
    const TriangleMesh disc = testing::make_torn_disc(), rectangle = testing::make_torn_rectangle();
    EXPECT_EQ(disc.vertices.size(), 486u);
    EXPECT_EQ(rectangle.vertices.size(), 1000u);
    for (const TriangleMesh* mesh : {&disc, &rectangle})
        for (std::size_t t = 0; t < mesh->triangles.size(); ++t) ASSERT_GT(area_vector(mesh->corners(t)).z(), 1e-4);
    EXPECT_THROW((void)testing::make_torn_disc(20), Error);
    EXPECT_THROW((void)testing::make_disc({.nodes = 3}), Error);
}

} // namespace planar_test
} // namespace fathom
