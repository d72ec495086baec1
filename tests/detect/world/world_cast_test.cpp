// Rays against every kind of shape, by formula where there is one, and else by stepping along the ray.
#include "detect/world/world_shapes.h"

#include <fathom/base/error.h>
#include <support/closed_intervals.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace world_cast_test {

using namespace testing;

TEST(WorldCast, hits_spheres_where_the_closed_form_says) {
    for (const double size : {1e-3, 1.0, 1e3}) {
        Random random(1);
        World world;
        std::vector<Vec3> centers;
        for (int k = 0; k < 12; ++k) {
            centers.push_back(2 * size * random.in_ball());
            (void)world.add(ball_shape(0.5 * size), {random.rotation(), centers.back()});
        }
        std::size_t hits = 0;
        const std::size_t rays = count_of(200, 20'000);
        for (std::size_t k = 0; k < rays; ++k) {
            const Vec3 origin = 4 * size * random.in_ball();
            const Ray ray{origin, random.uniform(0.1, 3) * (2 * size * random.in_ball() - origin) / size};
            const double limit = 12 * size;
            const Segment segment{ray.origin, ray.origin + limit * ray.direction.normalized()};
            double wanted = infinity;
            Index body = no_index;
            for (Index id = 0; id < centers.size(); ++id)
                if (const TimeSpans in = in_ball(segment, centers[id], 0.5 * size);
                    !in.empty() && in[0].start * limit < wanted)
                    wanted = in[0].start * limit, body = id;
            const RayHit hit = world.cast(ray, limit);
            hits += body != no_index;
            if (std::abs(hit.distance - wanted) < 1e-5 * size && hit.body == body) {
                if (body != no_index && hit.distance > 0) {
                    EXPECT_NEAR((hit.point - centers[body]).norm(), 0.5 * size, 1e-5 * size);
                    EXPECT_LT((hit.normal - (hit.point - centers[body]).normalized()).norm(), 1e-4);
                }
                continue;
            }
            // One that only grazes a ball may be seen to hit it or not.
            double nearest = infinity;
            for (const Vec3& center : centers)
                nearest = std::min(
                    nearest, std::abs((center - segment.at(segment.closest_fraction(center))).norm() - 0.5 * size));
            EXPECT_TRUE((hit.body == body && hit.body == no_index) || nearest < 1e-4 * size)
                << hit.distance << " " << wanted;
        }
        EXPECT_GT(hits, rays / 5);
        EXPECT_LT(hits, rays * 9 / 10);
    }
}

TEST(WorldCast, first_hit_of_every_solid_is_where_its_field_becomes_negative) {
    Random random(2);
    for (const ShapeKind kind : {ShapeKind::analytic, ShapeKind::grid, ShapeKind::other_field, ShapeKind::closed_mesh,
                                 ShapeKind::tetrahedra, ShapeKind::height_field}) {
        World world;
        const Pose pose = random_pose(random, 2);
        const Index id = world.add(shape_of(kind, 1), pose);
        const Field& field = *world.shape(id).field();
        std::size_t hits = 0;
        for (int k = 0; k < 60; ++k) {
            const Ray ray{pose * (2 * random.direction()), random.direction()};
            const Ray toward{ray.origin, (pose * (0.6 * random.in_ball()) - ray.origin).normalized()};
            const RayHit hit = world.cast(toward, 5);
            double first = infinity;
            for (double t = 0; t < 5 && first == infinity; t += 0.002)
                if (field.distance(pose.to_local(toward.at(t))) < -1e-9) first = t;
            EXPECT_LE(hit.distance, first + 1e-9) << name(kind);
            if (hit.body == id && hit.status == Status::overlapping) {
                EXPECT_LT(std::abs(field.distance(pose.to_local(toward.at(hit.distance + hit.error)))), 1e-5)
                    << name(kind);
                EXPECT_NEAR(hit.normal.norm(), 1, 1e-12);
                EXPECT_LT(hit.normal.dot(toward.direction), 0.1) << name(kind);
                ++hits;
            }
            // A ray that starts inside hits at once.
            if (first < 5 && hit.status == Status::overlapping) {
                const RayHit inside = world.cast({toward.at(first + 1e-6), ray.direction});
                if (field.distance(pose.to_local(toward.at(first + 1e-6))) < 0) {
                    EXPECT_EQ(inside.distance, 0) << name(kind);
                }
            }
        }
        EXPECT_GT(hits, 15u) << name(kind);
        EXPECT_LT(hits, 60u) << name(kind);
    }
}

TEST(WorldCast, planes_surfaces_and_points) {
    World world;
    const Index floor = world.add(Shape::half_space(Vec3(0, 0, 2), -1));
    const Index sheet = world.add(Shape(make_cloth()), Pose::from_translation({0, 0, 1}));
    (void)world.add(Shape(make_sphere({.radius = 0.5}).vertices), Pose::from_translation({0, 0, 2}));
    const RayHit down = world.cast({{0.1, 0.2, 5}, {0, 0, -3}});
    EXPECT_EQ(down.body, sheet);
    EXPECT_DOUBLE_EQ(down.distance, 4);
    EXPECT_EQ(down.normal, Vec3::UnitZ());
    const RayHit up = world.cast({{0.1, 0.2, 0}, {0, 0, 1}});
    EXPECT_EQ(up.body, sheet);
    EXPECT_EQ(up.normal, -Vec3::UnitZ());
    const RayHit beside = world.cast({{3, 0, 5}, {0, 0, -1}});
    EXPECT_EQ(beside.body, floor);
    EXPECT_DOUBLE_EQ(beside.distance, 6);
    EXPECT_EQ(world.cast({{3, 0, -2}, {0, 0, 1}}).distance, 0) << "inside the half-space";
    EXPECT_EQ(world.cast({{3, 0, 5}, {0, 0, -1}}, 5.9).body, no_index);
    EXPECT_EQ(world.cast({{3, 0, 5}, {1, 0, 0}}).body, no_index);
    EXPECT_EQ(world.cast({{3, 0, 5}, {1, 0, 0}}).status, Status::disjoint);
}

TEST(WorldCast, a_field_without_end_is_hit_near_and_far) {
    World world;
    const Index pillar = world.add(formula_shape(shapes::infinite_cylinder(0.5)));
    for (const double far : {2.0, 50.0, 4000.0}) {
        const RayHit hit = world.cast({{far, 0, 7}, {-1, 0, 0}});
        EXPECT_EQ(hit.body, pillar);
        EXPECT_NEAR(hit.distance, far - 0.5, 1e-6 * far);
    }
    EXPECT_EQ(world.cast({{2, 0, 7}, {0, 0, 1}}).body, no_index);
}

TEST(WorldCast, refuses_rays_without_direction_or_not_finite) {
    World world;
    (void)world.add(ball_shape(1));
    EXPECT_THROW((void)world.cast({{5, 0, 0}, {0, 0, 0}}), Error);
    EXPECT_THROW((void)world.cast({{infinity, 0, 0}, {1, 0, 0}}), Error);
    EXPECT_THROW((void)world.cast({{5, 0, 0}, {1, 0, 0}}, std::numeric_limits<double>::quiet_NaN()), Error);
    EXPECT_NEAR(world.cast({{5, 0, 0}, {-1e-200, 0, 0}}).distance, 4, 1e-6);
    EXPECT_EQ(World().cast({}).body, no_index);
}

} // namespace world_cast_test
} // namespace fathom
