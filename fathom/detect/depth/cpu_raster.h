// Room: detect. Rows of a depth map from clusters of primitives: the inner loops of the CPU backend, for the CPU at hand.
// A pixel keeps the nearest (farthest) depth and, of equal ones, the lowest key: so the order in which things are drawn, and how rows are shared
// out, leave no trace in the result.
#pragma once

#include <fathom/detect/depth/depth_backend.h>

#include <cstdint>
#include <span>

namespace fathom {

inline constexpr int narrowest_stride = 8; // floats from one row to the next, at least

struct RasterBody {
    const DrawnMesh* mesh = nullptr;
    ClipMatrix matrix{};
    std::int32_t first_key = 1; // of its first primitive in the order of drawing
};

struct RasterCluster {
    std::uint32_t body = 0, cluster = 0;
    DrawnRows rows;
};

struct Raster {
    int width = 0, height = 0, stride = 0;
    Keep keep = Keep::nearest;
    Faces faces = Faces::front;
    bool conservative = false;
    float* depth = nullptr;
    std::int32_t* keys = nullptr;                          // or none; 0 where there is nothing
    const float *after = nullptr, *until = nullptr;        // or none
    std::span<const RasterBody> bodies{};
    std::span<const RasterCluster> clusters{};
};

// Clears rows `first` to `last` and draws all clusters there. Threads may share the rows of a raster.
//
// Depth is that of the plane through the corners, rounded to 1/256 of a pixel, in the middle of the pixel, and never leaves the range of the
// three corners. Off by at most 2^-22 (1 + d), where d is how much the plane rises along the width and the height of the triangle's box (as far
// as it is in the view): below 1e-6 for d up to 3, so for all but slivers seen nearly edge-on.
void draw_rows(const Raster& raster, int first, int last);

// Pixels `begin` to `end` - 1; `deepest_pixel` is counted from the start of the maps.
[[nodiscard]] DepthOverlap compare_pixels(const DepthMap& object, const DepthMap& environment, std::size_t begin, std::size_t end);

} // namespace fathom
