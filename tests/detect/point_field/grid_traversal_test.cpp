#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/baseline/octree_traversal.h>
#include <fathom/detect/point_field/dda_traversal.h>
#include <fathom/detect/point_field/grid_traversal.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/field/grid/bake.h>

#include <gtest/gtest.h>
#include <support/noise_grid.h>
#include <support/plain_fields.h>
#include <support/test_counts.h>

#include <algorithm>
#include <cmath>

namespace fathom::point_field {
namespace grid_traversal_test {

using testing::BallField;
using testing::count_of;
using testing::noise_grid;

Segment random_segment(Random& random, const GridField& field) {
    const Box domain = field.domain();
    Segment s{random.in_box(domain), random.in_box(domain)};
    const double cell = field.layout().cell;
    switch (random.below(8)) {
    case 0:
        s.end = s.start + random.in_ball() * cell;
        break; // short
    case 1:
        s.end[static_cast<int>(random.below(3))] = s.start[0];
        break;
    case 2: { // along an axis, on lattice planes
        for (int k = 0; k < 3; ++k)
            s.start[k] = domain.lower[k] + cell * std::round((s.start[k] - domain.lower[k]) / cell);
        const Vec3 end = s.end;
        s.end = s.start;
        const auto axis = static_cast<int>(random.below(3));
        s.end[axis] = end[axis];
        break;
    }
    case 3:
        s.end = s.start;
        break;
    case 4: { // through lattice points
        for (Vec3* p : {&s.start, &s.end})
            for (int k = 0; k < 3; ++k)
                (*p)[k] = domain.lower[k] + cell * std::round(((*p)[k] - domain.lower[k]) / cell);
        break;
    }
    case 5: { // from outside
        const Vec3 out = s.start - domain.center();
        s.start = domain.center() + 3 * out;
        break;
    }
    case 6: { // along the border of the domain
        const auto axis = static_cast<int>(random.below(3));
        s.start[axis] = s.end[axis] = random.chance(0.5) ? domain.upper[axis] : domain.lower[axis];
        break;
    }
    default:
        break;
    }
    return s;
}

// Both ways within a hair of each other: every end of one lies near or in the other.
void expect_same(const std::vector<ContactInterval>& a, const std::vector<ContactInterval>& b, double tolerance,
                 const std::string& what) {
    const auto covered = [&](double t, const std::vector<ContactInterval>& list) {
        return std::any_of(list.begin(), list.end(), [&](const ContactInterval& i) {
            return t >= i.start - tolerance && t <= i.end + tolerance;
        });
    };
    for (const auto* pair : {&a, &b}) {
        const auto& other = pair == &a ? b : a;
        for (std::size_t k = 0; k < pair->size(); ++k) {
            const ContactInterval& i = (*pair)[k];
            ASSERT_TRUE(covered(i.start, other) && covered(i.end, other)) << what << " " << i.start << " " << i.end;
        }
    }
}

double covered_length(const std::vector<ContactInterval>& list) {
    double sum = 0;
    for (const ContactInterval& i : list) sum += i.end - i.start;
    return sum;
}

struct Compared {
    std::size_t segments = 0, touched = 0, several = 0, within = 0;
};

void compare(const GridField& field, double level, Random& random, int count, Compared& seen) {
    const EmptySpaceMap map(field.data(), level);
    if (!map.continuous) return;
    std::vector<ContactInterval> fast, plain, octree;
    for (int n = 0; n < count; ++n) {
        const Segment segment = random_segment(random, field);
        const GridPath path = grid_path(field.layout(), segment);
        fast.clear(), plain.clear(), octree.clear();
        walk_all(field.data(), map, path, fast);
        dda_intervals(field, path, level, CellTest::exact, plain);
        octree_intervals(field, path, level, CellTest::exact, octree);
        const std::string what = ::testing::PrintToString(level) + " " +
                                 ::testing::PrintToString(segment.start.transpose()) + " to " +
                                 ::testing::PrintToString(segment.end.transpose());
        expect_same(fast, plain, 1e-9, what);
        expect_same(octree, plain, 1e-9, what);
        ASSERT_NEAR(covered_length(fast), covered_length(plain), 1e-7) << what;
        ASSERT_EQ(walk_first(field.data(), map, path), fast.empty() ? no_contact : fast.front().start);
        ++seen.segments;
        seen.touched += !fast.empty();
        seen.several += fast.size() > 1;
        seen.within += path.begin <= path.end;
    }
}

TEST(GridTraversal, agrees_with_a_traversal_of_every_cell_in_grids_of_noise) {
    Random random(41);
    Compared seen;
    const int grids = static_cast<int>(count_of(60, 2000));
    for (int g = 0; g < grids; ++g) {
        const GridStorage storage = random.chance(0.5) ? GridStorage::code16 : GridStorage::float32;
        const double stored = std::array{0.0, 0.5, 1.0}[random.below(3)];
        const GridField field = noise_grid(random, stored, storage, std::array{0.2, 1.0, 4.0}[random.below(3)]);
        for (const double level : {0.0, random.uniform(-1, 1), random.uniform(-4, 4)})
            compare(field, level * field.layout().cell, random, 200, seen);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(seen.segments, static_cast<std::size_t>(grids) * 300);
    EXPECT_GT(seen.touched, seen.segments / 5);
    EXPECT_LT(seen.touched, seen.segments * 4 / 5);
    EXPECT_GT(seen.several, seen.segments / 10);
}

TEST(GridTraversal, agrees_with_a_traversal_of_every_cell_in_baked_shapes) {
    Random random(42);
    Compared seen;
    const BallField ball(Vec3(0.1, -0.2, 0.05), 0.5);
    for (const bool dense : {false, true})
        for (const GridStorage storage : {GridStorage::code16, GridStorage::float32}) {
            const GridField field = bake(ball, {.box = Box::around(Vec3::Zero(), Vec3::Constant(1)),
                                                .resolution = 72,
                                                .dense = dense,
                                                .storage = storage});
            // Within the band, past it where only corners of bricks are known, and deep inside.
            for (const double level : {0.0, 0.05, 0.3, 0.6, -0.05, -0.3, -0.49, -0.6}) {
                compare(field, level, random, static_cast<int>(count_of(500, 50000)), seen);
                if (HasFatalFailure()) return;
            }
        }
    EXPECT_GT(seen.touched, seen.segments / 5);
    EXPECT_LT(seen.touched, seen.segments * 4 / 5);
}

} // namespace grid_traversal_test
} // namespace fathom::point_field
