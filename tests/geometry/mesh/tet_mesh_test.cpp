#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/tet_mesh.h>

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace fathom {
namespace tet_mesh_test {

// n^3 cubes of six tetrahedra around a diagonal each, of positive volume.
TetMesh cube_of_tetrahedra(Index n) {
    TetMesh mesh;
    const auto vertex = [&](Index x, Index y, Index z) { return (z * (n + 1) + y) * (n + 1) + x; };
    for (Index z = 0; z <= n; ++z)
        for (Index y = 0; y <= n; ++y)
            for (Index x = 0; x <= n; ++x) mesh.vertices.push_back(Vec3(x, y, z) / n);
    constexpr std::array<std::array<int, 3>, 6> paths = {
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
    for (Index z = 0; z < n; ++z)
        for (Index y = 0; y < n; ++y)
            for (Index x = 0; x < n; ++x)
                for (std::size_t p = 0; p < 6; ++p) {
                    std::array<Index, 3> at = {x, y, z};
                    Tetrahedron t = {vertex(x, y, z)};
                    for (std::size_t k = 0; k < 3; ++k) {
                        ++at[static_cast<std::size_t>(paths[p][k])];
                        t[k + 1] = vertex(at[0], at[1], at[2]);
                    }
                    if (p >= 3) std::swap(t[2], t[3]);
                    mesh.tetrahedra.push_back(t);
                }
    return mesh;
}

double volume(const TriangleMesh& mesh) {
    double sum = 0;
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
        const auto [a, b, c] = mesh.corners(i);
        sum += a.cross(b).dot(c) / 6;
    }
    return sum;
}

TEST(TetMesh, boundary_of_a_cube_is_closed_outward_and_sorted) {
    const TetMesh mesh = cube_of_tetrahedra(4);
    const TriangleMesh surface = boundary(mesh);
    EXPECT_EQ(surface.triangles.size(), 6u * 4 * 4 * 2);
    EXPECT_EQ(surface.vertices, mesh.vertices);
    EXPECT_NEAR(volume(surface), 1, 1e-14);
    std::map<std::pair<Index, Index>, int> directed;
    for (const Triangle& t : surface.triangles)
        for (std::size_t k = 0; k < 3; ++k) ++directed[{t[k], t[(k + 1) % 3]}];
    for (const auto& [edge, times] : directed) {
        EXPECT_EQ(times, 1);
        EXPECT_TRUE(directed.count({edge.second, edge.first}));
    }
}

TEST(TetMesh, boundary_follows_the_order_of_tetrahedra_and_faces) {
    const TetMesh mesh = {{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), Vec3::Ones()},
                          {{0, 1, 2, 3}, {1, 2, 3, 4}}};
    EXPECT_EQ(signed_volume(mesh.corners(0)) > 0, true);
    const TriangleMesh surface = boundary(mesh);
    const std::vector<Triangle> expected = {{0, 3, 2}, {0, 1, 3}, {0, 2, 1}, {2, 3, 4}, {1, 4, 3}, {1, 2, 4}};
    EXPECT_EQ(surface.triangles, expected);
    EXPECT_NEAR(volume(surface), signed_volume(mesh.corners(0)) + signed_volume(mesh.corners(1)), 1e-15);
}

TEST(TetMesh, orient_turns_exactly_the_negative_ones) {
    TetMesh mesh = cube_of_tetrahedra(5);
    const TetMesh positive = mesh;
    Random random(71);
    std::size_t turned = 0;
    for (Tetrahedron& t : mesh.tetrahedra)
        if (random.chance(0.4)) {
            std::swap(t[0], t[3]);
            ++turned;
        }
    const TriangleMesh before = boundary(mesh);
    EXPECT_EQ(orient(mesh), turned);
    EXPECT_EQ(orient(mesh), 0u);
    for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
        EXPECT_GT(signed_volume(mesh.corners(i)), 0);
        EXPECT_EQ(std::set<Index>(mesh.tetrahedra[i].begin(), mesh.tetrahedra[i].end()),
                  std::set<Index>(positive.tetrahedra[i].begin(), positive.tetrahedra[i].end()));
    }
    EXPECT_NEAR(volume(before), 1, 1e-14) << "the boundary is outward whatever the orientation";
}

TEST(TetMesh, orient_judges_slivers_exactly_and_leaves_flat_ones) {
    const double up = std::nextafter(0.3, 1.0);
    TetMesh mesh{{Vec3(0, 0, 0.3), Vec3(0.1, 0, 0.3), Vec3(0, 0.1, 0.3), Vec3(0.7, 0.9, up), Vec3(0.7, 0.9, 0.3)},
                 {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 2, 4}, {0, 0, 1, 2}}};
    const TetMesh before = mesh;
    EXPECT_EQ(orient(mesh), 1u);
    EXPECT_EQ(mesh.tetrahedra[0], before.tetrahedra[0]);
    EXPECT_EQ(mesh.tetrahedra[2], before.tetrahedra[2]);
    EXPECT_EQ(mesh.tetrahedra[3], before.tetrahedra[3]);
}

TEST(TetMesh, check_names_the_first_bad_element) {
    TetMesh mesh = cube_of_tetrahedra(2);
    EXPECT_NO_THROW(check(mesh));
    mesh.tetrahedra[7][2] = 99;
    try {
        check(mesh, "cube.msh");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::index_out_of_range);
        EXPECT_EQ(error.place().element, "tetrahedron");
        EXPECT_EQ(error.place().index, 7);
        EXPECT_EQ(error.place().file, "cube.msh");
    }
    mesh.vertices[3][1] = std::numeric_limits<double>::quiet_NaN();
    try {
        check(mesh);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::non_finite);
        EXPECT_EQ(error.place().index, 3);
    }
    EXPECT_TRUE(boundary(TetMesh{}).triangles.empty());
}

} // namespace tet_mesh_test
} // namespace fathom
