#include <fathom/base/error.h>
#include <fathom/show/mesh_picture.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

namespace fathom {
namespace mesh_picture_test {

// A unit square facing +x.
TriangleMesh square() { return {{{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}}, {{0, 1, 2}, {0, 2, 3}}}; }

View seen_from_front() {
    View view;
    view.width = view.height = 100;
    view.azimuth = view.elevation = 0;
    return view;
}

std::size_t count_like(const Image& image, const View& view, bool (*test)(const Color&)) {
    std::size_t count = 0;
    for (const Color& c : image.pixels) count += c != view.background && test(c);
    return count;
}
bool bluish(const Color& c) { return c[2] > c[0]; }
bool reddish(const Color& c) { return c[0] > c[2]; }

TEST(MeshPicture, a_square_fills_the_picture_but_for_its_margin) {
    const View view = seen_from_front();
    const Image image = draw(square(), view);
    EXPECT_NEAR(static_cast<double>(count_like(image, view, bluish)), 88 * 88, 400);
    EXPECT_EQ(count_like(image, view, reddish), 0u);
}

TEST(MeshPicture, several_meshes_stand_where_they_are_placed_in_their_colours) {
    View view = seen_from_front();
    view.width = 200;
    const TriangleMesh mesh = square();
    const std::vector<PlacedMesh> both = {{&mesh, {}, {20, 20, 240}},
                                          {&mesh, Pose::from_translation({0, 1, 0}), {240, 20, 20}}};
    const Image image = draw(both, view);
    const std::size_t blue = count_like(image, view, bluish), red = count_like(image, view, reddish);
    EXPECT_NEAR(static_cast<double>(blue), 88 * 88, 500);
    EXPECT_NEAR(static_cast<double>(red), 88 * 88, 500);
    EXPECT_TRUE(bluish(image.at(60, 50)));
    EXPECT_TRUE(reddish(image.at(140, 50)));
}

TEST(MeshPicture, a_frame_keeps_the_camera_still) {
    View view = seen_from_front();
    const std::array<Vec3, 2> ends = {Vec3(0, 0, 0), Vec3(0, 2, 2)};
    view.frame = ends;
    const Image image = draw(square(), view);
    EXPECT_NEAR(static_cast<double>(count_like(image, view, bluish)), 44 * 44, 200);
}

TEST(MeshPicture, the_back_of_a_surface_is_tinted) {
    View view = seen_from_front();
    view.azimuth = std::numbers::pi;
    const Image image = draw(square(), view);
    EXPECT_GT(count_like(image, view, reddish), 7000u);
    EXPECT_EQ(count_like(image, view, bluish), 0u);
}

TEST(MeshPicture, the_nearer_surface_hides_the_farther_and_marks_behind_it) {
    const View view = seen_from_front();
    TriangleMesh mesh = square();
    append(mesh, flipped(mapped(square(), [](const Vec3& p) { return Vec3(p - Vec3(1, 0, 0)); })));
    const std::vector<Vec3> behind = {{-0.5, 0.5, 0.5}}, before = {{0.5, 0.5, 0.5}};
    EXPECT_EQ(count_like(draw(mesh, view, {.points = behind, .segments = {}}), view, reddish), 0u);
    EXPECT_GT(count_like(draw(mesh, view, {.points = before, .segments = {}}), view, reddish), 10u);
}

TEST(MeshPicture, nothing_to_draw_gives_the_background) {
    const View view = seen_from_front();
    for (const Color& c : draw(TriangleMesh{}, view).pixels) EXPECT_EQ(c, view.background);
}

TEST(Image, tiles_and_shrinks) {
    const std::vector<Image> images(3, Image(4, 2, {0, 0, 0}));
    const Image sheet = tiled(images, 2, 1);
    EXPECT_EQ(sheet.width, 9);
    EXPECT_EQ(sheet.height, 5);
    EXPECT_EQ(sheet.at(0, 0), (Color{0, 0, 0}));
    EXPECT_EQ(sheet.at(4, 0), (Color{255, 255, 255}));
    EXPECT_EQ(shrunk(sheet, 2).width, 4);
}

TEST(Image, a_png_that_cannot_be_written_is_an_error_with_its_name) {
    try {
        write_png("no/such/folder/a.png", Image(2, 2, {1, 2, 3}));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::cannot_write);
        EXPECT_NE(std::string(error.what()).find("no/such/folder/a.png"), std::string::npos);
    }
}

} // namespace mesh_picture_test
} // namespace fathom
