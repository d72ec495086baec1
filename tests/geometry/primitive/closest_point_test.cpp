#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

#include <support/exact.h>
#include <support/simplex_pairs.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace closest_point_test {

using namespace fathom::testing;
using Corners = std::array<Vec3, 3>;

Vec3 blend(const Corners& t, const Vec3& weight) { return weight[0] * t[0] + weight[1] * t[1] + weight[2] * t[2]; }

// What a pair's errors are measured by: its size, and the digits that its distance from the origin costs.
struct Scale {
    double size;
    double rounding;

    template <std::size_t N>
    explicit Scale(const SimplexPair<N>& pair) {
        Box box;
        for (const auto* t : {&pair.a, &pair.b})
            for (const Vec3& p : *t) box.extend(p);
        size = box.diagonal();
        rounding = 0x1p-50 * std::max(box.upper.cwiseAbs().maxCoeff(), box.lower.cwiseAbs().maxCoeff());
    }
    [[nodiscard]] double allows(double relative) const { return relative * size + rounding; }
};

constexpr double usual = 1e-12; // of the size
constexpr double sliver = 1e-8;
double allowance(Family family) { return family == Family::sliver ? sliver : usual; }

double excess(double squared_distance, const mpq_class& truth) {
    return std::abs(std::sqrt(squared_distance) - std::sqrt(truth.get_d()));
}

class ClosestPairs : public ::testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(Families, ClosestPairs, ::testing::ValuesIn(all_families),
                         [](const auto& info) { return family_names[static_cast<std::size_t>(info.param)]; });

TEST_P(ClosestPairs, point_and_triangle_are_at_the_exact_distance) {
    SimplexPairs pairs(61, static_cast<std::uint64_t>(GetParam()));
    std::array<std::size_t, 7> seen{};
    const std::size_t count = count_of(1000, 50000);
    for (std::size_t i = 0; i < count; ++i) {
        const auto pair = pairs.make<3>(GetParam());
        const Vec3& p = pair.a[0];
        const Corners& t = pair.b;
        const Scale scale(pair);
        const ClosestOnTriangle found = closest_point(p, t);
        ++seen[static_cast<std::size_t>(found.feature)];
        ASSERT_LE((blend(t, found.barycentric) - found.point).norm(), scale.allows(usual)) << i;
        ASSERT_GE(found.barycentric.minCoeff(), 0);
        ASSERT_NEAR(found.barycentric.sum(), 1, 1e-14);
        ASSERT_NEAR(std::sqrt(found.squared_distance), (p - found.point).norm(), 1e-15 * scale.size);
        ASSERT_LE(excess(found.squared_distance, squared_distance({&p, 1}, t)), scale.allows(allowance(GetParam())))
            << i;
    }
    std::size_t corners = 0;
    for (std::size_t k = 0; k < 3; ++k) corners += seen[k];
    EXPECT_GT(corners, 0u);
    EXPECT_GT(count - corners, 0u);
}

TEST_P(ClosestPairs, two_segments_are_at_the_exact_distance) {
    SimplexPairs pairs(62, static_cast<std::uint64_t>(GetParam()));
    for (std::size_t i = 0; i < count_of(1000, 50000); ++i) {
        const auto pair = pairs.make<3>(GetParam());
        const Segment a{pair.a[0], pair.a[1]};
        const Segment b{pair.b[0], pair.b[1]};
        const Scale scale(pair);
        const ClosestOnSegments found = closest_points(a, b);
        ASSERT_LE((a.at(found.fraction_a) - found.point_a).norm(), scale.allows(1e-15));
        ASSERT_LE((b.at(found.fraction_b) - found.point_b).norm(), scale.allows(1e-15));
        ASSERT_NEAR(std::sqrt(found.squared_distance), (found.point_a - found.point_b).norm(), 1e-15 * scale.size);
        const mpq_class truth = squared_distance(std::array{a.start, a.end}, std::array{b.start, b.end});
        ASSERT_LE(excess(found.squared_distance, truth), scale.allows(allowance(GetParam()))) << i;
        const ClosestOnSegments other = closest_points(b, a);
        ASSERT_EQ(other.point_a, found.point_b);
        ASSERT_EQ(other.point_b, found.point_a);
        ASSERT_EQ(other.fraction_a, found.fraction_b);
    }
}

TEST_P(ClosestPairs, two_triangles_have_the_exact_distance_and_zero_where_they_intersect) {
    SimplexPairs pairs(63, static_cast<std::uint64_t>(GetParam()));
    std::size_t hits = 0;
    const std::size_t count = count_of(150, 5000);
    for (std::size_t i = 0; i < count; ++i) {
        const auto pair = pairs.make<3>(GetParam());
        const auto& [a, b] = pair;
        const Scale scale(pair);
        const ClosestPair found = closest_points(a, b);
        const mpq_class truth = squared_distance(a, b);
        hits += sgn(truth) == 0;
        if (sgn(truth) == 0) {
            ASSERT_EQ(found.squared_distance, 0);
            ASSERT_EQ(found.point_a, found.point_b);
        }
        ASSERT_LE(std::sqrt(closest_point(found.point_a, a).squared_distance), scale.allows(allowance(GetParam())))
            << i;
        ASSERT_LE(std::sqrt(closest_point(found.point_b, b).squared_distance), scale.allows(allowance(GetParam())))
            << i;
        ASSERT_LE(excess(found.squared_distance, truth), scale.allows(allowance(GetParam()))) << i;
        const ClosestPair other = closest_points(b, a);
        ASSERT_EQ(other.point_a, found.point_b);
        ASSERT_EQ(other.point_b, found.point_a);
        ASSERT_EQ(other.squared_distance, found.squared_distance);
    }
    EXPECT_GT(hits, 0u);
    EXPECT_LT(hits, count);
}

TEST_P(ClosestPairs, segment_and_triangle_are_at_the_exact_distance) {
    SimplexPairs pairs(64, static_cast<std::uint64_t>(GetParam()));
    for (std::size_t i = 0; i < count_of(300, 10000); ++i) {
        const auto pair = pairs.make<3>(GetParam());
        const Segment s{pair.a[0], pair.a[1]};
        const Scale scale(pair);
        const ClosestPair found = closest_points(s, pair.b);
        const mpq_class truth = squared_distance(std::array{s.start, s.end}, pair.b);
        ASSERT_TRUE(sgn(truth) != 0 || found.squared_distance == 0);
        ASSERT_LE(std::sqrt(closest_point(found.point_a, s).squared_distance), scale.allows(1e-15));
        ASSERT_LE(std::sqrt(closest_point(found.point_b, pair.b).squared_distance),
                  scale.allows(allowance(GetParam())));
        ASSERT_LE(excess(found.squared_distance, truth), scale.allows(allowance(GetParam()))) << i;
    }
}

TEST_P(ClosestPairs, point_and_tetrahedron_are_at_the_exact_distance) {
    SimplexPairs pairs(65, static_cast<std::uint64_t>(GetParam()));
    for (std::size_t i = 0; i < count_of(300, 10000); ++i) {
        const auto pair = pairs.make<4>(GetParam());
        const Vec3 p = i % 2 ? pair.a[0] : Vec3((pair.b[0] + pair.b[1] + pair.b[2] + pair.a[3]) / 4);
        const auto& t = pair.b;
        const Scale scale(pair);
        const ClosestOnTetrahedron found = closest_point(p, t);
        ASSERT_EQ(found.inside, tetrahedron_contains(t, p));
        if (found.inside) {
            ASSERT_EQ(found.point, p);
        }
        Vec3 sum = Vec3::Zero();
        double weights = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            ASSERT_GE(found.barycentric[k], 0);
            sum += found.barycentric[k] * t[k];
            weights += found.barycentric[k];
        }
        ASSERT_NEAR(weights, 1, 1e-14);
        ASSERT_LE((sum - found.point).norm(), scale.allows(1e-11)) << i;
        ASSERT_LE(excess(found.squared_distance, squared_distance({&p, 1}, t)), scale.allows(allowance(GetParam())))
            << i;
    }
}

TEST(ClosestPoint, no_sampled_point_of_the_triangle_is_closer) {
    Random random(66);
    for (int i = 0; i < 300; ++i) {
        Corners t;
        for (Vec3& p : t) p = random.in_ball();
        const Vec3 p = 2 * random.in_ball();
        const double found = std::sqrt(closest_point(p, t).squared_distance);
        double sampled = std::numeric_limits<double>::infinity();
        constexpr int steps = 40;
        for (int u = 0; u <= steps; ++u)
            for (int v = 0; u + v <= steps; ++v) {
                const Vec3 weight = Vec3(u, v, steps - u - v) / steps;
                sampled = std::min(sampled, (blend(t, weight) - p).norm());
            }
        EXPECT_LE(found, sampled + 1e-15);
        EXPECT_GT(found, sampled - 2.0 / steps);
    }
}

TEST(ClosestPoint, names_the_feature) {
    const Corners t = {Vec3::Zero(), Vec3(4, 0, 0), Vec3(0, 4, 0)};
    EXPECT_EQ(closest_point(Vec3(1, 1, 5), t).feature, TriangleFeature::face);
    EXPECT_EQ(closest_point(Vec3(-1, -1, 1), t).feature, TriangleFeature::corner_0);
    EXPECT_EQ(closest_point(Vec3(9, 0, 1), t).feature, TriangleFeature::corner_1);
    EXPECT_EQ(closest_point(Vec3(0, 9, 1), t).feature, TriangleFeature::corner_2);
    EXPECT_EQ(closest_point(Vec3(2, -1, 0), t).feature, TriangleFeature::edge_0);
    EXPECT_EQ(closest_point(Vec3(3, 3, 0), t).feature, TriangleFeature::edge_1);
    EXPECT_EQ(closest_point(Vec3(-1, 2, 0), t).feature, TriangleFeature::edge_2);
    EXPECT_EQ(closest_point(Vec3(0, 0, 0), t).feature, TriangleFeature::corner_0);
    EXPECT_EQ(closest_point(Vec3(2, 0, 0), t).feature, TriangleFeature::edge_0);
    const Corners line = {Vec3::Zero(), Vec3(4, 0, 0), Vec3(2, 0, 0)};
    EXPECT_EQ(closest_point(Vec3(1, 1, 0), line).feature, TriangleFeature::edge_0);
    EXPECT_EQ(closest_point(Vec3(2, 1, 0), line).feature, TriangleFeature::corner_2);
    const Corners dot = {Vec3::Ones(), Vec3::Ones(), Vec3::Ones()};
    EXPECT_EQ(closest_point(Vec3(2, 1, 1), dot).feature, TriangleFeature::corner_0);
}

} // namespace closest_point_test
} // namespace fathom
