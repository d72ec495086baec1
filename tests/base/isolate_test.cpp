#include <fathom/base/isolate.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace fathom {
namespace isolate_test {

using Bytes = std::vector<std::byte>;

TEST(Isolate, returns_the_result_of_the_work) {
    Bytes large(5'000'000);
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<std::byte>(i * 7 % 251);
    const IsolateResult result = run_isolated([&] { return large; });
    EXPECT_EQ(result.status, IsolateStatus::finished);
    EXPECT_EQ(result.bytes, large);
    EXPECT_TRUE(run_isolated([] { return Bytes(); }).bytes.empty());
}

TEST(Isolate, leaves_the_caller_as_it_was) {
    int value = 1;
    const IsolateResult result = run_isolated([&] {
        value = 2;
        std::printf("this must not be seen\n");
        std::fflush(stdout);
        return Bytes(1, static_cast<std::byte>(value));
    });
    EXPECT_EQ(value, 1);
    EXPECT_EQ(result.bytes, Bytes(1, std::byte{2}));
}

TEST(Isolate, survives_a_crash_and_reports_it) {
    const IsolateResult result = run_isolated([]() -> Bytes { std::abort(); });
    EXPECT_EQ(result.status, IsolateStatus::died);
    EXPECT_FALSE(result.reason.empty());
    EXPECT_EQ(run_isolated([]() -> Bytes { std::_Exit(3); }).reason, "exited with code 3");
}

TEST(Isolate, ends_work_that_does_not_return) {
    const auto start = std::chrono::steady_clock::now();
    const IsolateResult asleep = run_isolated(
        []() -> Bytes {
            std::this_thread::sleep_for(std::chrono::hours(1));
            return {};
        },
        {.seconds = 0.3});
    EXPECT_EQ(asleep.status, IsolateStatus::out_of_time);
    const IsolateResult busy = run_isolated(
        []() -> Bytes {
            volatile bool forever = true;
            while (forever) {
            }
            return {};
        },
        {.seconds = 0.3});
    EXPECT_EQ(busy.status, IsolateStatus::out_of_time);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Isolate, refuses_more_than_the_memory_it_grants) {
    const IsolateResult result = run_isolated([] { return Bytes(100 << 20); }, {.memory = 32 << 20});
    EXPECT_EQ(result.status, IsolateStatus::out_of_memory);
    EXPECT_EQ(run_isolated([] { return Bytes(10 << 20); }, {.memory = 64 << 20}).status, IsolateStatus::finished);
}

TEST(Isolate, brings_back_the_text_of_an_exception) {
    const IsolateResult result = run_isolated([]() -> Bytes { throw std::runtime_error("no good"); });
    EXPECT_EQ(result.status, IsolateStatus::threw);
    EXPECT_EQ(result.reason, "no good");
}

} // namespace isolate_test
} // namespace fathom
