#include <fathom/base/random.h>

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(Random, the_sequence_is_the_same_on_every_platform) {
    Random random(42);
    const std::uint64_t first = random.bits();
    Random again(42);
    EXPECT_EQ(again.bits(), first);
    Random other_stream(42, 1);
    EXPECT_NE(other_stream.bits(), first);
}

} // namespace
} // namespace fathom
