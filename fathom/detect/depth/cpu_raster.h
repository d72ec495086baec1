// Rows of a depth map from clusters of primitives: the inner loops of the CPU backend, for the CPU at
// hand. A pixel keeps the nearest (farthest) depth and, of equal ones, the lowest key: so the order in which things are
// drawn, and how rows are shared out, leave no trace in the result.
#pragma once

#include <fathom/detect/depth/depth_backend.h>

#include <cstdint>
#include <span>

namespace fathom {

struct RasterBody {
    const DrawnMesh* mesh = nullptr;
    ClipMatrix matrix{};
    std::int32_t first_key = 1; // of its first primitive in the order of drawing
};

struct RasterCluster {
    std::uint32_t body = 0, cluster = 0;
    DrawnReach reach;
};

// What is drawn, and how.
struct Raster {
    int width = 0, height = 0;
    Keep keep = Keep::nearest;
    Faces faces = Faces::front;
    bool conservative = false;
    std::span<const RasterBody> bodies{};
    std::span<const RasterCluster> clusters{};
};

inline constexpr int limit_tile_bits = 4; // limits are summed up in tiles of 16 x 16 pixels

// Some rows of it, in memory of their own that stays in the cache. Rows are longer than the map's, so that eight pixels
// from any column on are in there, and not a power of two apart, so that rows do not push one another out.
struct RasterRows {
    int first = 0, last = -1;
    std::size_t stride = 0;
    float* depth = nullptr;
    std::int32_t* keys = nullptr;                                 // or none; 0 where there is nothing
    const float *after = nullptr, *until = nullptr;               // or none
    const float *least_after = nullptr, *largest_until = nullptr; // the same by tile, both or none
    int tile_columns = 0;
    bool* met = nullptr; // instead of depth and keys: whether anything would be drawn

    [[nodiscard]] static std::size_t stride_of(int width) { return (static_cast<std::size_t>(width) + 7) / 8 * 8 + 16; }
    [[nodiscard]] std::size_t at(int row, int column) const {
        return static_cast<std::size_t>(row - first) * stride + static_cast<std::size_t>(column);
    }
};

// Clears the rows and draws all clusters there.
//
// Depth is that of the plane through the corners, rounded to 1/256 of a pixel, in the middle of the pixel, and never
// leaves the range of the three corners. Off by at most 2^-22 (1 + d), where d is how much the plane rises along the
// width and the height of the triangle's box (as far as it is in the view): below 1e-6 for d up to 3, so for all but
// slivers seen nearly edge-on.
void draw_rows(const Raster& raster, const RasterRows& rows);
// Would it draw anything? Looks no further than the first pixel.
[[nodiscard]] bool rows_are_met(const Raster& raster, RasterRows rows);

// Pixels `begin` to `end` - 1; `deepest_pixel` is counted from the start of the maps.
[[nodiscard]] DepthOverlap compare_pixels(const DepthMap& object, const DepthMap& environment, std::size_t begin,
                                          std::size_t end);

} // namespace fathom
