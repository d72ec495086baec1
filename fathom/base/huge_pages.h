// Vectors on 2 MB pages: a walk touches memory at random, and every miss of the page table is a second
// wait.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fathom {

template <class T>
struct HugePageAllocator {
    using value_type = T;
    static constexpr std::size_t page = std::size_t{2} << 20;

    HugePageAllocator() = default;
    template <class U>
    HugePageAllocator(const HugePageAllocator<U>&) {}

    [[nodiscard]] T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__)
        if (bytes >= page) ::madvise(memory, bytes, MADV_HUGEPAGE); // a wish: nothing depends on it
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count * sizeof(T))); }

    friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }

private:
    static std::align_val_t alignment(std::size_t bytes) { return std::align_val_t{bytes >= page ? page : 128}; }
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

} // namespace fathom
