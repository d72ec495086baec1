#include <contract/field_contract.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <field/analytic/shape_examples.h>

#include <hwy/targets.h>

#include <cmath>

namespace fathom {
namespace analytic_contract_test {

using namespace testing;

class EveryShape : public ::testing::TestWithParam<double> {}; // at a size

TEST_P(EveryShape, keeps_the_contract_of_fields) {
    const double size = GetParam();
    ContractCounts all;
    std::uint64_t seed = 1;
    for (const std::string& text : shape_examples()) {
        const AnalyticField field(sized(size, parse_shape(text)));
        FieldContract contract{
            .name = text, .region = Box::around(Vec3::Zero(), Vec3::Constant(1.6 * size)), .seed = seed++};
        contract.boxes = count_of(2000, 1000000);
        if (field.distance_kind() == DistanceKind::not_a_distance) contract.gradient_tolerance = 1e-4;
        const ContractCounts counts = check_field_contract(field, contract);
        all.outside += counts.outside, all.inside += counts.inside, all.mixed += counts.mixed;
        if (HasFatalFailure()) return;
        EXPECT_GT(counts.outside, 0u) << text;
    }
    EXPECT_GT(all.inside, all.outside / 20);
    EXPECT_GT(all.mixed, 0u);
}
INSTANTIATE_TEST_SUITE_P(Sizes, EveryShape, ::testing::Values(1e-3, 1.0, 1e3));

TEST(AnalyticField, random_trees_keep_the_contract_of_fields) {
    for (std::uint64_t seed = 1; seed <= count_of(40, 1000); ++seed) {
        Random random(seed);
        const double size = std::pow(10.0, 3.0 * (static_cast<double>(seed % 3) - 1));
        const AnalyticField field(sized(size, random_shape(random, 2 + static_cast<int>(random.below(24)))));
        check_field_contract(field, {.name = field.expression().text(),
                                     .region = Box::around(Vec3::Zero(), size * Vec3::Constant(2)),
                                     .seed = seed,
                                     .boxes = 500,
                                     .gradient_tolerance = 1e-4});
        if (HasFatalFailure()) return;
    }
}

TEST(AnalyticField, is_finite_for_every_finite_point_and_range_is_never_nan) {
    std::vector<std::string> texts = shape_examples();
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        texts.push_back(random_shape(random, 12).text());
    }
    Random random(3);
    for (const std::string& text : texts) {
        const AnalyticField field(parse_shape(text));
        for (std::size_t i = 0; i < count_of(300, 30000); ++i) {
            Vec3 p = random.direction() * std::pow(10.0, random.uniform(-320, 308));
            for (int k = 0; k < 3; ++k)
                if (random.chance(0.2)) p[k] = random.chance(0.5) ? 0.0 : 0.5;
            const Sample sample = field.sample(p);
            ASSERT_TRUE(std::isfinite(sample.distance) && sample.gradient.allFinite())
                << text << " at " << p.transpose();
            const double reach = std::pow(10.0, random.uniform(-320, 308));
            const Interval range = field.range({p - Vec3::Constant(reach), p + Vec3::Constant(reach)});
            ASSERT_LE(range.lower, sample.distance) << text << " at " << p.transpose() << " +- " << reach;
            ASSERT_GE(range.upper, sample.distance) << text << " at " << p.transpose() << " +- " << reach;
        }
        const Interval all = field.range(field.domain());
        ASSERT_TRUE(all.lower <= all.upper) << text;
        const double nan = std::nan("");
        ASSERT_EQ(field.range({{nan, 0, 0}, {1, 1, 1}}), Interval::all()) << text;
    }
}

// A point where formulas have kinks, or on the surface: there rounding decides which branch is taken.
Vec3 delicate_point(const AnalyticField& field, const Box& region, Random& random) {
    static constexpr double special[] = {0, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.75, 0.8, 0.9};
    Vec3 p = random.in_box(region);
    for (int k = 0; k < 3; ++k)
        if (random.chance(0.3)) p[k] = (random.chance(0.5) ? 1 : -1) * special[random.below(std::size(special))];
    if (random.chance(0.2)) p.y() = p.x();
    if (random.chance(0.4)) {
        const Sample at = field.sample(p);
        const double slope = at.gradient.squaredNorm();
        if (slope > 1e-6) p -= at.distance / slope * at.gradient;
    }
    return p;
}

TEST(AnalyticField, boxes_of_a_few_bits_are_enclosed_at_kinks_and_far_from_the_origin) {
    std::uint64_t seed = 1;
    for (const std::string& text : shape_examples())
        for (const Vec3& away : {Vec3(0, 0, 0), Vec3(1e3, -2e3, 5e2), Vec3(-3e7, 1e7, 4e7)}) {
            const AnalyticExpression shape = parse_shape(text);
            const AnalyticField near(shape), field(away.isZero() ? shape : shapes::translate(away, shape));
            Random random(seed++);
            for (std::size_t i = 0; i < count_of(300, 100000); ++i) {
                const Vec3 p = delicate_point(near, Box::around(Vec3::Zero(), Vec3::Constant(1.5)), random) + away;
                const Vec3 half = (p.cwiseAbs() + Vec3::Constant(1)) * std::exp2(random.uniform(-54, -30));
                const Box box = Box::around(p, random.chance(0.2) ? Vec3(0, 0, 0) : half);
                const Interval range = field.range(box);
                for (int k = 0; k < 12; ++k) {
                    const Vec3 q = k < 8 ? box.corner(k) : box.closest(random.in_box(box));
                    ASSERT_TRUE(range.contains(field.distance(q)))
                        << field.expression().text() << " at " << q.transpose() << " of " << p.transpose();
                }
            }
        }
}

TEST(AnalyticField, every_instruction_set_gives_the_same_bits) {
    std::vector<Vec3> points(200);
    std::vector<Box> boxes(50);
    Random random(5);
    const Box region = Box::around(Vec3::Zero(), Vec3::Constant(1.6));
    for (Vec3& p : points) p = random.in_box(region);
    for (Box& b : boxes) b = Box::around(random.in_box(region), Vec3::Constant(random.uniform(0, 0.5)));
    int targets = 0;
    for (const std::string& text : shape_examples()) {
        const AnalyticField field(parse_shape(text));
        std::vector<double> expected(points.size()), got(points.size());
        std::vector<Sample> expected_samples(points.size()), got_samples(points.size());
        std::vector<Interval> expected_ranges(boxes.size()), got_ranges(boxes.size());
        field.distances(points, expected);
        field.samples(points, expected_samples);
        field.ranges(boxes, expected_ranges);
        for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
            hwy::SetSupportedTargetsForTest(left & -left);
            field.distances(points, got);
            field.samples(points, got_samples);
            field.ranges(boxes, got_ranges);
            hwy::SetSupportedTargetsForTest(0);
            ++targets;
            ASSERT_EQ(got, expected) << text;
            ASSERT_EQ(got_ranges, expected_ranges) << text;
            for (std::size_t i = 0; i < points.size(); ++i)
                ASSERT_EQ(got_samples[i].gradient, expected_samples[i].gradient) << text;
        }
    }
    EXPECT_GT(targets, static_cast<int>(shape_examples().size()));
}

TEST(AnalyticField, coordinates_past_the_reach_give_a_lower_bound) {
    const AnalyticField ball(shapes::sphere(1));
    EXPECT_EQ(ball.distance({1e300, 0, 0}), ball.distance({1e15, 0, 0}));
    EXPECT_LT(ball.distance({1e300, 0, 0}), 1e300);
}

} // namespace analytic_contract_test
} // namespace fathom
