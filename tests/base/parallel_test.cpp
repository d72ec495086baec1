#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>

namespace fathom {
namespace parallel_test {

// Sets the number of threads for one test and puts it back.
struct WithThreads {
    explicit WithThreads(std::size_t count) { set_thread_count(count); }
    ~WithThreads() { set_thread_count(0); }
};

TEST(Parallel, every_element_is_visited_once) {
    for (const std::size_t count : {0u, 1u, 7u, 1000u})
        for (const std::size_t chunk : {1u, 3u, 5000u}) {
            std::vector<int> seen(count, 0);
            parallel_for(count, chunk, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) ++seen[i];
            });
            EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), static_cast<int>(count));
        }
}

double long_sum() {
    return parallel_reduce(
        100003, 64, 0.0,
        [](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t i = begin; i < end; ++i) sum += 1.0 / std::sqrt(static_cast<double>(i + 1));
            return sum;
        },
        [](double a, double b) { return a + b; });
}

TEST(Parallel, floating_point_sums_are_the_same_bits_for_any_number_of_threads) {
    const WithThreads one(1);
    const double alone = long_sum();
    for (const std::size_t threads : {2u, 3u, 8u}) {
        const WithThreads several(threads);
        EXPECT_EQ(thread_count(), threads);
        for (int i = 0; i < 5; ++i) EXPECT_EQ(long_sum(), alone);
    }
}

TEST(Parallel, an_exception_in_a_body_reaches_the_caller) {
    EXPECT_THROW(parallel_for(1000, 1,
                              [](std::size_t begin, std::size_t) {
                                  if (begin == 500) throw Error(Cause::empty, "here");
                              }),
                 Error);
}

struct Watcher : Progress {
    double cancel_at = 2;
    double last = -1;
    int calls = 0;
    bool backwards = false;
    bool update(std::string_view, double fraction) override {
        backwards = backwards || fraction < last;
        last = fraction;
        ++calls;
        return fraction < cancel_at;
    }
};

TEST(Progress, reports_rarely_and_ends_at_one) {
    Watcher watcher;
    {
        Stage stage(&watcher, "counting", 100000);
        for (int i = 0; i < 100000; ++i) stage.step();
    }
    EXPECT_EQ(watcher.last, 1.0);
    EXPECT_FALSE(watcher.backwards);
    EXPECT_LT(watcher.calls, 120);
    EXPECT_GT(watcher.calls, 50);
}

TEST(Progress, a_watcher_can_cancel_a_parallel_loop) {
    Watcher watcher;
    watcher.cancel_at = 0.5;
    std::atomic<int> done = 0;
    const auto work = [&] {
        Stage stage(&watcher, "working", 10000);
        parallel_for(10000, 10, [&](std::size_t begin, std::size_t end) {
            done += static_cast<int>(end - begin);
            stage.step(end - begin);
        });
    };
    try {
        work();
        FAIL() << "not cancelled";
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::cancelled);
    }
    EXPECT_LT(done, 10000);
}

TEST(Progress, nobody_needs_to_watch) {
    Stage stage(nullptr, "alone", 10);
    stage.step(10);
}

} // namespace parallel_test
} // namespace fathom
