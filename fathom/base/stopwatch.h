// Wall time of a piece of work, for reports.
#pragma once

#include <chrono>
#include <utility>

namespace fathom {

// Runs from when it is made.
class Stopwatch {
public:
    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    // Seconds since the last lap, or since it was made.
    double lap() {
        const Clock::time_point now = Clock::now();
        return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

} // namespace fathom
