// Plots: everything given is drawn, gaps stay gaps, and text cannot break out of the picture.
#include <fathom/show/line_plot.h>

#include <gtest/gtest.h>

#include <limits>

namespace fathom {
namespace line_plot_test {

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// What one curve looks like: the path data of curve k.
std::string path_of(const std::string& svg, std::size_t k) {
    std::size_t at = 0;
    for (std::size_t i = 0; i <= k; ++i) at = svg.find("stroke-width=\"1.6\" d=\"", at) + 22;
    return svg.substr(at, svg.find('"', at) - at);
}

TEST(LinePlot, draws_each_point_inside_the_frame) {
    LinePlot plot{.title = "t", .x_label = "x", .y_label = "y", .curves = {{"a", {{0, 1}, {1, 3}, {2, -4}}}}};
    const std::string path = path_of(to_svg(plot), 0);
    EXPECT_EQ(occurrences(path, "M"), 1u);
    EXPECT_EQ(occurrences(path, "L"), 2u);
    double x = 0, y = 0;
    ASSERT_EQ(std::sscanf(path.c_str(), "M%lf %lf", &x, &y), 2);
    EXPECT_NEAR(x, 74, 0.1); // the first tick is the first value
    EXPECT_GT(y, 40);
    EXPECT_LT(y, 330);
}

TEST(LinePlot, leaves_gaps_where_values_are_not_finite_or_have_no_logarithm) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    LinePlot plot{.title = "", .x_label = "", .y_label = "", .curves = {{"a", {{0, 1}, {1, nan}, {2, 3}, {3, 4}}}}};
    EXPECT_EQ(occurrences(path_of(to_svg(plot), 0), "M"), 2u);
    plot.curves[0].points = {{0, 1}, {1, 0}, {2, -3}, {3, 100}};
    plot.log_y = true;
    EXPECT_EQ(occurrences(path_of(to_svg(plot), 0), "M"), 2u);
    EXPECT_EQ(occurrences(path_of(to_svg(plot), 0), "L"), 0u);
}

TEST(LinePlot, a_diverging_curve_does_not_hide_the_others) {
    LinePlot plot{.title = "",
                  .x_label = "",
                  .y_label = "",
                  .curves = {{"tame", {{0, 1}, {1, 2}}}, {"wild", {{0, 1}, {1, 1e9}}}}};
    const std::string hidden = path_of(to_svg(plot), 0);
    plot.highest_y = 3;
    const std::string shown = to_svg(plot);
    EXPECT_NE(path_of(shown, 0), hidden);
    EXPECT_EQ(occurrences(path_of(shown, 1), "M"), 1u);
    EXPECT_EQ(occurrences(path_of(shown, 1), "L"), 0u);
}

TEST(LinePlot, survives_nothing_one_point_and_level_curves) {
    LinePlot plot;
    EXPECT_NE(to_svg(plot).find("</svg>"), std::string::npos);
    for (const double value : {0.0, 1.0, 1e300, -1e-300}) {
        plot.curves = {{"level", {{5, value}, {5, value}}}};
        const std::string svg = to_svg(plot);
        EXPECT_EQ(svg.find("nan"), std::string::npos) << value;
        EXPECT_EQ(svg.find("inf"), std::string::npos) << value;
        EXPECT_LT(svg.size(), 20000u) << value;
    }
}

TEST(LinePlot, escapes_what_users_write) {
    const LinePlot plot{.title = "a < b & c", .x_label = "<x>", .y_label = "", .curves = {}};
    const std::string svg = to_svg(plot);
    EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
    EXPECT_EQ(svg.find("<x>"), std::string::npos);
}

} // namespace line_plot_test
} // namespace fathom
