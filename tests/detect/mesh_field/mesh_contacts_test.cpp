#include "support/models.h"
#include "support/plain_fields.h"
#include "support/small_meshes.h"
#include "support/test_counts.h"
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/detect/mesh_field/triangle_in_mesh.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <gtest/gtest.h>

#include <map>

namespace fathom {
namespace mesh_contacts_test {

using Corners = std::array<Vec3, 3>;

// The least of the field over a lattice of points of the triangle.
double min_sampled(const Field& field, const Corners& t, int cells) {
    double least = HUGE_VAL;
    for (int i = 0; i <= cells; ++i)
        for (int j = 0; i + j <= cells; ++j) {
            const double u = static_cast<double>(i) / cells, v = static_cast<double>(j) / cells;
            least = std::min(least, field.distance((1 - u - v) * t[0] + u * t[1] + v * t[2]));
        }
    return least;
}

double diameter(const Corners& t) {
    return std::max({(t[0] - t[1]).norm(), (t[1] - t[2]).norm(), (t[2] - t[0]).norm()});
}

Corners random_triangle(Random& random, double scale) {
    const Vec3 at = scale * random.in_ball();
    const double size = scale * std::pow(10.0, random.uniform(-2, 0.3));
    return {at + size * random.in_ball(), at + size * random.in_ball(), at + size * random.in_ball()};
}

Pose random_pose(Random& random, double reach) { return {random.rotation(), reach * random.in_ball()}; }

TEST(TriangleDescent, reaches_the_minimum_of_convex_bodies_on_random_triangles) {
    Random random(1);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const AnalyticField ball(shapes::sphere(0.5 * scale)), block(shapes::box(scale * Vec3(0.8, 0.6, 0.4))),
            capsule(shapes::capsule(scale * Vec3(-0.3, 0, 0), scale * Vec3(0.3, 0, 0), 0.2 * scale)),
            plane(shapes::plane(Vec3(1, 2, 3), 0));
        for (const AnalyticField* field : {&ball, &block, &capsule, &plane}) {
            double worst = 0, evaluations = 0;
            std::size_t off = 0;
            for (std::size_t k = 0; k < testing::count_of(500, 20'000); ++k) {
                const Corners t = random_triangle(random, scale);
                const Vec3 start = (t[0] + t[1] + t[2]) / 3;
                const mesh_field::TriangleMinimum least =
                    mesh_field::minimum_on_triangle(*field, t, start, field->distance(start));
                // The lattice itself misses the least by at most half a cell.
                const double above = (least.sample.distance - min_sampled(*field, t, 24)) / diameter(t);
                worst = std::max(worst, above);
                off += above > 1e-9;
                evaluations += static_cast<double>(least.evaluations);
                EXPECT_EQ(least.sample.distance, field->distance(least.point));
                EXPECT_LE(closest_point(least.point, t).squared_distance, 1e-24 * scale * scale);
            }
            EXPECT_LE(off, testing::count_of(0, 10)) << scale;
            EXPECT_LT(worst, 2e-3) << scale;
            EXPECT_LT(evaluations, 25 * static_cast<double>(testing::count_of(500, 20'000)));
        }
    }
}

TEST(TriangleDescent, matches_the_closed_form_of_a_sphere) {
    Random random(2);
    const AnalyticField ball(shapes::sphere(0.5));
    std::size_t evaluations = 0;
    const std::size_t count = testing::count_of(3000, 100'000);
    for (std::size_t k = 0; k < count; ++k) {
        const Corners t = random_triangle(random, 1);
        const mesh_field::TriangleMinimum least = mesh_field::minimum_on_triangle(ball, t, t[0], ball.distance(t[0]));
        EXPECT_NEAR(least.sample.distance, std::sqrt(closest_point(Vec3::Zero(), t).squared_distance) - 0.5, 1e-11);
        evaluations += least.evaluations;
    }
    EXPECT_LT(evaluations, 40 * count);
}

struct Tally {
    std::size_t poses = 0, overlapping = 0, undecided = 0, touching = 0, deeper = 0;
};

// Every triangle that a dense lattice sees below the margin must be listed, and nothing that the exact field denies.
void check_pose(const TriangleMesh& mesh, const TriangleSphereTree& ready, const Pose& mesh_pose, const Field& field,
                const Pose& field_pose, double margin, int cells, bool convex, Tally& tally) {
    const mesh_field::MeshContactResult result =
        mesh_field::mesh_contacts(ready, mesh_pose, field, field_pose, {.margin = margin});
    std::map<Index, double> listed;
    for (const mesh_field::MeshContact& c : result.contacts) {
        EXPECT_TRUE(listed.emplace(c.triangle, c.depth).second) << "twice";
        EXPECT_GE(c.depth, -margin);
        EXPECT_NEAR(c.normal.norm(), 1, 1e-12);
        EXPECT_GE(c.barycentric.minCoeff(), 0);
        const Corners t = mesh.corners(c.triangle);
        const Vec3 there = mesh_pose * (c.barycentric[0] * t[0] + c.barycentric[1] * t[1] + c.barycentric[2] * t[2]);
        const double size =
            1e-11 * (there.norm() + mesh_pose.translation.norm() + field_pose.translation.norm() + diameter(t));
        EXPECT_LE((there - c.point).norm(), size);
        EXPECT_NEAR(field.distance(field_pose.to_local(c.point)), -c.depth, 10 * size);
    }
    std::size_t missed = 0;
    for (Index k = 0; k < mesh.triangles.size(); ++k) {
        Corners t = mesh.corners(k);
        for (Vec3& corner : t) corner = field_pose.to_local(mesh_pose * corner);
        const double least = min_sampled(field, t, cells), rounding = 1e-12 * (t[0].norm() + diameter(t));
        const auto found = listed.find(k);
        if (least < margin - rounding) missed += found == listed.end();
        if (found == listed.end()) continue;
        ++tally.touching;
        tally.deeper +=
            -found->second > least + 1e-3 * diameter(t); // the lattice knows a deeper point than the descent
    }
    EXPECT_LE(missed, result.undecided) << "missed in silence";
    EXPECT_EQ(result.status == Status::overlapping, !result.contacts.empty());
    EXPECT_TRUE(std::is_sorted(result.contacts.begin(), result.contacts.end(),
                               [](const auto& a, const auto& b) { return a.depth > b.depth; }));

    const mesh_field::MeshContactResult any = mesh_field::mesh_contacts(
        ready, mesh_pose, field, field_pose, {.goal = mesh_field::MeshGoal::any, .margin = margin});
    EXPECT_EQ(any.status, result.status);
    EXPECT_EQ(any.contacts.size(), result.contacts.empty() ? 0u : 1u);
    const mesh_field::MeshContactResult deepest = mesh_field::mesh_contacts(
        ready, mesh_pose, field, field_pose, {.goal = mesh_field::MeshGoal::deepest, .margin = margin});
    EXPECT_EQ(deepest.status, result.status);
    ASSERT_EQ(deepest.contacts.size(), 1u);
    if (!result.contacts.empty()) {
        const double valley = convex ? 1e-6 : 0.2; // a field with valleys may lead descents from different starts apart
        EXPECT_NEAR(deepest.contacts[0].depth, result.contacts[0].depth, valley * diameter(mesh.corners(0)));
    } else if (result.status == Status::disjoint) {
        EXPECT_LT(deepest.contacts[0].depth, -margin);
    }
    ++tally.poses;
    tally.overlapping += result.status == Status::overlapping;
    tally.undecided += result.status == Status::undecided;
}

void expect_both_outcomes(const Tally& tally, bool convex) {
    EXPECT_GT(tally.overlapping, tally.poses / 5);
    EXPECT_LT(tally.overlapping, tally.poses * 4 / 5);
    EXPECT_LE(tally.undecided, tally.poses / 100);
    EXPECT_LE(tally.deeper, convex ? tally.touching / 1000
                                   : tally.touching / 5); // valleys: the descent may take another than the lattice
}

TEST(MeshContacts, lists_every_triangle_that_dense_samples_see_touching) {
    Random random(3);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const auto sized = [&](const TriangleMesh& mesh) {
            return mapped(mesh, [&](const Vec3& p) -> Vec3 { return scale * p; });
        };
        const std::array meshes = {sized(testing::box_mesh(Box::around(Vec3::Zero(), Vec3(0.5, 0.4, 0.05)))),
                                   sized(testing::sphere_mesh(2)), sized(testing::torus_mesh(24, 8)),
                                   sized(testing::random_triangles(random, 30, 20))};
        const AnalyticField ball(shapes::sphere(0.4 * scale)), block(shapes::box(scale * Vec3(0.8, 0.6, 0.1))),
            ring(shapes::torus(0.5 * scale, 0.1 * scale)),
            star(shapes::extrude(0.2 * scale, shapes::star(7, 0.6 * scale, 0.2 * scale)));
        for (const AnalyticField* field : {&ball, &block, &ring, &star}) {
            Tally tally;
            for (const TriangleMesh& mesh : meshes) {
                const TriangleSphereTree ready(mesh);
                for (std::size_t k = 0; k < testing::count_of(8, 400); ++k)
                    check_pose(mesh, ready, random_pose(random, scale), *field, random_pose(random, scale), 0, 20,
                               field == &ball || field == &block, tally);
            }
            expect_both_outcomes(tally, field == &ball || field == &block);
        }
    }
}

TEST(MeshContacts, lists_every_triangle_within_a_margin_or_deeper_than_one) {
    Random random(4);
    const TriangleMesh mesh = testing::torus_mesh(24, 8);
    const TriangleSphereTree ready(mesh);
    const AnalyticField block(shapes::box({1, 0.8, 0.6}));
    for (const double margin : {0.1, -0.05}) {
        Tally tally;
        for (std::size_t k = 0; k < testing::count_of(30, 1000); ++k)
            check_pose(mesh, ready, random_pose(random, 1.4), block, random_pose(random, 1.2), margin, 20, true, tally);
        expect_both_outcomes(tally, true);
    }
}

TEST(MeshContacts, lists_every_triangle_that_dense_samples_see_in_a_grid) {
    Random random(5);
    const TriangleMesh mesh = make_creature({.triangles = 2000});
    const TriangleSphereTree ready(mesh);
    const GridField grid = build_grid(make_creature({.triangles = 4000, .seed = 2}), {.resolution = 64});
    Tally tally;
    for (std::size_t k = 0; k < testing::count_of(25, 1000); ++k)
        check_pose(mesh, ready, random_pose(random, 0.55), grid, random_pose(random, 0.55), 0, 12, false, tally);
    expect_both_outcomes(tally, false);
}

TEST(MeshContacts, depth_and_normal_of_a_sphere_and_a_half_space_are_exact) {
    Random random(6);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const TriangleMesh mesh = mapped(testing::sphere_mesh(3), [&](const Vec3& p) -> Vec3 { return scale * p; });
        const TriangleSphereTree ready(mesh);
        const AnalyticField ball(shapes::sphere(scale)), plane(shapes::plane(Vec3::UnitZ(), 0));
        for (std::size_t k = 0; k < testing::count_of(20, 1000); ++k) {
            const Pose a = random_pose(random, 2.2 * scale), b{random.rotation(), scale * random.in_ball()};
            // The deepest vertex of the mesh in a half space, the nearest point of the mesh to the ball's centre.
            double lowest = HUGE_VAL, nearest = HUGE_VAL;
            for (const Vec3& v : mesh.vertices) lowest = std::min(lowest, b.to_local(a * v).z());
            for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
                nearest = std::min(nearest, closest_point(a.to_local(b.translation), mesh.corners(t)).squared_distance);
            const auto on_plane =
                mesh_field::mesh_contacts(ready, a, plane, b, {.goal = mesh_field::MeshGoal::deepest});
            EXPECT_NEAR(on_plane.contacts.at(0).depth, -lowest, 1e-12 * scale);
            EXPECT_NEAR((on_plane.contacts[0].normal - b.rotate(-Vec3::UnitZ())).norm(), 0, 1e-12);
            const auto on_ball = mesh_field::mesh_contacts(ready, a, ball, b, {.goal = mesh_field::MeshGoal::deepest});
            const mesh_field::MeshContact& c = on_ball.contacts.at(0);
            EXPECT_NEAR(c.depth, scale - std::sqrt(nearest), 1e-10 * scale);
            if (std::sqrt(nearest) > 0.1 * scale) {
                EXPECT_NEAR((c.normal - (b.translation - c.point).normalized()).norm(), 0, 1e-10);
            }
        }
    }
}

TEST(MeshContacts, a_mesh_inside_the_body_touches_and_a_body_inside_the_mesh_does_not) {
    const TriangleSphereTree mesh(testing::cube_mesh());
    const AnalyticField large(shapes::sphere(5)), small(shapes::sphere(0.5));
    const auto inside = mesh_field::mesh_contacts(mesh, {}, large, {});
    EXPECT_EQ(inside.status, Status::overlapping);
    EXPECT_EQ(inside.contacts.size(), 12u);
    EXPECT_EQ(mesh_field::mesh_contacts(mesh, {}, small, {}).status, Status::disjoint);
}

// A triangle stands on its edge in a narrow valley beside a wide one: the descent goes astray, the proof does not.
TEST(MeshContacts, the_proof_finds_contacts_that_the_descent_misses) {
    using namespace shapes;
    const AnalyticField field(
        union_of({translate({0.9, 0.35, 0}, sphere(0.02)), translate({-0.5, 0.5, 0.05}, sphere(0.04))}));
    TriangleMesh mesh;
    mesh.vertices = {{-3, 0, 0}, {3, 0, 0}, {0, 2, 0}};
    mesh.triangles = {{0, 1, 2}};
    const TriangleSphereTree ready(mesh);
    const auto quick = mesh_field::mesh_contacts(ready, {}, field, {}, {.prove = false});
    EXPECT_EQ(quick.status, Status::undecided);
    EXPECT_EQ(quick.undecided, 1u);
    EXPECT_EQ(quick.open_triangle, 0u);
    const auto proven = mesh_field::mesh_contacts(ready, {}, field, {});
    EXPECT_EQ(proven.status, Status::overlapping);
    EXPECT_NEAR(proven.contacts.at(0).depth, 0.02, 1e-9);
}

TEST(MeshContacts, gaps_are_proven_down_to_the_tolerance_and_open_below_it) {
    const TriangleSphereTree mesh(testing::cube_mesh());
    const testing::BallField ball(Vec3::Zero(), 1);
    for (const double gap : {1e-2, 1e-3})
        EXPECT_EQ(mesh_field::mesh_contacts(mesh, Pose::from_translation({0, 0, 2 + gap}), ball, {}).status,
                  Status::disjoint)
            << gap;
    EXPECT_EQ(mesh_field::mesh_contacts(mesh, Pose::from_translation({0, 0, 2 - 1e-9}), ball, {}).status,
              Status::overlapping);
    EXPECT_EQ(mesh_field::mesh_contacts(mesh, Pose::from_translation({0, 0, 2 + 1e-14}), ball, {}).status,
              Status::undecided);
    EXPECT_EQ(
        mesh_field::mesh_contacts(mesh, Pose::from_translation({0, 0, 2 + 1e-3}), ball, {}, {.tolerance = 0.5}).status,
        Status::undecided);
    EXPECT_EQ(
        mesh_field::mesh_contacts(mesh, Pose::from_translation({0, 0, 2 + 1e-3}), ball, {}, {.max_evaluations = 0})
            .status,
        Status::undecided);
    // Faces that lie on each other need the range: no number of balls is enough.
    const AnalyticField block(shapes::box({2, 2, 2}));
    EXPECT_EQ(mesh_field::mesh_contacts(mesh, Pose::from_translation({0, 0, 2 + 1e-9}), block, {}).status,
              Status::disjoint);
    EXPECT_EQ(mesh_field::mesh_contacts(mesh, Pose::from_translation({0, 0, 2}), block, {}).status,
              Status::overlapping);
}

TEST(MeshContacts, max_contacts_keeps_the_deepest_and_reports_more) {
    const TriangleSphereTree mesh(testing::sphere_mesh(3));
    const AnalyticField plane(shapes::plane(Vec3::UnitZ(), 0));
    const auto all = mesh_field::mesh_contacts(mesh, {}, plane, {}),
               few = mesh_field::mesh_contacts(mesh, {}, plane, {}, {.max_contacts = 7});
    EXPECT_FALSE(all.more_contacts);
    EXPECT_TRUE(few.more_contacts);
    ASSERT_EQ(few.contacts.size(), 7u);
    ASSERT_GT(all.contacts.size(), 200u);
    for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(few.contacts[k].triangle, all.contacts[k].triangle);
}

TEST(MeshContacts, hostile_input_is_refused_or_undecided) {
    const double nan = std::nan("");
    TriangleMesh bad = testing::cube_mesh();
    bad.vertices[3].y() = nan;
    EXPECT_THROW(TriangleSphereTree{bad}, Error);
    bad = testing::cube_mesh();
    bad.triangles[5][1] = 99;
    EXPECT_THROW(TriangleSphereTree{bad}, Error);
    const AnalyticField ball(shapes::sphere(1));
    EXPECT_EQ(mesh_field::mesh_contacts(TriangleSphereTree{TriangleMesh{}}, {}, ball, {}).status, Status::disjoint);
    const TriangleSphereTree cube(testing::cube_mesh());
    for (const double wrong : {nan, HUGE_VAL}) {
        EXPECT_EQ(mesh_field::mesh_contacts(cube, Pose::from_translation({wrong, 0, 0}), ball, {}).status,
                  Status::undecided);
        EXPECT_EQ(mesh_field::mesh_contacts(cube, {}, ball, Pose::from_translation({0, wrong, 0})).status,
                  Status::undecided);
        EXPECT_THROW((void)mesh_field::mesh_contacts(cube, {}, ball, {}, {.margin = wrong}), Error);
    }
    EXPECT_THROW((void)mesh_field::mesh_contacts(cube, {}, ball, {}, {.tolerance = -1}), Error);

    // No area: a point, a segment, and a sliver.
    TriangleMesh flat;
    flat.vertices = {{0, 0, 0.9}, {0, 0, 3}, {1e-200, 0, 2}, {5, 5, 5}};
    flat.triangles = {{0, 0, 0}, {0, 1, 1}, {0, 1, 2}, {3, 3, 3}};
    const auto result = mesh_field::mesh_contacts(TriangleSphereTree(flat), {}, ball, {});
    ASSERT_EQ(result.contacts.size(), 3u);
    for (const mesh_field::MeshContact& c : result.contacts) EXPECT_NEAR(c.depth, 0.1, 1e-12);
}

// A field that answers with no number at all.
class NoField final : public Field {
public:
    double distance(const Vec3&) const override { return std::nan(""); }
    Sample sample(const Vec3&) const override { return {std::nan(""), Vec3::Constant(std::nan(""))}; }
    Interval range(const Box&) const override { return {-HUGE_VAL, HUGE_VAL}; }
    double lipschitz() const override { return HUGE_VAL; }
    double error_bound() const override { return HUGE_VAL; }
    Box domain() const override { return {Vec3::Constant(-HUGE_VAL), Vec3::Constant(HUGE_VAL)}; }
    Box bounds() const override { return domain(); }
};

TEST(MeshContacts, a_field_without_numbers_is_undecided) {
    const TriangleSphereTree mesh(testing::cube_mesh());
    for (const mesh_field::MeshGoal goal :
         {mesh_field::MeshGoal::any, mesh_field::MeshGoal::deepest, mesh_field::MeshGoal::contacts}) {
        const auto result = mesh_field::mesh_contacts(mesh, {}, NoField(), {}, {.goal = goal, .max_evaluations = 1000});
        EXPECT_EQ(result.status, Status::undecided);
        EXPECT_TRUE(result.contacts.empty());
        EXPECT_EQ(result.undecided, 12u);
    }
}

TEST(MeshContacts, are_the_same_for_any_number_of_threads) {
    const TriangleSphereTree mesh(make_creature({.triangles = 5000}));
    const AnalyticField block(shapes::box({0.5, 0.5, 0.5}));
    set_thread_count(1);
    const auto one = mesh_field::mesh_contacts(mesh, Pose::from_translation({0.1, 0.1, 0}), block, {});
    set_thread_count(4);
    const auto four = mesh_field::mesh_contacts(mesh, Pose::from_translation({0.1, 0.1, 0}), block, {});
    set_thread_count(0);
    ASSERT_GT(one.contacts.size(), 1000u);
    ASSERT_EQ(one.contacts.size(), four.contacts.size());
    EXPECT_EQ(one.evaluations, four.evaluations);
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
        EXPECT_EQ(one.contacts[k].triangle, four.contacts[k].triangle);
        EXPECT_EQ(one.contacts[k].point, four.contacts[k].point);
        EXPECT_EQ(one.contacts[k].depth, four.contacts[k].depth);
    }
}

// Two scans, each in turn the mesh: in the mesh's own field, a point of the surface is as deep as the distance says.
TEST(MeshContacts, agree_with_the_exact_field_of_a_scan) {
    FATHOM_NEEDS_MODELS();
    const TriangleMesh bunny = read_triangle_mesh(testing::models() / "bunny.obj");
    const Box box = bounds(bunny.vertices);
    const TriangleSphereTree ready(bunny);
    const MeshField exact(bunny);
    const GridField grid = cached_grid(bunny, {.resolution = 128, .dense = true}).file.field;
    Random random(7);
    std::size_t both[2] = {0, 0};
    for (std::size_t k = 0; k < testing::count_of(20, 500); ++k) {
        const double size = box.size().maxCoeff();
        const Quat turn = random.rotation();
        const Pose pose{turn, box.center() + 0.6 * size * random.in_ball() - turn * box.center()};
        const auto result = mesh_field::mesh_contacts(ready, pose, grid, {}, {.goal = mesh_field::MeshGoal::deepest});
        ASSERT_EQ(result.contacts.size(), 1u);
        double least = HUGE_VAL;
        for (std::size_t v = 0; v < bunny.vertices.size(); v += 7)
            least = std::min(least, exact.distance(pose * bunny.vertices[v]));
        EXPECT_LE(-result.contacts[0].depth, least + grid.near_error_bound() + 1e-9 * size);
        EXPECT_NEAR(exact.distance(result.contacts[0].point), -result.contacts[0].depth, grid.error_bound());
        ++both[result.status == Status::overlapping];
    }
    EXPECT_GT(both[0], 1u);
    EXPECT_GT(both[1], 1u);
}

} // namespace mesh_contacts_test
} // namespace fathom
