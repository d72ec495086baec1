// Arrays of a grid field, in memory or mapped from a file.
// Near the surface a brick stores all its samples; elsewhere only the corners of bricks are kept. Faces between a
// stored brick and one that is not stored have the interpolated corner values, so the field is continuous (with 16-bit
// codes, up to half a step on those faces).
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/base/vec.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fathom {

// Positions of the samples of a grid: cubic cells in bricks of 8 x 8 x 8, x fastest.

inline constexpr int brick_cells = 8;                 // per axis
inline constexpr int brick_samples = brick_cells + 1; // per axis; a brick includes the samples on its border
inline constexpr std::size_t brick_size = 729;        // samples per brick

struct GridLayout {
    Vec3 origin = Vec3::Zero();            // position of the first sample (m)
    double cell = 1;                       // side of a cell (m)
    std::array<int, 3> bricks = {0, 0, 0}; // per axis

    [[nodiscard]] int cells(int axis) const { return bricks[static_cast<std::size_t>(axis)] * brick_cells; }
    [[nodiscard]] std::size_t brick_count() const { return product(0); }
    [[nodiscard]] std::size_t corner_count() const { return product(1); } // corners of bricks
    [[nodiscard]] Vec3 cell_counts() const { return Vec3(cells(0), cells(1), cells(2)); }
    [[nodiscard]] Box domain() const { return {origin, origin + cell * cell_counts()}; }

    [[nodiscard]] std::size_t brick_index(const std::array<int, 3>& b) const { return linear(b, 0); }
    [[nodiscard]] std::size_t corner_index(const std::array<int, 3>& c) const { return linear(c, 1); }
    [[nodiscard]] std::array<int, 3> brick_position(std::size_t index) const { return position(index, 0); }
    [[nodiscard]] std::array<int, 3> corner_position(std::size_t index) const { return position(index, 1); }

    // World position of a sample, counted in cells from the origin.
    [[nodiscard]] Vec3 sample_position(const std::array<int, 3>& s) const {
        return origin + cell * Vec3(s[0], s[1], s[2]);
    }
    // First sample of a brick, and box of the whole brick.
    [[nodiscard]] Vec3 brick_start(const std::array<int, 3>& b) const {
        return sample_position({b[0] * brick_cells, b[1] * brick_cells, b[2] * brick_cells});
    }
    [[nodiscard]] Box brick_box(const std::array<int, 3>& b) const {
        return {brick_start(b), brick_start({b[0] + 1, b[1] + 1, b[2] + 1})};
    }
    friend bool operator==(const GridLayout&, const GridLayout&) = default;

private:
    [[nodiscard]] std::size_t side(std::size_t axis, int extra) const {
        return static_cast<std::size_t>(bricks[axis] + extra);
    }
    [[nodiscard]] std::size_t product(int extra) const { return side(0, extra) * side(1, extra) * side(2, extra); }
    [[nodiscard]] std::size_t linear(const std::array<int, 3>& p, int extra) const {
        return (static_cast<std::size_t>(p[2]) * side(1, extra) + static_cast<std::size_t>(p[1])) * side(0, extra) +
               static_cast<std::size_t>(p[0]);
    }
    [[nodiscard]] std::array<int, 3> position(std::size_t index, int extra) const {
        const std::size_t row = index / side(0, extra);
        return {static_cast<int>(index % side(0, extra)), static_cast<int>(row % side(1, extra)),
                static_cast<int>(row / side(1, extra))};
    }
};

// Index of a sample inside its brick, each of i, j, k in {0, ..., 8}.
[[nodiscard]] constexpr std::size_t brick_sample(int i, int j, int k) {
    return static_cast<std::size_t>((k * brick_samples + j) * brick_samples + i);
}

// World positions of the samples of a brick.
inline void brick_positions(const GridLayout& layout, const std::array<int, 3>& b, std::span<Vec3, brick_size> out) {
    for (int s = 0; s < static_cast<int>(brick_size); ++s)
        out[static_cast<std::size_t>(s)] = layout.sample_position(
            {b[0] * brick_cells + s % brick_samples, b[1] * brick_cells + s / brick_samples % brick_samples,
             b[2] * brick_cells + s / (brick_samples * brick_samples)});
}

// A value range in float, rounded outward.
struct FloatRange {
    float lower = 0;
    float upper = 0;
};

enum class GridStorage : std::uint32_t {
    float32, // 4 bytes a sample
    code16   // 2 bytes a sample; the rounding of at most half a step is included in the stated error
};

struct GridData {
    GridLayout layout;
    GridStorage storage = GridStorage::code16;
    double band = 0;       // cells within this distance of the surface have all their samples (m)
    double near_error = 0; // |value - true distance| within the band (m)
    double far_error = 0;  // |value - true distance| elsewhere in the domain (m)
    double lipschitz = 0;  // of the interpolated field
    double step = 0;       // code16: value = step * (base + code), in double; one lattice for all bricks (m)

    std::span<const float> corners;           // values at the corners of all bricks (m)
    std::span<const Index> brick_of;          // for each brick position: index of its stored brick, or no_index
    std::span<const std::int32_t> bases;      // one per stored brick; code16 only
    std::span<const std::uint16_t> codes;     // 729 per stored brick; code16 only
    std::span<const float> values;            // 729 per stored brick; float32 only
    std::span<const FloatRange> block_ranges; // ranges of the eight 4 x 4 x 4-cell blocks of each stored brick
    // Pyramid: level k has the ranges of blocks of 2^(k+1) bricks a side, x fastest; the last level is one block.
    std::vector<std::span<const FloatRange>> levels;

    std::shared_ptr<const void> owner; // keeps the arrays alive

    [[nodiscard]] std::size_t stored_bricks() const { return block_ranges.size() / 8; }
    [[nodiscard]] std::size_t bytes() const; // resident size of all arrays
};

// Sample of a stored brick (m); `at` is an index as returned by brick_sample().
[[nodiscard]] inline double stored_value(const GridData& data, std::size_t brick, std::size_t at) {
    if (data.storage == GridStorage::float32) return static_cast<double>(data.values[brick * brick_size + at]);
    return data.step * (data.bases[brick] + data.codes[brick * brick_size + at]);
}

// Number of blocks of 2^(level + 1) bricks along an axis with `bricks` bricks.
[[nodiscard]] constexpr int blocks_along(int bricks, int level) {
    const int side = 1 << (level + 1);
    return (bricks + side - 1) / side;
}
// Number of levels above the bricks, up to the one with a single block.
[[nodiscard]] int level_count(const GridLayout& layout);

} // namespace fathom
