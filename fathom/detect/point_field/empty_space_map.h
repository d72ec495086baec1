// What a walk over a grid needs to know of one level: how far it may jump, and which cells it must look
// at. One byte a brick says how many bricks around it are free of the level; a brick that holds it has one bit for each
// cell that does, and the corner values of these cells lie packed in the order of the bits, 16 bytes each. 2 MB of
// bytes at 1024 cells a side. A cell that lacks its bit stays clear of the level by `margin`: so positions may be off
// by margin_cells, and floats may jump. O(bricks + stored cells) to make, in parallel; the same bytes for any number of
// threads.
#pragma once

#include <fathom/field/grid/grid_field.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

// Vectors on 2 MB pages: a walk touches memory at random, and every miss of the page table is a second
// wait.
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

// Which cells of a brick hold the level: their values come within `margin` of it. Sliced along each of the three axes,
// so that a path finds every slice of its longest axis in one cache line. Slice s along axis a: bit u + 8 v of cell s,
// u, v along a, a + 1, a + 2; the lower 32 bits of all eight slices, then the upper ones.
struct HeldCells {
    alignas(64) std::array<std::array<std::uint32_t, 16>, 3> held{};
    std::array<std::uint64_t, brick_cells> inside{}; // slices along z: not held, and below the level

    [[nodiscard]] std::uint64_t slice(std::size_t axis, std::size_t s) const {
        return held[axis][s] | std::uint64_t{held[axis][s + 8]} << 32;
    }
};

// A brick that holds the level.
struct HeldBrick {
    static constexpr Index far = no_index;

    Index first = far; // its first packed cell; `far`: no samples but the corners of the brick, which is one large cell
    std::int32_t base = 0;                           // code16: value = step * (base + code)
    std::array<std::uint16_t, brick_cells> before{}; // packed cells in the slices along z below each
};

struct EmptySpaceMap {
    EmptySpaceMap(const GridData& data, double level);

    static constexpr std::uint8_t inside_bit = 0x80;
    static constexpr int longest_jump = 0x7f;

    // Of a brick: 0 where it holds the level; else k: all bricks fewer than k away (the largest of the three counts)
    // are free.
    [[nodiscard]] int clearance(std::size_t brick) const { return clearances[brick] & longest_jump; }
    [[nodiscard]] bool inside(std::size_t brick) const { return (clearances[brick] & inside_bit) != 0; }
    // Of a brick that holds the level: its number among them.
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
    using CodeCell = std::array<std::uint16_t, 8>; // corners by y, z and then x
    using FloatCell = std::array<float, 8>;

    std::array<double, 4> last_brick; // along each axis; the fourth is 0
    double level;
    double margin;       // m
    double margin_cells; // how far off a position may be, in cells
    bool continuous; // neighbouring bricks agree on their common samples within the margin; if not, nothing here is a
                     // proof
    double border_least; // the least value at the border of the domain (m)

    HugeVector<std::uint8_t> clearances;
    HugeVector<RankWord> ranks;
    HugeVector<HeldCells> cells;  // by rank
    HugeVector<HeldBrick> bricks; // by rank
    HugeVector<Index> places;     // by rank: the brick
    HugeVector<CodeCell> codes;   // code16
    HugeVector<FloatCell> values; // float32
};

} // namespace fathom
