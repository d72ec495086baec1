#include <fathom/base/error.h>

#include <gtest/gtest.h>

namespace fathom {
namespace error_test {

TEST(Error, reads_like_a_compilers_message) {
    const Error error(Cause::non_finite, "not a finite position",
                      {.file = "a.obj", .line = 12, .element = "vertex", .index = 5});
    EXPECT_STREQ(error.what(), "a.obj:12: vertex 5: not a finite position");
    EXPECT_EQ(error.cause(), Cause::non_finite);
    EXPECT_EQ(error.place().index, 5);
    EXPECT_EQ(error.reason(), "not a finite position");
}

TEST(Error, omits_unknown_parts) {
    EXPECT_STREQ(Error(Cause::empty, "no triangles").what(), "no triangles");
    EXPECT_STREQ(Error(Cause::truncated, "cut off", {.file = "a.stl", .offset = 84}).what(), "a.stl: byte 84: cut off");
    EXPECT_STREQ(Error(Cause::invalid_argument, "must be positive", {.element = "option resolution"}).what(),
                 "option resolution: must be positive");
}

TEST(Error, every_cause_has_its_own_name) {
    for (int a = 0; a <= static_cast<int>(Cause::cancelled); ++a)
        for (int b = 0; b < a; ++b) EXPECT_NE(name(static_cast<Cause>(a)), name(static_cast<Cause>(b)));
    EXPECT_EQ(name(Cause::cancelled), "cancelled");
    EXPECT_EQ(name(Cause::index_out_of_range), "index_out_of_range");
}

} // namespace error_test
} // namespace fathom
