#include <fathom/geometry/primitive/segment_triangle.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

#include <support/exact.h>
#include <support/simplex_pairs.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace segment_triangle_test {

using namespace fathom::testing;
using Corners = std::array<Vec3, 3>;

class SegmentTrianglePairs : public ::testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(Families, SegmentTrianglePairs, ::testing::ValuesIn(all_families),
                         [](const auto& info) { return family_names[static_cast<std::size_t>(info.param)]; });

TEST_P(SegmentTrianglePairs, overlap_agrees_with_exact_arithmetic) {
    SimplexPairs pairs(41, static_cast<std::uint64_t>(GetParam()));
    const std::size_t count = count_of(3000, 112000);
    std::size_t hits = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs.make<3>(GetParam());
        const std::array<Vec3, 2> ends = {a[0], a[1]};
        const bool truth = hulls_meet(ends, b);
        hits += truth;
        wrong += segment_overlaps_triangle({a[0], a[1]}, b) != truth;
        wrong += segment_overlaps_triangle({a[1], a[0]}, {b[2], b[1], b[0]}) != truth;
        wrong += (segment_triangle_overlap({a[0], a[1]}, b).kind != OverlapKind::none) != truth;
    }
    EXPECT_EQ(wrong, 0u) << "of " << count;
    EXPECT_GT(hits, count / 100);
    EXPECT_LT(hits, count * 95 / 100);
}

TEST_P(SegmentTrianglePairs, the_common_part_is_of_the_exact_kind_and_in_the_exact_place) {
    SimplexPairs pairs(42, static_cast<std::uint64_t>(GetParam()));
    const std::size_t count = count_of(800, 20000);
    std::size_t hits = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs.make<3>(GetParam());
        if (projection_axis(b) < 0) continue;
        const Segment s{a[0], a[1]};
        const std::vector<ExactVec> part = common_part({a[0], a[1], a[1]}, b);
        const SegmentTriangleOverlap found = segment_triangle_overlap(s, b);
        const OverlapKind truth = part.empty()       ? OverlapKind::none
                                  : part.size() == 1 ? OverlapKind::point
                                                     : OverlapKind::segment;
        ASSERT_EQ(found.kind, truth) << i;
        if (truth == OverlapKind::none) continue;
        ++hits;
        Box box = s.bounds();
        for (const Vec3& p : b) box.extend(p);
        // A segment in the plane may run almost along an edge: its ends are as sharp as that angle lets them be.
        const double tolerance = (truth == OverlapKind::segment ? 1e-9 : 1e-11) * box.diagonal() +
                                 1e-15 * std::max(box.upper.cwiseAbs().maxCoeff(), box.lower.cwiseAbs().maxCoeff());
        const auto distance_to_part = [&](const Vec3& p) {
            double best = std::numeric_limits<double>::infinity();
            for (const ExactVec& q : part) best = std::min(best, (rounded(q) - p).norm());
            return best;
        };
        EXPECT_LE(found.first, found.last);
        EXPECT_LT(distance_to_part(s.at(found.first)), tolerance) << i;
        EXPECT_LT(distance_to_part(s.at(found.last)), tolerance) << i;
        const Vec3 w = found.barycentric;
        EXPECT_NEAR(w.sum(), 1, 1e-12);
        EXPECT_GE(w.minCoeff(), 0);
        EXPECT_LT((w[0] * b[0] + w[1] * b[1] + w[2] * b[2] - s.at(found.first)).norm(), 10 * tolerance) << i;
    }
    EXPECT_GT(hits, 0u);
}

TEST(SegmentTriangle, gives_fraction_and_weights_of_a_plain_crossing) {
    const Corners t = {Vec3::Zero(), Vec3(4, 0, 0), Vec3(0, 4, 0)};
    const auto hit = segment_triangle_overlap({Vec3(1, 2, 3), Vec3(1, 2, -1)}, t);
    ASSERT_EQ(hit.kind, OverlapKind::point);
    EXPECT_DOUBLE_EQ(hit.first, 0.75);
    EXPECT_DOUBLE_EQ(hit.barycentric[0], 0.25);
    EXPECT_DOUBLE_EQ(hit.barycentric[1], 0.25);
    EXPECT_DOUBLE_EQ(hit.barycentric[2], 0.5);
}

TEST(SegmentTriangle, handles_a_segment_in_the_plane) {
    const Corners t = {Vec3::Zero(), Vec3(4, 0, 0), Vec3(0, 4, 0)};
    const auto through = segment_triangle_overlap({Vec3(-4, 1, 0), Vec3(12, 1, 0)}, t);
    ASSERT_EQ(through.kind, OverlapKind::segment);
    EXPECT_DOUBLE_EQ(through.first, 0.25);
    EXPECT_DOUBLE_EQ(through.last, 7.0 / 16);
    const auto corner = segment_triangle_overlap({Vec3(2, -2, 0), Vec3(6, 2, 0)}, t);
    ASSERT_EQ(corner.kind, OverlapKind::point);
    EXPECT_DOUBLE_EQ(corner.first, 0.5);
    EXPECT_EQ(segment_triangle_overlap({Vec3(0, 1, 0), Vec3(-1, 1, 0)}, t).kind, OverlapKind::point);
    EXPECT_EQ(segment_triangle_overlap({Vec3(5, 0, 0), Vec3(3, 0, 0)}, t).kind, OverlapKind::segment);
}

TEST(SegmentSegment, agrees_with_exact_arithmetic) {
    const std::size_t count = count_of(20000, 500000);
    SimplexPairs pairs(43);
    std::size_t hits = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs.make<3>(i % 4 == 0   ? Family::coplanar
                                          : i % 4 == 1 ? Family::without_extent
                                          : i % 4 == 2 ? Family::lattice
                                                       : Family::touching_edge);
        const std::array<Vec3, 2> p = {a[0], a[1]};
        const std::array<Vec3, 2> q = {b[0], b[1]};
        const bool truth = hulls_meet(p, q);
        hits += truth;
        wrong += segments_overlap({p[0], p[1]}, {q[0], q[1]}) != truth;
        wrong += segments_overlap({q[1], q[0]}, {p[0], p[1]}) != truth;
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(hits, count / 50);
    EXPECT_LT(hits, count * 9 / 10);
}

} // namespace segment_triangle_test
} // namespace fathom
