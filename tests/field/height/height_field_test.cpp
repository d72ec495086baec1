// Heights as a field: the contract of all fields, and terrain against its mesh.
#include <contract/field_contract.h>
#include <fathom/base/error.h>
#include <fathom/field/height/height_field.h>

#include <gtest/gtest.h>

#include <cmath>

namespace fathom {

namespace height_field_test {

HeightSamples hills(int columns, int rows, double scale, SolidSide solid, std::uint64_t seed) {
    Random random(seed);
    HeightSamples samples{.columns = columns,
                          .rows = rows,
                          .origin = {-0.5 * scale, 0.2 * scale},
                          .spacing = {scale / (columns - 1), 0.7 * scale / (rows - 1)},
                          .floor = 0,
                          .ceiling = scale,
                          .solid = solid};
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            samples.heights.push_back(
                static_cast<float>(scale * (0.5 + 0.2 * std::sin(9.0 * column / columns) * std::cos(7.0 * row / rows) +
                                            random.uniform(-0.02, 0.02))));
    return samples;
}

TEST(HeightField, keeps_the_contract_of_fields) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const SolidSide solid : {SolidSide::below, SolidSide::above})
            for (const auto& [columns, rows] : {std::pair{40, 25}, {2, 2}, {65, 3}}) {
                const HeightField field(hills(columns, rows, scale, solid, 4));
                const auto counts = testing::check_field_contract(
                    field, {.name = "hills", .region = field.domain().grown(0.3 * scale), .rounding = 1e-12 * scale});
                EXPECT_GT(counts.outside, 100u);
                EXPECT_GT(counts.inside, 100u);
                EXPECT_GT(counts.mixed, 100u);
            }
}

TEST(HeightField, is_the_difference_of_heights_far_from_the_sides) {
    const HeightField field(hills(40, 25, 1, SolidSide::below, 5));
    Random random(6);
    for (int k = 0; k < 1000; ++k) {
        const Vec3 p = random.in_box(field.domain());
        const double h = field.height(p.x(), p.y());
        if (p.z() >= h) {
            EXPECT_EQ(field.distance(p), p.z() - h);
        } else
            EXPECT_LT(field.distance(p), 0);
        EXPECT_GT(field.distance(p + Vec3(0, 0, 2)), 0);
        EXPECT_GT(field.distance(p + Vec3(2, 0, 0)), 0);
        EXPECT_GT(field.distance(p - Vec3(0, 0, 2)), 0) << "the solid ends at the floor";
    }
    const HeightSamples& samples = field.samples();
    for (int column = 0; column < 40; ++column)
        EXPECT_NEAR(field.height(samples.origin.x() + column * samples.spacing.x(), samples.origin.y()),
                    static_cast<double>(samples.heights[static_cast<std::size_t>(column)]), 1e-9);
}

TEST(HeightField, the_pyramid_is_exact_over_everything_and_over_little) {
    const HeightField field(hills(100, 77, 1, SolidSide::below, 7));
    const auto [lowest, highest] = std::ranges::minmax(field.samples().heights);
    const Interval all = field.heights({-9, -9}, {9, 9});
    EXPECT_NEAR(all.lower, static_cast<double>(lowest), 1e-12);
    EXPECT_NEAR(all.upper, static_cast<double>(highest), 1e-12);
    Random random(8);
    for (int k = 0; k < 1000; ++k) {
        const Vec3 p = random.in_box(field.domain());
        const Interval here = field.heights(p.head<2>(), p.head<2>() + Vec2(1e-9, 1e-9));
        EXPECT_TRUE(here.contains(field.height(p.x(), p.y())));
        EXPECT_LT(here.width(), 1e-7);
    }
}

TEST(HeightField, refuses_samples_that_make_no_sense) {
    const auto broken = [](auto&& change) {
        HeightSamples samples = hills(4, 4, 1, SolidSide::below, 1);
        change(samples);
        EXPECT_THROW(HeightField{samples}, Error);
    };
    broken([](HeightSamples& s) { s.columns = 1; });
    broken([](HeightSamples& s) { s.heights.pop_back(); });
    broken([](HeightSamples& s) { s.heights[3] = std::nanf(""); });
    broken([](HeightSamples& s) { s.spacing.x() = 0; });
    broken([](HeightSamples& s) { s.origin.y() = HUGE_VAL; });
    broken([](HeightSamples& s) { s.floor = s.ceiling; });
    const HeightField field(hills(4, 4, 1, SolidSide::below, 1));
    EXPECT_TRUE(std::isnan(field.distance(Vec3::Constant(std::nan("")))));
    EXPECT_GT(field.distance(Vec3::Constant(1e300)), 1e299);
}

} // namespace height_field_test

} // namespace fathom
