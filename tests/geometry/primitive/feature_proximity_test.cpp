#include <fathom/base/random.h>
#include <fathom/geometry/primitive/triangle_contact.h>

#include <support/exact.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace feature_proximity_test {

using namespace fathom::testing;
using Double4 = std::array<Vec3, 4>;

FeatureProximity vertex_face(const Double4& p, const Vec3& before = Vec3::Zero()) {
    return vertex_face_proximity(p[0], {p[1], p[2], p[3]}, before);
}
FeatureProximity edge_edge(const Double4& p, const Vec3& before = Vec3::Zero()) {
    return edge_edge_proximity({p[0], p[1]}, {p[2], p[3]}, before);
}
using Ask = FeatureProximity (*)(const Double4&, const Vec3&);

Double4 random_points(Random& random, double scale) {
    Double4 p;
    for (Vec3& x : p) x = scale * random.in_ball();
    return p;
}

void expect_record(const Double4& p, std::size_t first, Ask ask, double scale, std::size_t i) {
    const FeatureProximity found = ask(p, Vec3::Zero());
    const auto split = p.begin() + static_cast<std::ptrdiff_t>(first);
    const double truth = std::sqrt(squared_distance(std::span(p.begin(), split), std::span(split, p.end())).get_d());
    ASSERT_NEAR(found.distance, truth, 1e-12 * scale) << i;
    ASSERT_NEAR(found.separating_direction.norm(), 1, 1e-14) << i;
    ASSERT_LT((found.point_a - found.point_b - truth * found.separating_direction).norm(), 1e-10 * scale) << i;
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
        sum += found.weight[k] * p[k];
        ASSERT_GE(k < first ? found.weight[k] : -found.weight[k], 0) << i;
    }
    ASSERT_LT((sum - (found.point_a - found.point_b)).norm(), 1e-14 * scale) << i;
}

TEST(FeatureProximity, agrees_with_exact_arithmetic_at_every_scale) {
    Random random(3);
    std::size_t inner = 0, asked = 0;
    for (const double scale : {1e-3, 1.0, 1e3})
        for (std::size_t i = 0; i < count_of(300, 20000); ++i) {
            const Double4 p = random_points(random, scale);
            expect_record(p, 1, vertex_face, scale, i);
            expect_record(p, 2, edge_edge, scale, i);
            if (HasFatalFailure()) return;
            inner += edge_edge(p).inner;
            ++asked;
        }
    EXPECT_GT(inner, asked / 10);
    EXPECT_LT(inner, asked * 9 / 10);
}

TEST(FeatureProximity, weights_times_the_normal_are_the_derivative_of_the_distance) {
    Random random(4);
    for (std::size_t i = 0; i < 500; ++i) {
        const Double4 p = random_points(random, 1);
        for (const Ask ask : {Ask(vertex_face), Ask(edge_edge)}) {
            const FeatureProximity found = ask(p, Vec3::Zero());
            if (found.distance < 0.01) continue;
            for (std::size_t k = 0; k < 4; ++k) {
                const Vec3 direction = random.direction();
                const double h = 1e-6;
                Double4 ahead = p, behind = p;
                ahead[k] += h * direction;
                behind[k] -= h * direction;
                const double slope = (ask(ahead, Vec3::Zero()).distance - ask(behind, Vec3::Zero()).distance) / (2 * h);
                // Where the nearest points change feature within the difference the slope bends: rarely, and little.
                EXPECT_NEAR(slope, found.weight[k] * found.separating_direction.dot(direction), 1e-3) << i;
            }
        }
    }
}

const Double4 corner_over_face = {Vec3(0.2, 0.2, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
const Double4 crossing_edges = {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0, 1, 0)};

TEST(FeatureProximity, keeps_its_normal_down_to_contact_and_uses_the_earlier_side_in_contact) {
    for (const double height : {1.0, 1e-9, 1e-17, 1e-300, -1e-300, -1e-17, -1.0}) {
        Double4 p = corner_over_face;
        p[0][2] = height;
        EXPECT_EQ(vertex_face(p).separating_direction, Vec3(0, 0, height > 0 ? 1 : -1)) << height;
        p = crossing_edges;
        p[0][2] = p[1][2] = height;
        EXPECT_EQ(edge_edge(p).separating_direction, Vec3(0, 0, height > 0 ? 1 : -1)) << height;
    }
    for (const double side : {1.0, -1.0}) {
        EXPECT_EQ(vertex_face(corner_over_face, {0, 0.1, side}).separating_direction, Vec3(0, 0, side));
        EXPECT_EQ(edge_edge(crossing_edges, {0, 0.1, side}).separating_direction, Vec3(0, 0, side));
    }
    EXPECT_EQ(vertex_face(corner_over_face).distance, 0);
}

TEST(FeatureProximity, answers_degenerate_features) {
    const Vec3 x = Vec3::UnitX();
    const Double4 point = {x, x, x, x};
    EXPECT_EQ(vertex_face(point).distance, 0);
    EXPECT_EQ(vertex_face(point).separating_direction, Vec3(Vec3::Zero()));
    EXPECT_EQ(edge_edge(point).separating_direction, Vec3(Vec3::Zero()));
    const Double4 parallel = {Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(0, 0, 0), Vec3(1, 0, 0)};
    EXPECT_EQ(edge_edge(parallel).distance, 1);
    EXPECT_EQ(edge_edge(parallel).separating_direction, Vec3(0, 0, 1));
    const Double4 sliver = {Vec3(0.5, 0, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 0)};
    EXPECT_EQ(vertex_face(sliver).distance, 1);
    EXPECT_EQ(vertex_face(sliver).separating_direction, Vec3(0, 0, 1));
}

} // namespace feature_proximity_test
} // namespace fathom
