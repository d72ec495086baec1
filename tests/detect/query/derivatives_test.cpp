// Derivatives of distances, depths, times of impact and closest points equal central differences, and pairs of shapes
// without a unique closest pair are flagged.
#include <fathom/base/random.h>
#include <fathom/detect/query/derivatives.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>

#include <support/small_meshes.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>

namespace fathom {
namespace derivatives_test {

using testing::count_of;

Shape of(const AnalyticExpression& shape) { return Shape(std::make_shared<AnalyticField>(shape)); }

struct Posed {
    Shape a, b;
    Pose pose_a, pose_b;
};

// Coordinate k of the displacements: translation and rotation of A, translation and rotation of B.
Posed displaced(const Posed& p, int k, double by) {
    Posed moved = p;
    Pose& pose = k < 6 ? moved.pose_a : moved.pose_b;
    const Vec3 step = by * Vec3::Unit(k % 3);
    if (k % 6 < 3)
        pose.translation += step;
    else
        pose.rotation = Quat(Quat(Eigen::AngleAxisd(by, Vec3::Unit(k % 3))) * pose.rotation).normalized();
    return moved;
}

double coordinate(const PairDerivative& d, int k) {
    const PoseDerivative& half = k < 6 ? d.a : d.b;
    return (k % 6 < 3 ? half.translation : half.rotation)[k % 3];
}

// The largest difference to central differences of `value`, over the size of the derivative.
double worst_error(const PairDerivative& d, const Posed& p, double step,
                   const std::function<double(const Posed&)>& value) {
    double worst = 0, scale = 0;
    for (int k = 0; k < 12; ++k) {
        const double difference = (value(displaced(p, k, step)) - value(displaced(p, k, -step))) / (2 * step);
        worst = std::max(worst, std::abs(difference - coordinate(d, k)));
        scale = std::max(scale, std::abs(difference));
    }
    return worst / scale;
}

AnalyticExpression random_smooth(Random& random) {
    const double a = random.uniform(0.3, 0.8);
    switch (random.below(4)) {
    case 0:
        return shapes::sphere(a);
    case 1:
        return shapes::torus(a, random.uniform(0.1, 0.25));
    case 2:
        return shapes::ellipsoid({a, random.uniform(0.3, 0.8), random.uniform(0.3, 0.8)});
    default:
        return shapes::capsule({0, 0, -a}, {0, 0, a}, random.uniform(0.1, 0.4));
    }
}

TEST(Derivatives, of_distances_and_closest_points_of_smooth_solids_are_central_differences) {
    Random random(1);
    std::size_t unique = 0, rejected = 0;
    for (std::size_t k = 0; k < count_of(60, 5000); ++k) {
        const Posed p{of(random_smooth(random)),
                      of(random_smooth(random)),
                      {random.rotation(), random.in_ball()},
                      {random.rotation(), random.uniform(1.2, 3) * random.direction()}};
        const auto derivative = [](const Posed& x, bool verify = false) {
            return distance_derivative(x.a, x.pose_a, x.b, x.pose_b, distance(x.a, x.pose_a, x.b, x.pose_b),
                                       {.verify = verify});
        };
        const DistanceDerivative d = derivative(p, true);
        if (!d.unique || !d.points) {
            ++rejected;
            continue;
        }
        ++unique;
        // Central differences of the closest points of displaced shapes; their distance is that of the query.
        const DistanceResult queried = distance(p.a, p.pose_a, p.b, p.pose_b);
        const double between = (d.point_b - d.point_a).norm();
        EXPECT_LE(between, queried.upper_bound * (1 + 1e-9));
        EXPECT_GE(between, queried.lower_bound * (1 - 1e-9));
        constexpr double h = 1e-5;
        double worst = 0, worst_point = 0, scale = 1;
        for (int c = 0; c < 12; ++c) {
            const DistanceDerivative up = derivative(displaced(p, c, h)), down = derivative(displaced(p, c, -h));
            const double change = ((up.point_b - up.point_a).norm() - (down.point_b - down.point_a).norm()) / (2 * h);
            worst = std::max(worst, std::abs(change - coordinate(d, c)));
            for (const auto& [above, below, column] :
                 {std::tuple{up.point_a, down.point_a, Vec3(d.points->point_a.col(c))},
                  std::tuple{up.point_b, down.point_b, Vec3(d.points->point_b.col(c))},
                  std::tuple{(up.point_b - up.point_a).normalized(), (down.point_b - down.point_a).normalized(),
                             Vec3(d.points->normal.col(c))}}) {
                worst_point = std::max(worst_point, ((above - below) / (2 * h) - column).norm());
                scale = std::max(scale, column.norm());
            }
        }
        EXPECT_LT(worst, 1e-6) << k;
        EXPECT_LT(worst_point, 1e-4 * scale * scale) << k;
    }
    EXPECT_GT(unique, 10 * rejected);
}

TEST(Derivatives, of_distances_of_meshes_are_central_differences) {
    Random random(2);
    std::size_t unique = 0, rejected = 0;
    for (std::size_t k = 0; k < count_of(100, 5000); ++k) {
        const double size = std::array{1e-3, 1.0, 1e3}[k % 3];
        const auto mesh = [&](TriangleMesh m) {
            for (Vec3& v : m.vertices) v = size * (v + 0.1 * random.in_ball());
            return Shape(std::move(m), MeshInside::open);
        };
        const Posed p{mesh(testing::sphere_mesh(1)),
                      mesh(testing::cube_mesh()),
                      {random.rotation(), size * random.in_ball()},
                      {random.rotation(), size * random.uniform(3, 5) * random.direction()}};
        const auto value = [](const Posed& x) { return distance(x.a, x.pose_a, x.b, x.pose_b).upper_bound; };
        const DistanceResult result = distance(p.a, p.pose_a, p.b, p.pose_b);
        const DistanceDerivative d = distance_derivative(p.a, p.pose_a, p.b, p.pose_b, result);
        d.unique ? ++unique : ++rejected;
        if (!d.unique || result.status != Status::disjoint) continue;
        // Translations are tried by small lengths, rotations by the same numbers: scaled to the size of the shapes.
        double worst = 0;
        for (int c = 0; c < 12; ++c) {
            const double h = c % 6 < 3 ? 1e-6 * size : 1e-6, unit = c % 6 < 3 ? 1 : size;
            const double change = (value(displaced(p, c, h)) - value(displaced(p, c, -h))) / (2 * h);
            worst = std::max(worst, std::abs(change - coordinate(d, c)) / unit);
        }
        EXPECT_LT(worst, 1e-6) << k;
    }
    EXPECT_GT(unique, 10 * rejected);
}

TEST(Derivatives, do_not_exist_where_the_closest_pair_is_not_unique) {
    const auto unique = [](const Shape& a, const Shape& b, const Pose& pose_b) {
        return distance_derivative(a, {}, b, pose_b, distance(a, {}, b, pose_b)).unique;
    };
    const Shape ball = of(shapes::sphere(0.2)), ring = of(shapes::torus(1, 0.2));
    const Shape box_a(testing::cube_mesh(Vec3::Zero(), 0.5)), box_b(testing::cube_mesh(Vec3::Zero(), 0.4));
    EXPECT_TRUE(unique(ball, ring, Pose::from_translation({0.3, 0, 0})));
    EXPECT_FALSE(unique(ball, ring, {}));                                  // in the middle of the ring
    EXPECT_FALSE(unique(box_a, box_b, Pose::from_translation({2, 0, 0}))); // face to face
    EXPECT_TRUE(unique(box_a, box_b, Pose::from_axis_angle(0.7, Vec3(1, 2, 3).normalized(), {2, 0, 0})));
    const Shape valley = of(shapes::union_of(shapes::translate({-1, 0, 0}, shapes::sphere(0.5)),
                                             shapes::translate({1, 0, 0}, shapes::sphere(0.5))));
    EXPECT_FALSE(unique(valley, ball, Pose::from_translation({0, 0, 0.5})));
    EXPECT_TRUE(unique(valley, ball, Pose::from_translation({0.1, 0, 0.5})));
    EXPECT_FALSE(unique(ball, ball, Pose::from_translation({0.1, 0, 0}))); // they overlap
}

TEST(Derivatives, of_the_depth_of_spheres_follow_their_centers) {
    Random random(3);
    for (std::size_t k = 0; k < count_of(10, 100); ++k) {
        const double ra = random.uniform(0.5, 1), rb = random.uniform(0.5, 1);
        const Posed p{of(shapes::translate({0.2, 0, 0}, shapes::sphere(ra))),
                      of(shapes::sphere(rb)),
                      {random.rotation(), random.in_ball()},
                      {random.rotation(), Vec3::Zero()}};
        Posed q = p;
        q.pose_b.translation = q.pose_a * Vec3(0.2, 0, 0) + 0.8 * (ra + rb) * random.direction();
        const CollideResult found = collide(q.a, q.pose_a, q.b, q.pose_b, {.goal = CollideGoal::separation});
        const PairDerivative d = depth_derivative(q.a, q.pose_a, q.b, q.pose_b, found);
        EXPECT_TRUE(d.unique) << k;
        const auto depth = [&](const Posed& x) {
            return ra + rb - (x.pose_b.translation - x.pose_a * Vec3(0.2, 0, 0)).norm();
        };
        EXPECT_LT(worst_error(d, q, 1e-5, depth), 5e-5) << k; // the accuracy of the searched direction
    }
}

TEST(Derivatives, of_the_time_of_impact_are_central_differences) {
    Random random(4);
    std::size_t touching = 0, passing = 0;
    for (std::size_t k = 0; k < count_of(30, 1000); ++k) {
        const double ra = random.uniform(0.3, 0.8), rb = random.uniform(0.3, 0.8);
        const Shape a = of(shapes::sphere(ra)), b = of(shapes::sphere(rb));
        const Pose start{random.rotation(), 3 * random.direction()};
        const Motion motion_a{start, {start.rotation, -start.translation + 3 * random.in_ball()}};
        const Motion motion_b = Motion::stationary({random.rotation(), 0.5 * random.in_ball()});
        const SweepResult found = sweep(a, motion_a, b, motion_b, {.tolerance = 1e-9});
        const PairDerivative d = impact_derivative(a, motion_a, b, motion_b, found);
        if (found.status != Status::overlapping) {
            ++passing;
            EXPECT_FALSE(d.unique);
            continue;
        }
        if (!d.unique) continue; // grazing
        ++touching;
        // Closed form of the time, and its derivative by the displacement of the centers; rotations about them do
        // nothing.
        const auto time = [&](const Vec3& shift) {
            const Vec3 p = motion_a.start.translation + shift - motion_b.start.translation;
            const Vec3 v = motion_a.end.translation - motion_a.start.translation;
            const double half = p.dot(v), c = p.squaredNorm() - (ra + rb) * (ra + rb);
            return (-half - std::sqrt(half * half - v.squaredNorm() * c)) / v.squaredNorm();
        };
        for (int c = 0; c < 3; ++c) {
            const Vec3 h = 1e-5 * Vec3::Unit(c);
            const double change = (time(h) - time(-h)) / 2e-5;
            EXPECT_NEAR(d.a.translation[c], change, 1e-6 * (1 + 10 * std::abs(change))) << k;
            EXPECT_NEAR(d.b.translation[c], -change, 1e-6 * (1 + 10 * std::abs(change))) << k;
            EXPECT_NEAR(d.a.rotation[c], 0, 1e-6);
        }
    }
    EXPECT_GT(touching, 0u);
    EXPECT_GT(passing, 0u);
}

} // namespace derivatives_test
} // namespace fathom
