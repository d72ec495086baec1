// Tiles of depth maps that limit drawing.
#include <fathom/detect/depth/cpu_limits.h>

#include <algorithm>

namespace fathom {

DepthLimits::DepthLimits(const DepthMap& map) : tile_columns_((map.view.width + tile - 1) / tile) {
    const auto width = static_cast<std::size_t>(map.view.width);
    const std::size_t stride = RasterRows::stride_of(map.view.width);
    const auto tiles = static_cast<std::size_t>(tile_columns_ * ((map.view.height + tile - 1) / tile));
    rows_.assign(stride * static_cast<std::size_t>(map.view.height), 0.0f);
    least_.assign(tiles, 2.0f);
    largest_.assign(tiles, -1.0f);
    for (int row = 0; row < map.view.height; ++row) {
        const float* depth = map.depth.data() + static_cast<std::size_t>(row) * width;
        std::copy_n(depth, width, rows_.data() + static_cast<std::size_t>(row) * stride);
        for (int column = 0; column < map.view.width; ++column) {
            const std::size_t k = at(row / tile, column / tile);
            least_[k] = std::min(least_[k], depth[column]);
            largest_[k] = std::max(largest_[k], depth[column]);
        }
    }
}

bool may_pass(const DrawnReach& reach, const DepthLimits* after, const DepthLimits* until) {
    constexpr int tile = DepthLimits::tile;
    for (int row = reach.first_row / tile; row <= reach.last_row / tile; ++row)
        for (int column = reach.first_column / tile; column <= reach.last_column / tile; ++column) {
            const bool deep_enough = !after || after->least(row, column) < reach.farthest;
            const bool shallow_enough = !until || !(until->largest(row, column) < reach.nearest);
            if (deep_enough && shallow_enough) return true;
        }
    return false;
}

} // namespace fathom
