#include <fathom/base/error.h>
#include <fathom/response/contact_path.h>

#include <gtest/gtest.h>

#include <cmath>

namespace fathom {
namespace quadrature_test {

double power_sum(double t, int degree) {
    return (degree + 1) * std::pow(t, degree);
} // its integral over [a,b] is b^(n+1) - a^(n+1)

TEST(Quadrature, nine_points_are_exact_to_degree_13_and_know_it_to_degree_7) {
    for (int degree = 0; degree <= 14; ++degree) {
        const double a = -0.3, b = 1.7, exact = std::pow(b, degree + 1) - std::pow(a, degree + 1);
        const auto f = [&](double t) { return Vec3::Constant(power_sum(t, degree)); };
        const auto sum = kronrod_integral<3>(f, a, b, detail::large_kronrod),
                   small = kronrod_integral<3>(f, a, b, detail::small_kronrod);
        EXPECT_EQ(std::abs(small.value[0] - exact) < 1e-13 * exact, degree <= 7) << degree;
        EXPECT_EQ(small.error[0] < 1e-13 * exact, degree <= 3) << degree;
        if (degree <= 13) {
            EXPECT_NEAR(sum.value[0], exact, 1e-14 * exact) << degree;
        } else {
            EXPECT_GT(std::abs(sum.value[0] - exact), 1e-9 * exact);
        }
        if (degree <= 7) {
            EXPECT_LE(sum.error[0], 1e-14 * exact) << degree;
        } else {
            EXPECT_GE(sum.error[0], std::abs(sum.value[0] - exact)) << degree;
        }
    }
}

TEST(Quadrature, the_midpoint_rule_is_of_second_order) {
    const auto f = [](double t) { return Vec3::Constant(std::exp(t)); };
    const double exact = std::exp(1.0) - 1;
    const double coarse = std::abs(midpoint_integral<3>(f, 0, 1, 20).value[0] - exact);
    const double fine = std::abs(midpoint_integral<3>(f, 0, 1, 40).value[0] - exact);
    EXPECT_NEAR(coarse / fine, 4, 0.01);
    EXPECT_LT(coarse, 2e-4 * exact);
}

TEST(Quadrature, halving_reaches_the_tolerance_at_a_kink) {
    const auto f = [](double t) { return Vec3::Constant(std::abs(t - 0.3)); };
    const auto sum = adaptive_integral<3>(f, 0, 1, 1e-9, 40);
    EXPECT_NEAR(sum.value[0], 0.5 * (0.09 + 0.49), 1e-9);
    EXPECT_LT(sum.error[0], 1e-8);
}

TEST(Quadrature, a_small_block_is_not_judged_by_a_large_one) {
    const auto f = [](double t) {
        Eigen::Matrix<double, 6, 1> v;
        v << Vec3::Constant(1e9), Vec3::Constant(std::abs(t - 0.3));
        return v;
    };
    EXPECT_NEAR((adaptive_integral<6>(f, 0, 1, 1e-9, 40).value[5]), 0.29, 1e-9);
}

TEST(Quadrature, options_out_of_range_are_refused_by_name) {
    for (const QuadratureOptions& bad : {QuadratureOptions{.points = 0}, QuadratureOptions{.tolerance = 0},
                                         QuadratureOptions{.tolerance = NAN}, QuadratureOptions{.halvings = 41}}) {
        EXPECT_THROW(check(bad), Error);
    }
    EXPECT_NO_THROW(check(QuadratureOptions{}));
}

} // namespace quadrature_test
} // namespace fathom
