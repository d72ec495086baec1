// Views: pixels and places, and the first things drawn into them.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

namespace fathom {

namespace depth_view_test {

Pose random_pose(Random& random) { return {random.rotation(), 3 * random.direction()}; }

TEST(DepthView, places_come_back_from_the_map) {
    Random random(1);
    for (int k = 0; k < 200; ++k) {
        const DepthView view = view_of(Box::around(random.direction(), Vec3(0.5, 1.0, 2.0)), random_pose(random),
                                       random.direction(), {.pixels = 100});
        const Vec3 p = random.direction() * 4;
        EXPECT_LT((view.to_world(view.to_map(p)) - p).norm(), 1e-12);
    }
}

TEST(DepthView, sees_the_whole_box_with_square_pixels) {
    Random random(2);
    for (const double scale : {1e-3, 1.0, 1e3})
        for (int k = 0; k < 200; ++k) {
            const Box box = Box::around(scale * random.direction(), scale * Vec3(0.5, 1.0, 2.0));
            const Pose pose = random_pose(random);
            const DepthView view = view_of(box, pose, random.direction(), {.pixels = 64, .margin = 0});
            EXPECT_NEAR(view.pixel_size().x() / view.pixel_size().y(), 1, 1e-12);
            EXPECT_LE(std::max(view.width, view.height), 64);
            for (int c = 0; c < 8; ++c) {
                const Vec3 map = view.to_map(pose * box.corner(c));
                EXPECT_GE(map.x(), 0.99);
                EXPECT_LE(map.x(), view.width - 0.99);
                EXPECT_GE(map.y(), 0.99);
                EXPECT_LE(map.y(), view.height - 0.99);
                EXPECT_GE(map.z(), -1e-9);
                EXPECT_LE(map.z(), 1 + 1e-9);
            }
        }
}

TEST(DepthView, rejects_invalid_views) {
    const Box box = Box::around(Vec3::Zero(), Vec3::Ones());
    EXPECT_THROW((void)view_of(Box{}, {}, Vec3::UnitX()), Error);
    EXPECT_THROW((void)view_of(box, {}, Vec3::Zero()), Error);
    EXPECT_THROW((void)view_of(box, {}, Vec3::UnitX(), {.pixels = 0}), Error);
    DepthView view;
    view.size.x() = 0;
    EXPECT_THROW(check(view), Error);
}

// A ball seen through pixels: depth and coverage by the formula.
TEST(DepthBackend, draws_both_sides_of_a_ball_where_they_are) {
    const auto backend = make_cpu_depth_backend();
    const auto mesh = std::make_shared<DrawnMesh>(make_sphere({.radius = 0.5, .resolution = 40}));
    Random random(3);
    for (int repeat = 0; repeat < 3; ++repeat) {
        const Pose pose = random_pose(random);
        const DepthView view =
            view_of(Box::around(Vec3::Zero(), Vec3::Constant(0.5)), pose, random.direction(), {.pixels = 128});
        for (const Keep keep : {Keep::nearest, Keep::farthest}) {
            const auto target = backend->make_target();
            backend->draw(view, std::array{DrawnBody{mesh, pose, 7}},
                          {.keep = keep,
                           .faces = keep == Keep::nearest ? Faces::front : Faces::back,
                           .ids = true,
                           .normals = true},
                          *target);
            const DepthMap& map = target->map();
            std::size_t covered = 0;
            for (std::size_t k = 0; k < map.depth.size(); ++k) {
                if (!map.covered(k)) continue;
                ++covered;
                const Vec3 p = view.to_world(k, map.depth[k]) - pose.translation;
                EXPECT_NEAR(p.norm(), 0.5, 2e-3);
                EXPECT_EQ(map.ids[k].body, 7u);
                EXPECT_GT(p.normalized().dot(map.normals[k].cast<double>()), 0.99);
                EXPECT_GT(p.dot(view.direction()) * (keep == Keep::nearest ? -1 : 1), -2e-3);
            }
            const double area = static_cast<double>(covered) * view.pixel_size().prod();
            EXPECT_NEAR(area, 3.14159 * 0.25, 0.01);
        }
    }
}

} // namespace depth_view_test

} // namespace fathom
