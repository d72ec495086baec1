// The globally deepest points of overlapping solids: no sampled point is deeper than the proven bound, and the depth
// found reaches it.
#include <fathom/base/random.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/io/mesh_file.h>

#include <support/models.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace fathom {
namespace deepest_search_test {

using testing::count_of;

// A cluster of balls and boxes: many pits in which a descent can end.
FieldPtr cluster(Random& random, double size, bool as_grid) {
    std::vector<AnalyticExpression> parts;
    for (int k = 0; k < 5; ++k) {
        const double r = random.uniform(0.15, 0.35) * size;
        const AnalyticExpression part = random.chance(0.5) ? shapes::sphere(r) : shapes::box(Vec3::Constant(1.5 * r));
        parts.push_back(shapes::translate(0.6 * size * random.in_ball(), part));
    }
    const auto field = std::make_shared<AnalyticField>(shapes::union_of(parts));
    if (!as_grid) return field;
    return std::make_shared<GridField>(bake(*field, {.resolution = 48}));
}

// The deepest of many points of P in Q's field (m).
double sampled_depth(const Field& p, const Pose& pose_p, const Field& q, const Pose& pose_q, Random& random,
                     std::size_t count) {
    double deepest = 0;
    const Box box = p.bounds();
    for (std::size_t k = 0; k < count; ++k) {
        const Vec3 x = box.lower + Vec3(random.uniform(), random.uniform(), random.uniform()).cwiseProduct(box.size());
        if (p.distance(x) <= 0) deepest = std::max(deepest, -q.distance(pose_q.to_local(pose_p * x)));
    }
    return deepest;
}

TEST(DeepestSearch, no_sampled_point_is_deeper_and_descents_alone_often_miss_the_deepest) {
    Random random(1);
    std::size_t overlaps = 0, improved = 0, proven = 0;
    for (std::size_t k = 0; k < count_of(60, 1000); ++k) {
        const double size = std::array{1e-3, 1.0, 1e3}[k % 3], tolerance = 1e-3 * size;
        const bool grids = k % 2 == 1;
        const FieldSphereTree a(cluster(random, size, grids)), b(cluster(random, size, grids));
        const Pose pose_a{random.rotation(), size * random.in_ball()};
        const Pose pose_b{random.rotation(), pose_a.translation + 0.6 * size * random.in_ball()};
        const auto local = field_field::collide(a, pose_a, b, pose_b);
        const auto global = field_field::collide(a, pose_a, b, pose_b, {.depth_tolerance = tolerance});
        ASSERT_EQ(local.status, global.status);
        if (global.status != Status::overlapping) continue;
        ++overlaps;
        EXPECT_EQ(local.depth_bound, HUGE_VAL);
        EXPECT_GE(global.depth, local.depth * (1 - 1e-9));
        improved += global.depth > local.depth + tolerance;
        proven += global.depth_bound <= global.depth + 1.5 * tolerance + global.error_bound;
        EXPECT_LE(global.depth, global.depth_bound + global.error_bound + 1e-9 * size);
        const double sampled = std::max(sampled_depth(a.field(), pose_a, b.field(), pose_b, random, 3000),
                                        sampled_depth(b.field(), pose_b, a.field(), pose_a, random, 3000));
        EXPECT_LE(sampled, global.depth_bound + 1e-12 * size) << k;
        EXPECT_LE(sampled, global.depth + 1.5 * tolerance + global.error_bound) << k;
    }
    EXPECT_GT(overlaps, 20u);
    EXPECT_GT(improved, 0u);
    EXPECT_GE(20 * proven, 19 * overlaps);
}

// A scan in a box of size 1, centred.
TriangleMesh scan(const char* name) {
    TriangleMesh mesh = read_triangle_mesh(testing::models() / name);
    Box box;
    for (const Vec3& v : mesh.vertices) box.extend(v);
    for (Vec3& v : mesh.vertices) v = (v - box.center()) / box.size().maxCoeff();
    return mesh;
}

TEST(DeepestSearch, scans_are_as_deep_as_the_triangles_of_one_in_the_field_of_the_other) {
    FATHOM_NEEDS_MODELS();
    const TriangleMesh bunny = scan("bunny.obj"), armadillo = scan("armadillo.off");
    const TriangleSphereTree triangles(bunny);
    const FieldSphereTree a(std::make_shared<GridField>(build_grid(bunny, {.resolution = 128})));
    const FieldSphereTree b(std::make_shared<GridField>(build_grid(armadillo, {.resolution = 128})));
    Random random(2);
    std::size_t overlaps = 0, improved = 0;
    constexpr double tolerance = 1e-3;
    for (std::size_t k = 0; k < count_of(40, 400); ++k) {
        const Pose pose_a{random.rotation(), Vec3::Zero()}, pose_b{random.rotation(), 0.6 * random.in_ball()};
        const auto global = field_field::collide(a, pose_a, b, pose_b, {.depth_tolerance = tolerance});
        const auto local = field_field::collide(a, pose_a, b, pose_b);
        const auto by_mesh = mesh_field::mesh_contacts(triangles, pose_a, b.field(), pose_b);
        if (by_mesh.status != Status::overlapping || global.status != Status::overlapping) continue;
        ++overlaps;
        improved += global.depth > local.depth + tolerance;
        EXPECT_LE(by_mesh.contacts.front().depth, global.depth + 1.5 * tolerance + global.error_bound) << k;
        EXPECT_LE(by_mesh.contacts.front().depth, global.depth_bound + global.error_bound) << k;
        EXPECT_LE(global.depth_bound, global.depth + 1.5 * tolerance + global.error_bound) << k;
    }
    EXPECT_GT(overlaps, 10u);
    EXPECT_GT(improved, 0u);
}

} // namespace deepest_search_test
} // namespace fathom
