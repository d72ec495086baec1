// What the interpolated field of a grid can be in a box: branch and bound over the pyramid, the blocks of
// bricks, and the cells. Trilinear functions have their extremes at the corners of any box inside their cell, so the
// answer is exact for small boxes and never more than a quarter of the box loose for large ones.
#pragma once

#include <fathom/base/interval.h>
#include <fathom/field/grid/grid_data.h>

namespace fathom {

// Over a box within the domain (m). Encloses every value that GridField computes there, rounding included.
[[nodiscard]] Interval range_inside(const GridData& data, const Box& box);

// A box that holds every point of the domain with value <= 0.
[[nodiscard]] Box inside_bounds(const GridData& data);

// Over a whole brick: one that is stored, and one at a position, stored or not.
[[nodiscard]] Interval stored_brick_range(const GridData& data, Index stored);
[[nodiscard]] Interval brick_range(const GridData& data, std::size_t brick_index);

// Over the block of a level of the pyramid that holds a cell, counted from the origin.
[[nodiscard]] const FloatRange& level_range(const GridData& data, int level, const std::array<int, 3>& cell);

// The eight corner values of a brick position, and of one cell of a stored brick.
[[nodiscard]] std::array<double, 8> brick_corner_values(const GridData& data, const std::array<int, 3>& brick);
[[nodiscard]] std::array<double, 8> stored_cell_values(const GridData& data, Index stored,
                                                       const std::array<int, 3>& cell);

} // namespace fathom
