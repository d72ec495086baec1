#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>

#include <support/exact.h>
#include <support/simplex_pairs.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace tetrahedron_tetrahedron_test {

using namespace fathom::testing;
using Corners = std::array<Vec3, 4>;

class TetrahedronPairs : public ::testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(Families, TetrahedronPairs, ::testing::ValuesIn(all_families),
                         [](const auto& info) { return family_names[static_cast<std::size_t>(info.param)]; });

TEST_P(TetrahedronPairs, overlap_agrees_with_exact_arithmetic) {
    SimplexPairs pairs(21, static_cast<std::uint64_t>(GetParam()));
    const std::size_t count = count_of(3000, 112000);
    std::size_t hits = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs.make<4>(GetParam());
        const bool truth = hulls_meet(a, b);
        hits += truth;
        wrong += tetrahedra_overlap(a, b) != truth;
        wrong += tetrahedra_overlap(b, a) != truth;
    }
    const double rate = static_cast<double>(hits) / static_cast<double>(count);
    RecordProperty("hit_percent", std::to_string(100 * rate));
    EXPECT_EQ(wrong, 0u) << "of " << count;
    EXPECT_GT(rate, 0.05);
    EXPECT_LT(rate, 0.95);
}

TEST(TetrahedraOverlap, the_filter_and_the_slow_path_agree) {
    SimplexPairs pairs(22);
    const std::size_t count = count_of(20000, 1000000);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs.make<4>(all_families[i % all_families.size()]);
        wrong += tetrahedra_overlap(a, b) != tetrahedra_overlap_exact(a, b);
    }
    EXPECT_EQ(wrong, 0u);
}

TEST(TetrahedraOverlap, the_filter_is_sure_of_pairs_in_general_position_and_unsure_of_touching_ones) {
    SimplexPairs pairs(25);
    const std::size_t count = 20000;
    std::size_t unsure = 0;
    std::size_t unsure_touching = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto generic = pairs.make<4>(Family::generic);
        unsure += tetrahedra_filter(generic.a, generic.b) == FilterAnswer::unsure;
        const auto touching = pairs.make<4>(Family::touching_corner);
        unsure_touching += tetrahedra_filter(touching.a, touching.b) == FilterAnswer::unsure;
    }
    EXPECT_LT(unsure, count / 1000);
    EXPECT_GT(unsure_touching, count / 2);
}

TEST(TetrahedraOverlap, every_order_of_the_corners_is_the_same_solid) {
    SimplexPairs pairs(23);
    std::size_t hits = 0;
    for (int i = 0; i < 200; ++i) {
        const SimplexPair<4> pair = pairs.make<4>(Family::generic);
        const bool expected = tetrahedra_overlap(pair.a, pair.b);
        hits += expected;
        std::array<int, 4> order = {0, 1, 2, 3};
        do {
            const auto at = [&](std::size_t k) -> const Vec3& { return pair.a[static_cast<std::size_t>(order[k])]; };
            EXPECT_EQ(tetrahedra_overlap({at(0), at(1), at(2), at(3)}, pair.b), expected);
        } while (std::next_permutation(order.begin(), order.end()));
    }
    EXPECT_GT(hits, 20u);
    EXPECT_LT(hits, 180u);
}

const Corners unit = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};

Corners moved(Corners t, double scale, const Vec3& shift) {
    for (Vec3& p : t) p = scale * p + shift;
    return t;
}

TEST(TetrahedraOverlap, one_inside_the_other_and_touching_count) {
    EXPECT_TRUE(tetrahedra_overlap(unit, moved(unit, 0.1, Vec3::Constant(0.1))));
    EXPECT_TRUE(tetrahedra_overlap(moved(unit, 0.1, Vec3::Constant(0.1)), unit));
    EXPECT_TRUE(tetrahedra_overlap(unit, moved(unit, 1, Vec3::UnitX()))) << "corner to corner";
    EXPECT_TRUE(tetrahedra_overlap(unit, moved(unit, -1, Vec3(0.25, 0.25, 0)))) << "face to face";
    EXPECT_FALSE(tetrahedra_overlap(unit, moved(unit, 1, Vec3(std::nextafter(1.0, 2.0), 0, 0))));
    EXPECT_FALSE(tetrahedra_overlap(unit, moved(unit, -1, Vec3(0.25, 0.25, -0x1p-1074))));
    EXPECT_TRUE(tetrahedra_overlap(unit, unit));
}

TEST(TetrahedraOverlap, survives_coordinates_of_any_finite_size_and_none) {
    for (const double scale : {0x1p-1040, 0x1p-500, 0x1p500, 0x1p1000}) {
        const Corners a = moved(unit, scale, Vec3::Zero());
        EXPECT_TRUE(tetrahedra_overlap(a, moved(a, 0.25, scale * Vec3::Constant(0.125))));
        EXPECT_FALSE(tetrahedra_overlap(a, moved(a, 1, scale * Vec3::Constant(0.5))));
        EXPECT_TRUE(tetrahedra_overlap(a, moved(a, 0.5, scale * Vec3(0.5, 0.5, 0))));
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    (void)tetrahedra_overlap(unit, moved(unit, nan, Vec3::Zero()));
    (void)tetrahedra_overlap(moved(unit, 1, Vec3::Constant(infinity)), unit);
    (void)tetrahedra_overlap_exact(unit, moved(unit, nan, Vec3::Zero()));
}

TEST(TetrahedronContains, agrees_with_exact_arithmetic) {
    const std::size_t count = count_of(5000, 200000);
    SimplexPairs pairs(24);
    std::size_t hits = 0;
    std::size_t flat = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs.make<4>(i % 2 ? Family::lattice : Family::touching_corner);
        if (exact_volume(a[0], a[1], a[2], a[3]) == 0) {
            ++flat;
            EXPECT_FALSE(tetrahedron_contains(a, b[0]));
            continue;
        }
        const std::array<Vec3, 1> point = {b[pairs.random().below(4)]};
        const bool truth = hulls_meet(a, point);
        hits += truth;
        EXPECT_EQ(tetrahedron_contains(a, point[0]), truth);
    }
    EXPECT_GT(hits, count / 100);
    EXPECT_GT(flat, 0u);
}

} // namespace tetrahedron_tetrahedron_test
} // namespace fathom
