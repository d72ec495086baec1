// Throttled progress reports.
#include <fathom/base/progress.h>

#include <fathom/base/error.h>

#include <algorithm>

namespace fathom {

Stage::Stage(Progress* progress, std::string name, std::size_t total)
    : progress_(progress), name_(std::move(name)), total_(std::max<std::size_t>(total, 1)) {
    if (progress_) report(0);
}

Stage::~Stage() {
    if (progress_ && !cancelled_ && done_ >= total_) progress_->update(name_, 1.0);
}

void Stage::step(std::size_t count) {
    if (!progress_) return;
    const std::size_t done = done_.fetch_add(count, std::memory_order_relaxed) + count;
    if (done >= next_report_.load(std::memory_order_relaxed)) report(done);
    if (cancelled_.load(std::memory_order_relaxed)) throw Error(Cause::cancelled, name_ + " was cancelled");
}

void Stage::report(std::size_t done) {
    if (reporting_.exchange(true, std::memory_order_acquire)) return; // another thread is reporting
    next_report_.store(done + std::max<std::size_t>(total_ / 100, 1), std::memory_order_relaxed);
    const double fraction = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    if (!progress_->update(name_, fraction)) cancelled_.store(true, std::memory_order_relaxed);
    reporting_.store(false, std::memory_order_release);
}

} // namespace fathom
