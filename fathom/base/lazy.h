// A value that is made at first need, once, however many threads ask. Where making it throws, the next that
// asks tries again.
#pragma once

#include <fathom/base/parallel.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace fathom {

template <class T>
class Lazy {
public:
    // make() gives a T. All calls must make the same.
    template <class Make>
    const T& get(Make&& make) const {
        if (const T* ready = ready_.load(std::memory_order_acquire)) return *ready;
        const std::lock_guard lock(mutex_);
        if (!value_) {
            undisturbed([&] { value_ = std::make_unique<const T>(make()); });
            ready_.store(value_.get(), std::memory_order_release);
        }
        return *value_;
    }

    [[nodiscard]] const T* made() const { return ready_.load(std::memory_order_acquire); } // null: not yet

private:
    mutable std::mutex mutex_;
    mutable std::unique_ptr<const T> value_;
    mutable std::atomic<const T*> ready_{nullptr};
};

} // namespace fathom
