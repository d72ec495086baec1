// What a grid is off from its field: the certified bound against the largest difference that samples find.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>

#include <gtest/gtest.h>

namespace fathom {
namespace baked_error_test {

double largest_seen(const GridField& grid, const Field& field, double band, int points) {
    Random random(3);
    double most = 0;
    for (int k = 0; k < points; ++k) {
        const Vec3 p = random.in_box(grid.domain());
        if (std::abs(grid.distance(p)) < band) most = std::max(most, std::abs(grid.distance(p) - field.distance(p)));
    }
    return most;
}

TEST(BakedError, encloses_the_sampled_error_and_shrinks_with_the_cells) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const AnalyticField field(shapes::twist(2 / scale, 0.5 * scale, shapes::box(scale * Vec3(0.5, 0.7, 1))));
        const GridField grid = bake(field, {.resolution = 40});
        const double seen = largest_seen(grid, field, grid.layout().cell, 20000);
        double last = HUGE_VAL;
        for (const int halvings : {0, 1, 2}) {
            const BakedError error = baked_error(grid, field, {.tolerance = 0, .halvings = halvings});
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

// Values of a field that is a thousand times as steep as a distance keep their signs.
TEST(BakedError, steep_fields_are_baked_whole) {
    const AnalyticField steep(shapes::difference(shapes::sphere(1), shapes::sphere(0.5)));
    struct Times final : Field {
        const Field& field;
        explicit Times(const Field& f) : field(f) {}
        [[nodiscard]] double distance(const Vec3& p) const override { return 1000 * field.distance(p); }
        [[nodiscard]] Sample sample(const Vec3& p) const override {
            const Sample s = field.sample(p);
            return {1000 * s.distance, 1000 * s.gradient};
        }
        [[nodiscard]] Interval range(const Box& box) const override { return Interval(1000) * field.range(box); }
        [[nodiscard]] double lipschitz() const override { return 1000 * field.lipschitz(); }
        [[nodiscard]] double error_bound() const override { return HUGE_VAL; }
        [[nodiscard]] Box domain() const override { return field.domain(); }
        [[nodiscard]] Box bounds() const override { return field.bounds(); }
    };
    const Times field(steep);
    const GridField grid = bake(field, {.resolution = 48});
    Random random(4);
    for (int k = 0; k < 5000; ++k) {
        const Vec3 p = random.in_box(field.bounds());
        if (std::abs(steep.distance(p)) < 0.05) continue;
        EXPECT_EQ(grid.distance(p) < 0, field.distance(p) < 0);
    }
}

TEST(BakedError, rejects_options_out_of_range) {
    const AnalyticField ball(shapes::sphere(1));
    const GridField grid = bake(ball, {.resolution = 8});
    EXPECT_THROW((void)baked_error(grid, ball, {.halvings = 9}), Error);
    EXPECT_THROW((void)baked_error(grid, ball, {.band = -1}), Error);
}

} // namespace baked_error_test
} // namespace fathom
