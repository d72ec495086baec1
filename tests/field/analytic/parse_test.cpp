#include <fathom/base/error.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/analytic_kinds.h>
#include <field/analytic/shape_examples.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <numbers>

namespace fathom {
namespace parse_test {

using namespace testing;
using namespace fathom::shapes;

TEST(ParseShape, text_and_shape_turn_into_each_other_without_loss) {
    std::vector<AnalyticExpression> all;
    for (const std::string& text : shape_examples()) all.push_back(parse_shape(text));
    for (std::uint64_t seed = 1; seed <= count_of(200, 10000); ++seed) {
        Random random(seed);
        all.push_back(random_shape(random, 20));
    }
    for (const AnalyticExpression& shape : all) {
        const AnalyticExpression again = parse_shape(shape.text());
        ASSERT_EQ(again, shape) << shape.text();
        ASSERT_EQ(again.text(), shape.text());
    }
    EXPECT_FALSE(parse_shape("sphere(1)") == parse_shape("sphere(1.0000000000000002)"));
}

TEST(ParseShape, reads_names_arithmetic_vectors_comments_and_definitions) {
    EXPECT_EQ(parse_shape("smooth_union(sphere(1), translate(1,0,0, box(1,2,3)), 0.2)"),
              smooth_union(sphere(1), translate({1, 0, 0}, shapes::box({1, 2, 3})), 0.2));
    EXPECT_EQ(parse_shape("smooth_union(0.2, sphere(1), sphere(2))"), smooth_union(sphere(1), sphere(2), 0.2));
    EXPECT_EQ(parse_shape("box(z = 3, x = 1, 2)"), shapes::box({1, 2, 3}));
    EXPECT_EQ(parse_shape("box([1, 2], 3)"), shapes::box({1, 2, 3}));
    EXPECT_EQ(parse_shape("sphere(2 * (1 + 0.5) - 6 / 4)"), sphere(1.5));
    EXPECT_EQ(parse_shape("translate(-1, +2, --3, sphere(1e-1))"), translate({-1, 2, 3}, sphere(0.1)));
    EXPECT_EQ(parse_shape("rotate(degrees(90), 0, 0, 1, sphere(sqrt(4)))"),
              rotate(90 * std::numbers::pi / 180, {0, 0, 1}, sphere(2)));
    EXPECT_EQ(
        parse_shape(
            "# two balls\nlet r = 0.5; // half\nlet ball = sphere(r);\nunion(ball, translate(2*r, 0, 0, ball));\n"),
        union_of(sphere(0.5), translate({1, 0, 0}, sphere(0.5))));
    EXPECT_EQ(parse_shape("heart()"), heart());
}

void expect_error(std::string_view text, Cause cause, std::int64_t line, std::string_view reason) {
    try {
        (void)parse_shape(text, "thing.shape");
        ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), cause) << text << ": " << error.what();
        EXPECT_EQ(error.place().line, line) << text;
        EXPECT_EQ(error.place().file, "thing.shape");
        EXPECT_NE(error.reason().find(reason), std::string::npos) << text << ": " << error.reason();
    }
}

TEST(ParseShape, errors_name_line_column_and_reason) {
    expect_error("", Cause::malformed, 1, "column 1: the text ends unexpectedly");
    expect_error("sphere(1", Cause::malformed, 1, "column 9: expected ')'");
    expect_error("sphere(1))", Cause::malformed, 1, "column 10: expected the end of the text");
    expect_error("union(\n  sphere(1),\n  ball(2))", Cause::malformed, 3, "column 3: unknown shape or function 'ball'");
    expect_error("union(sphere(1),\n sphere(r))", Cause::malformed, 2, "column 9: 'r' is not defined");
    expect_error("sphere", Cause::malformed, 1, "column 1: expected '(' after 'sphere'");
    expect_error("1 + 2", Cause::malformed, 1, "column 1: expected a shape");
    expect_error("1 + sphere(1)", Cause::malformed, 1, "column 5: expected a number");
    expect_error("sphere(1e999)", Cause::malformed, 1, "column 8: the number does not fit");
    expect_error("sphere(1.2.3)", Cause::malformed, 1, "column 11: expected a separator");
    expect_error("box(1, 2)", Cause::malformed, 1, "column 1: box needs the parameter 'z'");
    expect_error("box(1, 2, w = 3)", Cause::malformed, 1, "column 11: box has no parameter 'w'");
    expect_error("box(x = 1, x = 2, 3)", Cause::malformed, 1, "column 12: 'x' is given twice");
    expect_error("let sphere = 1; sphere(1)", Cause::malformed, 1, "column 5: 'sphere' is a reserved name");
    expect_error("let a = 1; let a = 2; sphere(a)", Cause::malformed, 1, "column 16: 'a' is defined twice");
    expect_error("sphere(1) \x01", Cause::malformed, 1, "column 11: expected the end of the text, got '?'");
    expect_error("union(sphere(1),\n\n   sphere(-1))", Cause::invalid_argument, 3,
                 "column 4: sphere: radius must be positive");
    expect_error("sphere(1/0)", Cause::invalid_argument, 1, "radius");
    expect_error("sphere(1, 2)", Cause::invalid_argument, 1, "expected 1 numbers, got 2");
    expect_error("union(sphere(1), circle(1))", Cause::invalid_argument, 1, "dimensions");
}

TEST(ParseShape, hostile_text_is_refused_without_harm) {
    std::string deep(100000, '('), nested, wide = "union(", doubling = "let a0 = sphere(1);";
    expect_error(deep, Cause::too_large, 1, "nested deeper");
    for (int i = 0; i < 100000; ++i) nested += "complement(";
    expect_error(nested, Cause::too_large, 1, "nested deeper");
    for (int i = 0; i < 20000; ++i) wide += "sphere(1),";
    wide += "sphere(1))";
    expect_error(wide, Cause::invalid_argument, 1, "shapes");
    for (int i = 1; i < 60; ++i) {
        const std::string before = std::to_string(i - 1);
        doubling.append("let a").append(std::to_string(i)).append(" = union(a").append(before);
        doubling.append(", a").append(before).append(");");
    }
    doubling += "a59";
    expect_error(doubling, Cause::too_large, 1, "contains more than");
    std::string signs = "sphere(";
    signs.append(100000, '-');
    signs += "1)";
    EXPECT_EQ(parse_shape(signs), sphere(1));
    expect_error("scale(1e-15, scale(1e-15, scale(1e-15, sphere(1))))", Cause::too_large, 1, "1e30");
}

TEST(Shapes, every_number_is_checked_and_named) {
    const auto refused = [](const auto& make, std::string_view part) {
        try {
            (void)make();
            ADD_FAILURE() << "accepted; expected: " << part;
        } catch (const Error& error) {
            EXPECT_EQ(error.cause(), Cause::invalid_argument);
            EXPECT_NE(error.reason().find(part), std::string::npos) << error.reason();
        }
    };
    const double nan = std::nan(""), inf = HUGE_VAL;
    for (const double bad : {0.0, -1.0, nan, inf, 1e16, 1e-16}) {
        refused([=] { return sphere(bad); }, "sphere: radius");
        refused([=] { return shapes::box({1, bad, 1}); }, "box: y");
        refused([=] { return torus(1, bad); }, "torus: tube");
        refused([=] { return smooth_union(sphere(1), sphere(1), bad); }, "smooth_union: width");
        refused([=] { return scale(bad, sphere(1)); }, "scale: factor");
    }
    refused([=] { return translate({nan, 0, 0}, sphere(1)); }, "translate: x");
    refused([] { return rounded_box({1, 1, 1}, 0.6); }, "radius must be at most half");
    refused([] { return rounded_cone(1, 0.2, 0.5); }, "height must exceed");
    refused([] { return capped_torus(3.2, 1, 0.1); }, "angle");
    refused([] { return infinite_cone(1.6); }, "angle");
    refused([] { return plane({0, 0, 0}, 1); }, "normal");
    refused([] { return rotate(1, {0, 0, 0}, sphere(1)); }, "axis");
    refused([] { return capsule({1, 2, 3}, {1, 2, 3}, 1); }, "ends must differ");
    refused([] { return triangle({0, 0, 0}, {1, 0, 0}, {2, 0, 0}); }, "line");
    refused([] { return quad({0, 0, 0}, {1, 0, 0}, {1, 1, 0.2}, {0, 1, 0}); }, "plane");
    refused([] { return quad({0, 0, 0}, {1, 0, 0}, {0.2, 0.2, 0}, {0, 1, 0}); }, "convex");
    refused([] { return regular_polygon(2, 1); }, "sides");
    refused([] { return star(5, 1, 1.5); }, "inner_radius");
    refused([] { return repeat({1, 0, 0}, sphere(0.6)); }, "fit into its cell");
    refused([] { return repeat({2, 0, 0}, rotate(0.3, {1, 1, 1}, ellipsoid({0.5, 0.2, 0.2}))); }, "symmetric");
    refused([] { return union_of(std::vector<AnalyticExpression>{}); }, "union");
    refused([] { return AnalyticExpression("ball", {1}); }, "unknown shape 'ball'");
    refused([] { return AnalyticField(circle(1)).expression(); }, "extrude or revolve");
}

TEST(Shapes, bounds_are_tight) {
    const auto expect = [](const AnalyticExpression& shape, const Vec3& lower, const Vec3& upper) {
        const Box box = shape.bounds();
        EXPECT_TRUE(box.lower.isApprox(lower, 1e-9) && box.upper.isApprox(upper, 1e-9))
            << shape.text() << ": " << box.lower.transpose() << " .. " << box.upper.transpose();
    };
    expect(translate({1, 2, 3}, shapes::box({1, 2, 3})), {0.5, 1, 1.5}, {1.5, 3, 4.5});
    expect(rotate(std::numbers::pi / 2, {0, 0, 1}, shapes::box({1, 2, 3})), {-1, -0.5, -1.5}, {1, 0.5, 1.5});
    expect(intersection(sphere(1), plane({0, 0, 1}, 0.5)), {-1, -1, -1}, {1, 1, 0.5});
    expect(fathom::shapes::round(0.5, intersection(sphere(1), plane({0, 0, 1}, 0.5))), {-1.5, -1.5, -1.5},
           {1.5, 1.5, 1});
    expect(repeat_limited({2, 0, 0}, {3, 1, 1}, sphere(0.5)), {-2.5, -0.5, -0.5}, {2.5, 0.5, 0.5});
    expect(revolve(1, circle(0.5)), {-1.5, -1.5, -0.5}, {1.5, 1.5, 0.5});
    EXPECT_FALSE(complement(sphere(1)).bounds().size().allFinite());
    EXPECT_TRUE(intersection(sphere(1), translate({5, 0, 0}, sphere(1))).bounds().empty());
}

} // namespace parse_test
} // namespace fathom
