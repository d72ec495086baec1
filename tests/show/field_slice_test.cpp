#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/smooth_grid.h>
#include <fathom/show/field_slice.h>
#include <fathom/show/image.h>
#include <support/plain_fields.h>

#include <gtest/gtest.h>

#include <numbers>

namespace fathom {
namespace field_slice_test {

using testing::BallField;
using testing::BlockField;
using testing::TorusField;

bool blue(const Color& c) { return c[2] > c[0] + 15; }
bool orange(const Color& c) { return c[0] > c[2] + 15; }
bool dark(const Color& c) { return c[0] < 70 && c[1] < 70 && c[2] < 70; }
double lightness(const Color& c) { return 0.3 * c[0] + 0.6 * c[1] + 0.1 * c[2]; }

Color at(const Image& image, const Vec2& pixel) {
    return image.at(static_cast<int>(std::floor(pixel.x())), static_cast<int>(std::floor(pixel.y())));
}

TEST(FieldSlice, inside_is_blue_and_outside_orange_at_every_scale) {
    Random random(1);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const TorusField torus(scale, 0.4 * scale);
        for (const int axis : {0, 1, 2}) {
            const SliceOptions options{.axis = axis, .size = 300, .lines = false, .scale = false};
            const SliceFrame frame = slice_frame(torus, options);
            const Image image = draw_slice(torus, options);
            ASSERT_EQ(std::max(image.width, image.height), 300);
            std::size_t inside = 0;
            constexpr std::size_t tried = 2000;
            for (std::size_t i = 0; i < tried; ++i) {
                const Vec2 pixel(random.uniform(0, image.width), random.uniform(0, image.height));
                const double value = torus.distance(frame.point(pixel.x(), pixel.y()));
                if (std::abs(value) < 4 * frame.right.norm()) continue;
                ASSERT_TRUE(value < 0 ? blue(at(image, pixel)) : orange(at(image, pixel))) << pixel.transpose();
                inside += value < 0;
            }
            EXPECT_GT(inside, tried / 20);
        }
    }
}

TEST(FieldSlice, the_dark_line_is_where_the_field_is_zero_and_nowhere_else) {
    const BallField ball(Vec3(0.2, -0.1, 0.4), 1);
    const SliceOptions options{.position = 0.7, .size = 400, .lines = false, .scale = false};
    const SliceFrame frame = slice_frame(ball, options);
    const Image image = draw_slice(ball, options);
    const double radius = std::sqrt(1 - 0.3 * 0.3);
    for (int n = 0; n < 360; ++n) {
        const double angle = n * std::numbers::pi / 180;
        EXPECT_TRUE(
            dark(at(image, frame.pixel(Vec3(0.2 + radius * std::cos(angle), -0.1 + radius * std::sin(angle), 0.7)))))
            << n;
    }
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            if (dark(image.at(x, y))) {
                ASSERT_LT(std::abs(ball.distance(frame.point(x + 0.5, y + 0.5))), 2 * frame.right.norm());
            }
}

TEST(FieldSlice, contour_lines_are_a_spacing_apart) {
    const BlockField slab(Vec3::Zero(), Vec3(0.5, 10, 10));
    const SliceOptions options{
        .box = Box::around(Vec3::Zero(), Vec3::Constant(1)), .size = 401, .spacing = 0.1, .scale = false};
    const SliceFrame frame = slice_frame(slab, options);
    SliceOptions without = options;
    without.lines = false;
    const Image image = draw_slice(slab, options), plain = draw_slice(slab, without);
    std::vector<double> found; // centres of what the lines darken on a row, past the zero line
    double sum = 0, weighted = 0;
    for (int x = 0; x < image.width; ++x) {
        const double darker = lightness(plain.at(x, 200)) - lightness(image.at(x, 200)),
                     p = frame.point(x + 0.5, 200.5).x();
        if (darker < 1 && sum > 0) found.push_back(weighted / sum);
        sum = darker < 1 || p < 0.55 ? 0 : sum + darker;
        weighted = darker < 1 || p < 0.55 ? 0 : weighted + darker * p;
    }
    ASSERT_EQ(found.size(), 4u); // at 0.6, 0.7, 0.8, 0.9
    for (std::size_t n = 0; n < found.size(); ++n)
        EXPECT_NEAR(found[n], 0.6 + 0.1 * static_cast<double>(n), 0.3 * frame.right.norm());
}

TEST(FieldSlice, the_deeper_the_darker) {
    const BallField ball(Vec3::Zero(), 1);
    const SliceOptions options{.size = 200, .lines = false, .scale = false};
    const SliceFrame frame = slice_frame(ball, options);
    const Image image = draw_slice(ball, options);
    double before = 255;
    for (const double x : {0.93, 0.8, 0.6, 0.4, 0.2, 0.01}) {
        const double l = lightness(at(image, frame.pixel(Vec3(x, 0, 0))));
        EXPECT_LT(l, before) << x;
        before = l;
    }
}

TEST(FieldSlice, nothing_is_drawn_outside_the_domain_of_a_grid) {
    const BallField ball(Vec3::Zero(), 1);
    const GridField grid = bake(ball, {.box = {}, .resolution = 32});
    const SliceOptions options{.box = grid.domain().grown(0.3), .size = 300, .cells = true};
    const SliceFrame frame = slice_frame(grid, options);
    const Image image = draw_slice(grid, options);
    std::size_t outside = 0;
    for (int y = 0; y < frame.height; ++y)
        for (int x = 0; x < frame.width; ++x) {
            const bool within = grid.domain().contains(frame.point(x + 0.5, y + 0.5));
            outside += !within;
            ASSERT_EQ(image.at(x, y) == options.background, !within);
        }
    EXPECT_GT(outside, 1000u);
}

TEST(FieldSlice, shows_the_bricks_of_a_grid_those_with_corners_only_fainter) {
    const BallField ball(Vec3::Zero(), 1);
    const GridField grid = bake(ball, {.box = ball.bounds().grown(1.5), .resolution = 96, .band = 1});
    const SliceOptions plain{.box = grid.domain(), .position = 0.01, .size = 960, .scale = false};
    SliceOptions with = plain;
    with.cells = true;
    const SliceFrame frame = slice_frame(grid, plain);
    const Image without = draw_slice(grid, plain), cells = draw_slice(grid, with);
    double near = 0, far = 0, between = 0;
    int near_count = 0, far_count = 0;
    for (int b = 1; b < 12; ++b) { // down along the outlines between bricks
        const int x = static_cast<int>(frame.pixel(grid.layout().sample_position({8 * b, 0, 0})).x());
        for (int y = 3; y < frame.height; y += 17) {
            const Vec3 p = frame.point(x + 0.5, y + 0.5);
            const double change = lightness(without.at(x, y)) - lightness(cells.at(x, y));
            between += std::abs(lightness(without.at(x + 40, y)) - lightness(cells.at(x + 40, y))) >
                       30; // in the middle of bricks
            const bool stored = grid.cell_at(p + Vec3(1e-6, 0, 0)).box.size().x() < 2 * grid.layout().cell;
            if (std::abs(grid.distance(p)) < 0.02) continue; // the zero line is dark already
            (stored ? near : far) += change;
            ++(stored ? near_count : far_count);
        }
    }
    ASSERT_GT(near_count, 20);
    ASSERT_GT(far_count, 100);
    EXPECT_GT(near / near_count, 1.5 * far / far_count);
    EXPECT_GT(far / far_count, 5);
    EXPECT_LE(between, 40);
    const SmoothGridField smooth(grid);
    EXPECT_NE(draw_slice(smooth, {.size = 50, .cells = true}).pixels, draw_slice(smooth, {.size = 50}).pixels);
    EXPECT_EQ(draw_slice(ball, {.size = 50, .cells = true}).pixels, draw_slice(ball, {.size = 50}).pixels)
        << "formulas have no cells";
}

TEST(FieldSlice, any_plane_can_be_shown) {
    const TorusField torus(1, 0.4);
    const Pose pose = Pose::from_axis_angle(0.7, Vec3(1, 1, 0).normalized(), Vec3(0.1, 0.2, 0.05));
    const SliceOptions options{.plane = pose, .size = 240, .lines = false, .scale = false};
    const SliceFrame frame = slice_frame(torus, options);
    const Image image = draw_slice(torus, options);
    std::size_t inside = 0;
    for (int y = 0; y < image.height; y += 3)
        for (int x = 0; x < image.width; x += 3) {
            const Vec3 p = frame.point(x + 0.5, y + 0.5);
            ASSERT_NEAR(pose.to_local(p).z(), 0, 1e-12);
            ASSERT_NEAR((frame.pixel(p) - Vec2(x + 0.5, y + 0.5)).norm(), 0, 1e-9);
            if (std::abs(torus.distance(p)) < 0.05) continue;
            ASSERT_TRUE(torus.distance(p) < 0 ? blue(image.at(x, y)) : orange(image.at(x, y)));
            inside += torus.distance(p) < 0;
        }
    EXPECT_GT(inside, 200u);
    EXPECT_GT(pose.rotate_to_local(frame.right).x(), 0);
    EXPECT_LT(pose.rotate_to_local(frame.down).y(), 0);
}

TEST(FieldSlice, the_scale_stands_beside_the_slice) {
    const BallField ball(Vec3::Zero(), 1);
    const Image with = draw_slice(ball, {.size = 300}), without = draw_slice(ball, {.size = 300, .scale = false});
    ASSERT_GT(with.width, without.width);
    int blues = 0, oranges = 0, darks = 0;
    for (int y = 0; y < with.height; ++y)
        for (int x = 0; x < with.width; ++x) {
            if (x < without.width) {
                ASSERT_EQ(with.at(x, y), without.at(x, y));
                continue;
            }
            blues += blue(with.at(x, y));
            oranges += orange(with.at(x, y));
            darks += dark(with.at(x, y));
        }
    EXPECT_GT(blues, 1500);
    EXPECT_GT(oranges, 1500);
    EXPECT_GT(darks, 100); // numbers and ticks
}

TEST(FieldSlice, one_and_two_threads_give_the_same_pixels) {
    const TorusField torus(1, 0.4);
    set_thread_count(1);
    const Image one = draw_slice(torus, {.size = 200});
    set_thread_count(2);
    const Image two = draw_slice(torus, {.size = 200});
    set_thread_count(0);
    EXPECT_EQ(one.pixels, two.pixels);
}

TEST(FieldSlice, rejects_invalid_options_by_name) {
    const BallField ball(Vec3::Zero(), 1);
    const auto element = [&](const SliceOptions& options) {
        try {
            (void)draw_slice(ball, options);
        } catch (const Error& error) {
            return error.place().element;
        }
        return std::string();
    };
    EXPECT_EQ(element({.axis = 3}), "option axis");
    EXPECT_EQ(element({.size = 0}), "option size");
    EXPECT_EQ(element({.spacing = -1}), "option spacing");
    EXPECT_EQ(element({.position = NAN}), "option position");
    EXPECT_EQ(element({.box = {Vec3::Zero(), Vec3::Constant(HUGE_VAL)}}), "option box");
    EXPECT_EQ(element({.size = 8}), "");
}

TEST(TinyText, stays_in_the_picture_and_leaves_unknown_characters_blank) {
    Image image(30, 10, {255, 255, 255});
    draw_text(image, 25, 5, "8888", {0, 0, 0}, 3);
    draw_text(image, -20, -9, "0-1+2e.", {0, 0, 0}, 2);
    Image blank(30, 10, {255, 255, 255});
    draw_text(blank, 0, 0, "?xyz", {0, 0, 0});
    for (const Color& c : blank.pixels) EXPECT_EQ(c[0], 255);
    draw_text(blank, 0, 0, "1", {0, 0, 0});
    EXPECT_EQ(std::count(blank.pixels.begin(), blank.pixels.end(), Color{0, 0, 0}), 10);
}

} // namespace field_slice_test
} // namespace fathom
