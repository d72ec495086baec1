// A depth map as the CPU asks it again and again while it limits what is drawn: rows with room behind
// them (RasterRows), and the least and the largest depth of each tile of 16 x 16 pixels, so that pieces that cannot
// pass are left out as a whole. O(pixels) to make.
#pragma once

#include <fathom/detect/depth/cpu_raster.h>

#include <vector>

namespace fathom {

class DepthLimits {
public:
    DepthLimits() = default;
    explicit DepthLimits(const DepthMap& map);

    static constexpr int tile = 1 << limit_tile_bits; // pixels

    [[nodiscard]] const float* rows() const { return rows_.data(); }
    [[nodiscard]] int tile_columns() const { return tile_columns_; }
    [[nodiscard]] const float* least() const { return least_.data(); } // by tile, row by row
    [[nodiscard]] const float* largest() const { return largest_.data(); }
    [[nodiscard]] float least(int tile_row, int tile_column) const { return least_[at(tile_row, tile_column)]; }
    [[nodiscard]] float largest(int tile_row, int tile_column) const { return largest_[at(tile_row, tile_column)]; }

private:
    [[nodiscard]] std::size_t at(int tile_row, int tile_column) const {
        return static_cast<std::size_t>(tile_row * tile_columns_ + tile_column);
    }

    int tile_columns_ = 0;
    std::vector<float> rows_, least_, largest_;
};

// Can anything within this reach be deeper than `after` and not deeper than `until`, in some pixel? Either may be null.
[[nodiscard]] bool may_pass(const DrawnReach& reach, const DepthLimits* after, const DepthLimits* until);

} // namespace fathom
