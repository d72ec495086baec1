#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/geometry/surface_tree/winding_number.h>
#include <support/small_meshes.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace winding_number_test {

using testing::count_of;
using testing::cube_mesh;
using testing::joined;
using testing::sphere_mesh;
using testing::torus_mesh;

double by_solid_angles(const TriangleMesh& mesh, const Vec3& p) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) sum += solid_angle_share(p, mesh.corners(t));
    return sum;
}

TEST(WindingNumber, is_near_the_sum_of_all_solid_angles_for_closed_and_open_surfaces) {
    TriangleMesh open = sphere_mesh(4);
    std::erase_if(open.triangles, [&](const Triangle& t) { return open.vertices[t[0]].z() > 0.6; });
    for (const TriangleMesh& mesh : {torus_mesh(40, 20), open}) {
        const SurfaceTree tree(mesh);
        const WindingNumber winding(mesh, tree.tree());
        Random random(3);
        int inside = 0, outside = 0;
        for (std::size_t i = 0; i < count_of(500, 20000); ++i) {
            const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(1.5)));
            const double truth = by_solid_angles(mesh, p);
            EXPECT_NEAR(winding(p), truth, 0.03);
            inside += truth > 0.5;
            outside += truth < 0.5;
        }
        EXPECT_GT(inside, 20);
        EXPECT_GT(outside, 20);
    }
}

TEST(SurfaceTreeWinding, counts_how_often_closed_surfaces_wind_round_a_point) {
    const TriangleMesh two = joined(cube_mesh(Vec3::Zero(), 1), cube_mesh(Vec3(1, 0.3, 0.2), 1));
    const SurfaceTree tree(two), turned{flipped(two)};
    Random random(4);
    std::array<int, 3> seen{};
    for (std::size_t i = 0; i < count_of(3000, 100000); ++i) {
        const Vec3 p = random.in_box(Box::around(Vec3(0.5, 0, 0), Vec3::Constant(2)));
        const int truth = static_cast<int>(std::lround(by_solid_angles(two, p)));
        ASSERT_EQ(tree.winding(p), truth);
        ASSERT_EQ(turned.winding(p), -truth);
        ++seen.at(static_cast<std::size_t>(truth));
    }
    for (const int count : seen) EXPECT_GT(count, 100);
}

} // namespace winding_number_test
} // namespace fathom
