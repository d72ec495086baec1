#include <fathom/baseline/stability.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <cstdio>

namespace fathom {
namespace stability_test {

TEST(Stability, continuous_contact_reaches_the_ratios_of_the_paper) {
    StabilityOptions options;
    if (!testing::long_run()) options.bisections = 3;
    const StabilityScene scene(read_scene(std::filesystem::path(FATHOM_SOURCE_DIR) / "scenes/figure6_stability.toml"),
                               options);
    const StabilityReport report = compare_stability(scene);
    EXPECT_GE(report.step_ratio(), 3.0);
    EXPECT_GE(report.penetration_ratio(), 2.75);
    EXPECT_GE(report.matched_ratio(), 2.6);
    EXPECT_TRUE(report.continuous.stable);
    EXPECT_TRUE(report.discrete.stable);
    EXPECT_TRUE(report.soft.stable);
    EXPECT_FALSE(report.discrete_exploding.stable);
    std::printf("steps: continuous %.4f s, discrete %.4f s (%.2f x); over the last step instead %.4f s; penetration "
                "%.2f x; matched %.2f x; softness %.2f\n",
                report.continuous_step, report.discrete_step, report.step_ratio(), report.paper_order_step,
                report.penetration_ratio(), report.matched_ratio(), report.softness);
}

} // namespace stability_test
} // namespace fathom
