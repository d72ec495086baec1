#include <contract/field_contract.h>
#include <fathom/base/error.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>
#include <support/small_meshes.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fathom {
namespace mesh_field_test {

using testing::check_field_contract;
using testing::ContractCounts;
using testing::cube_mesh;
using testing::FieldContract;
using testing::joined;

TriangleMesh scaled(TriangleMesh mesh, double scale) {
    for (Vec3& v : mesh.vertices) v *= scale;
    return mesh;
}

TriangleMesh open_sphere() {
    TriangleMesh mesh = testing::sphere_mesh(4);
    std::erase_if(mesh.triangles, [&](const Triangle& t) { return mesh.vertices[t[0]].z() > 0.9; });
    return mesh;
}

TEST(MeshField, keeps_the_contract_at_every_scale) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const MeshField field(scaled(make_creature({.triangles = 2000}), scale));
        FieldContract contract;
        contract.name = "creature";
        contract.region = field.bounds().grown(0.3 * field.bounds().diagonal());
        contract.boxes = testing::count_of(1500, 1000000);
        const ContractCounts counts = check_field_contract(field, contract);
        EXPECT_GT(counts.outside, 0u);
        EXPECT_GT(counts.mixed, 0u);
    }
}

TEST(MeshField, is_the_distance_of_a_cube) {
    for (const bool turned : {false, true}) {
        const MeshField field(turned ? flipped(cube_mesh()) : cube_mesh());
        EXPECT_EQ(field.sign().flipped, turned);
        Random random(1);
        int inside = 0;
        for (int i = 0; i < 2000; ++i) {
            const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(2)));
            const Vec3 q = p.cwiseAbs() - Vec3::Ones();
            const double truth = q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
            EXPECT_NEAR(field.distance(p), truth, 1e-14);
            inside += truth < 0;
        }
        EXPECT_GT(inside, 100);
        EXPECT_NEAR(field.sample(Vec3(3, 0, 0)).gradient.x(), 1, 1e-14);
        EXPECT_NEAR(field.sample(Vec3(0.9, 0, 0)).gradient.x(), 1, 1e-14);
    }
}

TEST(SignChoice, matches_the_kind_of_mesh) {
    const auto method_of = [](const TriangleMesh& mesh) { return MeshField(mesh).sign().method; };
    EXPECT_EQ(method_of(cube_mesh()), SignMethod::pseudo_normal);
    EXPECT_EQ(method_of(joined(cube_mesh(), cube_mesh(Vec3(5, 0, 0)))), SignMethod::pseudo_normal);
    EXPECT_EQ(method_of(joined(cube_mesh(), cube_mesh(Vec3(1, 0.3, 0.2)))), SignMethod::winding);      // crossing
    EXPECT_EQ(method_of(joined(cube_mesh(), flipped(cube_mesh(Vec3(5, 0, 0))))), SignMethod::winding); // one inside-out
    EXPECT_EQ(method_of(joined(cube_mesh(), flipped(cube_mesh(Vec3::Zero(), 0.5)))),
              SignMethod::pseudo_normal); // a cavity
    TriangleMesh mixed = cube_mesh();
    std::swap(mixed.triangles[3][1], mixed.triangles[3][2]);
    EXPECT_EQ(method_of(mixed), SignMethod::parity);
    EXPECT_EQ(method_of(open_sphere()), SignMethod::winding);
    EXPECT_EQ(method_of(make_cloth()), SignMethod::thickness);
    TriangleMesh doubled = cube_mesh();
    for (const Triangle& t : cube_mesh().triangles) doubled.triangles.push_back({t[0], t[2], t[1]});
    EXPECT_EQ(method_of(doubled), SignMethod::pseudo_normal); // duplicates count once
}

TEST(SignChoice, every_method_for_closed_meshes_agrees_with_the_exact_one) {
    const TriangleMesh mesh = make_creature({.triangles = 3000});
    const MeshField exact(mesh);
    ASSERT_EQ(exact.sign().method, SignMethod::pseudo_normal);
    for (const SignMethod method : {SignMethod::parity, SignMethod::winding}) {
        const MeshField field(mesh, {.sign = method});
        Random random(2);
        int inside = 0;
        for (int i = 0; i < 2000; ++i) {
            const Vec3 p = mesh.vertices[random.below(mesh.vertices.size())] + 0.02 * random.in_ball();
            ASSERT_EQ(field.distance(p) < 0, exact.distance(p) < 0) << name(method);
            inside += exact.distance(p) < 0;
        }
        EXPECT_GT(inside, 200);
        EXPECT_LT(inside, 1800);
    }
}

TEST(SignChoice, overlapping_parts_and_cavities_come_out_right) {
    const MeshField crossing(joined(cube_mesh(), cube_mesh(Vec3(1, 0.3, 0.2))));
    EXPECT_LT(crossing.distance(Vec3(0.5, 0.1, 0.1)), 0); // in both
    EXPECT_LT(crossing.distance(Vec3(-0.5, 0, 0)), 0);
    EXPECT_GT(crossing.distance(Vec3(-0.5, 1.2, 0)), 0);
    const MeshField hollow(joined(cube_mesh(), flipped(cube_mesh(Vec3::Zero(), 0.5))));
    EXPECT_NEAR(hollow.distance(Vec3::Zero()), 0.5, 1e-12);
    EXPECT_NEAR(hollow.distance(Vec3(0.75, 0, 0)), -0.25, 1e-12);
    const MeshField half_turned(joined(cube_mesh(), flipped(cube_mesh(Vec3(5, 0, 0)))));
    EXPECT_LT(half_turned.distance(Vec3(5, 0, 0)), 0);
}

TEST(SignChoice, an_open_sphere_has_an_inside_and_reports_its_confidence) {
    const MeshField field(open_sphere());
    EXPECT_FALSE(field.sign().sealed);
    EXPECT_GT(field.sign().confidence, 0.8);
    EXPECT_LT(field.sign().confidence, 1.0 + 1e-12);
    EXPECT_LT(field.distance(Vec3::Zero()), -0.9);
    EXPECT_GT(field.distance(Vec3(0, 0, 1.3)), 0.2);
    EXPECT_TRUE(std::isinf(field.lipschitz()));
}

TEST(MeshField, rejects_unsupported_queries) {
    EXPECT_THROW(MeshField(TriangleMesh{}), Error);
    EXPECT_THROW(MeshField(cube_mesh(), {.sign = SignMethod::wrap}), Error);
    EXPECT_THROW(MeshField(cube_mesh(), {.thickness = -1}), Error);
    TriangleMesh bad = cube_mesh();
    bad.vertices[3].y() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(MeshField{bad}, Error);
    EXPECT_THROW(static_cast<void>(sign_method_named("frob")), Error);
    EXPECT_EQ(sign_method_named("winding"), SignMethod::winding);
    EXPECT_TRUE(std::isnan(MeshField(cube_mesh()).distance(Vec3::Constant(std::numeric_limits<double>::quiet_NaN()))));
}

} // namespace mesh_field_test
} // namespace fathom
