#include <support/small_meshes.h>

#include <fathom/base/parallel.h>
#include <fathom/base/pose.h>
#include <fathom/geometry/mesh/mass_properties.h>

#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

namespace fathom {
namespace mass_properties_test {

using testing::as_soup;
using testing::box_mesh;
using testing::box_of_tetrahedra;
using testing::sphere_mesh;
using testing::torus_mesh;

// The closed form for a box of the given size about its centre.
Mat3 box_inertia(const Vec3& size, double mass) {
    const Vec3 s = size.cwiseAbs2();
    return mass / 12 * Vec3(s.y() + s.z(), s.z() + s.x(), s.x() + s.y()).asDiagonal();
}

double relative_error(const Mat3& value, const Mat3& expected) { return (value - expected).norm() / expected.norm(); }

TEST(MassProperties, a_box_has_its_closed_form_at_every_scale) {
    for (const double scale : {1e-3, 1.0, 1e3, 1e-30, 1e30}) {
        const Vec3 size = scale * Vec3(1, 2, 3), center = scale * Vec3(5, -7, 0.5);
        const auto properties = mass_properties(box_mesh(Box::around(center, size / 2)), {.density = 2});
        EXPECT_NEAR(properties.volume / size.prod(), 1, 1e-14);
        EXPECT_NEAR(properties.mass / size.prod(), 2, 1e-14);
        EXPECT_NEAR(properties.area / (scale * scale * 22), 1, 1e-14);
        EXPECT_LT((properties.center - center).norm(), 1e-14 * scale);
        EXPECT_LT(relative_error(properties.inertia, box_inertia(size, 2 * size.prod())), 1e-13);
    }
}

TEST(MassProperties, rotating_a_box_rotates_its_inertia) {
    Random random(3);
    const Vec3 size(1, 2, 3);
    for (int i = 0; i < 50; ++i) {
        const Pose pose{random.rotation(), 10 * random.in_ball()};
        const TriangleMesh mesh =
            mapped(box_mesh(Box::around(Vec3::Zero(), size / 2)), [&](const Vec3& p) { return pose * p; });
        const auto properties = mass_properties(mesh);
        const Mat3 turn = pose.rotation.toRotationMatrix();
        EXPECT_LT((properties.center - pose.translation).norm(), 1e-13);
        EXPECT_LT(relative_error(properties.inertia, turn * box_inertia(size, 6) * turn.transpose()), 1e-13);
    }
}

TEST(MassProperties, digits_survive_far_from_the_origin) {
    // Coordinates near 2^20 with an exact half size: only the sums could lose digits.
    const Vec3 center(1048576, -1048576, 1048576), size(1, 2, 4);
    const auto properties = mass_properties(box_mesh(Box::around(center, size / 2)));
    EXPECT_NEAR(properties.volume, 8, 1e-13);
    EXPECT_EQ(properties.center, center);
    EXPECT_LT(relative_error(properties.inertia, box_inertia(size, 8)), 1e-13);
}

TEST(MassProperties, a_finer_sphere_mesh_converges_with_the_square_of_the_edge) {
    const double volume = 4 * std::numbers::pi / 3;
    double last_error = 0;
    for (int level = 2; level <= 6; ++level) {
        const auto properties = mass_properties(sphere_mesh(level));
        const double error = (volume - properties.volume) / volume;
        if (level > 2) {
            EXPECT_NEAR(last_error / error, 4, 0.25);
        }
        last_error = error;
        EXPECT_LT(properties.center.norm(), 1e-14);
        EXPECT_NEAR(properties.inertia(0, 0) / (0.4 * properties.volume), 1, 2 * error);
        EXPECT_NEAR(properties.area / (3 * volume), 1, 2 * error);
    }
    EXPECT_LT(last_error, 1e-3);
}

TEST(MassProperties, a_torus_follows_pappus) {
    const auto properties = mass_properties(torus_mesh(600, 300));
    const double pi = std::numbers::pi, volume = 2 * pi * pi * 0.0625;
    EXPECT_NEAR(properties.volume / volume, 1, 2e-4);
    EXPECT_NEAR(properties.area / (pi * pi), 1, 2e-4);
    EXPECT_NEAR(properties.inertia(2, 2) / (volume * (1 + 0.75 * 0.0625)), 1, 5e-4);
}

TEST(MassProperties, inverting_a_mesh_changes_all_signs_except_area_and_centre) {
    const TriangleMesh mesh = mapped(torus_mesh(30, 20), [](const Vec3& p) -> Vec3 { return p + Vec3(3, 4, 5); });
    const auto right = mass_properties(mesh), wrong = mass_properties(flipped(mesh));
    EXPECT_EQ(wrong.area, right.area);
    EXPECT_NEAR(wrong.volume, -right.volume, 1e-15);
    EXPECT_LT((wrong.center - right.center).norm(), 1e-14);
    EXPECT_LT((wrong.inertia + right.inertia).norm(), 1e-14);
}

TEST(MassProperties, tetrahedra_and_their_surface_agree) {
    const Box box{{-1, 2, 3}, {0.5, 2.5, 7}};
    const auto solid = mass_properties(box_of_tetrahedra(box), {.density = 3});
    const auto surface = mass_properties(box_mesh(box), {.density = 3});
    EXPECT_NEAR(solid.volume, surface.volume, 1e-14);
    EXPECT_NEAR(solid.area, surface.area, 1e-13);
    EXPECT_NEAR(solid.mass, surface.mass, 1e-14);
    EXPECT_LT((solid.center - surface.center).norm(), 1e-14);
    EXPECT_LT((solid.inertia - surface.inertia).norm(), 1e-13);
}

TEST(MassProperties, a_flat_sheet_has_the_centre_of_its_area) {
    TriangleMesh sheet;
    sheet.vertices = {{1, 1, 5.1}, {3, 1, 5.1}, {3, 2, 5.1}, {1, 2, 5.1}};
    sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
    const auto properties = mass_properties(sheet);
    EXPECT_EQ(properties.volume, 0);
    EXPECT_NEAR(properties.area, 2, 1e-15);
    EXPECT_LT((properties.center - Vec3(2, 1.5, 5.1)).norm(), 1e-14);
}

TEST(MassProperties, nothing_and_points_have_no_mass) {
    EXPECT_EQ(mass_properties(TriangleMesh{}).volume, 0);
    EXPECT_EQ(mass_properties(TetMesh{}).area, 0);
    const TriangleMesh point{{{4, 4, 4}}, {{0, 0, 0}}};
    const auto properties = mass_properties(point);
    EXPECT_EQ(properties.area, 0);
    EXPECT_EQ(properties.center, Vec3(4, 4, 4));
}

TEST(MassProperties, parts_measure_like_the_whole) {
    const TriangleMesh mesh = torus_mesh(64, 32);
    std::vector<Index> all(mesh.triangles.size());
    std::iota(all.begin(), all.end(), Index{0});
    const auto measure = surface_measure(mesh, all);
    const auto properties = mass_properties(mesh);
    EXPECT_NEAR(measure.area, properties.area, 1e-13);
    EXPECT_NEAR(measure.volume, properties.volume, 1e-13);
    EXPECT_EQ(surface_measure(mesh, {}).area, 0);
}

TEST(MassProperties, do_not_depend_on_the_number_of_threads) {
    const TriangleMesh mesh = as_soup(sphere_mesh(6));
    set_thread_count(1);
    const auto one = mass_properties(mesh);
    set_thread_count(0);
    const auto all = mass_properties(mesh);
    EXPECT_EQ(one.volume, all.volume);
    EXPECT_EQ(one.inertia, all.inertia);
    EXPECT_EQ(one.center, all.center);
}

} // namespace mass_properties_test
} // namespace fathom
