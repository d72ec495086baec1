#include <support/small_meshes.h>

#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/normals.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <gtest/gtest.h>

namespace fathom {
namespace normals_test {

using testing::cube_mesh;
using testing::sphere_mesh;

TEST(Normals, triangles_of_a_cube_point_outward) {
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

TEST(Normals, angle_weights_do_not_depend_on_the_triangulation_of_a_face) {
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

TEST(Normals, of_a_sphere_point_outward_at_every_scale) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const TriangleMesh mesh = mapped(sphere_mesh(4), [&](const Vec3& p) -> Vec3 { return scale * p; });
        for (const NormalWeight weight : {NormalWeight::angle, NormalWeight::area}) {
            const auto normals = vertex_normals(mesh, {.weight = weight});
            for (std::size_t v = 0; v < normals.size(); ++v)
                EXPECT_LT((normals[v] - mesh.vertices[v] / scale).norm(), 0.03);
        }
    }
}

TEST(Normals, the_normal_of_a_cubes_edge_is_the_mean_of_its_faces) {
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

TEST(Normals, distinguish_inside_from_outside_at_corners_and_edges) {
    // An L-shaped prism has convex and reflex edges; which side a point is on is known from its coordinates.
    TriangleMesh mesh;
    mesh.vertices = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    for (int k = 0; k < 6; ++k) mesh.vertices.push_back(mesh.vertices[static_cast<std::size_t>(k)] + Vec3::UnitZ());
    for (const Triangle& t : {Triangle{0, 3, 1}, {1, 3, 2}, {0, 5, 3}, {5, 4, 3}}) {
        mesh.triangles.push_back(t);
        mesh.triangles.push_back({t[0] + 6, t[2] + 6, t[1] + 6});
    }
    for (Index k = 0; k < 6; ++k) {
        const Index next = (k + 1) % 6;
        mesh.triangles.push_back({k, next, next + 6});
        mesh.triangles.push_back({k, next + 6, k + 6});
    }
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    const auto of_triangle = triangle_normals(mesh), of_vertex = vertex_normals(mesh),
               of_edge = edge_normals(mesh, table);
    const auto normal_at = [&](std::size_t t, TriangleFeature feature) {
        const auto f = static_cast<std::size_t>(feature);
        if (feature == TriangleFeature::face) return of_triangle[t];
        return f < 3 ? of_vertex[mesh.triangles[t][f]] : of_edge[table.of_triangle[t][f - 3]];
    };

    Random random(17);
    std::size_t inside_count = 0, face_count = 0;
    constexpr std::size_t count = 5000;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 p = random.in_box({{-0.3, -0.3, -0.3}, {2.3, 2.3, 1.3}});
        ClosestOnTriangle best = closest_point(p, mesh.corners(0));
        std::size_t best_triangle = 0;
        for (std::size_t t = 1; t < mesh.triangles.size(); ++t) {
            const auto closest = closest_point(p, mesh.corners(t));
            if (closest.squared_distance < best.squared_distance) best = closest, best_triangle = t;
        }
        const bool inside = p.minCoeff() > 0 && p.z() < 1 && p.x() < 2 && p.y() < 2 && (p.x() < 1 || p.y() < 1);
        EXPECT_EQ((p - best.point).dot(normal_at(best_triangle, best.feature)) < 0, inside) << p.transpose();
        inside_count += inside;
        face_count += best.feature == TriangleFeature::face;
    }
    EXPECT_GT(inside_count, count / 5);
    EXPECT_LT(inside_count, 4 * count / 5);
    EXPECT_LT(face_count, 9 * count / 10);
}

TEST(Normals, unused_vertices_and_sheets_folded_onto_themselves_have_none) {
    TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 9, 9}}, {{0, 1, 2}, {0, 2, 1}}};
    for (const Vec3& normal : vertex_normals(mesh)) EXPECT_EQ(normal, Vec3::Zero());
    EXPECT_TRUE(vertex_normals(TriangleMesh{}).empty());
}

} // namespace normals_test
} // namespace fathom
