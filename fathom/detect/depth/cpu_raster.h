// Rasterizes clusters of primitives into rows of a depth map: the inner loops of the CPU backend, compiled for several
// CPU types. A pixel keeps the nearest (farthest) depth and, at equal depth, the lowest key, so that the result does
// not depend on the order of drawing or on the distribution of the rows over threads.
#pragma once

#include <fathom/detect/depth/depth_backend.h>

#include <cstdint>
#include <span>

namespace fathom::depth {

struct RasterBody {
    const DrawnMesh* mesh = nullptr;
    ClipMatrix matrix{};
    std::int32_t first_key = 1; // key of its first primitive in drawing order
};

struct RasterCluster {
    std::uint32_t body = 0, cluster = 0;
    DrawnReach reach;
};

// The input of the rasterizer and its settings.
struct Raster {
    int width = 0, height = 0;
    Keep keep = Keep::nearest;
    Faces faces = Faces::front;
    bool conservative = false;
    std::span<const RasterBody> bodies{};
    std::span<const RasterCluster> clusters{};
};

inline constexpr int limit_tile_bits = 4; // `after` and `until` are summarized in tiles of 16 x 16 pixels

// A range of rows of the map, in memory of its own that stays in the cache. The stride exceeds the width of the map, so
// that eight pixels can be read from any column on, and is not a power of two, so that rows do not evict one another.
struct RasterRows {
    int first = 0, last = -1;
    std::size_t stride = 0;
    float* depth = nullptr;
    std::int32_t* keys = nullptr;                           // optional; 0 where nothing was drawn
    const float *after = nullptr, *until = nullptr;         // optional limits
    const float *min_after = nullptr, *max_until = nullptr; // the limits by tile; both or none
    int tile_columns = 0;
    bool* met = nullptr; // used instead of depth and keys: set if anything would be drawn

    [[nodiscard]] static std::size_t stride_of(int width) { return (static_cast<std::size_t>(width) + 7) / 8 * 8 + 16; }
    [[nodiscard]] std::size_t at(int row, int column) const {
        return static_cast<std::size_t>(row - first) * stride + static_cast<std::size_t>(column);
    }
};

// Clears the rows and draws all clusters into them.
//
// The depth is that of the plane through the corners, rounded to 1/256 of a pixel, at the centre of the pixel, clamped
// to the range of the three corners. Its error is at most 2^-22 (1 + d), where d is the rise of the plane along the
// width and the height of the triangle's box (within the view): below 1e-6 for d up to 3, so for all triangles except
// slivers seen nearly edge-on.
void draw_rows(const Raster& raster, const RasterRows& rows);
// Whether draw_rows() would draw anything. Stops at the first pixel.
[[nodiscard]] bool any_row_drawn(const Raster& raster, RasterRows rows);

// Compares the pixels `begin` to `end` - 1; `deepest_pixel` is counted from the start of the maps.
[[nodiscard]] DepthOverlap compare_pixels(const DepthMap& object, const DepthMap& environment, std::size_t begin,
                                          std::size_t end);

} // namespace fathom::depth
