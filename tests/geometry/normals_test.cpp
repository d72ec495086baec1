#include <support/small_meshes.h>

#include <fathom/geometry/adjacency.h>
#include <fathom/geometry/normals.h>

#include <gtest/gtest.h>

namespace fathom {
namespace {

using testing::cube_mesh;
using testing::sphere_mesh;

TEST(Normals, triangles_of_a_cube_look_outward) {
    const TriangleMesh mesh = cube_mesh(Vec3(5, 6, 7));
    const auto normals = triangle_normals(mesh);
    for (std::size_t t = 0; t < normals.size(); ++t) {
        const auto [a, b, c] = mesh.corners(t);
        EXPECT_EQ(normals[t].cwiseAbs().sum(), 1);
        EXPECT_GT(normals[t].dot((a + b + c) / 3 - Vec3(5, 6, 7)), 0.99);
    }
}

TEST(Normals, exist_for_tiny_and_huge_triangles_and_not_for_lines) {
    for (const double scale : {1e-300, 1e-160, 1e-3, 1.0, 1e3, 1e160, 1e300}) {
        const Vec3 o = Vec3::Zero(), x = scale * Vec3::UnitX(), y = scale * Vec3::UnitY();
        EXPECT_EQ(unit_normal({o, x, y}), Vec3::UnitZ()) << scale;
        EXPECT_EQ(unit_normal({o, x, 0.5 * x}), Vec3::Zero()) << scale;
        EXPECT_EQ(unit_normal({x, x, y}), Vec3::Zero()) << scale;
    }
}

TEST(Normals, angle_weights_do_not_care_how_a_face_is_cut) {
    // Corner 0 of the cube has one triangle on some faces and two on others.
    const auto by_angle = vertex_normals(cube_mesh());
    for (int k = 0; k < 8; ++k) {
        const Vec3 expected = cube_mesh().vertices[static_cast<std::size_t>(k)].normalized();
        EXPECT_LT((by_angle[static_cast<std::size_t>(k)] - expected).norm(), 1e-15);
    }
    const auto by_area = vertex_normals(cube_mesh(), {.weight = NormalWeight::area});
    double worst = 0;
    for (std::size_t k = 0; k < 8; ++k) worst = std::max(worst, (by_area[k] - by_angle[k]).norm());
    EXPECT_GT(worst, 0.1);
}

TEST(Normals, of_a_sphere_point_away_from_its_centre_at_every_scale) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const TriangleMesh mesh = mapped(sphere_mesh(4), [&](const Vec3& p) -> Vec3 { return scale * p; });
        for (const NormalWeight weight : {NormalWeight::angle, NormalWeight::area}) {
            const auto normals = vertex_normals(mesh, {.weight = weight});
            for (std::size_t v = 0; v < normals.size(); ++v)
                EXPECT_LT((normals[v] - mesh.vertices[v] / scale).norm(), 0.03);
        }
    }
}

TEST(Normals, an_edge_of_a_cube_looks_half_way_between_its_faces) {
    const TriangleMesh mesh = cube_mesh();
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    const auto normals = edge_normals(mesh, table);
    int diagonals = 0;
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        const Vec3 middle = (mesh.vertices[table.edges[e][0]] + mesh.vertices[table.edges[e][1]]) / 2;
        EXPECT_LT((normals[e] - middle.normalized()).norm(), 1e-15);
        diagonals += middle.norm() == 1;
    }
    EXPECT_EQ(diagonals, 6);
}

TEST(Normals, unused_vertices_and_sheets_folded_onto_themselves_have_none) {
    TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 9, 9}}, {{0, 1, 2}, {0, 2, 1}}};
    for (const Vec3& normal : vertex_normals(mesh)) EXPECT_EQ(normal, Vec3::Zero());
    EXPECT_TRUE(vertex_normals(TriangleMesh{}).empty());
}

} // namespace
} // namespace fathom
