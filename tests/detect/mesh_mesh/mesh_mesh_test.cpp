// Meshes against meshes, as surfaces: against every pair of triangles.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/mesh_mesh/mesh_mesh.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

#include "index/simd_targets.h"
#include "support/models.h"
#include "support/test_counts.h"

#include <gtest/gtest.h>

namespace fathom::mesh_mesh {

namespace mesh_mesh_test {

using testing::count_of;

TriangleMesh scaled(TriangleMesh mesh, double scale, const Vec3& shift = Vec3::Zero()) {
    return mapped(std::move(mesh), [&](const Vec3& p) { return Vec3(scale * p + shift); });
}

// Corners anywhere; some triangles are points, some segments, some slivers.
TriangleMesh make_soup(Random& random, std::size_t count) {
    TriangleMesh soup;
    for (Index k = 0; k < count; ++k) {
        const Vec3 at = random.in_ball();
        for (int c = 0; c < 3; ++c) soup.vertices.push_back(at + 0.2 * random.in_ball());
        const Index first = 3 * k;
        if (k % 7 == 3)
            soup.vertices[first + 2] =
                0.5 * (soup.vertices[first] + soup.vertices[first + 1]) + 1e-9 * random.in_ball();
        soup.triangles.push_back(k % 5 == 0   ? Triangle{first, first, first}
                                 : k % 5 == 1 ? Triangle{first, first + 1, first + 1}
                                              : Triangle{first, first + 1, first + 2});
    }
    return soup;
}

std::vector<TriangleMesh> shapes(double scale) {
    Random random(8);
    return {scaled(make_torus({.segments = 16, .tube_segments = 8}), scale),
            scaled(make_sphere({.radius = 0.5, .resolution = 3}), scale),
            scaled(make_box({}), scale),
            scaled(make_cloth({.cells = {6, 6}}), scale),
            scaled(make_soup(random, 60), scale),
            TriangleMesh{{Vec3::Zero(), scale * Vec3(0.3, 0, 0)}, {{0, 0, 0}, {0, 1, 1}}}};
}

struct Truth {
    std::vector<IdPair> crossing;
    std::vector<double> distances;
    double distance = infinity;

    [[nodiscard]] std::vector<IdPair> within(double margin, std::size_t of_b) const {
        std::vector<IdPair> pairs;
        for (std::size_t k = 0; k < distances.size(); ++k)
            if (distances[k] <= margin) pairs.push_back({static_cast<Index>(k / of_b), static_cast<Index>(k % of_b)});
        return pairs;
    }
};

Truth by_force(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b, const Pose& pose_b) {
    Truth truth;
    const Pose b_in_a = relative(pose_a, pose_b);
    const TriangleMesh placed = mapped(b, [&](const Vec3& p) { return b_in_a * p; });
    for (Index i = 0; i < a.triangles.size(); ++i)
        for (Index j = 0; j < b.triangles.size(); ++j) {
            if (triangles_overlap(a.corners(i), placed.corners(j))) truth.crossing.push_back({i, j});
            truth.distances.push_back(std::sqrt(closest_points(a.corners(i), placed.corners(j)).squared_distance));
            truth.distance = std::min(truth.distance, truth.distances.back());
        }
    return truth;
}

struct Outcomes {
    std::size_t crossing = 0, apart = 0, near = 0;

    // `size` of the meshes, `far` how far coordinates reach: what is computed there loses as much.
    void check(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b, const Pose& pose_b, double size,
               double far) {
        const SurfaceTree ready_a(a), ready_b(b);
        const Truth truth = by_force(a, pose_a, b, pose_b);
        EXPECT_EQ(meshes_cross(ready_a, pose_a, ready_b, pose_b), !truth.crossing.empty());
        EXPECT_EQ(mesh_crossings(ready_a, pose_a, ready_b, pose_b).pairs, truth.crossing);
        const double margin = 0.1 * size;
        EXPECT_EQ(meshes_cross(ready_a, pose_a, ready_b, pose_b, margin), truth.distance <= margin);
        EXPECT_EQ(mesh_crossings(ready_a, pose_a, ready_b, pose_b, 1'000'000, margin).pairs,
                  truth.within(margin, b.triangles.size()));
        const MeshDistance found = mesh_distance(ready_a, pose_a, ready_b, pose_b);
        EXPECT_NEAR(found.distance, truth.distance, 1e-12 * size);
        EXPECT_NEAR((found.point_a - found.point_b).norm(), found.distance, 1e-12 * size + 1e-15 * far);
        ASSERT_NE(found.triangle_a, no_index);
        EXPECT_NEAR(truth.distances[found.triangle_a * b.triangles.size() + found.triangle_b], truth.distance,
                    1e-12 * size);
        ++(truth.crossing.empty() ? apart : crossing);
        near += truth.crossing.empty() && truth.distance <= margin;
    }
    void expect_all() const {
        EXPECT_GT(crossing, (crossing + apart) / 10);
        EXPECT_GT(apart, (crossing + apart) / 10);
        EXPECT_GT(near, 0u);
    }
};

TEST(MeshMesh, crossings_and_distances_equal_those_of_all_pairs_of_triangles) {
    Random random(1);
    Outcomes outcomes;
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const std::vector<TriangleMesh> meshes = shapes(scale);
        for (std::size_t k = 0; k < count_of(30, 400); ++k) {
            const TriangleMesh &a = meshes[random.below(meshes.size())], &b = meshes[random.below(meshes.size())];
            const Pose pose_a{random.rotation(), scale * random.in_ball()},
                pose_b{random.rotation(), scale * 1.2 * random.in_ball()};
            outcomes.check(a, pose_a, b, pose_b, scale, scale);
        }
    }
    outcomes.expect_all();
}

TEST(MeshMesh, meshes_of_very_different_size_are_no_special_case) {
    Random random(2);
    Outcomes outcomes;
    for (const double ratio : {1e-6, 1e-3, 1e3, 1e30}) {
        const std::vector<TriangleMesh> ones = shapes(1), others = shapes(ratio);
        const double large = std::max(ratio, 1.0), small = std::min(ratio, 1.0);
        for (std::size_t k = 0; k < count_of(10, 100); ++k) {
            const TriangleMesh &a = ones[random.below(4)], &b = others[random.below(4)];
            // About a point of the surface of the large one.
            const Vec3 at = ratio < 1 ? a.vertices[random.below(a.vertices.size())]
                                      : Vec3(-b.vertices[random.below(b.vertices.size())]);
            outcomes.check(a, {}, b,
                           {ratio < 1 ? random.rotation() : Quat(Quat::Identity()), at + small * random.in_ball()},
                           large, large);
        }
    }
    outcomes.expect_all();
}

TEST(MeshMesh, far_from_the_origin_the_answers_are_those_of_the_corners_as_placed) {
    Random random(3);
    Outcomes outcomes;
    const std::vector<TriangleMesh> meshes = shapes(1);
    for (std::size_t k = 0; k < count_of(40, 400); ++k) {
        const Vec3 far_a = 1e6 * random.direction(), far_b = 1e6 * random.direction(), at = 1e6 * random.direction();
        const TriangleMesh a = scaled(meshes[random.below(meshes.size())], 1, far_a),
                           b = scaled(meshes[random.below(meshes.size())], 1, far_b);
        const Quat turn_a = random.rotation(), turn_b = random.rotation();
        outcomes.check(a, {turn_a, at + random.in_ball() - turn_a * far_a}, b,
                       {turn_b, at + random.in_ball() - turn_b * far_b}, 1, 1e6);
    }
    outcomes.expect_all();
}

TEST(MeshMesh, touching_meshes_cross_and_meshes_apart_by_one_rounding_do_not) {
    const SurfaceTree box(make_box({})), point(TriangleMesh{{Vec3::Zero()}, {{0, 0, 0}}}),
        segment(TriangleMesh{{Vec3::Zero(), Vec3(0, 0.25, 0)}, {{0, 1, 1}}});
    const double touching = 1, apart = std::nextafter(1.0, 2.0);
    EXPECT_TRUE(meshes_cross(box, {}, box, Pose::from_translation({touching, 0, 0})));
    EXPECT_FALSE(meshes_cross(box, {}, box, Pose::from_translation({apart, 0, 0})));
    EXPECT_TRUE(meshes_cross(box, {}, box, Pose::from_translation({touching, 1, 1}))); // a corner
    EXPECT_EQ(mesh_distance(box, {}, box, Pose::from_translation({touching, 0, 0})).distance, 0);
    EXPECT_EQ(mesh_distance(box, {}, box, Pose::from_translation({apart, 0, 0})).distance, apart - 1);
    for (const SurfaceTree* thin : {&point, &segment}) {
        EXPECT_TRUE(meshes_cross(box, {}, *thin, Pose::from_translation({0.5, 0, 0})));
        EXPECT_FALSE(meshes_cross(box, {}, *thin, Pose::from_translation({std::nextafter(0.5, 1.0), 0, 0})));
        EXPECT_TRUE(meshes_cross(*thin, {}, *thin, {}));
        EXPECT_DOUBLE_EQ(mesh_distance(*thin, {}, *thin, Pose::from_translation({0, 0, 2})).distance, 2);
    }
    EXPECT_TRUE(meshes_cross(box, {}, box, Pose::from_translation({1.5, 0, 0}), 0.5));
    EXPECT_FALSE(meshes_cross(box, {}, box, Pose::from_translation({1.5, 0, 0}), std::nextafter(0.5, 0.0)));
}

TEST(MeshMesh, plates_face_to_face_are_as_far_apart_as_their_planes) {
    const TriangleMesh cloth = make_cloth({.cells = {40, 40}});
    const SurfaceTree plate(cloth);
    const Pose turned = Pose::from_axis_angle(0.3, Vec3::UnitX(), {1, 2, 3});
    const MeshDistance near =
        mesh_distance(plate, turned, plate, turned * Pose::from_axis_angle(0.1, Vec3::UnitZ(), {0, 0, 0.125}));
    EXPECT_NEAR(near.distance, 0.125, 1e-14);
}

TEST(MeshMesh, hints_right_and_wrong_leave_the_distance_as_it_is) {
    Random random(4);
    const std::vector<TriangleMesh> meshes = shapes(1);
    std::size_t crossing = 0, apart = 0;
    for (std::size_t k = 0; k < count_of(60, 1000); ++k) {
        const SurfaceTree a(meshes[random.below(meshes.size())]), b(meshes[random.below(meshes.size())]);
        const Pose pose_b{random.rotation(), 1.5 * random.in_ball()};
        const MeshDistance truth = mesh_distance(a, {}, b, pose_b);
        const MeshPairHint any{static_cast<Index>(random.below(a.tree().size())),
                               static_cast<Index>(random.below(b.tree().size()))};
        for (const MeshPairHint& hint : {truth.hint, any, MeshPairHint{7'000'000, 0}}) {
            EXPECT_NEAR(mesh_distance(a, {}, b, pose_b, infinity, hint).distance, truth.distance, 1e-13);
            EXPECT_EQ(mesh_distance(a, {}, b, pose_b, 0.5 * truth.distance, hint).triangle_a == no_index,
                      truth.distance > 0);
        }
        ++(truth.distance > 0 ? apart : crossing);
    }
    EXPECT_GT(crossing, 0u);
    EXPECT_GT(apart, 0u);
}

TEST(MeshMesh, every_cpu_finds_the_same_in_the_same_order) {
    Random random(7);
    const SurfaceTree a(make_torus({.segments = 40, .tube_segments = 20})),
        b(make_sphere({.radius = 0.4, .resolution = 12}));
    for (std::size_t k = 0; k < count_of(20, 400); ++k) {
        const Pose pose{random.rotation(), 1.2 * random.in_ball()};
        const MeshCrossings crossings = mesh_crossings(a, {}, b, pose, 3); // which three depends on the order
        const MeshDistance distance = mesh_distance(a, {}, b, pose);
        testing::for_each_simd_target([&](const char* target) {
            EXPECT_EQ(mesh_crossings(a, {}, b, pose, 3).pairs, crossings.pairs) << target;
            const MeshDistance again = mesh_distance(a, {}, b, pose);
            EXPECT_EQ(again.distance, distance.distance) << target;
            EXPECT_EQ(again.triangle_a, distance.triangle_a) << target;
            EXPECT_EQ(again.triangle_b, distance.triangle_b) << target;
            EXPECT_EQ(again.point_b, distance.point_b) << target;
        });
    }
}

TEST(MeshMesh, a_limit_excludes_farther_meshes) {
    const SurfaceTree box(make_box({}));
    const Pose far = Pose::from_translation({3, 0, 0});
    EXPECT_EQ(mesh_distance(box, {}, box, far, 1.9).triangle_a, no_index);
    EXPECT_DOUBLE_EQ(mesh_distance(box, {}, box, far, 2.1).distance, 2);
}

TEST(MeshMesh, reports_when_there_are_more_crossings_than_the_limit) {
    const SurfaceTree ball(make_sphere({}));
    const Pose beside = Pose::from_translation({0.3, 0, 0});
    const MeshCrossings all = mesh_crossings(ball, {}, ball, beside), few = mesh_crossings(ball, {}, ball, beside, 5);
    EXPECT_FALSE(all.more_contacts);
    EXPECT_GT(all.pairs.size(), 5u);
    EXPECT_TRUE(few.more_contacts);
    EXPECT_EQ(few.pairs.size(), 5u);
}

TEST(MeshMesh, single_triangles_are_meshes_and_empty_meshes_cross_nothing) {
    Random random(5);
    Outcomes outcomes;
    for (std::size_t k = 0; k < count_of(300, 10'000); ++k) {
        const auto one = [&] {
            return TriangleMesh{{random.in_ball(), random.in_ball(), random.in_ball()}, {{0, 1, 2}}};
        };
        outcomes.check(one(), {}, one(), {random.rotation(), random.in_ball()}, 1, 1);
    }
    outcomes.expect_all();
    const SurfaceTree nothing, box(make_box({}));
    EXPECT_FALSE(meshes_cross(nothing, {}, box, {}));
    EXPECT_EQ(mesh_distance(nothing, {}, box, {}).distance, infinity);
    EXPECT_EQ(mesh_distance(box, {}, nothing, {}, infinity, {0, 0}).distance, infinity);
    EXPECT_THROW((void)meshes_cross(box, Pose::from_translation({std::nan(""), 0, 0}), box, {}), Error);
}

// Of the vertices of each the nearest point of the other is known; edges may be a little nearer to each other.
TEST(MeshMesh, a_scan_is_as_far_as_its_vertices_say_or_a_little_less) {
    FATHOM_NEEDS_MODELS();
    const TriangleMesh bunny = read_triangle_mesh(testing::models() / "bunny.obj");
    const SurfaceTree tree(bunny);
    const double size = tree.tree().bounds().diagonal();
    Random random(6);
    std::size_t crossing = 0, apart = 0;
    for (std::size_t k = 0; k < count_of(8, 200); ++k) {
        const Pose pose{random.rotation(), size * random.in_ball()};
        const MeshDistance near = mesh_distance(tree, {}, tree, pose);
        double of_vertices = infinity;
        for (const Vec3& v : bunny.vertices)
            of_vertices = std::min({of_vertices, std::sqrt(tree.closest(pose * v).squared_distance),
                                    std::sqrt(tree.closest(pose.to_local(v)).squared_distance)});
        EXPECT_LE(near.distance, of_vertices * (1 + 1e-12));
        EXPECT_GE(near.distance, of_vertices - 0.01 * size);
        EXPECT_EQ(meshes_cross(tree, {}, tree, pose), near.distance == 0);
        EXPECT_EQ(meshes_cross(tree, {}, tree, pose, near.distance * (1 - 1e-9)), near.distance == 0);
        EXPECT_TRUE(meshes_cross(tree, {}, tree, pose, near.distance * (1 + 1e-9)));
        ++(near.distance > 0 ? apart : crossing);
    }
    EXPECT_GT(crossing, 0u);
    EXPECT_GT(apart, 0u);
}

} // namespace mesh_mesh_test

} // namespace fathom::mesh_mesh
