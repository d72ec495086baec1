// Progress bar of the command line.
#include <tool/commands.h>
#include <tool/output.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace fathom::tool {

namespace {

// One line on stderr, redrawn in place and erased at the end of a stage. Stages shorter than 300 ms are not shown.
class ProgressBar final : public Progress {
public:
    bool update(std::string_view stage, double fraction) override {
        const std::lock_guard lock(mutex_);
        // The text after a colon may change within one stage.
        const std::string_view before = stage_;
        if (stage.substr(0, stage.find(':')) != before.substr(0, before.find(':'))) begun_ = Clock::now();
        stage_ = stage;
        if (fraction >= 1)
            erase();
        else if (Clock::now() - begun_ > std::chrono::milliseconds(300))
            draw(fraction);
        return true;
    }

    ~ProgressBar() override { erase(); } // an error may have ended the stage early

private:
    using Clock = std::chrono::steady_clock;

    void draw(double fraction) {
        constexpr std::size_t width = 30;
        const auto full = static_cast<std::size_t>(fraction * width);
        const std::string bar =
            coloured(std::string(full, '='), Colour::green, use_colour(stderr)) + std::string(width - full, ' ');
        const std::size_t columns = width + 10 + stage_.size();
        fmt::print(stderr, "\r[{}] {:3.0f} %  {}{}", bar, 100 * fraction, stage_,
                   std::string(std::max(drawn_, columns) - columns, ' '));
        std::fflush(stderr);
        drawn_ = std::max(drawn_, columns);
    }

    void erase() {
        if (drawn_ == 0) return;
        fmt::print(stderr, "\r{}\r", std::string(drawn_, ' '));
        std::fflush(stderr);
        drawn_ = 0;
    }

    std::mutex mutex_;
    std::string stage_;
    Clock::time_point begun_;
    std::size_t drawn_ = 0; // columns to erase
};

} // namespace

Progress* Session::progress() const {
    if (quiet || !is_terminal(stderr)) return nullptr;
    static ProgressBar bar;
    return &bar;
}

} // namespace fathom::tool
