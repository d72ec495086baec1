#include <fathom/base/random.h>

#include <gtest/gtest.h>

#include <array>

namespace fathom {
namespace random_test {

TEST(Random, the_sequence_of_a_seed_never_changes) {
    // Fixed values: results of old recordings and tests depend on these numbers.
    Random random(42);
    const std::array<std::uint64_t, 3> expected = {0x1ff785474f113b15u, 0x4b7867ceff5d8325u, 0x90ca7a95a9909966u};
    for (const std::uint64_t value : expected) EXPECT_EQ(random.bits(), value);
}

TEST(Random, streams_of_one_seed_differ) {
    Random a(42, 0), b(42, 1), c(43, 0);
    const std::uint64_t first = a.bits();
    EXPECT_NE(first, b.bits());
    EXPECT_NE(first, c.bits());
}

TEST(Random, below_is_unbiased_for_a_count_that_does_not_divide_the_range) {
    Random random(1);
    std::array<int, 6> seen{};
    for (int i = 0; i < 60000; ++i) ++seen[random.below(6)];
    for (const int count : seen) EXPECT_NEAR(count, 10000, 400); // 4.4 standard deviations
}

TEST(Random, directions_and_rotations_are_unit_and_centred) {
    Random random(2);
    Vec3 sum_of_directions = Vec3::Zero(), sum_of_turned = Vec3::Zero();
    constexpr int count = 20000;
    for (int i = 0; i < count; ++i) {
        const Vec3 d = random.direction();
        const Quat q = random.rotation();
        EXPECT_NEAR(d.norm(), 1, 1e-14);
        EXPECT_NEAR(q.norm(), 1, 1e-14);
        sum_of_directions += d;
        sum_of_turned += q * Vec3::UnitX();
    }
    EXPECT_LT(sum_of_directions.norm() / count, 0.02);
    EXPECT_LT(sum_of_turned.norm() / count, 0.02);
}

TEST(Random, points_stay_in_their_box) {
    Random random(3);
    const Box box{{-1, 2, 5}, {-0.5, 2, 9}};
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(box.contains(random.in_box(box)));
}

} // namespace random_test
} // namespace fathom
