// Empty-space map of a grid for one level: the jump distances of a traversal, and the cells that it must visit.
// One byte for each brick gives the number of bricks around it that are free of the level (2 MB at 1024 cells a side).
// A brick that contains the level has one bit for each cell that contains it; the corner values of these cells are
// packed in the order of the bits, 16 bytes each. A cell without its bit stays clear of the level by `margin`, so
// positions may have an error of up to margin_cells and jumps may be computed in float.
// Cost of construction: O(bricks + stored cells), in parallel; the bytes are the same for any number of threads.
#pragma once

#include <fathom/field/grid/grid_field.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

// Vectors on 2 MB pages: a traversal accesses memory at random, and every miss of the page table adds a second latency.
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fathom::point_field {

template <class T>
struct HugePageAllocator {
    using value_type = T;
    static constexpr std::size_t page = std::size_t{2} << 20;

    HugePageAllocator() = default;
    // Allocators convert implicitly.
    template <class U>
    HugePageAllocator(const HugePageAllocator<U>&) {} // NOLINT(google-explicit-constructor)

    [[nodiscard]] T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__)
        if (bytes >= page) ::madvise(memory, bytes, MADV_HUGEPAGE); // only a hint
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

// The cells of a brick that contain the level: their values come within `margin` of it. They are stored in slices along
// each of the three axes, so that a path finds every slice of its longest axis in one cache line. Slice s along axis a:
// bit u + 8 v is the cell at s, u, v along the axes a, a + 1, a + 2. The lower 32 bits of all eight slices come first,
// then the upper ones.
struct HeldCells {
    alignas(64) std::array<std::array<std::uint32_t, 16>, 3> held{};
    std::array<std::uint64_t, brick_cells>
        inside{}; // slices along z: cells that do not contain the level and are below it

    [[nodiscard]] std::uint64_t slice(std::size_t axis, std::size_t s) const {
        return held[axis][s] | std::uint64_t{held[axis][s + 8]} << 32;
    }
};

// A brick that contains the level.
struct HeldBrick {
    static constexpr Index far = no_index;

    // Index of its first packed cell. `far`: it has only the samples at its corners and is one large cell.
    Index first = far;
    std::int32_t base = 0;                           // code16: value = step * (base + code)
    std::array<std::uint16_t, brick_cells> before{}; // number of packed cells in the slices before each one along z
};

struct EmptySpaceMap {
    EmptySpaceMap(const GridData& data, double at); // `at`: the level

    static constexpr std::uint8_t inside_bit = 0x80;
    static constexpr int longest_jump = 0x7f;

    // 0 if the brick contains the level; otherwise k: all bricks at a Chebyshev distance below k are free.
    [[nodiscard]] int clearance(std::size_t brick) const { return clearances[brick] & longest_jump; }
    [[nodiscard]] bool inside(std::size_t brick) const { return (clearances[brick] & inside_bit) != 0; }
    // Index of a brick that contains the level among all such bricks.
    [[nodiscard]] std::size_t rank(std::size_t brick) const {
        const RankWord& word = ranks[brick / 64];
        return word.before +
               static_cast<std::size_t>(std::popcount(word.bits & ((std::uint64_t{1} << (brick % 64)) - 1)));
    }
    [[nodiscard]] std::size_t bytes() const;

    struct RankWord {
        std::uint64_t bits = 0;
        Index before = 0;
    };
    using CodeCell = std::array<std::uint16_t, 8>; // corner values by y, z and then x
    using FloatCell = std::array<float, 8>;

    std::array<double, 4> last_brick; // index of the last brick along each axis; the fourth is 0
    double level;                     // m
    double margin;                    // m
    double margin_cells;              // admissible error of positions, in cells
    // Neighbouring bricks agree on their common samples within the margin. If false, the map proves nothing.
    bool continuous;
    double border_minimum; // the smallest value at the border of the domain (m)

    HugeVector<std::uint8_t> clearances;
    HugeVector<RankWord> ranks;
    HugeVector<HeldCells> cells;  // by rank
    HugeVector<HeldBrick> bricks; // by rank
    HugeVector<Index> places;     // by rank: index of the brick
    HugeVector<CodeCell> codes;   // code16
    HugeVector<FloatCell> values; // float32
};

} // namespace fathom::point_field
