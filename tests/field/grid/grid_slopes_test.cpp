// Slopes of a grid: what is bounded, checked on noise and on distances, against differences of the field itself.
#include <fathom/base/random.h>
#include <fathom/field/grid/grid_range.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

namespace fathom {
namespace grid_slopes_test {

// The field never changes more between two points of a box than its slopes allow.
void expect_enclosed(const GridField& field, Random& random, double reach) {
    const GridSlopes slopes(field.data());
    const Box domain = field.domain();
    for (int k = 0; k < 2000; ++k) {
        const Vec3 p = random.in_box(domain), half = Vec3(random.uniform(), random.uniform(), random.uniform()) * reach;
        const Box within = domain.grown(-1e-5 * domain.size().x()),
                  box{within.closest(p - half), within.closest(p + half)};
        SlopeRange range;
        ASSERT_TRUE(slopes.over(box, range));
        for (int i = 0; i < 4; ++i) {
            const Vec3 a = random.in_box(box), b = random.in_box(box), way = b - a;
            const double change = field.distance(b) - field.distance(a);
            const double slack = range.half.dot(way.cwiseAbs()) + range.jump + 1e-12;
            EXPECT_LE(std::abs(change - range.middle.dot(way)), slack);
        }
    }
}

TEST(GridSlopes, enclose_the_slopes_of_the_field_in_any_box) {
    Random random(1);
    for (const GridStorage storage : {GridStorage::float32, GridStorage::code16}) {
        const GridField creature =
            build_grid(make_creature({.triangles = 2000}), {.resolution = 48, .storage = storage});
        expect_enclosed(creature, random, 3 * creature.layout().cell);
        expect_enclosed(creature, random, 20 * creature.layout().cell);
    }
}

TEST(GridSlopes, near_a_smooth_surface_are_those_of_a_distance) {
    const GridField ball = build_grid(make_sphere({.radius = 1, .resolution = 60}), {.resolution = 128});
    const GridSlopes slopes(ball.data());
    Random random(2);
    for (int k = 0; k < 500; ++k) {
        const Vec3 p = random.direction();
        SlopeRange range;
        ASSERT_TRUE(slopes.over(Box::around(p, Vec3::Constant(0.5 * ball.layout().cell)), range));
        EXPECT_LT(range.max_slope(), 1.3);
        EXPECT_LT((range.middle - p).norm(), 0.25);
    }
}

// A box of a thousandth of a cell may contain kinks between cells, but mostly does not.
TEST(GridSlopes, of_tiny_boxes_are_the_gradient) {
    Random random(3);
    const GridField creature = build_grid(make_creature({.triangles = 2000}), {.resolution = 48});
    const GridSlopes slopes(creature.data());
    const Box within = creature.domain().grown(-0.1 * creature.layout().cell);
    std::size_t narrow = 0, quiet = 0;
    constexpr std::size_t count = 2000;
    for (std::size_t k = 0; k < count; ++k) {
        const Vec3 p = random.in_box(within);
        SlopeRange range;
        ASSERT_TRUE(slopes.over(Box::around(p, Vec3::Constant(1e-3 * creature.layout().cell)), range));
        EXPECT_TRUE(((creature.sample(p).gradient - range.middle).cwiseAbs().array() <= range.half.array()).all());
        narrow += range.half.norm() < 5e-3;
        quiet += range.jump == 0;
    }
    EXPECT_GT(narrow, count * 95 / 100);
    EXPECT_GT(quiet, count * 95 / 100);
}

TEST(GridSlopes, are_unknown_beyond_the_domain) {
    const GridField ball = build_grid(make_sphere({.radius = 1}), {.resolution = 32});
    const GridSlopes slopes(ball.data());
    SlopeRange range;
    EXPECT_FALSE(slopes.over(ball.domain().grown(0.1), range));
    EXPECT_FALSE(slopes.over(Box::around(Vec3::Constant(std::nan("")), Vec3::Ones()), range));
}

} // namespace grid_slopes_test
} // namespace fathom
