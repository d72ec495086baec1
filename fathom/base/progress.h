// Progress reports and cancellation of long work, and a stopwatch.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace fathom {

// Interface for callers that observe or cancel long work. Called from any thread, at most about a hundred times per
// stage, and never by two threads at once for one stage. Where a Progress* is expected, nullptr means no reports.
class Progress {
public:
    virtual ~Progress() = default;

    // The fraction `fraction` in [0, 1] of the named stage is complete. Return false to cancel: the work then throws
    // Error{cancelled}.
    virtual bool update(std::string_view stage, double fraction) = 0;
};

// Reports the progress of one stage of long work. step() is cheap and may be called from every thread of a loop.
class Stage {
public:
    Stage(Progress* progress, std::string name, std::size_t total);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    void step(std::size_t count = 1); // throws Error{cancelled} once update() has returned false

private:
    void report(std::size_t done);

    Progress* progress_;
    std::string name_;
    std::size_t total_;
    std::atomic<std::size_t> done_{0};
    std::atomic<std::size_t> next_report_{0};
    std::atomic<bool> reporting_{false};
    std::atomic<bool> cancelled_{false};
};

// Measures wall time from its construction.
class Stopwatch {
public:
    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    // Seconds since the last lap, or since construction.
    double lap() {
        const Clock::time_point now = Clock::now();
        return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

} // namespace fathom
