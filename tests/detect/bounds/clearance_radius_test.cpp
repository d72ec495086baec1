#include "support/plain_fields.h"
#include "support/test_counts.h"
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/smooth_grid.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

namespace fathom {
namespace clearance_radius_test {

struct Tally {
    std::size_t proven = 0, near = 0, outside = 0, inside = 0;
    double share = 0; // of the value above the level, on average
};

// Random points of balls that are said to be free or inside, many of them on the border, must be so.
Tally check_balls(const Field& field, double level, const Box& box, double cell, std::uint64_t seed) {
    const ClearanceRadius radius(field, level);
    Random random(seed);
    Tally tally;
    for (std::size_t k = 0; k < testing::count_of(4000, 100000); ++k) {
        Vec3 p = random.in_box(box);
        if (random.chance(0.5)) { // gather points at the level
            const Sample s = field.sample(p);
            if (s.gradient.norm() > 0.1)
                p -= (s.distance - level - random.uniform(-1, 10) * cell) * s.gradient.normalized();
        }
        const double value = field.distance(p), free = radius(value), inside = radius.inside(value);
        if (free > 0) {
            ++tally.proven;
            tally.near += value - level < 4 * cell;
            tally.outside += !field.domain().contains(p);
            tally.share += free / (value - level);
            EXPECT_LE(free, (value - level) * 1.5 + 4 * cell);
        }
        for (int n = 0; n < 12; ++n) {
            const Vec3 way = n < 6 ? Vec3((n & 1 ? 1 : -1) * Vec3::Unit(n / 2)) : random.direction();
            const double part = n % 3 == 0 ? std::cbrt(random.uniform()) : 1 - 1e-9;
            if (free > 0) {
                EXPECT_GT(field.distance(p + part * free * way), level) << p.transpose() << " value " << value;
            }
            if (inside > 0) {
                EXPECT_LE(field.distance(p + part * inside * way), level) << p.transpose() << " value " << value;
            }
        }
        tally.inside += inside > 0;
        if (::testing::Test::HasFailure()) return tally;
    }
    tally.share /= static_cast<double>(std::max<std::size_t>(tally.proven, 1));
    return tally;
}

TEST(ClearanceRadius, is_sound_for_sparse_grids_near_far_and_outside) {
    std::uint64_t seed = 1;
    for (const GridStorage storage : {GridStorage::code16, GridStorage::float32})
        for (const bool dense : {false, true}) {
            const AnalyticField shape(shapes::torus(1, 0.3));
            const GridField grid = bake(shape, {.box = Box::around(Vec3::Zero(), Vec3(2, 2, 1.5)),
                                                .resolution = 96,
                                                .dense = dense,
                                                .storage = storage});
            const double cell = grid.layout().cell;
            for (const double level : {0.0, 2.0 * cell, 5.0 * cell, -2.0 * cell, -5.0 * cell}) {
                const Tally tally = check_balls(grid, level, Box::around(Vec3::Zero(), Vec3(4, 4, 3)), cell, seed++);
                EXPECT_GT(tally.proven, 1000u);
                EXPECT_GT(tally.near, 50u);
                EXPECT_GT(tally.outside, 100u);
                EXPECT_GT(tally.share, 0.4) << "level " << level / cell << " cells";
            }
        }
}

TEST(ClearanceRadius, is_sound_where_the_grid_cuts_the_surface) {
    // Half a ball, a plate that leaves the box on all sides, and a box wholly inside.
    const AnalyticField ball(shapes::sphere(1)), plate(shapes::box({100, 100, 0.1}));
    const Box corner{Vec3(0, -1.2, -1.2), Vec3(1.2, 1.2, 1.2)}, middle = Box::around(Vec3::Zero(), Vec3::Constant(0.5));
    std::uint64_t seed = 50;
    for (const auto& [field, box] : {std::pair<const Field*, Box>{&ball, corner}, {&plate, middle}, {&ball, middle}}) {
        const GridField grid = bake(*field, {.box = box, .resolution = 64});
        const double cell = grid.layout().cell;
        for (const double level : {0.0, 3.0 * cell, -6.0 * cell}) {
            const Tally tally = check_balls(grid, level, Box::around(box.center(), box.size()), cell, seed++);
            EXPECT_GT(tally.proven, 500u);
        }
    }
}

TEST(ClearanceRadius, is_sound_for_grids_and_mesh_fields) {
    const TriangleMesh mesh = make_torus({.radius = 1, .tube = 0.4});
    const MeshField exact(mesh);
    const GridField grid = build_grid(mesh, {.resolution = 64});
    const SmoothGridField smooth(grid);
    const double cell = grid.layout().cell;
    const Box box = Box::around(Vec3::Zero(), Vec3(3, 3, 2));
    for (const double level : {0.0, 0.1, -0.1}) {
        EXPECT_GT(check_balls(exact, level, box, cell, 80).share, 0.99);
        EXPECT_GT(check_balls(grid, level, box, cell, 81).share, 0.5);
        EXPECT_GT(check_balls(smooth, level, box, cell, 82).share, 0.3);
    }
}

TEST(ClearanceRadius, is_sound_for_expressions_that_are_not_distances) {
    const AnalyticField twisted(shapes::twist(2, 1, shapes::box({0.6, 0.6, 2}))),
        lower(shapes::smooth_union(shapes::sphere(0.8), shapes::translate({1, 0, 0}, shapes::box({1, 1, 1})), 0.3));
    for (const Field* field : {static_cast<const Field*>(&twisted), static_cast<const Field*>(&lower)}) {
        const Tally tally = check_balls(*field, 0, Box::around(Vec3::Zero(), Vec3::Constant(2)), 0.05, 90);
        EXPECT_GT(tally.proven, 1000u);
        EXPECT_GT(tally.inside, 30u);
    }
}

TEST(ClearanceRadius, an_open_mesh_whose_sign_jumps_proves_only_true_clearances) {
    TriangleMesh open = make_sphere({.radius = 1});
    open.triangles.resize(open.triangles.size() * 4 / 5);
    const MeshField exact(open, {.sign = SignMethod::winding});
    EXPECT_LE(ClearanceRadius(exact, 0)(1.0), 0);
    const GridField grid = build_grid(open, {.resolution = 48, .sign = SignMethod::winding});
    check_balls(grid, 0, Box::around(Vec3::Zero(), Vec3::Constant(2)), grid.layout().cell, 95);
}

TEST(ClearanceRadius, proves_nothing_from_nan) {
    const AnalyticField ball(shapes::sphere(1));
    const ClearanceRadius radius(ball, 0);
    EXPECT_FALSE(radius(std::nan("")) > 0);
    EXPECT_FALSE(radius.inside(std::nan("")) >= 0);
    EXPECT_LE(radius(0.0), 0);
}

} // namespace clearance_radius_test
} // namespace fathom
