#include <fathom/geometry/primitive/triangle_triangle.h>

#include <support/exact.h>
#include <support/simplex_pairs.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace triangle_triangle_test {

using namespace fathom::testing;
using Corners = std::array<Vec3, 3>;

class TrianglePairs : public ::testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(Families, TrianglePairs, ::testing::ValuesIn(all_families),
                         [](const auto& info) { return family_names[static_cast<std::size_t>(info.param)]; });

TEST_P(TrianglePairs, overlap_agrees_with_exact_arithmetic) {
    SimplexPairs pairs(11, static_cast<std::uint64_t>(GetParam()));
    const std::size_t count = count_of(4000, 112000);
    std::size_t hits = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = pairs.make<3>(GetParam());
        const bool truth = hulls_meet(a, b);
        hits += truth;
        wrong += triangles_overlap(a, b) != truth;
        wrong += triangles_overlap(b, a) != truth;
    }
    const double rate = static_cast<double>(hits) / static_cast<double>(count);
    RecordProperty("hit_percent", std::to_string(100 * rate));
    EXPECT_EQ(wrong, 0u) << "of " << count;
    EXPECT_GT(rate, 0.05);
    EXPECT_LT(rate, 0.95);
}

OverlapKind kind_of(const std::vector<ExactVec>& part) {
    if (part.empty()) return OverlapKind::none;
    return part.size() == 1 ? OverlapKind::point : part.size() == 2 ? OverlapKind::segment : OverlapKind::area;
}

// Distance of p to the nearest of the corners of the common part.
double nearest(const std::vector<ExactVec>& part, const Vec3& p) {
    double best = std::numeric_limits<double>::infinity();
    for (const ExactVec& q : part) best = std::min(best, (rounded(q) - p).norm());
    return best;
}

TEST_P(TrianglePairs, the_common_part_is_of_the_exact_kind_and_ends_at_the_exact_points) {
    SimplexPairs pairs(12, static_cast<std::uint64_t>(GetParam()));
    const std::size_t count = count_of(600, 20000);
    std::array<std::size_t, 4> seen{};
    for (std::size_t i = 0; i < count; ++i) {
        auto [a, b] = pairs.make<3>(GetParam());
        if (projection_axis(b) < 0) std::swap(a, b);
        if (projection_axis(b) < 0) continue;
        const std::vector<ExactVec> part = common_part(a, b);
        const TriangleOverlap found = triangle_overlap(a, b);
        ASSERT_EQ(found.kind, kind_of(part)) << i;
        ASSERT_EQ(triangle_overlap(b, a).kind, found.kind) << i;
        ++seen[static_cast<std::size_t>(found.kind)];
        if (found.kind == OverlapKind::none) continue;
        Box box;
        for (const Vec3& p : a) box.extend(p);
        for (const Vec3& p : b) box.extend(p);
        const double tolerance = 1e-11 * box.diagonal() + 1e-15 * box.upper.cwiseAbs().maxCoeff();
        // In a plane the end is found in double: a shallow crossing of two edges is as sharp as rounding lets it be.
        const double ends = found.kind == OverlapKind::area ? 1e-4 * box.diagonal() : tolerance;
        EXPECT_LT(nearest(part, found.segment.start), ends) << i;
        EXPECT_LT(nearest(part, found.segment.end), ends) << i;
        if (found.kind == OverlapKind::segment) {
            EXPECT_NEAR((rounded(part[0]) - rounded(part[1])).norm(), found.segment.length(), 2 * tolerance) << i;
        }
    }
    EXPECT_GT(seen[0] + seen[1], 0u);
    EXPECT_GT(seen[1] + seen[2] + seen[3], 0u);
}

using WholeVec = std::array<mpz_class, 3>;
using Rays = std::vector<WholeVec>;

// Triangles with area that share corners by position: do they share more? Near a shared corner they are cones, near a
// shared edge half planes.
bool cross_truth(const Corners& a, const Corners& b) {
    Corners p = a;
    Corners q = b;
    std::size_t shared = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto same = std::find(q.begin() + static_cast<std::ptrdiff_t>(shared), q.end(), p[k]);
        if (same == q.end()) continue;
        std::iter_swap(same, q.begin() + static_cast<std::ptrdiff_t>(shared));
        std::swap(p[k], p[shared++]);
    }
    if (shared == 0) return hulls_meet(a, b);
    if (shared == 3) return true;
    const WholeNumbers x = whole_numbers(p, q);
    const auto ray = [&](std::size_t corner, int sign) {
        WholeVec r;
        for (std::size_t k = 0; k < 3; ++k) r[k] = sign * (x.values[3 * corner + k] - x.values[k]);
        return r;
    };
    if (shared == 1) return cones_meet(Rays{ray(1, 1), ray(2, 1)}, Rays{ray(4, 1), ray(5, 1)}, 2);
    return cones_meet(Rays{ray(2, 1), ray(1, 1), ray(1, -1)}, Rays{ray(5, 1)}, 1);
}

TEST(TrianglesCross, neighbours_cross_exactly_where_they_share_more_than_corners) {
    const std::size_t count = count_of(6000, 200000);
    std::size_t wrong = 0;
    std::array<std::size_t, 4> pairs_with{};
    std::array<std::size_t, 4> crossing_with{};
    SimplexPairs pairs(13);
    for (std::size_t i = 0; i < count; ++i) {
        auto [a, b] = pairs.make<3>(i % 3 == 0   ? Family::lattice
                                    : i % 3 == 1 ? Family::coplanar
                                                 : Family::touching_face);
        const std::size_t shared = pairs.random().below(4);
        for (std::size_t k = 0; k < shared; ++k) b[k] = a[k];
        if (projection_axis(a) < 0 || projection_axis(b) < 0) continue;
        const bool truth = cross_truth(a, b);
        ++pairs_with[shared];
        crossing_with[shared] += truth;
        std::rotate(b.begin(), b.begin() + 1, b.end());
        wrong += triangles_cross(a, b) != truth;
        wrong += triangles_cross(b, a) != truth;
    }
    EXPECT_EQ(wrong, 0u);
    for (std::size_t shared = 0; shared < 3; ++shared) {
        EXPECT_GT(crossing_with[shared], pairs_with[shared] / 20) << shared;
        EXPECT_LT(crossing_with[shared], pairs_with[shared] * 19 / 20) << shared;
    }
}

const Vec3 origin = Vec3::Zero();
const Vec3 x = Vec3::UnitX();
const Vec3 y = Vec3::UnitY();
const Vec3 z = Vec3::UnitZ();

TEST(TrianglesCross, judges_the_named_cases) {
    const Corners flat = {origin, x, y};
    EXPECT_FALSE(triangles_cross(flat, {x, origin, -y})) << "clean neighbour in the plane";
    EXPECT_FALSE(triangles_cross(flat, {x, origin, z})) << "clean neighbour at an angle";
    EXPECT_TRUE(triangles_cross(flat, {x, origin, 0.5 * y})) << "folded over";
    EXPECT_TRUE(triangles_cross(flat, {x, origin, 3 * y + 5 * x})) << "folded over and beyond";
    EXPECT_FALSE(triangles_cross(flat, {origin, -x, -y})) << "one corner";
    EXPECT_TRUE(triangles_cross(flat, {origin, x + y - z, x + y + z})) << "one corner and through";
    EXPECT_FALSE(triangles_cross(flat, {origin, z, x + y + z})) << "one corner and above";
    EXPECT_TRUE(triangles_cross(flat, {origin, 0.5 * x, z})) << "one corner and along an edge";
    EXPECT_TRUE(triangles_cross(flat, flat)) << "a double";
    EXPECT_TRUE(triangles_cross(flat, {0.25 * x + 0.25 * y, z, x + z})) << "a corner on the face";
}

TEST(TrianglesCross, treats_triangles_without_area_as_the_segments_they_are) {
    const Corners flat = {origin, x, y};
    EXPECT_FALSE(triangles_cross(flat, {origin, x, 0.5 * x})) << "on the shared edge";
    EXPECT_FALSE(triangles_cross(flat, {origin, x, 2 * x})) << "on the shared edge and beyond";
    EXPECT_FALSE(triangles_cross(flat, {origin, -x, -2 * x})) << "away from the shared corner";
    EXPECT_TRUE(triangles_cross(flat, {-x, origin, x + y})) << "over the face from the shared corner";
    EXPECT_TRUE(triangles_cross(flat, {origin, 0.5 * x, -x})) << "along the edge, one corner shared";
    EXPECT_FALSE(triangles_cross(flat, {origin, origin, origin})) << "a shared point";
    EXPECT_TRUE(triangles_cross(flat, {0.5 * x, 0.5 * x, 0.5 * x})) << "a point on the edge";
    EXPECT_FALSE(triangles_cross(flat, {z, z, z})) << "a point beside";
    const Corners line = {origin, x, 2 * x};
    EXPECT_FALSE(triangles_cross(line, {origin, x, -x})) << "both on a line, only the shared part in common";
    EXPECT_TRUE(triangles_cross(line, {origin, x, 3 * x})) << "both on a line, more than the shared part in common";
    EXPECT_FALSE(triangles_cross(line, line)) << "all corners shared, and edges are all there is";
    EXPECT_FALSE(triangles_cross(line, {2 * x, 3 * x, 4 * x})) << "end to end";
}

TEST(TrianglesCross, sees_shared_corners_by_index_and_by_position) {
    TriangleMesh mesh{{origin, x, y, x, y, x + y, -z}, {{0, 1, 2}, {3, 5, 4}, {1, 5, 2}, {1, 2, 6}}};
    EXPECT_FALSE(triangles_cross(mesh, 0, 1));
    EXPECT_FALSE(triangles_cross(mesh, 0, 2));
    EXPECT_TRUE(triangles_cross(mesh, 1, 2));
    EXPECT_FALSE(triangles_cross(mesh, 0, 3));
}

TEST(TrianglesOverlap, the_segment_of_a_crossing_is_where_it_should_be) {
    const Corners flat = {-2 * x - 2 * y, 4 * x - 2 * y, -2 * x + 4 * y};
    const TriangleOverlap found = triangle_overlap(flat, {-x - z, x - z, 2 * z});
    ASSERT_EQ(found.kind, OverlapKind::segment);
    EXPECT_NEAR(std::abs(found.segment.start.x()), 2.0 / 3, 1e-15);
    EXPECT_NEAR((found.segment.start + found.segment.end).norm(), 0, 1e-15);
}

TEST(TrianglesOverlap, survives_coordinates_of_any_finite_size_and_none) {
    for (const double scale : {0x1p-1040, 0x1p-500, 0x1p500, 0x1p1000}) {
        const Corners flat = {origin, scale * x, scale * y};
        EXPECT_TRUE(triangles_overlap(
            flat, {0.25 * scale * (x + y) - scale * z, 0.25 * scale * (x + y) + scale * z, scale * z}));
        EXPECT_FALSE(triangles_overlap(
            flat, {0.75 * scale * (x + y) - scale * z, 0.75 * scale * (x + y) + scale * z, scale * (x + y + z)}));
        EXPECT_TRUE(triangles_overlap(
            flat, {0.5 * scale * (x + y) - scale * z, 0.5 * scale * (x + y) + scale * z, scale * (x + y + z)}));
    }
    const Vec3 bad = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    const Vec3 huge = Vec3::Constant(std::numeric_limits<double>::infinity());
    (void)triangles_overlap({origin, x, bad}, {origin, huge, y});
    (void)triangle_overlap({bad, bad, bad}, {huge, -huge, y});
    (void)triangles_cross({bad, x, y}, {x, huge, y});
}

} // namespace triangle_triangle_test
} // namespace fathom
