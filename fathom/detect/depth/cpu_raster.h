// Rasterizes clusters of primitives into rows of a depth map: the inner loops of the CPU backend, compiled for several
// CPU types. A pixel keeps the nearest (farthest) depth and, at equal depth, the lowest key, so that the result does
// not depend on the order of drawing or on the distribution of the rows over threads.
#pragma once

#include <fathom/detect/depth/depth_backend.h>

#include <array>
#include <cstdint>
#include <span>

namespace fathom::depth {

// ---- Rasterizes triangles and lines of any size row by row: the exact range of covered columns and the plane of the
// depth. Used for primitives that are too large for the 32-bit edge functions of cpu_raster.cpp, and for conservative
// drawing. Corners may be up to 2^52 pixels away (those beyond are clamped to that). The cost is one division per edge
// and then additions per row, independent of the part outside the view.

inline constexpr int subpixels = 256; // per pixel

struct MapCorner {
    std::int64_t x = 0, y = 0; // 1/256 pixels
    double depth = 0;

    // Returns false if a number is not finite; the primitive must not be drawn then.
    [[nodiscard]] bool set(float x_subpixels, float y_subpixels, float depth_at);
};

// The half-plane e + a column + b row >= 0, traversed row by row: quotient and remainder of (e + b row) / |a|.
class EdgeWalk {
public:
    __extension__ using Wide = __int128;

    EdgeWalk() = default;
    // The half-plane on the left of the line from `from` to `to` (on the right as seen in the map, whose rows run
    // down), including the line itself if `closed`. It is tested at the centres of pixels or, if `grown`, for squares
    // that are 1/256 of a pixel larger than the pixel on every side.
    EdgeWalk(const MapCorner& from, const MapCorner& to, bool closed, bool grown);

    void start(int row);
    void next() {
        quotient_ += quotient_step_;
        remainder_ += remainder_step_;
        if (remainder_ >= divisor_) remainder_ -= divisor_, ++quotient_;
    }
    void cut(int& first, int& last) const {
        if (a_ > 0 && -quotient_ > first) first = -quotient_ > last ? last + 1 : static_cast<int>(-quotient_);
        if (a_ < 0 && quotient_ < last) last = quotient_ < first ? first - 1 : static_cast<int>(quotient_);
        if (a_ == 0 && quotient_ < 0) last = first - 1;
    }

private:
    std::int64_t a_ = 0, b_ = 0, divisor_ = 1, remainder_ = 0, remainder_step_ = 0;
    Wide e_ = 0, quotient_ = 0, quotient_step_ = 0;
};

struct Span {
    int row = 0, first = 0, last = -1; // columns
    float nearest = 0, farthest = 0;   // depth in the first column; the two differ only for conservative drawing
};

struct SpanOptions {
    Faces faces = Faces::both;
    bool conservative = false;
    int width = 0, height = 0; // of the view
};

class Spans {
public:
    Spans(std::array<MapCorner, 3> corners, const SpanOptions& options);       // a triangle
    Spans(const MapCorner& a, const MapCorner& b, const SpanOptions& options); // every pixel that a line touches

    // Rows that may be covered; empty if first > last.
    [[nodiscard]] int first_row() const { return first_row_; }
    [[nodiscard]] int last_row() const { return last_row_; }
    // Depth per column, and the range to which the depth is clamped.
    [[nodiscard]] float slope() const { return static_cast<float>(slope_x_); }
    [[nodiscard]] float nearest() const { return static_cast<float>(nearest_); }
    [[nodiscard]] float farthest() const { return static_cast<float>(farthest_); }

    // Call start() with the first row wanted, not before first_row(), then next() for one row after the other.
    void start(int row);
    [[nodiscard]] Span next();

private:
    [[nodiscard]] bool set_range(const std::array<MapCorner, 3>& corners, const SpanOptions& options);
    void set_plane(const std::array<MapCorner, 3>& corners, double area);
    void set_plane(const MapCorner& a, const MapCorner& b);
    void set_slopes(const MapCorner& anchor, double slope_x, double slope_y);
    [[nodiscard]] double depth_at(int column, int row) const;

    std::array<EdgeWalk, 3> edges_;
    std::size_t edge_count_ = 0;
    MapCorner anchor_{};
    double slope_x_ = 0, slope_y_ = 0; // depth per pixel
    double slope_error_ = 0;           // bound on the error of either slope
    double nearest_ = 0, farthest_ = 0;
    bool conservative_ = false;
    int first_column_ = 0, last_column_ = -1, first_row_ = 0, last_row_ = -1, row_ = 0;
};

// The pixel of a line in column k, or in row k for a steep line: one for each column (row) whose centre is in [from,
// to) along that axis.
class LineSteps {
public:
    LineSteps(const MapCorner& a, const MapCorner& b, int width, int height);

    [[nodiscard]] int first() const { return first_; }
    [[nodiscard]] int last() const { return last_; }
    // Returns false if the pixel is outside the view.
    [[nodiscard]] bool at(int k, int& column, int& row, float& depth) const;

private:
    MapCorner a_, b_;
    bool steep_ = false;
    int first_ = 0, last_ = -1, other_count_ = 0;
};

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
