#include <fathom/geometry/primitive/triangle_overlap.h>

#include <support/exact.h>
#include <support/simplex_pairs.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace tetrahedron_triangle_test {

using namespace fathom::testing;

class TetrahedronTriangle : public ::testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(Families, TetrahedronTriangle, ::testing::ValuesIn(all_families),
                         [](const auto& info) { return family_names[static_cast<std::size_t>(info.param)]; });

TEST_P(TetrahedronTriangle, overlap_agrees_with_exact_arithmetic) {
    SimplexPairs pairs(51, static_cast<std::uint64_t>(GetParam()));
    const std::size_t count = count_of(2000, 112000);
    std::size_t hits = 0, wrong = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const auto [a, b] = pairs.make<4>(GetParam());
        const std::array<Vec3, 3> triangle = {b[0], b[1], b[2]};
        const bool truth = hulls_meet(a, triangle);
        hits += truth;
        wrong += tetrahedron_overlaps_triangle(a, triangle) != truth;
        wrong += tetrahedron_overlaps_triangle({a[1], a[0], a[2], a[3]}, {b[2], b[1], b[0]}) != truth;
    }
    EXPECT_EQ(wrong, 0u) << "of " << count;
    EXPECT_GT(hits, count / 25);
    EXPECT_LT(hits, count * 24 / 25);
}

TEST(TetrahedronTriangleOverlap, touching_and_inside_count_and_nothing_crashes) {
    const std::array<Vec3, 4> unit = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    const auto sheet = [](double z) { return std::array<Vec3, 3>{Vec3(-3, -3, z), Vec3(3, -3, z), Vec3(0, 5, z)}; };
    EXPECT_TRUE(tetrahedron_overlaps_triangle(unit, sheet(0)));
    EXPECT_TRUE(tetrahedron_overlaps_triangle(unit, sheet(1)));
    EXPECT_FALSE(tetrahedron_overlaps_triangle(unit, sheet(std::nextafter(1.0, 2.0))));
    EXPECT_FALSE(tetrahedron_overlaps_triangle(unit, sheet(-0x1p-1074)));
    EXPECT_TRUE(tetrahedron_overlaps_triangle(unit, {Vec3(0.1, 0.1, 0.1), Vec3(0.2, 0.1, 0.1), Vec3(0.1, 0.2, 0.1)}));
    (void)tetrahedron_overlaps_triangle(unit, sheet(std::numeric_limits<double>::quiet_NaN()));
}

} // namespace tetrahedron_triangle_test
} // namespace fathom
