#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

#include <support/exact.h>
#include <support/simplex_pairs.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace predicates_test {

using namespace fathom::testing;

Vec3 nudged(Random& random, Vec3 p, std::uint64_t steps) {
    for (int k = 0; k < 3; ++k) {
        const double target =
            random.chance(0.5) ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
        for (std::uint64_t i = random.below(steps + 1); i > 0; --i) p[k] = std::nextafter(p[k], target);
    }
    return p;
}

Vec3 in_cube(Random& random) { return random.in_box({Vec3::Constant(-1), Vec3::Constant(1)}); }

// Four points whose fourth is in the plane of the others up to a few units in the last place.
std::array<Vec3, 4> nearly_coplanar(Random& random) {
    std::array<Vec3, 4> p = {in_cube(random), in_cube(random), in_cube(random), {}};
    const double s = random.uniform(-1, 2);
    const double t = random.uniform(-1, 2);
    p[3] = nudged(random, p[0] + s * (p[1] - p[0]) + t * (p[2] - p[0]), 3);
    if (random.chance(0.2)) // a plane that rounding cannot leave
        for (Vec3& q : p) q[2] = q[0] + q[1];
    const double scale = std::pow(2.0, static_cast<double>(random.below(41)) - 20);
    const Vec3 offset = random.chance(0.5) ? Vec3(100 * scale * in_cube(random)) : Vec3::Zero();
    for (Vec3& q : p) q = scale * q + offset;
    return p;
}

TEST(Orient3d, agrees_with_exact_arithmetic_where_points_are_coplanar_up_to_rounding) {
    Random random(31);
    const std::size_t count = count_of(30000, 1000000);
    std::array<std::size_t, 3> seen{};
    std::size_t wrong = 0;
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b, c, d] = nearly_coplanar(random);
        const mpq_class volume = exact_volume(a, b, c, d);
        wrong += orient3d(a, b, c, d) != sgn(volume);
        wrong += orient3d_exact(a, b, c, d) != sgn(volume);
        ++seen[static_cast<std::size_t>(sgn(volume) + 1)];
        if (sgn(volume) != 0)
            worst = std::max(worst, mpq_class(abs(mpq_class(orient3d_value(a, b, c, d)) / volume - 1)).get_d());
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_LT(worst, 1e-12);
    for (const std::size_t times : seen) EXPECT_GT(times, count / 100);
}

TEST(Orient3d, keeps_its_sign_rules) {
    Random random(32);
    for (int i = 0; i < 2000; ++i) {
        const auto [a, b, c, d] = nearly_coplanar(random);
        const int sign = orient3d(a, b, c, d);
        EXPECT_EQ(orient3d(b, a, c, d), -sign);
        EXPECT_EQ(orient3d(b, c, a, d), sign);
        EXPECT_EQ(orient3d(d, b, c, a), -sign);
        EXPECT_EQ(orient3d(a, b, c, a), 0);
    }
    EXPECT_EQ(orient3d(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()), 1);
    EXPECT_EQ(orient2d(Vec2::Zero(), Vec2::UnitX(), Vec2::UnitY()), 1);
    EXPECT_EQ(orient2d(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 2), 1);
    EXPECT_EQ(orient2d(Vec3::Zero(), Vec3::UnitZ(), Vec3::UnitX(), 1), 1);
}

// Any finite double: every exponent alike, zero now and then, or a copy of what is there already.
double any_double(Random& random, double other) {
    if (random.chance(0.1)) return 0;
    if (random.chance(0.3)) return other;
    const int exponent = static_cast<int>(random.below(2098)) - 1074;
    return std::ldexp(random.uniform(-1, 1), exponent + 1);
}

TEST(Orient3d, is_exact_for_doubles_of_every_size) {
    Random random(33);
    const std::size_t count = count_of(3000, 100000);
    std::array<std::size_t, 3> seen{};
    for (std::size_t i = 0; i < count; ++i) {
        std::array<Vec3, 4> p;
        double last = 0;
        for (Vec3& q : p)
            for (int k = 0; k < 3; ++k) q[k] = last = any_double(random, last);
        const int truth = sgn(exact_volume(p[0], p[1], p[2], p[3]));
        ++seen[static_cast<std::size_t>(truth + 1)];
        ASSERT_EQ(orient3d(p[0], p[1], p[2], p[3]), truth) << i;
    }
    for (const std::size_t times : seen) EXPECT_GT(times, count / 100);
}

TEST(Orient3d, is_exact_where_products_overflow_or_underflow) {
    Random random(34);
    for (const double scale : {0x1p-1020, 0x1p-990, 0x1p-400, 0x1p-340, 0x1p340, 0x1p400, 0x1p1000}) {
        std::array<std::size_t, 3> seen{};
        for (int i = 0; i < 500; ++i) {
            auto [a, b, c, d] = nearly_coplanar(random);
            for (Vec3* p : {&a, &b, &c, &d}) *p = scale * 0x1p-27 * *p;
            const int truth = sgn(exact_volume(a, b, c, d));
            ++seen[static_cast<std::size_t>(truth + 1)];
            ASSERT_EQ(orient3d(a, b, c, d), truth) << scale;
        }
        EXPECT_GT(seen[1], 0u);
        EXPECT_GT(seen[0] + seen[2], 0u);
    }
}

TEST(Orient2d, agrees_with_exact_arithmetic_where_points_are_collinear_up_to_rounding) {
    Random random(35);
    const std::size_t count = count_of(30000, 1000000);
    std::array<std::size_t, 3> seen{};
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Vec3 a = in_cube(random);
        Vec3 b = in_cube(random);
        Vec3 c = nudged(random, a + random.uniform(-1, 2) * (b - a), 2);
        if (random.chance(0.1)) // a line that rounding cannot leave
            for (Vec3* p : {&a, &b, &c}) (*p)[1] = (*p)[0];
        const mpq_class area = cross(exact(b) - exact(a), exact(c) - exact(a))[2];
        ++seen[static_cast<std::size_t>(sgn(area) + 1)];
        wrong += orient2d(a.head<2>(), b.head<2>(), c.head<2>()) != sgn(area);
        wrong += orient2d(a, b, c, 2) != sgn(area);
    }
    EXPECT_EQ(wrong, 0u);
    for (const std::size_t times : seen) EXPECT_GT(times, count / 200);
}

TEST(Orient2d, is_exact_for_doubles_of_every_size) {
    Random random(36);
    std::array<std::size_t, 3> seen{};
    for (std::size_t i = 0; i < count_of(5000, 200000); ++i) {
        std::array<Vec3, 3> p;
        double last = 0;
        for (Vec3& q : p) {
            q = Vec3::Zero();
            for (int k = 0; k < 2; ++k) q[k] = last = any_double(random, last);
        }
        const int truth = sgn(cross(exact(p[1]) - exact(p[0]), exact(p[2]) - exact(p[0]))[2]);
        ++seen[static_cast<std::size_t>(truth + 1)];
        ASSERT_EQ(orient2d(p[0].head<2>(), p[1].head<2>(), p[2].head<2>()), truth) << i;
    }
    for (const std::size_t times : seen) EXPECT_GT(times, 50u);
}

TEST(Orient3d, returns_a_value_for_nan) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const std::array<double, 5> values = {nan, infinity, -infinity, 0, 1};
    Random random(37);
    for (int i = 0; i < 500; ++i) {
        std::array<Vec3, 4> p;
        for (Vec3& q : p)
            for (int k = 0; k < 3; ++k) q[k] = values[random.below(5)];
        EXPECT_LE(std::abs(orient3d(p[0], p[1], p[2], p[3])), 1);
        EXPECT_LE(std::abs(orient2d(p[0].head<2>(), p[1].head<2>(), p[2].head<2>())), 1);
    }
}

TEST(FlatTriangle, knows_whether_a_triangle_has_area) {
    SimplexPairs pairs(38);
    std::size_t flat = 0;
    const std::size_t count = count_of(5000, 100000);
    for (std::size_t i = 0; i < count; ++i) {
        const auto t = pairs.make<3>(i % 2 ? Family::without_extent : Family::sliver).a;
        const ExactVec normal = cross(exact(t[1]) - exact(t[0]), exact(t[2]) - exact(t[0]));
        const int axis = projection_axis(t);
        const bool has_area = sgn(normal[0]) != 0 || sgn(normal[1]) != 0 || sgn(normal[2]) != 0;
        ASSERT_EQ(axis >= 0, has_area);
        if (has_area) {
            ASSERT_NE(sgn(normal[static_cast<std::size_t>(axis)]), 0);
        } else {
            ++flat;
            const Segment line = spine(t);
            for (const Vec3& corner : t) EXPECT_TRUE(line.bounds().contains(corner));
        }
    }
    EXPECT_GT(flat, count / 10);
    EXPECT_LT(flat, count * 9 / 10);
}

} // namespace predicates_test
} // namespace fathom
