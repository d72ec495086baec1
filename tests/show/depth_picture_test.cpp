// Pictures of depth maps: a ball seen from one side.
#include <fathom/show/depth_picture.h>

#include <fathom/base/error.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

namespace fathom {
namespace depth_picture_test {

DepthMap ball(Keep keep, const Vec3& center = Vec3::Zero()) {
    const auto backend = make_cpu_depth_backend();
    const auto target = backend->make_target();
    const auto mesh = std::make_shared<DrawnMesh>(make_sphere({.radius = 0.5, .resolution = 16}));
    const DepthView view = view_of(Box::around(Vec3::Zero(), Vec3::Constant(0.6)), {}, Vec3::UnitZ(), {.pixels = 64});
    backend->draw(view, std::array{DrawnBody{mesh, Pose::from_translation(center), 0}},
                  {.keep = keep, .faces = keep == Keep::nearest ? Faces::front : Faces::back, .normals = true},
                  *target);
    return target->map();
}

TEST(DepthPicture, near_heights_are_light_and_empty_pixels_are_marked) {
    const DepthMap map = ball(Keep::nearest);
    const Image grey = height_picture(map), color = height_picture(map, {.color = true});
    const int middle = map.view.width / 2;
    EXPECT_EQ(grey.width, map.view.width);
    EXPECT_EQ(grey.at(0, 0), DepthPictureOptions{}.nothing);
    EXPECT_EQ(grey.at(middle, middle)[0], grey.at(middle, middle)[2]);
    EXPECT_GT(grey.at(middle, middle)[0], 235);
    EXPECT_LT(grey.at(middle + map.view.width * 5 / 16, middle)[0], 200);
    EXPECT_GT(color.at(middle, middle)[2], color.at(middle, middle)[0]); // blue is near
    EXPECT_NE(height_picture(map, {.stretch = false}).at(middle, middle), grey.at(middle, middle));
}

TEST(DepthPicture, hits_are_marked_where_the_comparison_finds_them) {
    const DepthMap object = ball(Keep::farthest), away = ball(Keep::nearest, {0, 0, 1.05}),
                   into = ball(Keep::nearest, {0.5, 0, 0});
    const auto marked = [](const Image& image) {
        return std::count(image.pixels.begin(), image.pixels.end(), DepthPictureOptions{}.hit);
    };
    EXPECT_EQ(marked(hit_picture(object, away)), 0);
    EXPECT_GT(marked(hit_picture(object, into)), 100);
    EXPECT_LT(marked(hit_picture(object, into)), marked(hit_picture(object, ball(Keep::nearest))));
}

TEST(DepthPicture, normals_are_blue_towards_the_view_and_vary_across_the_sphere) {
    const DepthMap map = ball(Keep::nearest);
    const Image image = normal_picture(map);
    const int middle = map.view.width / 2, side = map.view.width * 5 / 16;
    EXPECT_GT(image.at(middle, middle)[2], 245);
    EXPECT_NEAR(image.at(middle, middle)[0], 128, 12);
    EXPECT_GT(image.at(middle + side, middle)[0], 200);
    EXPECT_LT(image.at(middle - side, middle)[0], 55);
    EXPECT_GT(image.at(middle, middle + side)[1], 200);
}

TEST(DepthPicture, maps_that_do_not_fit_are_refused) {
    DepthMap map = ball(Keep::nearest), other = map;
    other.view.width /= 2;
    EXPECT_THROW((void)height_picture(other), Error);
    other.depth.resize(other.view.pixel_count());
    EXPECT_THROW((void)hit_picture(map, other), Error);
    map.normals.clear();
    EXPECT_THROW((void)normal_picture(map), Error);
    EXPECT_THROW((void)height_picture(DepthMap{}), Error);
}

} // namespace depth_picture_test
} // namespace fathom
