// Exact row spans of large triangles and of lines.
#include <fathom/detect/depth/cpu_raster.h>

#include <fathom/base/rounding.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom::depth {

namespace {

using Wide = EdgeWalk::Wide;

constexpr std::int64_t farthest_corner = std::int64_t{1} << 60;
constexpr std::int64_t half_pixel = subpixels / 2;

Wide floor_divided(Wide a, Wide b) { // b > 0
    constexpr Wide small = Wide{1} << 62;
    if (a > -small && a < small && b < small) {
        const auto c = static_cast<std::int64_t>(a), d = static_cast<std::int64_t>(b);
        return c / d - (c % d < 0);
    }
    return a / b - (a % b < 0);
}

std::int64_t absolute(std::int64_t a) { return a < 0 ? -a : a; }

Wide cross(const MapCorner& a, const MapCorner& b, const MapCorner& c) {
    return static_cast<Wide>(b.x - a.x) * (c.y - a.y) - static_cast<Wide>(b.y - a.y) * (c.x - a.x);
}

int clamped(std::int64_t at, int low, int high) { return static_cast<int>(std::clamp<std::int64_t>(at, low, high)); }

// Pixels from..to-1 whose centres, or whose enlarged squares, are in the range.
void set_pixels(std::int64_t low, std::int64_t high, bool grown, int count, int& first, int& last) {
    first = clamped(grown ? (low - 2) >> 8 : (low + half_pixel - 1) >> 8, 0, count);
    last = clamped(grown ? (high + 1) >> 8 : (high - half_pixel) >> 8, -1, count - 1);
}

const MapCorner& nearest_to_view(const std::array<MapCorner, 3>& corners) {
    return *std::min_element(corners.begin(), corners.end(), [](const MapCorner& a, const MapCorner& b) {
        return std::max(absolute(a.x), absolute(a.y)) < std::max(absolute(b.x), absolute(b.y));
    });
}

} // namespace

bool MapCorner::set(float x_subpixels, float y_subpixels, float depth_at) {
    if (!std::isfinite(x_subpixels) || !std::isfinite(y_subpixels) || !std::isfinite(depth_at)) return false;
    constexpr auto far = static_cast<float>(farthest_corner);
    x = std::llrint(std::clamp(x_subpixels, -far, far));
    y = std::llrint(std::clamp(y_subpixels, -far, far));
    depth = depth_at;
    return true;
}

EdgeWalk::EdgeWalk(const MapCorner& from, const MapCorner& to, bool closed, bool grown)
    : a_(from.y - to.y), b_(to.x - from.x), divisor_(std::max<std::int64_t>(1, absolute(a_))) {
    Wide e = static_cast<Wide>(b_) * (half_pixel - from.y) + static_cast<Wide>(a_) * (half_pixel - from.x);
    if (grown)
        e += static_cast<Wide>(half_pixel + 1) * (static_cast<Wide>(absolute(a_)) + absolute(b_));
    else if (!closed)
        e -= 1;
    e_ = floor_divided(e, subpixels); // a step of one pixel is an integer multiple of these
    quotient_step_ = floor_divided(b_, divisor_);
    remainder_step_ = static_cast<std::int64_t>(b_ - quotient_step_ * divisor_);
}

void EdgeWalk::start(int row) {
    const Wide e = e_ + static_cast<Wide>(b_) * row;
    quotient_ = floor_divided(e, divisor_);
    remainder_ = static_cast<std::int64_t>(e - quotient_ * divisor_);
}

Spans::Spans(std::array<MapCorner, 3> c, const SpanOptions& options) : conservative_(options.conservative) {
    Wide area = cross(c[0], c[1], c[2]);
    if (area == 0 && !options.conservative) return;
    if (!set_range(c, options)) return;
    const bool front = area < 0; // the frame of a view is mirrored
    if (area < 0) std::swap(c[1], c[2]), area = -area;
    // Rounding of corners may have inverted a thin triangle.
    const auto [left, right] = std::minmax({c[0].x, c[1].x, c[2].x});
    const auto [top, bottom] = std::minmax({c[0].y, c[1].y, c[2].y});
    const Wide unsure = options.conservative ? 2 * (static_cast<Wide>(right - left) + (bottom - top)) + 4 : -1;
    const bool hidden = options.faces != Faces::both && front != (options.faces == Faces::front) && area > unsure;
    if (hidden) {
        last_row_ = first_row_ - 1;
        return;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const MapCorner &from = c[k], &to = c[(k + 1) % 3];
        const bool top_or_left = (from.y == to.y && to.x > from.x) || to.y < from.y;
        edges_[edge_count_++] = EdgeWalk(from, to, top_or_left, conservative_);
    }
    if (area > 0) set_plane(c, static_cast<double>(area));
}

Spans::Spans(const MapCorner& a, const MapCorner& b, const SpanOptions& options) : conservative_(true) {
    if (!set_range({a, b, b}, options)) return;
    edges_[edge_count_++] = EdgeWalk(a, b, true, true);
    edges_[edge_count_++] = EdgeWalk(b, a, true, true);
    set_plane(a, b);
}

bool Spans::set_range(const std::array<MapCorner, 3>& c, const SpanOptions& options) {
    const auto [left, right] = std::minmax({c[0].x, c[1].x, c[2].x});
    const auto [top, bottom] = std::minmax({c[0].y, c[1].y, c[2].y});
    std::tie(nearest_, farthest_) = std::minmax({c[0].depth, c[1].depth, c[2].depth});
    set_pixels(left, right, conservative_, options.width, first_column_, last_column_);
    set_pixels(top, bottom, conservative_, options.height, first_row_, last_row_);
    if (first_column_ > last_column_ || farthest_ < 0 || nearest_ > 1) last_row_ = first_row_ - 1;
    return first_row_ <= last_row_;
}

void Spans::set_plane(const std::array<MapCorner, 3>& c, double area) {
    const double x1 = static_cast<double>(c[1].x - c[0].x), y1 = static_cast<double>(c[1].y - c[0].y),
                 z1 = c[1].depth - c[0].depth;
    const double x2 = static_cast<double>(c[2].x - c[0].x), y2 = static_cast<double>(c[2].y - c[0].y),
                 z2 = c[2].depth - c[0].depth;
    const double magnitude =
        std::abs(z1) * (std::abs(x2) + std::abs(y2)) + std::abs(z2) * (std::abs(x1) + std::abs(y1));
    slope_error_ = rounding_error(8) * subpixels * magnitude / area;
    set_slopes(nearest_to_view(c), subpixels * ((z1 * y2 - z2 * y1) / area), subpixels * ((z2 * x1 - z1 * x2) / area));
}

// The plane that is level across the line.
void Spans::set_plane(const MapCorner& a, const MapCorner& b) {
    const double x = static_cast<double>(b.x - a.x), y = static_cast<double>(b.y - a.y), square = x * x + y * y;
    if (square > 0)
        set_slopes(nearest_to_view({a, b, b}), subpixels * ((b.depth - a.depth) * x / square),
                   subpixels * ((b.depth - a.depth) * y / square));
}

// Steeper planes give no useful depth: the range of the triangle is used.
void Spans::set_slopes(const MapCorner& anchor, double slope_x, double slope_y) {
    constexpr double steepest = 1e12;
    if (conservative_ && !(std::abs(slope_x) + std::abs(slope_y) < steepest)) return;
    anchor_ = anchor;
    slope_x_ = std::clamp(slope_x, -1e30, 1e30);
    slope_y_ = std::clamp(slope_y, -1e30, 1e30);
}

double Spans::depth_at(int column, int row) const {
    const double x = static_cast<double>(column) + 0.5 - static_cast<double>(anchor_.x) / subpixels;
    const double y = static_cast<double>(row) + 0.5 - static_cast<double>(anchor_.y) / subpixels;
    return std::clamp(anchor_.depth + (slope_x_ * x + slope_y_ * y), -1e30, 1e30);
}

void Spans::start(int row) {
    row_ = row;
    for (std::size_t k = 0; k < edge_count_; ++k) edges_[k].start(row);
}

Span Spans::next() {
    Span span{.row = row_++, .first = first_column_, .last = last_column_};
    for (std::size_t k = 0; k < edge_count_; ++k) edges_[k].cut(span.first, span.last), edges_[k].next();
    if (span.first > span.last) return span;
    if (slope_x_ == 0 && slope_y_ == 0 && conservative_) {
        span.nearest = nearest(), span.farthest = farthest();
        return span;
    }
    const double depth = depth_at(span.first, span.row);
    double spare = 0;
    if (conservative_) {
        // Half a pixel, the enlargement of the square, and the error of the sums in float. See cpu_raster.cpp.
        const double across = std::abs(slope_x_) + std::abs(slope_y_);
        spare = (0.5 + 1.0 / subpixels) * across +
                0x1p-21 * (std::abs(depth) + std::abs(slope_x_) * (span.last - span.first) + across);
        const double away =
            (std::abs(static_cast<double>(anchor_.x)) + std::abs(static_cast<double>(anchor_.y))) / subpixels +
            2 * 16384;
        spare += (slope_error_ + rounding_error(8) * across) * away + rounding_error(8) * std::abs(anchor_.depth);
    }
    span.nearest = static_cast<float>(depth - spare), span.farthest = static_cast<float>(depth + spare);
    return span;
}

LineSteps::LineSteps(const MapCorner& a, const MapCorner& b, int width, int height)
    : a_(a), b_(b), steep_(absolute(b.y - a.y) > absolute(b.x - a.x)) {
    if (steep_) std::swap(a_.x, a_.y), std::swap(b_.x, b_.y);
    if (a_.x > b_.x) std::swap(a_, b_);
    other_count_ = steep_ ? width : height;
    set_pixels(a_.x, b_.x - 1, false, steep_ ? height : width, first_, last_);
}

bool LineSteps::at(int k, int& column, int& row, float& depth) const {
    const std::int64_t along = static_cast<std::int64_t>(subpixels) * k + half_pixel - a_.x, length = b_.x - a_.x;
    const Wide other = floor_divided(static_cast<Wide>(b_.y - a_.y) * along + static_cast<Wide>(a_.y) * length,
                                     static_cast<Wide>(length) * subpixels);
    if (other < 0 || other >= other_count_) return false;
    column = steep_ ? static_cast<int>(other) : k;
    row = steep_ ? k : static_cast<int>(other);
    depth = static_cast<float>(a_.depth +
                               (b_.depth - a_.depth) * (static_cast<double>(along) / static_cast<double>(length)));
    return true;
}

} // namespace fathom::depth
