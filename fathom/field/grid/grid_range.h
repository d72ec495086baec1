// What the interpolated field of a grid can be in a box: branch and bound over the pyramid, the blocks of
// bricks, and the cells. Trilinear functions have their extremes at the corners of any box inside their cell, so the
// answer is exact for small boxes and never more than a quarter of the box loose for large ones.
#pragma once

#include <fathom/base/interval.h>
#include <fathom/field/grid/grid_data.h>

#include <array>
#include <vector>

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

// What the gradient of a grid's interpolated field can be over a box: its own kind of range, one order up.
// Trilinear functions have their slopes along an axis between those of the four edges of their cell, so the least and
// greatest edge of each block of 4 x 4 x 4 cells bound it; in small boxes they are told exactly, cell by cell. Where
// two surfaces face one another their slopes cancel, and what is left says over a wide patch that they stay apart,
// however small the gap: range() alone would need cells as small as the gap. Built in O(stored cells), in parallel; 196
// bytes a stored brick. Immutable, thread-safe; shares the grid's arrays.

// Every slope is within `half` of `middle`, axis by axis.
struct SlopeRange {
    Vec3 middle = Vec3::Zero();
    Vec3 half = Vec3::Zero();
    double jump =
        0; // by which the field may change besides, along a straight way: where bricks meet that do not quite agree (m)

    [[nodiscard]] double steepest() const { return (middle.cwiseAbs() + half).norm(); }
};

class GridSlopes {
public:
    explicit GridSlopes(const GridData& data);

    // Over a box within the domain (m); false, with nothing written, for one that leaves it.
    bool over(const Box& box, SlopeRange& out) const;

    [[nodiscard]] std::size_t bytes() const { return blocks_.size() * sizeof(Block) + jumps_.size() * sizeof(float); }

private:
    struct Block {
        std::array<float, 3> least, greatest; // of differences along edges, in metres a cell, rounded outward
    };

    struct Span; // of cells along each axis

    [[nodiscard]] Block stored_block(Index stored, int block) const;
    [[nodiscard]] Block absent_block(const std::array<int, 3>& brick) const;
    void over_cells(const Span& span, SlopeRange& out) const;
    void over_blocks(const Span& span, SlopeRange& out) const;
    [[nodiscard]] double jump_over(const Span& span) const;

    GridData data_;
    std::vector<Block> blocks_; // eight of each stored brick, as GridData::block_ranges
    std::vector<float> jumps_;  // of each stored brick: the largest on its faces
};

} // namespace fathom
