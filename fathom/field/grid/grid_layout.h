// Where the samples of a grid lie: cubic cells in bricks of 8 x 8 x 8, x fastest.
#pragma once

#include <fathom/base/box.h>

#include <array>
#include <cstddef>
#include <span>

namespace fathom {

inline constexpr int brick_cells = 8;                 // per axis
inline constexpr int brick_samples = brick_cells + 1; // per axis: a brick owns the samples on its border
inline constexpr std::size_t brick_size = 729;        // samples in all

struct GridLayout {
    Vec3 origin = Vec3::Zero();            // the first sample (m)
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
    // Of a brick: its first sample, and all of it.
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

} // namespace fathom
