// Triangles and lines of any size, row by row: which columns they cover, exactly, and the plane of their
// depth. For what is too large for the 32-bit edge functions of cpu_raster.cpp, and for conservative drawing. Corners
// may lie 2^52 pixels away (those beyond are moved in to there); the walk costs one division an edge and then
// additions, whatever lies outside of the view.
#pragma once

#include <fathom/detect/depth/depth_backend.h>

#include <array>
#include <cstdint>

namespace fathom {

inline constexpr int subpixels = 256; // in a pixel

struct MapCorner {
    std::int64_t x = 0, y = 0; // 1/256 pixels
    double depth = 0;

    // False, and not to be drawn, where a number is not finite.
    [[nodiscard]] bool set(float x_subpixels, float y_subpixels, float depth_at);
};

// Where e + a column + b row >= 0, followed from row to row: quotient and remainder of (e + b row) / |a|.
class EdgeWalk {
public:
    __extension__ using Wide = __int128;

    EdgeWalk() = default;
    // The left side of the way from `from` to `to` (as the map's rows run down: the right side), and the line itself
    // where it is `closed`; of the middles of pixels or, grown, of squares a 256th of a pixel larger than they on every
    // side.
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
    float nearest = 0, farthest = 0;   // depth in the first column; the same but for conservative drawing
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

    // Rows that may be covered; none where first > last.
    [[nodiscard]] int first_row() const { return first_row_; }
    [[nodiscard]] int last_row() const { return last_row_; }
    // Depth by column, and the range that it never leaves.
    [[nodiscard]] float slope() const { return static_cast<float>(slope_x_); }
    [[nodiscard]] float nearest() const { return static_cast<float>(nearest_); }
    [[nodiscard]] float farthest() const { return static_cast<float>(farthest_); }

    // To the first row wanted, not before first_row(); then row after row.
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
    double slope_x_ = 0, slope_y_ = 0; // depth by pixel
    double slope_error_ = 0;           // what either may be off by
    double nearest_ = 0, farthest_ = 0;
    bool conservative_ = false;
    int first_column_ = 0, last_column_ = -1, first_row_ = 0, last_row_ = -1, row_ = 0;
};

// The pixel of a line in column k, or in row k where it is steep: one in each whose middle is in [from, to) along that
// axis.
class LineSteps {
public:
    LineSteps(const MapCorner& a, const MapCorner& b, int width, int height);

    [[nodiscard]] int first() const { return first_; }
    [[nodiscard]] int last() const { return last_; }
    // False where it is outside of the view.
    [[nodiscard]] bool at(int k, int& column, int& row, float& depth) const;

private:
    MapCorner a_, b_;
    bool steep_ = false;
    int first_ = 0, last_ = -1, other_count_ = 0;
};

} // namespace fathom
