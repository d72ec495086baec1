// Two solids: depth, normal and distance against closed forms; statuses against exact formulas; what swapping, scale,
// margin and hostile poses may change.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fathom {
namespace field_field_test {

using testing::count_of;

constexpr double inf = std::numeric_limits<double>::infinity();

FieldPtr formula(AnalyticExpression shape) { return std::make_shared<AnalyticField>(std::move(shape)); }

DistanceResult distance_by_fields(const FieldSphereTree& a, const Pose& pose_a, const FieldSphereTree& b,
                                  const Pose& pose_b) {
    const auto shape = [](const FieldSphereTree& tree) { return Shape(FieldPtr(FieldPtr(), &tree.field())); };
    return distance(shape(a), pose_a, shape(b), pose_b, {.method = Method::field_field});
}

Pose random_pose(Random& random, double reach) { return {random.rotation(), reach * random.in_ball()}; }

struct Spheres {
    double radius_a, radius_b;
    Pose pose_a, pose_b;

    explicit Spheres(Random& random, double scale = 1)
        : radius_a(scale * random.uniform(0.2, 1)), radius_b(scale * random.uniform(0.2, 1)),
          pose_a(random_pose(random, scale)), pose_b(random_pose(random, scale)) {}
    [[nodiscard]] FieldSphereTree a() const { return FieldSphereTree(formula(shapes::sphere(radius_a))); }
    [[nodiscard]] FieldSphereTree b() const { return FieldSphereTree(formula(shapes::sphere(radius_b))); }
    [[nodiscard]] Vec3 way() const { return pose_b.translation - pose_a.translation; }
    [[nodiscard]] double gap() const { return way().norm() - radius_a - radius_b; }
};

TEST(Collide, depth_and_normal_of_spheres_match_the_closed_form_at_every_scale) {
    Random random(1);
    int touching = 0;
    for (std::size_t k = 0; k < count_of(200, 5000); ++k) {
        const double scale = std::array{1e-3, 1.0, 1e3}[k % 3];
        const Spheres balls(random, scale);
        const field_field::CollideResult result =
            field_field::collide(balls.a(), balls.pose_a, balls.b(), balls.pose_b);
        ASSERT_EQ(result.status, balls.gap() <= 0 ? Status::overlapping : Status::disjoint) << "gap " << balls.gap();
        if (balls.gap() > 0) continue;
        ++touching;
        ASSERT_FALSE(result.contacts.empty());
        // The deepest point of a ball in another is at most as deep as the other's middle.
        const double deepest = std::min(-balls.gap(), std::max(balls.radius_a, balls.radius_b));
        EXPECT_NEAR(result.depth, deepest, 1e-9 * scale);
        if (-balls.gap() >= std::min(balls.radius_a, balls.radius_b))
            continue; // a middle is inside the other: any way is out
        EXPECT_LT((result.contacts[0].normal - balls.way().normalized()).norm(), 1e-7);
        EXPECT_LT(
            (balls.pose_a.translation + balls.radius_a * balls.way().normalized() - result.contacts[0].point_a).norm(),
            1e-6 * scale);
    }
    EXPECT_GT(touching, static_cast<int>(count_of(200, 5000)) / 5);
    EXPECT_LT(touching, static_cast<int>(count_of(200, 5000)) * 4 / 5 + 20);
}

// A box rests with one corner, edge or face lowest in the half space below z = 0.
TEST(Collide, a_box_in_a_half_space_is_as_deep_as_its_lowest_corner) {
    Random random(2);
    const Vec3 half(0.3, 0.5, 0.7);
    const FieldSphereTree box(formula(shapes::box(2 * half))), ground(formula(shapes::plane({0, 0, 1}, 0)));
    int touching = 0;
    for (std::size_t k = 0; k < count_of(200, 5000); ++k) {
        const Pose pose{random.rotation(), {random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-0.2, 1.2)}};
        double lowest = inf;
        for (int c = 0; c < 8; ++c) lowest = std::min(lowest, (pose * Box::around(Vec3::Zero(), half).corner(c)).z());
        const field_field::CollideResult result = field_field::collide(box, pose, ground, {});
        ASSERT_EQ(result.status, lowest <= 0 ? Status::overlapping : Status::disjoint) << lowest;
        if (lowest > 0) continue;
        ++touching;
        EXPECT_NEAR(result.depth, -lowest, 1e-9);
        EXPECT_LT((result.contacts[0].normal - Vec3(0, 0, -1)).norm(), 1e-9);
        EXPECT_NEAR(result.contacts[0].point_a.z(), lowest, 1e-9);
    }
    EXPECT_GT(touching, static_cast<int>(count_of(200, 5000)) / 5);
    EXPECT_LT(touching, static_cast<int>(count_of(200, 5000)) * 4 / 5);
}

// The nearest a ball comes to a shape whose distance is exact is the distance of its middle, less its radius.
TEST(Collide, the_depth_of_a_sphere_in_box_capsule_and_torus_follows_from_the_distance_of_its_centre) {
    Random random(3);
    const std::array<FieldPtr, 3> fields = {formula(shapes::box({0.4, 0.6, 0.5})),
                                            formula(shapes::capsule({0, 0, -0.5}, {0, 0, 0.5}, 0.3)),
                                            formula(shapes::torus(0.7, 0.25))};
    int touching = 0, apart = 0;
    for (std::size_t k = 0; k < count_of(300, 6000); ++k) {
        const FieldPtr& field = fields[k % 3];
        const double radius = random.uniform(0.05, 0.2);
        const FieldSphereTree ball(formula(shapes::sphere(radius))), other(field);
        const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 1);
        const Sample middle = field->sample(pose_b.to_local(pose_a.translation));
        if (middle.distance < 0.05) continue; // inside, the ball may hold a ridge of the distance
        const double gap = middle.distance - radius;
        const field_field::CollideResult result = field_field::collide(ball, pose_a, other, pose_b);
        ASSERT_EQ(result.status, gap <= 0 ? Status::overlapping : Status::disjoint) << gap;
        if (gap > 0) {
            ++apart;
            const DistanceResult near = distance_by_fields(ball, pose_a, other, pose_b);
            EXPECT_LE(near.lower_bound, gap + 1e-12);
            EXPECT_NEAR(near.upper_bound, gap, 1e-6);
            EXPECT_LT((near.normal + pose_b.rotate(middle.gradient)).norm(), 0.02);
            continue;
        }
        ++touching;
        EXPECT_NEAR(result.depth, -gap, 1e-9);
        EXPECT_LT((result.contacts[0].normal + pose_b.rotate(middle.gradient)).norm(), 1e-6);
    }
    EXPECT_GT(touching, 10);
    EXPECT_GT(apart, 10);
}

TEST(Collide, swapping_the_shapes_swaps_names_and_signs_only) {
    Random random(4);
    const TriangleMesh mesh = make_creature({.triangles = 2000});
    const std::array<FieldSphereTree, 4> solids = {
        FieldSphereTree(formula(shapes::torus(0.7, 0.25))), FieldSphereTree(formula(shapes::box({0.4, 0.6, 0.5}))),
        FieldSphereTree(std::make_shared<GridField>(build_grid(mesh, {.resolution = 32}))),
        FieldSphereTree(std::make_shared<MeshField>(mesh))};
    int touching = 0;
    for (std::size_t k = 0; k < count_of(64, 1000); ++k) {
        const FieldSphereTree &a = solids[random.below(4)], &b = solids[random.below(4)];
        const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 1);
        const field_field::CollideResult there = field_field::collide(a, pose_a, b, pose_b),
                                         back = field_field::collide(b, pose_b, a, pose_a);
        ASSERT_EQ(there.status, back.status);
        EXPECT_EQ(there.depth, back.depth);
        EXPECT_EQ(there.evaluations, back.evaluations);
        ASSERT_EQ(there.contacts.size(), back.contacts.size());
        touching += there.contacts.empty() ? 0 : 1;
        for (std::size_t c = 0; c < there.contacts.size(); ++c) {
            EXPECT_EQ(there.contacts[c].normal, -back.contacts[c].normal);
            EXPECT_EQ(there.contacts[c].point_a, back.contacts[c].point_b);
            EXPECT_EQ(there.contacts[c].feature_a.element, back.contacts[c].feature_b.element);
        }
    }
    EXPECT_GT(touching, 10);
}

// Analytic, grid and mesh of the same two bodies must agree but for their stated errors.
TEST(Collide, every_kind_of_field_agrees_with_every_other_within_the_stated_errors) {
    Random random(5);
    const AnalyticExpression torus = shapes::torus(0.7, 0.25);
    const TriangleMesh ball = make_sphere({.radius = 0.5, .resolution = 32});
    const std::array<FieldSphereTree, 2> rings = {
        FieldSphereTree(formula(torus)),
        FieldSphereTree(std::make_shared<GridField>(build_grid(
            make_torus({.radius = 0.7, .tube = 0.25, .segments = 128, .tube_segments = 64}), {.resolution = 64})))};
    const std::array<FieldSphereTree, 3> balls = {
        FieldSphereTree(formula(shapes::sphere(0.5))),
        FieldSphereTree(std::make_shared<GridField>(build_grid(ball, {.resolution = 64}))),
        FieldSphereTree(std::make_shared<MeshField>(ball))};
    int touching = 0, apart = 0;
    for (std::size_t k = 0; k < count_of(60, 1000); ++k) {
        const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 1);
        const double gap = rings[0].field().distance(pose_a.to_local(pose_b.translation)) - 0.5;
        for (const FieldSphereTree& a : rings)
            for (const FieldSphereTree& b : balls) {
                const field_field::CollideResult result = field_field::collide(a, pose_a, b, pose_b);
                const double band = result.error_bound + 2e-3; // of the meshes themselves
                ASSERT_NE(result.status, Status::undecided) << gap;
                if (std::abs(gap) < band) continue;
                ASSERT_EQ(result.status, gap < 0 ? Status::overlapping : Status::disjoint) << gap;
                (gap < 0 ? touching : apart)++;
            }
    }
    EXPECT_GT(touching, 30);
    EXPECT_GT(apart, 30);
}

TEST(Collide, a_wider_margin_never_loses_a_touch) {
    Random random(6);
    const FieldSphereTree a(formula(shapes::box({0.3, 0.4, 0.5}))), b(formula(shapes::torus(0.5, 0.2)));
    int changed = 0;
    for (std::size_t k = 0; k < count_of(60, 1000); ++k) {
        const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 1);
        Status before = Status::disjoint;
        double depth = -inf;
        for (const double margin : {0.0, 0.05, 0.2, 0.6}) {
            const field_field::CollideResult result = field_field::collide(a, pose_a, b, pose_b, {.margin = margin});
            if (before == Status::overlapping) {
                EXPECT_EQ(result.status, Status::overlapping) << margin;
            }
            changed += before != result.status ? 1 : 0;
            before = result.status;
            if (before != Status::overlapping) continue;
            ASSERT_FALSE(result.contacts.empty());
            EXPECT_GE(result.depth, -margin - 1e-9);
            EXPECT_GE(result.depth, depth - 1e-6);
            depth = result.depth;
        }
    }
    EXPECT_GT(changed, 10);
}

TEST(Collide, spheres_slightly_apart_are_proven_disjoint_and_slightly_overlapping_are_found) {
    const FieldSphereTree a(formula(shapes::sphere(1))), b(formula(shapes::sphere(0.5)));
    for (const double gap : {1e-3, 1e-6, 1e-9, -1e-3, -1e-6, -1e-9}) {
        const field_field::CollideResult result =
            field_field::collide(a, {}, b, Pose::from_translation((1.5 + gap) * Vec3(1, 2, 3).normalized()));
        EXPECT_EQ(result.status, gap > 0 ? Status::disjoint : Status::overlapping) << gap;
        EXPECT_LT(result.evaluations, 40'000u) << gap;
    }
}

TEST(Collide, one_body_inside_another_overlaps) {
    const FieldSphereTree outer(formula(shapes::sphere(1))), inner(formula(shapes::box({0.2, 0.2, 0.2})));
    const field_field::CollideResult result =
        field_field::collide(outer, {}, inner, Pose::from_translation({0.5, 0, 0}));
    EXPECT_EQ(result.status, Status::overlapping);
    EXPECT_NEAR(result.depth, 0.6, 1e-9); // the face of the box towards the middle of the ball
    EXPECT_GT(result.contacts[0].normal.x(), 0.99);
    // A hollow body holds another without touching it.
    const FieldSphereTree shell(formula(shapes::shell(0.05, shapes::sphere(1))));
    EXPECT_EQ(field_field::collide(shell, {}, inner, Pose::from_translation({0.5, 0, 0})).status, Status::disjoint);
}

TEST(Collide, two_places_of_contact_are_two_regions) {
    const FieldSphereTree rod(formula(shapes::capsule({-2, 0, 0}, {2, 0, 0}, 0.1))),
        ring(formula(shapes::torus(1, 0.2)));
    const field_field::CollideResult result = field_field::collide(rod, {}, ring, {});
    ASSERT_EQ(result.status, Status::overlapping);
    bool left = false, right = false;
    for (const Contact& c : result.contacts) {
        left = left || c.point_a.x() < -0.5;
        right = right || c.point_a.x() > 0.5;
        EXPECT_LT(std::abs(std::abs(c.point_a.x()) - 1), 0.4);
    }
    EXPECT_TRUE(left && right);
    Index regions = 0;
    for (const Contact& c : result.contacts) regions = std::max(regions, c.region + 1);
    EXPECT_EQ(regions, 2u);
}

TEST(Collide, a_resting_box_is_held_near_its_corners) {
    const Vec3 half(0.5, 0.4, 0.3);
    const FieldSphereTree box(formula(shapes::box(2 * half))), ground(formula(shapes::plane({0, 0, 1}, 0)));
    const field_field::CollideResult result =
        field_field::collide(box, Pose::from_translation({0, 0, half.z() - 0.01}), ground, {});
    for (int c = 0; c < 4; ++c) {
        const Vec3 corner(c & 1 ? half.x() : -half.x(), c & 2 ? half.y() : -half.y(), -0.01);
        double nearest = inf;
        for (const Contact& contact : result.contacts) nearest = std::min(nearest, (contact.point_a - corner).norm());
        EXPECT_LT(nearest, 0.1);
    }
    for (const Contact& contact : result.contacts) {
        EXPECT_NEAR(contact.depth, 0.01, 1e-9);
        EXPECT_LT((contact.normal - Vec3(0, 0, -1)).norm(), 1e-9);
    }
}

TEST(Collide, points_are_of_the_bodies_and_depth_apart_along_the_normal) {
    Random random(7);
    const FieldSphereTree a(formula(shapes::torus(0.6, 0.2))),
        b(formula(shapes::capsule({0, 0, -0.6}, {0, 0, 0.6}, 0.25)));
    std::size_t checked = 0;
    for (std::size_t k = 0; k < count_of(60, 1000); ++k) {
        const Pose pose_a = random_pose(random, 0.7), pose_b = random_pose(random, 0.7);
        const field_field::CollideResult result = field_field::collide(a, pose_a, b, pose_b);
        for (const Contact& c : result.contacts) {
            EXPECT_NEAR(c.normal.norm(), 1, 1e-12);
            EXPECT_LT((c.point_a - c.point_b - c.depth * c.normal).norm(), 1e-9);
            // Each is in its body or on its surface, and one of them is on it.
            const double at_a = a.field().distance(pose_a.to_local(c.point_a)),
                         at_b = b.field().distance(pose_b.to_local(c.point_b));
            EXPECT_LT(std::max(at_a, at_b), 1e-9);
            EXPECT_GT(std::max(at_a, at_b), -1e-9);
            EXPECT_GE(result.depth, c.depth);
            ++checked;
        }
        if (result.status != Status::overlapping) continue;
        EXPECT_LE(a.field().distance(pose_a.to_local(result.witness)), 1e-12);
        EXPECT_LE(b.field().distance(pose_b.to_local(result.witness)), 1e-12);
    }
    EXPECT_GT(checked, 50u);
}

TEST(Collide, hostile_poses_and_options_end_in_undecided_or_an_error) {
    const FieldSphereTree a(formula(shapes::sphere(1))), ground(formula(shapes::plane({0, 0, 1}, 0)));
    for (const double bad : {std::nan(""), inf, -inf}) {
        EXPECT_EQ(field_field::collide(a, Pose::from_translation({bad, 0, 0}), a, {}).status, Status::undecided);
        EXPECT_FALSE(distance_by_fields(a, Pose::from_translation({bad, 0, 0}), a, {}).converged);
        EXPECT_THROW((void)field_field::collide(a, {}, a, {}, {.margin = bad}), Error);
        EXPECT_THROW((void)field_field::collide(a, {}, a, {}, {.tolerance = bad}), Error);
    }
    EXPECT_THROW((void)field_field::collide(a, {}, a, {}, {.margin = -1}), Error);
    EXPECT_THROW((void)field_field::collide(ground, {}, ground, {}), Error);
    EXPECT_THROW(FieldSphereTree(formula(shapes::sphere(1)), {.levels = 11}), Error);
    EXPECT_EQ(field_field::collide(a, Pose::from_translation({1e9, 0, 0}), a, {}).status, Status::disjoint);
    EXPECT_NE(field_field::collide(a, Pose::from_translation({1e300, 0, 0}), a, {}).status,
              Status::overlapping); // farther than double resolves
}

TEST(Collide, an_exhausted_budget_is_reported) {
    const FieldSphereTree a(formula(shapes::box({1, 1, 1}))), b(formula(shapes::box({1, 1, 1})));
    const field_field::CollideResult result = field_field::collide(a, {}, b, Pose::from_translation({1, 0, 0}),
                                                                   {.max_evaluations = 500}); // face on face, exactly
    EXPECT_NE(result.status, Status::disjoint);
    EXPECT_EQ(result.status == Status::undecided, result.open_size > 0);
}

TEST(Separation, ends_where_distances_overflow) {
    const FieldSphereTree ring(std::make_shared<AnalyticField>(shapes::torus(0.5, 0.2))),
        box(std::make_shared<AnalyticField>(shapes::box({1, 1, 1})));
    for (const double far : {1e30, 1e160, 1e200, 1e308}) {
        const DistanceResult result = distance_by_fields(ring, {}, box, Pose::from_translation({far, 0, -far}));
        EXPECT_LE(result.lower_bound, 1.5 * far) << far;
        EXPECT_GT(result.upper_bound, 0.9 * far) << far;
    }
}

TEST(Separation, bounds_enclose_the_distance_of_spheres_and_the_points_attain_it) {
    Random random(8);
    int apart = 0;
    for (std::size_t k = 0; k < count_of(100, 2000); ++k) {
        const double scale = std::array{1e-3, 1.0, 1e3}[k % 3];
        const Spheres balls(random, scale);
        const DistanceResult result = distance_by_fields(balls.a(), balls.pose_a, balls.b(), balls.pose_b);
        if (balls.gap() <= 0) {
            EXPECT_LE(result.upper_bound, 1e-12 * scale);
            continue;
        }
        ++apart;
        EXPECT_LE(result.lower_bound, balls.gap() + 1e-12 * scale);
        EXPECT_GE(result.upper_bound, balls.gap() - 1e-12 * scale);
        EXPECT_NEAR(result.upper_bound, balls.gap(), 1e-5 * scale);
        EXPECT_NEAR((result.point_a - result.point_b).norm(), result.upper_bound, 1e-12 * scale);
        EXPECT_LT((result.normal - balls.way().normalized()).norm(), 0.05);
        EXPECT_GT(result.lower_bound, balls.gap() - 5e-3 * scale);
    }
    EXPECT_GT(apart, 10);
}

// The spheres are centred in their frames, so the truth depends on the translations only. Relative poses are rounded
// with them, by more than the spheres overlap.
struct FarBalls {
    FieldSphereTree ball{formula(shapes::sphere(1))};
    Pose pose_a, pose_b;
    long double apart; // of the surfaces (m)

    FarBalls(Random& random, double away, double gap)
        : pose_a(random.rotation(), away * random.in_ball()),
          pose_b(random.rotation(), pose_a.translation + (2 + gap) * random.in_ball().normalized()) {
        const Eigen::Matrix<long double, 3, 1> way =
            pose_b.translation.cast<long double>() - pose_a.translation.cast<long double>();
        apart = way.norm() - 2;
    }
};

TEST(Collide, balls_far_from_the_origin_are_not_disjoint_if_they_overlap_by_less_than_the_rounding_of_poses) {
    Random random(31);
    int overlapping = 0, disjoint = 0;
    for (std::size_t k = 0; k < count_of(300, 5000); ++k) {
        const FarBalls far(random, 1e6, k % 2 ? -1e-10 : 1e-6);
        const field_field::CollideResult found =
            field_field::collide(far.ball, far.pose_a, far.ball, far.pose_b, {.goal = field_field::CollideGoal::any});
        if (far.apart <= 0) {
            ++overlapping;
            EXPECT_NE(found.status, Status::disjoint) << static_cast<double>(far.apart);
        }
        disjoint += found.status == Status::disjoint;
    }
    EXPECT_GT(overlapping, 50);
    EXPECT_GT(disjoint, 50);
}

TEST(Separation, lower_bounds_hold_far_from_the_origin) {
    Random random(32);
    int close = 0, reduced = 0;
    for (std::size_t k = 0; k < count_of(100, 2000); ++k) {
        const FarBalls far(random, k % 2 ? 1 : 1e13, 0.5); // coordinates of 1e13 are multiples of 0.002
        const DistanceResult found = distance_by_fields(far.ball, far.pose_a, far.ball, far.pose_b);
        EXPECT_LE(static_cast<long double>(found.lower_bound), far.apart);
        close += found.lower_bound > 0.49;
        reduced += found.lower_bound > 0 && found.lower_bound < 0.48;
    }
    EXPECT_GT(close, 30);
    EXPECT_GT(reduced, 30);
}

} // namespace field_field_test
} // namespace fathom
