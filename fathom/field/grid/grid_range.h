// Range of the interpolated field of a grid over a box, by branch and bound over the pyramid, the blocks of bricks, and
// the cells.
// A trilinear function has its extrema at the corners of any box inside its cell, so the result is exact for small
// boxes and never looser than a quarter of the box for large ones.
#pragma once

#include <fathom/base/interval.h>
#include <fathom/field/grid/grid_data.h>
#include <fathom/field/plane_over.h>

#include <array>
#include <vector>

namespace fathom {

// Range over a box within the domain (m). It encloses every value that GridField computes there, including rounding.
[[nodiscard]] Interval range_inside(const GridData& data, const Box& box);

// Box that contains every point of the domain with value <= 0.
[[nodiscard]] Box inside_bounds(const GridData& data);

// Range over a whole brick: a stored one, and one at a position, stored or not.
[[nodiscard]] Interval stored_brick_range(const GridData& data, Index stored);
[[nodiscard]] Interval brick_range(const GridData& data, std::size_t brick_index);

// Range from the pyramid over boxes of 2^k cells a side (k >= 1) that start at a multiple of their size from the
// origin. Empty beyond the grid.
[[nodiscard]] Interval aligned_block_range(const GridData& data, const Box& box);

// Range over the block of a pyramid level that contains a cell, counted from the origin.
[[nodiscard]] const FloatRange& level_range(const GridData& data, int level, const std::array<int, 3>& cell);

// The eight corner values of a brick position, and those of one cell of a stored brick.
[[nodiscard]] std::array<double, 8> brick_corner_values(const GridData& data, const std::array<int, 3>& brick);
[[nodiscard]] std::array<double, 8> stored_cell_values(const GridData& data, Index stored,
                                                       const std::array<int, 3>& cell);

// ---- Range of the gradient of a grid's interpolated field over a box.
// The slopes of a trilinear function along an axis lie between those of the four edges of its cell, so the smallest and
// largest edge slope of each block of 4 x 4 x 4 cells bound them; in small boxes they are computed exactly, cell by
// cell. Where two surfaces face each other their slopes cancel, and the remainder proves over a wide patch that they
// stay apart, however small the gap is; range() alone would need cells as small as the gap. Construction: O(stored
// cells), in parallel; 196 bytes per stored brick. Immutable, thread-safe; shares the grid's arrays.

class GridSlopes final : public FieldSlopes {
public:
    explicit GridSlopes(const GridData& data);

    bool over(const Box& box, SlopeRange& out) const override;
    // Larger boxes reach the steep border of the stored bricks.
    [[nodiscard]] double largest_half() const override { return 6 * data_.layout.cell; }
    [[nodiscard]] std::size_t bytes() const override {
        return blocks_.size() * sizeof(Block) + jumps_.size() * sizeof(float);
    }

private:
    struct Block {
        // Smallest and largest difference along edges (m per cell), rounded outward.
        std::array<float, 3> least, greatest;
    };

    struct Span; // range of cells along each axis

    [[nodiscard]] Block stored_block(Index stored, int block) const;
    [[nodiscard]] Block absent_block(const std::array<int, 3>& brick) const;
    void over_cells(const Span& span, SlopeRange& out) const;
    void over_blocks(const Span& span, SlopeRange& out) const;
    [[nodiscard]] double jump_over(const Span& span) const;

    GridData data_;
    std::vector<Block> blocks_; // eight per stored brick, as GridData::block_ranges
    std::vector<float> jumps_;  // per stored brick: the largest jump on its faces
};

} // namespace fathom
