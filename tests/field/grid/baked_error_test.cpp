// What a grid is off from its field: the certified bound against the largest difference that samples find.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/shapes.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/baked_error.h>

#include <gtest/gtest.h>

namespace fathom {
namespace {

double largest_seen(const GridField& grid, const Field& field, double band, int points) {
    Random random(3);
    double most = 0;
    for (int k = 0; k < points; ++k) {
        const Vec3 p = random.in_box(grid.domain());
        if (std::abs(grid.distance(p)) < band) most = std::max(most, std::abs(grid.distance(p) - field.distance(p)));
    }
    return most;
}

TEST(BakedError, bounds_what_samples_see_and_shrinks_with_the_pieces) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const AnalyticField field(shapes::twist(2 / scale, 0.5 * scale, shapes::box(scale * Vec3(0.5, 0.7, 1))));
        const GridField grid = bake(field, {.resolution = 40});
        const double seen = largest_seen(grid, field, grid.layout().cell, 20000);
        double last = HUGE_VAL;
        for (const int halvings : {0, 1, 2}) {
            const BakedError error = baked_error(grid, field, {.enough = 0, .halvings = halvings});
            EXPECT_GT(error.cells, 1000U);
            EXPECT_LE(seen, error.largest);
            EXPECT_LT(error.largest, 0.9 * last);
            last = error.largest;
        }
        EXPECT_LT(last, 10 * grid.layout().cell);
        EXPECT_GT(seen, 0);
    }
}

TEST(BakedError, of_another_field_is_large) {
    const AnalyticField ball(shapes::sphere(1)), larger(shapes::sphere(1.5));
    const GridField grid = bake(ball, {.resolution = 32});
    const BakedError own = baked_error(grid, ball, {.halvings = 0}), other = baked_error(grid, larger);
    EXPECT_EQ(own.unsure, 0U);
    EXPECT_LT(own.largest, 3 * grid.layout().cell);
    EXPECT_GE(other.largest, 0.5);
    EXPECT_GT(other.unsure, 0U);
}

TEST(BakedError, refuses_senseless_options) {
    const AnalyticField ball(shapes::sphere(1));
    const GridField grid = bake(ball, {.resolution = 8});
    EXPECT_THROW((void)baked_error(grid, ball, {.halvings = 9}), Error);
    EXPECT_THROW((void)baked_error(grid, ball, {.band = -1}), Error);
}

} // namespace
} // namespace fathom
