// Shapes and the one call, where the answer is known beforehand.
#include "support/test_counts.h"
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/height/height_field.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/sample/point_shell.h>
#include <tool/verify/referee.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace fathom {
namespace query_test {

Shape formula(const AnalyticExpression& f) { return Shape(std::make_shared<AnalyticField>(f)); }
Shape ball(double radius) { return formula(shapes::sphere(radius)); }
Shape box_mesh(double size) { return Shape(make_box({.size = Vec3::Constant(size), .cells = {3, 3, 3}})); }

template <class Call>
Cause cause_of(const Call& call) {
    try {
        (void)call();
    } catch (const Error& error) {
        return error.cause();
    }
    ADD_FAILURE() << "nothing was thrown";
    return Cause::cancelled;
}

// The expression of an ellipsoid is only a bound on the distance; the shape has exact distances, with an error of 0.
TEST(Shape, an_ellipsoid_given_by_an_expression_has_exact_distances) {
    const Vec3 axes(1, 0.5, 0.25);
    const Shape egg = formula(shapes::ellipsoid(axes));
    EXPECT_EQ(egg.error_bound(), 0);
    for (const Vec3& p : {Vec3(0.3, 0.2, 0.05), Vec3(0.9, 0, 0), Vec3(0.6, 0.6, 0.6), Vec3(0, 0, 2)}) {
        double nearest = HUGE_VAL;
        constexpr int steps = 1000;
        for (int i = 0; i <= steps; ++i)
            for (int k = 0; k < steps; ++k) {
                const double polar = M_PI * i / steps, turn = 2 * M_PI * k / steps, r = std::sin(polar);
                const Vec3 unit(r * std::cos(turn), r * std::sin(turn), std::cos(polar));
                nearest = std::min(nearest, (axes.cwiseProduct(unit) - p).norm());
            }
        const double sign = p.cwiseQuotient(axes).norm() < 1 ? -1 : 1;
        EXPECT_NEAR(egg.field()->distance(p), sign * nearest, 1e-4);
    }
}

TEST(Shape, reports_its_kind_and_data) {
    EXPECT_EQ(ball(1).kind(), ShapeKind::convex);
    EXPECT_EQ(formula(shapes::torus(1, 0.2)).kind(), ShapeKind::analytic);
    EXPECT_EQ(formula(shapes::plane(Vec3::UnitZ(), 0)).kind(), ShapeKind::half_space);
    EXPECT_EQ(Shape(std::make_shared<GridField>(bake(AnalyticField(shapes::sphere(1)), {.resolution = 16}))).kind(),
              ShapeKind::grid);
    EXPECT_EQ(box_mesh(1).kind(), ShapeKind::closed_mesh);
    EXPECT_EQ(Shape(make_cloth()).kind(), ShapeKind::open_mesh);
    EXPECT_EQ(Shape(flipped(make_box())).kind(), ShapeKind::closed_mesh) << "it is reoriented";
    EXPECT_EQ(Shape(make_tet_ball()).kind(), ShapeKind::tetrahedra);
    EXPECT_EQ(Shape(vertex_shell(make_box()).points).kind(), ShapeKind::point_shell);
}

TEST(Shape, rejects_invalid_geometry) {
    EXPECT_EQ(cause_of([] { return Shape(FieldPtr()); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { return Shape(TriangleMesh()); }), Cause::empty);
    EXPECT_EQ(cause_of([] { return Shape(TetMesh()); }), Cause::empty);
    EXPECT_EQ(cause_of([] { return Shape(std::vector<Vec3>()); }), Cause::empty);
    EXPECT_EQ(cause_of([] { return Shape(std::vector<Vec3>{Vec3(0, NAN, 0)}); }), Cause::non_finite);
    EXPECT_EQ(cause_of([] { return Shape(make_cloth(), MeshInside::closed); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { return Shape(make_cloth()).field(); }), Cause::unsupported);
    EXPECT_EQ(cause_of([] { return ball(1).mesh(); }), Cause::unsupported);
    EXPECT_EQ(cause_of([] { return ball(1).deformed({}); }), Cause::unsupported);
    EXPECT_EQ(cause_of([] { return box_mesh(1).deformed({}); }), Cause::count_mismatch);
}

TEST(Shape, deforms_to_the_given_vertices) {
    const Shape box = box_mesh(1);
    std::vector<Vec3> wide = box.mesh().vertices;
    for (Vec3& v : wide) v.x() *= 3;
    const Shape after = box.deformed(wide);
    EXPECT_EQ(after.kind(), ShapeKind::closed_mesh);
    EXPECT_NEAR(distance(after, {}, ball(0.5), Pose::from_translation({3, 0, 0})).upper_bound, 1, 1e-6);
    EXPECT_NEAR(distance(box, {}, ball(0.5), Pose::from_translation({3, 0, 0})).upper_bound, 2, 1e-6)
        << "the first stays as it was";
}

// Every kind of a thing that fills or bounds the ball of radius 1/2, but for the resolution of its kind.
std::vector<std::pair<Shape, double>> balls() {
    const TriangleMesh mesh = make_sphere({.radius = 0.5, .resolution = 12});
    TriangleMesh open = mesh;
    open.triangles.resize(open.triangles.size() - 1); // a small hole at a place of no matter
    return {{ball(0.5), 1e-6},
            {Shape(std::make_shared<GridField>(bake(AnalyticField(shapes::sphere(0.5)), {.resolution = 64}))), 2e-3},
            {Shape(mesh), 4e-3},
            {Shape(open), 4e-3},
            {Shape(vertex_shell(mesh).points), 2e-2},
            {Shape(make_tet_ball({.radius = 0.5, .resolution = 8})), 1.5e-2}};
}

TEST(Query, distances_of_spheres_of_every_kind_match_the_closed_form) {
    const Pose away = {Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized())), Vec3(1, 1, 0.5)};
    for (const auto& [a, error_a] : balls())
        for (const auto& [b, error_b] : balls()) {
            const DistanceResult d = distance(a, {}, b, away);
            const double error = error_a + error_b + d.error_bound;
            EXPECT_NEAR(d.upper_bound, 0.5, error) << name(a.kind()) << " and " << name(b.kind());
            EXPECT_LE(d.lower_bound, d.upper_bound);
            EXPECT_GE(d.lower_bound, 0.3);
            EXPECT_NEAR((d.normal - away.translation.normalized()).norm(), 0, 0.2);
            EXPECT_EQ(collide(a, {}, b, away).status, Status::disjoint);
        }
}

TEST(Query, two_spheres_touch_at_the_time_of_the_closed_form) {
    const Motion coming{Pose::from_translation({3, 0, 0}), Pose::from_translation({-3, 0, 0})};
    const double enters = 2.0 / 6, leaves = 4.0 / 6; // centres one metre apart
    for (const auto& [a, error_a] : balls())
        for (const auto& [b, error_b] : balls()) {
            if (is_surface(a.kind()) && is_surface(b.kind())) continue; // pass through each other's holes
            const SweepResult s = sweep(a, Motion::stationary({}), b, coming,
                                        {.goal = SweepGoal::all, .tolerance = 1e-4, .resolution = 1.0 / 32});
            ASSERT_EQ(s.status, Status::overlapping) << name(a.kind()) << " and " << name(b.kind());
            const double error = (error_a + error_b + s.error_bound) / 6 + 1e-3;
            EXPECT_NEAR(s.time, enters, error) << name(a.kind()) << " and " << name(b.kind());
            ASSERT_FALSE(s.intervals.empty());
            EXPECT_NEAR(s.intervals.front().start, enters, error);
            EXPECT_NEAR(s.intervals.back().end, leaves, error);
        }
}

TEST(Query, a_body_inside_another_touches_it) {
    const Shape small = box_mesh(0.2), large = box_mesh(2);
    const CollideResult c = collide(small, {}, large, {}, {.goal = CollideGoal::contacts});
    EXPECT_EQ(c.status, Status::overlapping);
    EXPECT_NEAR(distance(small, {}, large, {}).upper_bound, -0.9, 1e-6)
        << "each side of the small one is so far from the nearest of the large one";
    EXPECT_EQ(collide(Shape(small.mesh(), MeshInside::open), {}, large, {}).status, Status::overlapping)
        << "a surface inside of a solid";
    EXPECT_EQ(collide(small, {}, Shape(large.mesh(), MeshInside::open), {}).status, Status::disjoint)
        << "a solid inside of a surface that has no inside";
}

TEST(Query, half_spaces_in_closed_form) {
    const Shape floor = Shape::half_space(Vec3::UnitZ(), 0), ceiling = Shape::half_space(-Vec3::UnitZ(), -2); // z >= 2
    EXPECT_EQ(collide(floor, {}, ceiling, {}).status, Status::disjoint);
    EXPECT_NEAR(distance(floor, {}, ceiling, {}).upper_bound, 2, 1e-12);
    EXPECT_EQ(collide(floor, {}, ceiling, Pose::from_translation({0, 0, -2.5})).status, Status::overlapping);
    EXPECT_NEAR(distance(floor, {}, ceiling, Pose::from_translation({0, 0, -2.5})).upper_bound, -0.5, 1e-12);
    EXPECT_EQ(collide(floor, {}, Shape::half_space(Vec3::UnitX(), -100), {}).status, Status::overlapping)
        << "planes that are not parallel meet";
    const SweepResult s = sweep(floor, Motion::stationary({}), ceiling, {{}, Pose::from_translation({0, 0, -4})});
    ASSERT_EQ(s.status, Status::overlapping);
    EXPECT_NEAR(s.time, 0.5, 1e-5);
}

TEST(Query, a_mesh_on_the_ground) {
    const Shape ground = Shape::half_space(Vec3::UnitZ(), 0), box = box_mesh(1);
    const CollideResult c =
        collide(box, Pose::from_translation({0, 0, 0.4}), ground, {}, {.goal = CollideGoal::contacts});
    ASSERT_EQ(c.status, Status::overlapping);
    EXPECT_NEAR(c.depth, 0.1, 1e-12);
    EXPECT_GE(c.contacts.size(), 4u);
    EXPECT_NEAR((c.contacts.front().normal + Vec3::UnitZ()).norm(), 0, 1e-12) << "from the box down into the ground";
    EXPECT_NEAR(distance(box, Pose::from_translation({0, 0, 1}), ground, {}).lower_bound, 0.5, 1e-12);
    EXPECT_NEAR(distance(ball(0.5), Pose::from_translation({3, 4, 2}), ground, {}).upper_bound, 1.5, 1e-6)
        << "a formula on a half-space";
    EXPECT_GE(distance(ball(0.5), Pose::from_translation({3, 4, 2}), ground, {}).lower_bound, 1.49);
}

TEST(Query, every_kind_of_shape_hits_the_ground_at_the_expected_time) {
    const TriangleMesh cube = make_box({.size = Vec3::Constant(1), .cells = {3, 3, 3}});
    TriangleMesh without_lid = cube;
    std::erase_if(without_lid.triangles, [&](const Triangle& t) {
        return cube.vertices[t[0]].z() + cube.vertices[t[1]].z() + cube.vertices[t[2]].z() > 1.49;
    });
    const std::vector<Shape> cubes = {Shape(cube), Shape(without_lid, MeshInside::open), Shape(cube.vertices),
                                      formula(shapes::box(Vec3::Ones()))};
    const Shape ground = Shape::half_space(Vec3::UnitZ(), 0.25);
    for (const double high : {2.0, 30.0}) {
        const Motion falls = {Pose::from_translation({5, 0, high}), Pose::from_translation({5, 0, -1})},
                     passes = {Pose::from_translation({5, 0, high}), Pose::from_translation({-5, 0, 0.76})};
        for (const Shape& shape : cubes) {
            const SweepResult down = sweep(shape, falls, ground, Motion::stationary({}), {.goal = SweepGoal::all});
            ASSERT_EQ(down.status, Status::overlapping) << name(shape.kind());
            EXPECT_NEAR(down.time + down.error, (high - 0.75) / (high + 1), 1e-5) << name(shape.kind());
            EXPECT_LE(down.time, (high - 0.75) / (high + 1)) << name(shape.kind());
            ASSERT_EQ(down.intervals.size(), 1u);
            EXPECT_EQ(down.intervals[0].end, 1);
            EXPECT_EQ(sweep(ground, Motion::stationary({}), shape, falls).status, Status::overlapping);
            EXPECT_EQ(sweep(shape, passes, ground, Motion::stationary({})).status, Status::disjoint)
                << name(shape.kind());
        }
    }
}

TEST(Query, a_surface_near_a_solid_has_a_nearest_pair_however_near) {
    Random random(11);
    for (const ShapeKind kind : {ShapeKind::other_field, ShapeKind::grid, ShapeKind::analytic})
        for (int k = 0; k < 12; ++k) {
            const Shape solid = random_shape(kind, random), sheet = random_shape(ShapeKind::open_mesh, random);
            const Pose turned = random_poses(solid, sheet, random).b;
            const auto at = [&](double away) { return distance(solid, {}, sheet, {turned.rotation, {away, 0, 0}}); };
            double touching = 0, apart = 6; // m along x
            for (int step = 0; step < 40; ++step) {
                const double middle = 0.5 * (touching + apart);
                const DistanceResult d = at(middle);
                EXPECT_TRUE(std::isfinite(d.upper_bound)) << name(kind) << " at " << middle;
                EXPECT_LE(d.lower_bound, d.upper_bound);
                (d.upper_bound <= 0 ? touching : apart) = middle;
            }
        }
}

TEST(Query, margins_count_as_touching) {
    const Pose near = Pose::from_translation({1.01, 0, 0});
    for (const auto& [a, error_a] : balls())
        for (const auto& [b, error_b] : balls()) {
            if (is_surface(a.kind()) && is_surface(b.kind())) continue;
            EXPECT_EQ(collide(a, {}, b, near, {.margin = 0.01 + error_a + error_b + 2e-3}).status, Status::overlapping)
                << name(a.kind()) << " and " << name(b.kind());
            EXPECT_NE(collide(a, {}, b, Pose::from_translation({1.2, 0, 0}), {.margin = 0.1}).status,
                      Status::overlapping); // beyond a grid this need not be proven
        }
}

void expect_same(const CollideResult& p, const CollideResult& q) {
    EXPECT_EQ(p.status, q.status);
    EXPECT_EQ(p.local_depth, q.local_depth);
    EXPECT_EQ(p.local_depth_bound, q.local_depth_bound);
    EXPECT_EQ(p.more_contacts, q.more_contacts);
    ASSERT_EQ(p.contacts.size(), q.contacts.size());
    for (std::size_t k = 0; k < p.contacts.size(); ++k) {
        EXPECT_EQ(p.contacts[k].point_a, q.contacts[k].point_a);
        EXPECT_EQ(p.contacts[k].point_b, q.contacts[k].point_b);
        EXPECT_EQ(p.contacts[k].normal, q.contacts[k].normal);
        EXPECT_EQ(p.contacts[k].depth, q.contacts[k].depth);
        EXPECT_EQ(p.contacts[k].feature_a.element, q.contacts[k].feature_a.element);
        EXPECT_EQ(p.contacts[k].feature_b.element, q.contacts[k].feature_b.element);
    }
}

CollideResult turned(CollideResult c) {
    for (Contact& contact : c.contacts) {
        std::swap(contact.point_a, contact.point_b);
        std::swap(contact.feature_a, contact.feature_b);
        contact.normal = -contact.normal;
    }
    return c;
}

// For any number of requested contacts the deepest comes first, and neither order nor threads change a byte.
TEST(Query, few_contacts_are_the_deepest_and_the_same_in_both_orders) {
    Random random(5);
    const Shape creature(make_creature({.triangles = 1000})), ring(make_torus()), cloth(make_cloth()),
        tets(make_tet_ball({.radius = 0.4, .resolution = 4})),
        other_tets(make_tet_ball({.radius = 0.3, .resolution = 5})),
        grid(std::make_shared<GridField>(bake(AnalyticField(shapes::sphere(0.5)), {.resolution = 24})));
    const std::array<std::pair<const Shape*, const Shape*>, 6> pairs = {{{&creature, &ring},
                                                                         {&ring, &ring},
                                                                         {&tets, &other_tets},
                                                                         {&creature, &tets},
                                                                         {&cloth, &grid},
                                                                         {&cloth, &ring}}};
    std::size_t overlapping = 0, truncated = 0, whole = 0, asked = 0;
    for (const auto& [a, b] : pairs)
        for (std::size_t k = 0; k < testing::count_of(4, 200); ++k) {
            const Pose pose_a{random.rotation(), 0.45 * random.in_ball()},
                pose_b{random.rotation(), 0.45 * random.in_ball()};
            const CollideResult one =
                collide(*a, pose_a, *b, pose_b, {.goal = CollideGoal::contacts, .max_contacts = 1});
            ++asked;
            overlapping += one.status == Status::overlapping;
            for (const std::size_t most : {1u, 16u, 1000u}) {
                const CollideResult some =
                    collide(*a, pose_a, *b, pose_b, {.goal = CollideGoal::contacts, .max_contacts = most});
                EXPECT_EQ(some.status, one.status);
                EXPECT_EQ(some.local_depth, one.local_depth);
                EXPECT_LE(some.contacts.size(), most);
                EXPECT_TRUE(std::ranges::is_sorted(
                    some.contacts, [](const Contact& p, const Contact& q) { return p.depth > q.depth; }));
                for (const Contact& c : some.contacts)
                    EXPECT_NEAR((c.point_b + c.depth * c.normal - c.point_a).norm(), 0, 1e-12);
                expect_same(some, turned(collide(*b, pose_b, *a, pose_a,
                                                 {.goal = CollideGoal::contacts, .max_contacts = most})));
                set_thread_count(1);
                expect_same(some,
                            collide(*a, pose_a, *b, pose_b, {.goal = CollideGoal::contacts, .max_contacts = most}));
                set_thread_count(0);
                truncated += some.more_contacts;
                whole += !some.more_contacts && some.contacts.size() > 16;
            }
            if (a != &cloth && one.local_depth > 0) {
                EXPECT_EQ(distance(*a, pose_a, *b, pose_b).upper_bound, -one.local_depth);
            }
        }
    EXPECT_GT(overlapping, asked / 2);
    EXPECT_GT(truncated, asked / 2);
    EXPECT_GT(whole, asked / 10) << "all are there where there is room";
}

TEST(Query, reports_unsupported_queries) {
    const Pose nowhere = Pose::from_translation({0, std::numeric_limits<double>::quiet_NaN(), 0});
    EXPECT_EQ(collide(ball(1), nowhere, box_mesh(1), {}).status, Status::undecided);
    EXPECT_FALSE(collide(ball(1), nowhere, box_mesh(1), {}).proven);
    EXPECT_EQ(distance(ball(1), nowhere, ball(1), {}).upper_bound, HUGE_VAL);
    EXPECT_EQ(sweep(ball(1), Motion::stationary(nowhere), ball(1), Motion::stationary({})).status, Status::undecided);
    EXPECT_EQ(cause_of([] { return collide(ball(1), {}, ball(1), {}, {.method = Method::tetrahedra}); }),
              Cause::unsupported);
    EXPECT_EQ(cause_of([] { return collide(ball(1), {}, ball(1), {}, {.method = Method::octree, .margin = 0.1}); }),
              Cause::unsupported);
    EXPECT_EQ(cause_of([] { return collide(ball(1), {}, ball(1), {}, {.margin = -1}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] {
                  return collide(formula(shapes::infinite_cylinder(1)), {}, Shape::half_space(Vec3::UnitZ(), 0), {});
              }),
              Cause::invalid_argument);
    EXPECT_EQ(cause_of([] {
                  return sweep(ball(1), Motion::stationary({}), ball(1), Motion::stationary({}),
                               {.path = Path::straight});
              }),
              Cause::unsupported);
}

TEST(QueryTable, answers_every_pair_the_same_in_both_orders) {
    for (const Question question : all_questions)
        for (const ShapeKind a : all_shape_kinds)
            for (const ShapeKind b : all_shape_kinds) {
                const auto there = methods_for(a, b, question), back = methods_for(b, a, question);
                ASSERT_FALSE(there.empty()) << name(a) << " and " << name(b) << ": " << name(question);
                ASSERT_EQ(there.size(), back.size());
                for (std::size_t k = 0; k < there.size(); ++k) EXPECT_EQ(there[k].method, back[k].method);
                EXPECT_EQ(choose(a, b, question, Method::automatic), there.front().method);
                for (const PairMethod& m : there) EXPECT_EQ(choose(a, b, question, m.method), m.method);
            }
}

} // namespace query_test
} // namespace fathom
