// Kernels of convex pairs against searches over directions, exact rationals and closed forms.
#include <fathom/base/random.h>
#include <fathom/detect/convex/convex_pair.h>
#include <fathom/detect/convex/difference.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <support/test_counts.h>

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <numbers>
#include <optional>

namespace fathom::convex {
namespace convex_pairs_test {

using testing::count_of;

std::shared_ptr<const Hull> hull_of(std::span<const Vec3> points) { return std::make_shared<Hull>(make_hull(points)); }

constexpr int body_kinds = 12;

Body random_body(int kind, Random& random, double size) {
    const auto s = [&] { return size * random.uniform(0.1, 1); };
    const auto points = [&](int count, const Vec3& stretch) {
        std::vector<Vec3> all;
        for (int k = 0; k < count; ++k) all.push_back(0.5 * size * random.direction().cwiseProduct(stretch));
        return polyhedron(hull_of(all));
    };
    switch (kind) {
    case 0:
        return sphere(s());
    case 1:
        return capsule(s(), 0.5 * s());
    case 2:
        return box({s(), s(), s()});
    case 3:
        return frustum(0.5 * s(), 0, s());
    case 4:
        return frustum(0.5 * s(), 0.5 * s(), s());
    case 5:
        return ellipsoid(0.5 * Vec3(s(), s(), s()));
    case 6:
        return points(12, {1, 1, 1});
    case 7:
        return points(120, {1, 0.5, 0.8});
    case 8:
        return points(9, {1, 0.7, 0}); // flat
    case 9:
        return box({s(), s(), 1e-6 * size}); // a plate
    case 10:
        return frustum(1e-6 * size, 1e-6 * size, s()); // a needle
    default: {
        Body body = box({s(), s(), s()});
        body.radius = 0.2 * s();
        return body;
    }
    }
}

struct Pair {
    Body a, b;
    Pose pose_a, pose_b;

    [[nodiscard]] Placed placed_a() const { return {a, pose_a}; }
    [[nodiscard]] Placed placed_b() const { return {b, pose_b}; }
    [[nodiscard]] PairDistance distance() const { return signed_distance(placed_a(), placed_b()); }
    [[nodiscard]] Pair moved(const Vec3& by) const {
        return {a, b, pose_a, {pose_b.rotation, pose_b.translation + by}};
    }
    [[nodiscard]] double size() const { return Difference(a, pose_a, b, pose_b).size; }
};

// At three scales; every fourth pair is far from the origin of the world, and poses are random, nested, equal, aligned
// or nearly touching in turns.
Pair random_pair(std::size_t k, Random& random) {
    const double size = std::array{1.0, 1e-3, 1e3}[k % 3];
    const auto kind = [&] { return static_cast<int>(random.below(body_kinds)); };
    Pair pair{random_body(kind(), random, size), random_body(kind(), random, size), {}, {}};
    pair.pose_a = {random.rotation(), Vec3::Zero()};
    pair.pose_b = {random.rotation(), 0.6 * size * random.in_ball()};
    if (k % 5 == 1) pair.pose_b.translation *= 0.02;
    if (k % 5 == 2) pair.pose_a = pair.pose_b;
    if (k % 5 == 3) pair.pose_a.rotation = pair.pose_b.rotation = Quat::Identity();
    if (k % 5 == 4) {
        const PairDistance d = pair.distance();
        pair = pair.moved((-d.lower + random.uniform(-1e-6, 1e-6) * size) * d.normal);
    }
    if (k % 4 == 0) {
        const Vec3 offset = 1e4 * size * random.direction();
        pair.pose_a.translation += offset, pair.pose_b.translation += offset;
    }
    return pair;
}

// The least height of the difference, by a search over directions.
double least_height(const Difference& d, Random& random) {
    std::vector<std::pair<double, Vec3>> starts;
    constexpr int count = 300;
    for (int k = 0; k < count; ++k) {
        const double z = 1 - (2 * k + 1.0) / count, r = std::sqrt(1 - z * z), turn = k * 2.399963229728653;
        const Vec3 n(r * std::cos(turn), r * std::sin(turn), z);
        starts.emplace_back(d.height(n), n);
    }
    const auto by_height = [](const auto& p, const auto& q) { return p.first < q.first; };
    std::partial_sort(starts.begin(), starts.begin() + 6, starts.end(), by_height);
    double best = HUGE_VAL;
    for (int k = 0; k < 6; ++k) {
        auto [height, n] = starts[static_cast<std::size_t>(k)];
        for (double step = 0.1; step > 1e-9; step *= 0.6)
            for (int turn = 0; turn < 8; ++turn) {
                const Vec3 next = (n + step * random.direction()).normalized();
                if (const double other = d.height(next); other < height) height = other, n = next;
            }
        best = std::min(best, height);
    }
    return best;
}

TEST(ConvexPairs, no_direction_separates_by_less_than_the_result) {
    Random random(1);
    std::size_t disjoint = 0, overlapping = 0, longer = 0, wide = 0;
    const std::size_t count = count_of(600, 100'000);
    for (std::size_t k = 0; k < count; ++k) {
        const Pair pair = random_pair(k, random);
        const PairDistance found = pair.distance();
        const Overlap status = overlap(pair.placed_a(), pair.placed_b());
        ASSERT_TRUE(found.lower <= found.upper) << k;
        ASSERT_NEAR(found.normal.norm(), 1, 1e-12) << k;
        ASSERT_NE(status.status, Status::undecided) << k;
        EXPECT_EQ(status.status == Status::disjoint, found.lower > 0) << k;
        (found.lower > 0 ? disjoint : overlapping) += 1;
        const Difference d(pair.a, pair.pose_a, pair.b, pair.pose_b);
        const double best = least_height(d, random) + pair.a.radius + pair.b.radius;
        if (-found.lower > best + 1e-9 * d.size) ++longer;
        if (found.lower > 0) {
            EXPECT_LE(found.upper - found.lower, 1e-9 * d.size) << k;
        } else if (found.upper - found.lower > 2e-6 * d.size) {
            ++wide;
        }
    }
    EXPECT_GT(disjoint, count / 20);
    EXPECT_GT(overlapping, count / 4);
    EXPECT_LE(longer, count / 500); // plates and needles in one place, whose directions tie nearly
    EXPECT_LE(wide, count / 40);    // bodies of revolution on one axis, whose directions tie in a ring
}

TEST(ConvexPairs, moved_by_the_depth_they_are_disjoint) {
    Random random(2);
    std::size_t overlaps = 0;
    for (std::size_t k = 0; k < count_of(4'000, 100'000); ++k) {
        const Pair pair = random_pair(k, random);
        const PairDistance found = pair.distance();
        if (found.lower > 0) continue;
        ++overlaps;
        const double rounding =
            3 * found.rounding + 1e-15 * (pair.pose_a.translation.norm() + pair.pose_b.translation.norm());
        const Pair apart = pair.moved((rounding - found.lower) * (1 + 1e-9) * found.normal);
        EXPECT_EQ(overlap(apart.placed_a(), apart.placed_b()).status, Status::disjoint) << k;
    }
    EXPECT_GT(overlaps, 1'000);
}

TEST(ConvexPairs, witnesses_lie_in_both_bodies) {
    Random random(3);
    std::size_t overlaps = 0;
    for (std::size_t k = 0; k < count_of(2'000, 100'000); ++k) {
        const Pair pair = random_pair(k, random);
        const Overlap found = overlap(pair.placed_a(), pair.placed_b());
        if (found.status != Status::overlapping) continue;
        ++overlaps;
        const Body point = sphere(0);
        const Pose there = Pose::from_translation(found.witness);
        const double within = 1e-9 * pair.size() + 1e-14 * found.witness.norm();
        EXPECT_LE(signed_distance({point, there}, pair.placed_a()).lower, within) << k;
        EXPECT_LE(signed_distance({point, there}, pair.placed_b()).lower, within) << k;
    }
    EXPECT_GT(overlaps, 500);
}

TEST(ConvexPairs, small_moves_turn_a_unique_normal_by_less_than_a_degree) {
    Random random(4);
    std::size_t unique = 0, tied = 0, turned = 0;
    for (std::size_t k = 0; k < count_of(3'000, 100'000); ++k) {
        const Pair pair = random_pair(k, random);
        const PairDistance found = pair.distance();
        (found.unique ? unique : tied) += 1;
        const PairDistance after = pair.moved(1e-9 * (pair.a.extent + pair.b.extent) * random.direction()).distance();
        if (found.unique && after.normal.dot(found.normal) < std::cos(std::numbers::pi / 180)) ++turned;
    }
    EXPECT_GT(unique, tied);
    EXPECT_GT(tied, 50);
    EXPECT_LE(turned, unique / 1'000);
}

// ---- Exact rationals

using Rational3 = std::array<mpq_class, 3>;
Rational3 exact(const Vec3& v) { return {mpq_class(v.x()), mpq_class(v.y()), mpq_class(v.z())}; }
Rational3 operator-(const Rational3& a, const Rational3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Rational3 cross(const Rational3& a, const Rational3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
mpq_class dot(const Rational3& a, const Rational3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Normals of the faces of the Minkowski difference: those of both hulls, and of pairs of edges.
std::vector<Rational3> facet_normals(const Hull& a, const Hull& b) {
    std::vector<Rational3> normals;
    std::array<std::vector<Rational3>, 2> edges;
    for (std::size_t side = 0; side < 2; ++side) {
        const Hull& hull = side == 0 ? a : b;
        for (const Triangle& t : triangles_of(hull).triangles) {
            const Rational3 p = exact(hull.vertices[t[0]]);
            normals.push_back(cross(exact(hull.vertices[t[1]]) - p, exact(hull.vertices[t[2]]) - p));
        }
        for (std::size_t v = 0; v < hull.vertices.size(); ++v)
            for (const Index w : hull.neighbors_of(v))
                if (v < w) edges[side].push_back(exact(hull.vertices[v]) - exact(hull.vertices[w]));
    }
    for (const Rational3& e : edges[0])
        for (const Rational3& f : edges[1]) normals.push_back(cross(e, f));
    const std::size_t count = normals.size();
    for (std::size_t k = 0; k < count; ++k) normals.push_back({-normals[k][0], -normals[k][1], -normals[k][2]});
    return normals;
}

mpq_class exact_height(const Hull& a, const Hull& b, const Rational3& n) {
    std::optional<mpq_class> most, least;
    for (const Vec3& v : a.vertices)
        if (const mpq_class h = dot(exact(v), n); !most || h > *most) most = h;
    for (const Vec3& v : b.vertices)
        if (const mpq_class h = dot(exact(v), n); !least || h < *least) least = h;
    return *most - *least;
}

TEST(ConvexPairs, polyhedra_agree_with_exact_rationals) {
    Random random(5);
    std::size_t disjoint = 0, overlapping = 0;
    for (std::size_t k = 0; k < count_of(60, 2'000); ++k) {
        const auto points = [&](const Vec3& center) {
            std::vector<Vec3> all;
            for (std::size_t i = 0; i < 5 + k % 4; ++i) all.push_back(center + random.in_ball());
            return all;
        };
        const Vec3 center = random.uniform(0, 1.6) * random.direction();
        const Body a = polyhedron(hull_of(points(Vec3::Zero()))), b = polyhedron(hull_of(points(center)));
        const PairDistance found = signed_distance({a, Pose()}, {b, Pose()});
        double least = HUGE_VAL; // over the facets, where one separates
        bool separated = false;
        for (const Rational3& n : facet_normals(*a.hull, *b.hull)) {
            const mpq_class squared = dot(n, n);
            if (squared == 0) continue;
            const mpq_class height = exact_height(*a.hull, *b.hull, n), share = height * height / squared;
            separated = separated || height < 0;
            if (height >= 0) least = std::min(least, std::sqrt(share.get_d()));
        }
        EXPECT_EQ(separated, found.lower > 0) << k;
        (separated ? disjoint : overlapping) += 1;
        if (!separated) {
            EXPECT_NEAR(-found.lower, least, 1e-12) << k;
            EXPECT_NEAR(-found.upper, least, 1e-12) << k;
            continue;
        }
        double distance = HUGE_VAL;
        for (const Triangle& s : triangles_of(*a.hull).triangles)
            for (const Triangle& t : triangles_of(*b.hull).triangles) {
                const auto corners = [](const Hull& h, const Triangle& c) {
                    return std::array{h.vertices[c[0]], h.vertices[c[1]], h.vertices[c[2]]};
                };
                distance =
                    std::min(distance, closest_points(corners(*a.hull, s), corners(*b.hull, t)).squared_distance);
            }
        EXPECT_NEAR(found.upper, std::sqrt(distance), 1e-12) << k;
        EXPECT_NEAR(found.lower, std::sqrt(distance), 1e-12) << k;
    }
    EXPECT_GT(disjoint, 5);
    EXPECT_GT(overlapping, 5);
}

// ---- Closed forms

TEST(ConvexPairs, closed_forms_agree_with_the_general_algorithms) {
    Random random(6);
    std::size_t disjoint = 0, overlapping = 0;
    for (std::size_t k = 0; k < count_of(3'000, 100'000); ++k) {
        constexpr std::array kinds = {0, 1, 2, 5, 11};
        Pair pair{random_body(kinds[random.below(kinds.size())], random, 1),
                  random_body(kinds[random.below(kinds.size())], random, 1),
                  {},
                  {}};
        pair.pose_a.rotation = random.rotation();
        pair.pose_b = {random.rotation(), random.uniform(0, 2.5) * random.direction()};
        const PairDistance found = pair.distance(),
                           general = PairKernel(pair.placed_a(), pair.placed_b()).signed_distance_general();
        (found.lower > 0 ? disjoint : overlapping) += 1;
        EXPECT_NEAR(found.lower, general.lower, 1e-12) << k;
        if (found.unique && general.unique) {
            EXPECT_GT(found.normal.dot(general.normal), 1 - 1e-9) << k;
        }
    }
    EXPECT_GT(disjoint, 100);
    EXPECT_GT(overlapping, 100);
}

TEST(ConvexPairs, plate_and_ball_separate_across_the_plate) {
    const Body plate = box({2, 2, 0.01}), ball = sphere(0.1);
    const PairDistance found = signed_distance({plate, Pose()}, {ball, Pose::from_translation({0.2, 0, 0.002})});
    EXPECT_NEAR(found.normal.z(), 1, 1e-12);
    EXPECT_NEAR(-found.lower, 0.005 - 0.002 + 0.1, 1e-12);
}

TEST(ConvexPairs, two_unit_boxes_separate_along_the_least_overlap) {
    const Body cube = box({1, 1, 1});
    const PairDistance deep = signed_distance({cube, Pose()}, {cube, Pose::from_translation({0.3, 0.05, 0})});
    EXPECT_NEAR(-deep.lower, 0.7, 1e-12);
    EXPECT_NEAR(deep.normal.x(), 1, 1e-12);
    EXPECT_TRUE(deep.unique);
    const PairDistance equal = signed_distance({cube, Pose()}, {cube, Pose()});
    EXPECT_NEAR(-equal.lower, 1, 1e-12);
    EXPECT_FALSE(equal.unique);
}

} // namespace convex_pairs_test
} // namespace fathom::convex
