#include <fathom/base/parallel.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/tape.h>
#include <field/analytic/shape_examples.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

namespace fathom {
namespace tape_test {

using namespace testing;

void expect_same_inside(const Tape& full, const Tape& part, const Box& box, Random& random, const std::string& name) {
    std::vector<Vec3> points;
    for (int k = 0; k < 8; ++k) points.push_back(box.corner(k));
    for (int k = 0; k < 12; ++k) points.push_back(box.closest(random.in_box(box)));
    std::vector<double> expected(points.size()), got(points.size());
    std::vector<Sample> expected_samples(points.size()), got_samples(points.size());
    full.distances(points, expected);
    part.distances(points, got);
    full.samples(points, expected_samples);
    part.samples(points, got_samples);
    for (std::size_t i = 0; i < points.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got[i]), std::bit_cast<std::uint64_t>(expected[i])) << name;
        ASSERT_EQ(got_samples[i].distance, expected_samples[i].distance) << name;
        ASSERT_EQ(got_samples[i].gradient, expected_samples[i].gradient) << name;
    }
}

TEST(Tape, a_shortened_tape_answers_with_the_same_bits_inside_its_box) {
    std::size_t before = 0, after = 0, twice = 0, boxes = 0;
    Tape part, smaller_part;
    for (std::uint64_t seed = 1; seed <= count_of(60, 2000); ++seed) {
        Random random(seed);
        const AnalyticField field(random_shape(random, 5 + static_cast<int>(random.below(40))));
        for (int i = 0; i < 20; ++i, ++boxes) {
            const double half = 0.4 * random.uniform();
            const Box box =
                Box::around(random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(1.5))), Vec3::Constant(half));
            const Box inner = Box::around(box.center() + 0.5 * half * random.in_ball(), Vec3::Constant(0.2 * half));
            EXPECT_EQ(field.tape().shorten(box, part), field.range(box));
            part.shorten(inner, smaller_part);
            expect_same_inside(field.tape(), part, box, random, field.expression().text());
            expect_same_inside(field.tape(), smaller_part, inner, random, field.expression().text());
            if (HasFatalFailure()) return;
            before += field.tape().size(), after += part.size(), twice += smaller_part.size();
        }
    }
    EXPECT_LT(after, before * 3 / 4);
    EXPECT_LT(twice, after);
}

TEST(Tape, a_shortened_tape_still_encloses) {
    Tape part;
    for (std::uint64_t seed = 1; seed <= count_of(40, 1000); ++seed) {
        Random random(seed);
        const AnalyticField field(random_shape(random, 30));
        const Box box = Box::around(random.in_ball(), Vec3::Constant(0.3));
        field.tape().shorten(box, part);
        for (int i = 0; i < 50; ++i) {
            const Vec3 p = random.in_box(box);
            Box inner = Box::around(p, 0.1 * Vec3::Constant(random.uniform()));
            inner = intersection(inner, box);
            Interval range;
            part.ranges({&inner, 1}, {&range, 1});
            ASSERT_TRUE(range.contains(field.distance(p))) << field.expression().text();
        }
    }
}

TEST(Tape, few_of_many_rotated_boxes_remain_in_a_small_box) {
    Random random(8);
    std::vector<AnalyticExpression> boxes;
    for (int i = 0; i < 40; ++i)
        boxes.push_back(shapes::transform({random.rotation(), 1.5 * random.in_ball()}, shapes::box({0.3, 0.15, 0.2})));
    const AnalyticField field(shapes::union_of(boxes));
    Tape part;
    std::size_t left = 0;
    constexpr int count = 100;
    for (int i = 0; i < count; ++i) {
        field.tape().shorten(Box::around(1.5 * random.in_ball(), Vec3::Constant(0.1)), part);
        left += part.size();
    }
    EXPECT_LT(left, count * field.tape().size() / 5); // without the balls of the single boxes a quarter
}

TEST(Tape, shortening_is_safe_from_many_threads) {
    std::vector<AnalyticExpression> balls;
    for (int i = 0; i < 40; ++i)
        balls.push_back(shapes::translate({0.3 * i - 6, 0.2 * (i % 5), 0}, shapes::sphere(0.2)));
    const AnalyticField field(shapes::union_of(balls));
    std::atomic<int> wrong = 0;
    parallel_tasks(64, [&](std::size_t k) {
        Tape part;
        const Vec3 p(0.2 * static_cast<double>(k) - 6, 0.1, 0.1);
        field.tape().shorten(Box::around(p, Vec3::Constant(0.05)), part);
        double value = 0;
        part.distances({&p, 1}, {&value, 1});
        wrong += value != field.distance(p) || part.size() > 30;
    });
    EXPECT_EQ(wrong, 0);
}

TEST(Tape, equal_parts_of_a_formula_are_stored_once_and_constants_are_folded) {
    using namespace shapes;
    const AnalyticExpression part = smooth_union(sphere(0.5), shapes::box({1, 0.5, 0.5}), 0.2);
    EXPECT_EQ(AnalyticField(union_of(part, part)).tape().size(), AnalyticField(part).tape().size());
    EXPECT_EQ(AnalyticField(translate({1, 2, 3}, translate({-1, -2, -3}, part))).tape().size(),
              AnalyticField(part).tape().size());
    EXPECT_EQ(AnalyticField(rotate(0.3, {0, 0, 1}, rotate(0.4, {1, 0, 0}, part))).tape().size(),
              AnalyticField(rotate(0.3, {1, 1, 0}, part)).tape().size());
    EXPECT_LE(AnalyticField(shapes::box({1, 2, 3})).tape().size(), 1u);
    std::vector<AnalyticExpression> balls;
    for (int i = 0; i < 100; ++i) balls.push_back(translate({1.0 * i, 0, 0}, sphere(0.2)));
    EXPECT_LT(AnalyticField(union_of(balls)).tape().register_count(), 16u);
}

TEST(Tape, the_rounding_bound_and_the_point_range_enclose_long_double) {
    const AnalyticField field(
        parse_shape("smooth_union(translate(0.3, -0.1, 0.2, sphere(0.8)), box(1, 1.5, 0.7), 0.3)"));
    const auto exact = [](const Vec3& p) {
        using L = long double;
        const L x = static_cast<L>(p.x()) - 0.3, y = static_cast<L>(p.y()) + 0.1, z = static_cast<L>(p.z()) - 0.2;
        const L ball = std::sqrt(x * x + y * y + z * z) - static_cast<L>(0.8);
        const auto past = [](double c, double half) { return std::abs(static_cast<L>(c)) - static_cast<L>(half); };
        const L qx = past(p.x(), 0.5), qy = past(p.y(), 0.75), qz = past(p.z(), 0.5 * 0.7);
        const L ox = std::max<L>(qx, 0), oy = std::max<L>(qy, 0), oz = std::max<L>(qz, 0);
        const L box = std::sqrt(ox * ox + oy * oy + oz * oz) + std::min<L>(std::max({qx, qy, qz}), 0);
        const L k = 0.3, h = std::max<L>(k - std::abs(ball - box), 0);
        return std::min(ball, box) - h * h / (4 * k);
    };
    Random random(6);
    double largest = 0;
    for (std::size_t i = 0; i < count_of(20000, 500000); ++i) {
        const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(2)));
        const double error = static_cast<double>(std::abs(static_cast<long double>(field.distance(p)) - exact(p)));
        largest = std::max(largest, error);
        const Interval range = field.range({p, p});
        ASSERT_LE(static_cast<long double>(range.lower), exact(p));
        ASSERT_GE(static_cast<long double>(range.upper), exact(p));
    }
    EXPECT_LE(largest, field.tape().rounding_bound(2));
    EXPECT_GE(largest, 0.001 * field.tape().rounding_bound(2)); // a bound far too large would be useless
}

TEST(Tape, intervals_are_rounded_outward_where_the_points_have_lost_digits) {
    using L = long double;
    const AnalyticField field(parse_shape("translate(0.3, -0.1, 0.2, box(1, 1.5, 0.7))"));
    Random random(9);
    std::size_t rounded = 0, count = count_of(5000, 1000000);
    for (std::size_t i = 0; i < count;
         ++i) { // inside, near the face x = -0.2: what is left of the subtraction is small
        const Vec3 p(-0.2 + 1e-3 * random.uniform(), -0.1, 0.2);
        const L exact = std::abs(static_cast<L>(p.x()) - static_cast<L>(0.3)) - 0.5L;
        const Interval range = field.range({p, p});
        ASSERT_LE(static_cast<L>(range.lower), exact);
        ASSERT_GE(static_cast<L>(range.upper), exact);
        rounded += static_cast<L>(field.distance(p)) != exact;
    }
    EXPECT_GT(rounded, count / 5);
}

TEST(Tape, the_range_is_never_wider_than_the_lipschitz_bound) {
    Random random(7);
    for (const std::string& text : shape_examples()) {
        const AnalyticField field(parse_shape(text));
        const double noise = field.tape().rounding_bound(2);
        if (!std::isfinite(field.lipschitz()) || !std::isfinite(noise)) continue;
        EXPECT_LT(noise, 1e-6) << text;
        for (int i = 0; i < 200; ++i) {
            const Box box = Box::around(random.in_ball(), random.uniform() * Vec3::Constant(0.5));
            ASSERT_LE(field.range(box).width(), field.lipschitz() * box.diagonal() * (1 + 1e-8) + 4 * noise + 1e-12)
                << text;
        }
    }
}

} // namespace tape_test
} // namespace fathom
