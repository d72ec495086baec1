// Depth maps as fields.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/detect/depth/depth_map.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

namespace fathom {

namespace depth_field_test {

struct Spheres {
    DepthView view;
    DepthMap nearest, farthest;
};

Spheres draw_ball(double scale, const Pose& pose) {
    const auto backend = make_cpu_depth_backend();
    const auto target = backend->make_target();
    const std::array body{
        DrawnBody{std::make_shared<DrawnMesh>(make_sphere({.radius = 0.5 * scale, .resolution = 40})), pose, 0}};
    Spheres balls;
    balls.view =
        view_of(Box::around(Vec3::Zero(), Vec3::Constant(0.5 * scale)), pose, Vec3(0.2, 0.4, -1), {.pixels = 200});
    backend->draw(balls.view, body, {}, *target);
    balls.nearest = target->map();
    backend->draw(balls.view, body, {.keep = Keep::farthest, .faces = Faces::back}, *target);
    balls.farthest = target->map();
    return balls;
}

TEST(DepthField, signs_are_those_of_the_solid_and_ranges_prove_them) {
    Random random(4);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const Pose pose{random.rotation(), scale * Vec3(1, 2, 3)};
        const Spheres balls = draw_ball(scale, pose);
        const HeightField front = depth_field(balls.nearest), back = depth_field(balls.farthest);
        int inside = 0, outside = 0, proven = 0;
        for (int k = 0; k < 3000; ++k) {
            const Vec3 p = 0.49 * scale * random.in_ball() * 1.5, local = balls.view.pose.to_local(pose * p);
            if (!front.domain().contains(local) || std::abs(p.norm() - 0.5 * scale) < 0.03 * scale) continue;
            const bool solid = p.norm() < 0.5 * scale;
            const double value = std::max(front.distance(local), back.distance(local)); // the solid is in both
            EXPECT_EQ(value < 0, solid) << p.transpose() / scale;
            ++(solid ? inside : outside);
            const Box box = Box::around(local, Vec3::Constant(0.01 * scale));
            const Interval range = max(front.range(box), back.range(box));
            EXPECT_TRUE(range.contains(value));
            proven += range.upper < 0 || range.lower > 0;
        }
        EXPECT_GT(inside, 500);
        EXPECT_GT(outside, 500);
        EXPECT_GT(proven, (inside + outside) / 2);
    }
}

TEST(DepthField, passes_through_the_pixels) {
    const Spheres balls = draw_ball(1, {});
    const HeightField front = depth_field(balls.nearest);
    for (std::size_t k = 0; k < balls.nearest.depth.size(); k += 37) {
        const Vec3 local =
            balls.view.pose.to_local(balls.view.to_world(k, static_cast<double>(balls.nearest.depth[k])));
        EXPECT_NEAR(front.height(local.x(), local.y()), local.z(), 1e-6);
    }
    EXPECT_TRUE(std::isinf(front.error_bound()));
}

TEST(DepthField, refuses_a_map_without_pixels) {
    EXPECT_THROW((void)depth_field(DepthMap{}), Error);
    DepthMap line;
    line.view.width = 1, line.view.height = 4, line.depth.resize(4);
    EXPECT_THROW((void)depth_field(line), Error);
}

} // namespace depth_field_test

} // namespace fathom
