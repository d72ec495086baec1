// The arrays of a grid field: in memory of our own, or mapped from a file.
// Near the surface a brick stores all its samples; elsewhere only the corners of bricks are kept. Faces between a
// stored brick and its absence carry the interpolated corner values, so the field is continuous (with 16-bit codes, up
// to half a step on those faces).
#pragma once

#include <fathom/base/vec.h>
#include <fathom/field/grid/grid_layout.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fathom {

// A value range in float, rounded outward.
struct FloatRange {
    float lower = 0;
    float upper = 0;
};

enum class GridStorage : std::uint32_t {
    float32, // 4 bytes a sample
    code16   // 2 bytes a sample; rounding of at most half a step is part of the stated error
};

struct GridData {
    GridLayout layout;
    GridStorage storage = GridStorage::code16;
    double band = 0;       // cells that come this near to the surface have all their samples (m)
    double near_error = 0; // |value - true distance| within the band (m)
    double far_error = 0;  // elsewhere in the domain (m)
    double lipschitz = 0;  // of the interpolated field
    double step = 0;       // code16: value = step * (base + code), in double; one lattice for all bricks (m)

    std::span<const float> corners;           // at the corners of all bricks (m)
    std::span<const Index> brick_of;          // of each brick position: its stored brick, or no_index
    std::span<const std::int32_t> bases;      // of each stored brick; code16 only
    std::span<const std::uint16_t> codes;     // 729 of each stored brick; code16 only
    std::span<const float> values;            // 729 of each stored brick; float32 only
    std::span<const FloatRange> block_ranges; // of the eight 4 x 4 x 4-cell blocks of each stored brick
    std::vector<std::span<const FloatRange>>
        levels; // level k: of blocks of 2^(k+1) bricks a side, x fastest; the last is one

    std::shared_ptr<const void> owner; // keeps the arrays alive

    [[nodiscard]] std::size_t stored_bricks() const { return block_ranges.size() / 8; }
    [[nodiscard]] std::size_t bytes() const; // resident size of all arrays
};

// A sample of a stored brick (m); `at` as brick_sample() counts.
[[nodiscard]] inline double stored_value(const GridData& data, std::size_t brick, std::size_t at) {
    if (data.storage == GridStorage::float32) return static_cast<double>(data.values[brick * brick_size + at]);
    return data.step * (data.bases[brick] + data.codes[brick * brick_size + at]);
}

// Number of blocks of 2^(level + 1) bricks along an axis with `bricks` bricks.
[[nodiscard]] constexpr int blocks_along(int bricks, int level) {
    const int side = 1 << (level + 1);
    return (bricks + side - 1) / side;
}
// How many levels lie above the bricks until one block holds all.
[[nodiscard]] int level_count(const GridLayout& layout);

} // namespace fathom
