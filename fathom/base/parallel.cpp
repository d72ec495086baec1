// Parallel loops on oneTBB. The only file that uses oneTBB.
#include <fathom/base/parallel.h>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <memory>
#include <mutex>

#ifdef FATHOM_TSAN
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace fathom {

namespace {

// TBB is not instrumented (the build excludes this file as well), so the thread sanitizer cannot see that fork and join
// order memory. These annotations declare it.
#ifdef FATHOM_TSAN
void acquire(void* address) { __tsan_acquire(address); }
void release(void* address) { __tsan_release(address); }
#else
void acquire(void*) {}
void release(void*) {}
#endif

std::atomic<std::size_t> wanted_threads{0};

// Also if a body throws: the caller reads the exception.
struct ReleaseAtEnd {
    char* address;
    ~ReleaseAtEnd() { release(address); }
};
struct AcquireAtEnd {
    char* address;
    ~AcquireAtEnd() { acquire(address); }
};

std::size_t machine_threads() { return static_cast<std::size_t>(std::max(1, tbb::info::default_concurrency())); }

} // namespace

std::size_t thread_count() {
    const std::size_t wanted = wanted_threads.load(std::memory_order_relaxed);
    return wanted ? wanted : machine_threads();
}

void set_thread_count(std::size_t count) {
    static std::mutex mutex;
    static std::unique_ptr<tbb::global_control> control;
    const std::lock_guard lock(mutex);
    wanted_threads.store(count, std::memory_order_relaxed);
    control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, thread_count());
}

namespace detail {

void run_chunks(std::size_t chunk_count, ChunkCall call, void* context) {
    const std::size_t threads = thread_count();
    if (threads == 1 || chunk_count <= 1) {
        for (std::size_t k = 0; k < chunk_count; ++k) call(context, k);
        return;
    }
    char fork = 0, join = 0;
    release(&fork);
    const AcquireAtEnd joined{&join};
    const auto body = [&](std::size_t k) {
        acquire(&fork);
        const ReleaseAtEnd done{&join};
        call(context, k);
    };
    tbb::parallel_for(std::size_t{0}, chunk_count, body);
}

void run_undisturbed(void (*call)(void* context), void* context) {
    tbb::this_task_arena::isolate([=] { call(context); });
}

} // namespace detail

} // namespace fathom
