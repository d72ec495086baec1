// Lazily computed value: computed once, at first use, for any number of threads. If the computation throws, the next
// call tries again.
#pragma once

#include <fathom/base/parallel.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace fathom {

template <class T>
class Lazy {
public:
    // make() returns a T. All calls must compute the same value.
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

    [[nodiscard]] const T* made() const { return ready_.load(std::memory_order_acquire); } // null: not computed yet

private:
    mutable std::mutex mutex_;
    mutable std::unique_ptr<const T> value_;
    mutable std::atomic<const T*> ready_{nullptr};
};

} // namespace fathom
