// Is this grid sound enough to be asked? For grids that come from files, and before one is written:
// whatever passes can be queried without reading past its arrays and without overflow, whoever made it.
#pragma once

#include <fathom/base/error.h>
#include <fathom/field/grid/grid_data.h>

#include <cstdint>

namespace fathom {

// Bricks along an axis; so many that sums and products of positions stay far from overflow.
inline constexpr int most_bricks_along = 1 << 24;

// Number of entries of each array of a grid, by its layout and storage.
struct GridCounts {
    std::size_t corners = 0;
    std::size_t bricks = 0;
    std::size_t stored = 0;
    std::size_t level_entries = 0; // of all levels together
};

// What the layout asks for, computed without overflow. Error{malformed, non_finite} where it is no layout,
// Error{count_mismatch} where a grid of `available` bytes cannot have it.
[[nodiscard]] GridCounts counts_of(const GridLayout& layout, std::size_t stored, std::size_t available,
                                   const Place& place);

// Levels of `entries` in turn, as they are laid out one after another.
[[nodiscard]] std::vector<std::span<const FloatRange>> split_levels(const GridLayout& layout,
                                                                    std::span<const FloatRange> entries);

// Layout, numbers and all arrays: finite, in range, of the lengths that the layout asks for, stored bricks numbered in
// the order of their positions. Throws Error that names the array and the entry. Reads every array but the codes once.
// It does not prove that ranges enclose samples: that is the word of whoever built the grid.
void check_grid(const GridData& data, const Place& place);

} // namespace fathom
