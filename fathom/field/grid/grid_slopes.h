// Room: field. What the gradient of a grid's interpolated field can be over a box: its own kind of range, one order up.
// Trilinear functions have their slopes along an axis between those of the four edges of their cell, so the least and greatest
// edge of each block of 4 x 4 x 4 cells bound it; small boxes look at the edges themselves. Where two surfaces face one another
// their slopes cancel, and what is left says over a wide patch that they stay apart, however small the gap: range() alone would need cells as small as the gap.
// Built in O(stored cells), in parallel; 192 bytes a stored brick. Immutable, thread-safe; shares the grid's arrays.
#pragma once

#include <fathom/field/grid/grid_data.h>

#include <array>
#include <vector>

namespace fathom {

// Every slope is within `half` of `middle`, axis by axis.
struct SlopeRange {
    Vec3 middle = Vec3::Zero();
    Vec3 half = Vec3::Zero();

    [[nodiscard]] double steepest() const { return (middle.cwiseAbs() + half).norm(); }
};

class GridSlopes {
public:
    explicit GridSlopes(const GridData& data);

    // Over a box within the domain (m); false, with nothing written, for one that leaves it. Along any path in the box the field
    // changes by what these slopes allow, and by at most jump() besides.
    bool over(const Box& box, SlopeRange& out) const;

    [[nodiscard]] double jump() const { return jump_; } // of 16-bit samples on faces towards absent bricks (m)
    [[nodiscard]] std::size_t bytes() const { return blocks_.size() * sizeof(Block); }

private:
    struct Block {
        std::array<float, 3> least, greatest; // of differences along edges, in metres a cell, rounded outward
    };

    void over_cells(const std::array<int, 3>& first, SlopeRange& out) const;
    [[nodiscard]] Block absent_block(const std::array<int, 3>& brick) const;

    GridData data_;
    double jump_;
    std::vector<Block> blocks_; // eight of each stored brick, as GridData::block_ranges
};

} // namespace fathom
