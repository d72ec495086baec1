#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/primitive/triangle_overlap.h>

#include <support/exact.h>
#include <support/simplex_pairs.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace box_triangle_test {

using namespace fathom::testing;

std::array<Vec3, 8> corners_of(const Box& box) {
    std::array<Vec3, 8> corners;
    for (int k = 0; k < 8; ++k) corners[static_cast<std::size_t>(k)] = box.corner(k);
    return corners;
}

class BoxTrianglePairs : public ::testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(Families, BoxTrianglePairs, ::testing::ValuesIn(all_families),
                         [](const auto& info) { return family_names[static_cast<std::size_t>(info.param)]; });

TEST_P(BoxTrianglePairs, overlap_agrees_with_exact_arithmetic) {
    SimplexPairs pairs(51, static_cast<std::uint64_t>(GetParam()));
    const std::size_t count = count_of(1000, 30000);
    std::size_t hits = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs.make<3>(GetParam());
        Box box;
        box.extend(a[0]);
        box.extend(a[1]);
        const bool truth = hulls_meet(corners_of(box), b);
        hits += truth;
        wrong += box_overlaps_triangle(box, b) != truth;
    }
    EXPECT_EQ(wrong, 0u) << "of " << count;
    EXPECT_GT(hits, count / 20);
    EXPECT_LT(hits, count * 19 / 20);
}

// A corner or an edge of the box on the triangle's plane or edge up to rounding.
TEST(BoxTriangle, agrees_with_exact_arithmetic_where_they_touch_up_to_rounding) {
    const std::size_t count = count_of(3000, 200000);
    Random random(52);
    std::size_t hits = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        std::array<Vec3, 3> t;
        for (Vec3& p : t) p = random.in_ball();
        const double s = random.uniform();
        const double r = i % 2 ? 0 : random.uniform() * (1 - s);
        const Vec3 contact = t[0] + s * (t[1] - t[0]) + r * (t[2] - t[0]);
        const Vec3 normal = i % 2 ? Vec3((t[0] + t[1]) / 2 - t[2]) : area_vector(t);
        Box box;
        for (int k = 0; k < 3; ++k) { // grow away from the triangle, or (one axis) to both sides
            const double size = random.uniform();
            const bool both = i % 2 && k == static_cast<int>(i / 2 % 3);
            box.lower[k] = contact[k] - (normal[k] > 0 && !both ? 0 : size);
            box.upper[k] = contact[k] + (normal[k] > 0 || both ? size : 0);
        }
        const bool truth = hulls_meet(corners_of(box), t);
        hits += truth;
        wrong += box_overlaps_triangle(box, t) != truth;
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(hits, count / 10);
    EXPECT_LT(hits, count * 9 / 10);
}

TEST(BoxTriangle, handles_empty_and_infinite_boxes) {
    const std::array<Vec3, 3> t = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY()};
    EXPECT_FALSE(box_overlaps_triangle(Box{}, t));
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(box_overlaps_triangle({Vec3::Constant(-infinity), Vec3::Constant(infinity)}, t));
    EXPECT_TRUE(box_overlaps_triangle({Vec3(0.5, 0.5, 0), Vec3::Constant(infinity)}, t));
    EXPECT_FALSE(box_overlaps_triangle({Vec3(0.5, std::nextafter(0.5, 1), 0), Vec3::Constant(infinity)}, t));
}

} // namespace box_triangle_test
} // namespace fathom
