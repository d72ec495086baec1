#include <fathom/base/interval.h>
#include <fathom/base/random.h>
#include <support/test_counts.h>

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace fathom {
namespace interval_test {

using testing::count_of;

// Numbers of all sizes, among them whole ones, zero and neighbours of each other.
double any_number(Random& random) {
    switch (random.below(4)) {
    case 0:
        return static_cast<double>(random.below(9)) - 4;
    case 1:
        return random.uniform(-1, 1);
    case 2:
        return std::ldexp(random.uniform(-1, 1), static_cast<int>(random.below(60)) - 30);
    default:
        return next_up(static_cast<double>(random.below(5)));
    }
}

Interval any_interval(Random& random) {
    const double a = any_number(random), b = random.chance(0.2) ? a : any_number(random);
    return {std::min(a, b), std::max(a, b)};
}

// A number of the interval: often an end, where rounding bites.
double member(const Interval& a, Random& random) {
    if (random.chance(0.3)) return a.lower;
    if (random.chance(0.4)) return a.upper;
    return std::clamp(random.uniform(a.lower, a.upper), a.lower, a.upper);
}

bool encloses(const Interval& a, const mpq_class& exact) {
    const bool above = a.lower == -HUGE_VAL || mpq_class(a.lower) <= exact;
    const bool below = a.upper == HUGE_VAL || exact <= mpq_class(a.upper);
    return above && below;
}

TEST(Interval, arithmetic_encloses_the_exact_rational_result) {
    Random random(7);
    const std::size_t count = count_of(50000, 1000000);
    std::size_t divided = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Interval a = any_interval(random), b = any_interval(random);
        const double x = member(a, random), y = member(b, random);
        const mpq_class ex(x), ey(y);
        ASSERT_TRUE(encloses(a + b, ex + ey)) << x << " + " << y;
        ASSERT_TRUE(encloses(a - b, ex - ey)) << x << " - " << y;
        ASSERT_TRUE(encloses(a * b, ex * ey)) << x << " * " << y;
        ASSERT_TRUE(encloses(square(a), ex * ex)) << x;
        ASSERT_TRUE(encloses(power(a, 3), ex * ex * ex)) << x;
        if (y != 0) {
            ASSERT_TRUE(encloses(a / b, ex / ey)) << x << " / " << y;
            ++divided;
        }
    }
    EXPECT_GT(divided, count / 2);
}

TEST(Interval, square_root_encloses) {
    Random random(8);
    for (std::size_t i = 0; i < count_of(20000, 500000); ++i) {
        const Interval a = abs(any_interval(random));
        const double x = member(a, random);
        const Interval r = sqrt(a);
        ASSERT_TRUE(r.lower == 0 || mpq_class(r.lower) * mpq_class(r.lower) <= mpq_class(x)) << x;
        ASSERT_TRUE(mpq_class(r.upper) * mpq_class(r.upper) >= mpq_class(x)) << x;
    }
}

// long double carries 11 more bits than double on x86, so it can judge the last place.
void expect_function_encloses(Interval (*of_interval)(const Interval&), long double (*exact)(long double), double low,
                              double high) {
    Random random(9);
    for (std::size_t i = 0; i < count_of(20000, 500000); ++i) {
        const double p = random.uniform(low, high),
                     q = p + std::ldexp(random.uniform(), -static_cast<int>(random.below(40)));
        const Interval a{p, std::min(q, high)};
        const double x = member(a, random);
        const Interval r = of_interval(a);
        ASSERT_LE(static_cast<long double>(r.lower), exact(x)) << x << " in [" << a.lower << ", " << a.upper << "]";
        ASSERT_GE(static_cast<long double>(r.upper), exact(x)) << x << " in [" << a.lower << ", " << a.upper << "]";
    }
}

TEST(Interval, functions_enclose) {
    expect_function_encloses(exp, std::exp, -30, 30);
    expect_function_encloses(log, std::log, 1e-9, 100);
    expect_function_encloses(sin, std::sin, -20, 20);
    expect_function_encloses(cos, std::cos, -20, 20);
    expect_function_encloses(tanh, std::tanh, -5, 5);
    expect_function_encloses(atan, std::atan, -50, 50);
}

TEST(Interval, waves_reach_their_peaks_and_are_tight_elsewhere) {
    EXPECT_EQ(sin(Interval(1.5, 1.6)).upper, 1);
    EXPECT_EQ(cos(Interval(3.1, 3.2)).lower, -1);
    EXPECT_LT(sin(Interval(0.1, 0.2)).upper, 0.1987);
    EXPECT_EQ(sin(Interval(0, 100)), Interval(-1, 1));
}

TEST(Interval, tightens_to_a_few_units_in_the_last_place) {
    const Interval r = Interval(0.1) * Interval(0.3) + Interval(0.7);
    EXPECT_LT(r.width(), 1e-15);
    EXPECT_GT(r.width(), 0);
}

TEST(Interval, hostile_operands_give_valid_intervals) {
    const double inf = HUGE_VAL;
    EXPECT_EQ(Interval(1) / Interval(-1, 1), Interval::all());
    EXPECT_EQ((Interval(1, 2) / Interval(0, 1)).upper, inf);
    EXPECT_TRUE((Interval(0) * Interval::all()).contains(0.0));
    EXPECT_TRUE(sqrt(Interval(-2, -1)).empty());
    EXPECT_TRUE(sqrt(Interval(-2, 4)).contains(2.0));
    EXPECT_TRUE((Interval(1e308) * Interval(10)).contains(inf));
    EXPECT_TRUE(Interval::none().empty());
    EXPECT_TRUE(intersection(Interval(0, 1), Interval(2, 3)).empty());
}

TEST(Interval, rounding_to_float_goes_outward) {
    Random random(10);
    for (int i = 0; i < 10000; ++i) {
        const double x = any_number(random);
        EXPECT_GE(static_cast<double>(float_up(x)), x);
        EXPECT_LE(static_cast<double>(float_down(x)), x);
    }
    EXPECT_EQ(float_up(0.5), 0.5f);
}

TEST(Interval, neighbours_of_doubles_agree_with_the_standard_library) {
    for (const double x : {0.0, -0.0, 1.0, -1.0, 1e-320, -1e-320, 1e308, HUGE_VAL, -HUGE_VAL}) {
        EXPECT_EQ(next_up(x), std::nextafter(x, HUGE_VAL)) << x;
        EXPECT_EQ(next_down(x), std::nextafter(x, -HUGE_VAL)) << x;
    }
}

} // namespace interval_test
} // namespace fathom
