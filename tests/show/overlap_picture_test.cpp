#include <fathom/base/error.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/show/depth_picture.h>

#include <gtest/gtest.h>

namespace fathom {
namespace overlap_picture_test {

std::size_t greens(const Image& image) {
    std::size_t count = 0;
    for (const Color& c : image.pixels) count += c[1] > c[0] + 20 && c[1] > c[2] + 20;
    return count;
}

OverlapPictureOptions small() {
    OverlapPictureOptions options;
    options.view.width = 200;
    options.view.height = 150;
    options.resolution = 32;
    return options;
}

TEST(OverlapPicture, cells_are_green_where_bodies_overlap_and_nowhere_else) {
    const AnalyticField box(shapes::box({2, 2, 2}));
    const Pose turned = Pose::from_axis_angle(0.4, Vec3::UnitZ(), {1, 1, 0.6}),
               away = Pose::from_translation({4, 0, 0});
    const Image overlapping =
        draw_overlap(box, {}, box, turned, field_field::field_overlap(box, {}, box, turned, {.depth = 4}), small());
    const Image apart =
        draw_overlap(box, {}, box, away, field_field::field_overlap(box, {}, box, away, {.depth = 4}), small());
    EXPECT_GT(greens(overlapping), 500u);
    EXPECT_EQ(greens(apart), 0u);
    const Image again =
        draw_overlap(box, {}, box, turned, field_field::field_overlap(box, {}, box, turned, {.depth = 4}), small());
    EXPECT_EQ(again.pixels, overlapping.pixels);
}

// Equation 7 of the paper, in our language: x^2 + (4 + 1.2 y - |x| sqrt((20 - |x|) / 15))^2 + (z - y / 15)^2 - 15^2.
TEST(OverlapPicture, two_hearts_of_the_paper_have_their_cells_drawn) {
    const AnalyticField heart(parse_shape("heart()"));
    for (const double y : {-9.0, 3.0}) {
        const Vec3 p(4, y, 2);
        const double middle = 4 + 1.2 * p.y() - p.x() * std::sqrt((20 - p.x()) / 15), front = p.z() - p.y() / 15;
        EXPECT_NEAR(heart.distance(p), p.x() * p.x() + middle * middle + front * front - 225, 1e-9)
            << "as the paper writes it";
    }
    const Pose other = Pose::from_axis_angle(0.6, Vec3::UnitZ(), {14, 6, 4});
    const field_field::FieldOverlap overlap = field_field::field_overlap(heart, {}, heart, other, {.depth = 5});
    EXPECT_EQ(overlap.status, Status::overlapping);
    EXPECT_GT(overlap.inside_count, 50u);
    EXPECT_GT(greens(draw_overlap(heart, {}, heart, other, overlap, small())), 300u);
}

TEST(OverlapPicture, a_field_without_bounds_is_refused) {
    const AnalyticField ball(shapes::sphere(1)), floor(shapes::plane(Vec3::UnitZ(), 0));
    EXPECT_THROW(
        (void)draw_overlap(ball, {}, floor, {}, field_field::field_overlap(ball, {}, floor, {}, {.depth = 2}), small()),
        Error);
}

} // namespace overlap_picture_test
} // namespace fathom
