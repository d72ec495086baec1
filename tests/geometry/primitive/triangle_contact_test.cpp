#include <fathom/base/random.h>
#include <fathom/geometry/primitive/triangle_contact.h>

#include <support/exact.h>
#include <support/simplex_pairs.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace triangle_contact_test {

using namespace fathom::testing;
using Corners = std::array<Vec3, 3>;

class TriangleContacts : public ::testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(Families, TriangleContacts, ::testing::ValuesIn(all_families),
                         [](const auto& info) { return family_names[static_cast<std::size_t>(info.param)]; });

double extent(const Corners& a, const Corners& b) {
    Box box;
    for (const Vec3& p : a) box.extend(p);
    for (const Vec3& p : b) box.extend(p);
    return box.diagonal() + 1e-3 * box.upper.cwiseAbs().maxCoeff();
}

Corners moved(const Corners& t, const Vec3& by) { return {t[0] + by, t[1] + by, t[2] + by}; }

TEST_P(TriangleContacts, moved_out_they_part_and_moved_less_they_still_overlap) {
    SimplexPairs pairs(21, static_cast<std::uint64_t>(GetParam()));
    std::size_t hits = 0;
    const std::size_t count = count_of(600, 20000);
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs.make<3>(GetParam());
        const TriangleContact contact = triangle_contact(a, b);
        ASSERT_EQ(contact.kind != OverlapKind::none, hulls_meet(a, b)) << i;
        if (contact.kind == OverlapKind::none) continue;
        ++hits;
        if (contact.separating_direction == Vec3::Zero()) continue;
        ASSERT_NEAR(contact.separating_direction.norm(), 1, 1e-14) << i;
        const double size = extent(a, b);
        ASSERT_FALSE(triangles_overlap(moved(a, (contact.depth + 1e-9 * size) * contact.separating_direction), b)) << i;
        if (contact.depth < 1e-6 * size) continue;
        // No direction is shorter.
        for (int k = 0; k < 8; ++k) {
            const Vec3 way = k == 0 ? contact.separating_direction : pairs.random().direction();
            ASSERT_TRUE(triangles_overlap(moved(a, 0.999 * contact.depth * way), b)) << i;
        }
    }
    EXPECT_GT(hits, count / 20);
}

TEST(TriangleContact, answers_the_named_cases) {
    const Corners flat = {Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
    const Corners tip = {Vec3(1, 1, -0.25), Vec3(1, 0, 3), Vec3(1, 2, 3)};
    const TriangleContact through = triangle_contact(tip, flat);
    EXPECT_EQ(through.kind, OverlapKind::segment);
    EXPECT_EQ(through.normal_b, Vec3(0, 0, 1));
    EXPECT_EQ(through.normal_a, Vec3(-1, 0, 0));
    EXPECT_NEAR(through.depth, 0.25, 1e-14);
    EXPECT_LT((through.separating_direction - Vec3(0, 0, 1)).norm(), 1e-14);
    EXPECT_NEAR(through.segment.length(), 2 * 0.25 / 3.25, 1e-14);
    EXPECT_EQ(triangle_contact(flat, flat).depth, 0) << "in one plane";
    EXPECT_EQ(triangle_contact(flat, flat).kind, OverlapKind::area);
    EXPECT_EQ(triangle_contact(flat, moved(flat, {0, 0, 1})).kind, OverlapKind::none);
    const Vec3 x = Vec3::UnitX();
    EXPECT_EQ(triangle_contact({x, x, x}, {x, x, x}).kind, OverlapKind::point);
    EXPECT_EQ(triangle_contact({x, x, x}, {x, x, x}).depth, 0);
}

} // namespace triangle_contact_test
} // namespace fathom
