// Meshes against meshes, as surfaces: against every pair of triangles.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/mesh_pair.h>
#include <fathom/geometry/generate.h>
#include <fathom/geometry/triangle_triangle.h>

#include "support/test_counts.h"

#include <gtest/gtest.h>

namespace fathom {

namespace {

using testing::count_of;

constexpr double infinity = std::numeric_limits<double>::infinity();

TriangleMesh scaled(TriangleMesh mesh, double scale) {
    return mapped(std::move(mesh), [&](const Vec3& p) { return Vec3(scale * p); });
}

std::vector<TriangleMesh> shapes(double scale) {
    return {scaled(make_torus({.segments = 16, .tube_segments = 8}), scale), scaled(make_sphere({.radius = 0.5, .resolution = 3}), scale), scaled(make_box({}), scale),
            scaled(make_cloth({.cells = {6, 6}}), scale), TriangleMesh{{Vec3::Zero(), scale * Vec3(0.3, 0, 0)}, {{0, 0, 0}, {0, 1, 1}}}};
}

struct Truth {
    std::vector<IdPair> crossing;
    double distance = infinity;
};

Truth by_force(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b, const Pose& pose_b) {
    Truth truth;
    const Pose b_in_a = relative(pose_a, pose_b);
    const TriangleMesh placed = mapped(b, [&](const Vec3& p) { return b_in_a * p; });
    for (Index i = 0; i < a.triangles.size(); ++i)
        for (Index j = 0; j < b.triangles.size(); ++j) {
            if (triangles_overlap(a.corners(i), placed.corners(j))) truth.crossing.push_back({i, j});
            truth.distance = std::min(truth.distance, std::sqrt(closest_points(a.corners(i), placed.corners(j)).squared_distance));
        }
    return truth;
}

TEST(MeshPair, crossings_and_distances_equal_those_of_all_pairs_of_triangles) {
    Random random(1);
    std::size_t crossing = 0, apart = 0;
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const std::vector<TriangleMesh> meshes = shapes(scale);
        for (std::size_t k = 0; k < count_of(20, 400); ++k) {
            const TriangleMesh &a = meshes[random.below(meshes.size())], &b = meshes[random.below(meshes.size())];
            const Pose pose_a{random.rotation(), scale * random.in_ball()}, pose_b{random.rotation(), scale * 1.2 * random.in_ball()};
            const ContactMesh ready_a(a), ready_b(b);
            const Truth truth = by_force(a, pose_a, b, pose_b);
            EXPECT_EQ(meshes_cross(ready_a, pose_a, ready_b, pose_b), !truth.crossing.empty());
            EXPECT_EQ(mesh_crossings(ready_a, pose_a, ready_b, pose_b).pairs, truth.crossing);
            const MeshDistance found = mesh_distance(ready_a, pose_a, ready_b, pose_b);
            EXPECT_NEAR(found.distance, truth.distance, 1e-12 * scale);
            EXPECT_NEAR((found.point_a - found.point_b).norm(), found.distance, 1e-12 * scale);
            EXPECT_NE(found.triangle_a, no_index);
            ++(truth.crossing.empty() ? apart : crossing);
        }
    }
    EXPECT_GT(crossing, (crossing + apart) / 5);
    EXPECT_GT(apart, (crossing + apart) / 5);
}

TEST(MeshPair, a_limit_hides_what_is_farther) {
    const ContactMesh box(make_box({}));
    const Pose far = Pose::at({3, 0, 0});
    EXPECT_EQ(mesh_distance(box, {}, box, far, 1.9).triangle_a, no_index);
    EXPECT_DOUBLE_EQ(mesh_distance(box, {}, box, far, 2.1).distance, 2);
}

TEST(MeshPair, says_when_there_are_more_crossings_than_asked_for) {
    const ContactMesh ball(make_sphere({}));
    const Pose beside = Pose::at({0.3, 0, 0});
    const MeshCrossings all = mesh_crossings(ball, {}, ball, beside), few = mesh_crossings(ball, {}, ball, beside, 5);
    EXPECT_FALSE(all.truncated);
    EXPECT_GT(all.pairs.size(), 5u);
    EXPECT_TRUE(few.truncated);
    EXPECT_EQ(few.pairs.size(), 5u);
}

TEST(MeshPair, nothing_meets_nothing_and_poses_must_be_numbers) {
    const ContactMesh nothing(TriangleMesh{}), box(make_box({}));
    EXPECT_FALSE(meshes_cross(nothing, {}, box, {}));
    EXPECT_EQ(mesh_distance(nothing, {}, box, {}).distance, infinity);
    EXPECT_THROW((void)meshes_cross(box, Pose::at({std::nan(""), 0, 0}), box, {}), Error);
}

} // namespace

} // namespace fathom
