// Intersection of a segment and a triangle, and of two segments.
#include <fathom/geometry/primitive/segment_triangle.h>

#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

#include <algorithm>

namespace fathom {

// Intersection of two segments.

namespace {

// The axis along which the projection of four coplanar points is not degenerate, -1 if they are collinear.
int common_axis(const Segment& a, const Segment& b) {
    const std::array<std::array<Vec3, 3>, 4> triangles = {
        {{a.start, a.end, b.start}, {a.start, a.end, b.end}, {a.start, b.start, b.end}, {a.end, b.start, b.end}}};
    for (const auto& triangle : triangles)
        if (const int axis = projection_axis(triangle); axis >= 0) return axis;
    return -1;
}

bool overlap_on_line(const Segment& a, const Segment& b) {
    const auto [a_first, a_last] = std::minmax(a.start, a.end, precedes);
    const auto [b_first, b_last] = std::minmax(b.start, b.end, precedes);
    return !precedes(a_last, b_first) && !precedes(b_last, a_first);
}

// Whether both ends of `b` lie strictly on one side of the line through `a`.
bool beside(const Segment& a, const Segment& b, int axis) {
    return orient2d(a.start, a.end, b.start, axis) * orient2d(a.start, a.end, b.end, axis) > 0;
}

} // namespace

bool segments_overlap(const Segment& a, const Segment& b) {
    if (!a.bounds().overlaps(b.bounds())) return false;
    if (orient3d(a.start, a.end, b.start, b.end) != 0) return false;
    const int axis = common_axis(a, b);
    if (axis < 0) return overlap_on_line(a, b);
    return !beside(a, b, axis) && !beside(b, a, axis);
}

namespace {

using Corners = std::array<Vec3, 3>;

// The segment's line crosses the triangle's plane in one point between the ends: whether that point is in the triangle.
bool line_pierces(const Segment& s, const Corners& t) {
    bool above = false;
    bool below = false;
    for (std::size_t k = 0; k < 3; ++k) {
        const int side = orient3d(s.start, s.end, t[k], t[(k + 1) % 3]);
        above |= side > 0;
        below |= side < 0;
        if (above && below) return false;
    }
    return true;
}

// All points are coplanar, and the projection of the triangle along `axis` has area.
bool overlap_in_plane(const Segment& s, const Corners& t, int axis) {
    if (contains_in_plane(t, s.start, axis)) return true;
    for (std::size_t k = 0; k < 3; ++k)
        if (segments_overlap(s, {t[k], t[(k + 1) % 3]})) return true;
    return false;
}

// The intersection of a coplanar segment and triangle that are known to intersect.
class InPlane {
public:
    InPlane(const Segment& s, const Corners& t, int axis) : s_(s), t_(t), axis_(axis) {
        const int turn = orient2d(t[0], t[1], t[2], axis);
        for (std::size_t k = 0; k < 3; ++k) {
            start_[k] = turn * orient2d(t[k], t[(k + 1) % 3], s.start, axis);
            end_[k] = turn * orient2d(t[k], t[(k + 1) % 3], s.end, axis);
        }
    }

    [[nodiscard]] SegmentTriangleOverlap overlap() const {
        if (s_.start == s_.end || leaves_at_once(start_, end_)) return {OverlapKind::point, 0, 0};
        if (leaves_at_once(end_, start_)) return {OverlapKind::point, 1, 1};
        if (const int corner = only_corner(); corner >= 0) {
            const double fraction = s_.closest_fraction(t_[static_cast<std::size_t>(corner)]);
            return {OverlapKind::point, fraction, fraction};
        }
        return clipped();
    }

private:
    using Signs = std::array<int, 3>;

    // `from` is in the triangle, on an edge, and `to` lies beyond that edge.
    [[nodiscard]] static bool leaves_at_once(const Signs& from, const Signs& to) {
        bool leaves = false;
        for (std::size_t k = 0; k < 3; ++k) {
            if (from[k] < 0) return false;
            leaves |= from[k] == 0 && to[k] < 0;
        }
        return leaves;
    }

    // The corner that lies on the segment's line while the other two lie strictly on one side of it, or -1.
    [[nodiscard]] int only_corner() const {
        Signs side;
        for (std::size_t k = 0; k < 3; ++k) side[k] = orient2d(s_.start, s_.end, t_[k], axis_);
        for (std::size_t k = 0; k < 3; ++k)
            if (side[k] == 0 && side[(k + 1) % 3] * side[(k + 2) % 3] > 0) return static_cast<int>(k);
        return -1;
    }

    [[nodiscard]] SegmentTriangleOverlap clipped() const {
        SegmentTriangleOverlap result{OverlapKind::segment, 0, 1};
        for (std::size_t k = 0; k < 3; ++k) {
            if (start_[k] >= 0 && end_[k] >= 0) continue;
            const Vec3 edge = t_[(k + 1) % 3] - t_[k];
            const double from = std::abs(edge.cross(s_.start - t_[k])[axis_]);
            const double to = std::abs(edge.cross(s_.end - t_[k])[axis_]);
            const double crossing = from + to > 0 ? from / (from + to) : 0.5;
            if (start_[k] < 0) result.first = std::max(result.first, crossing);
            if (end_[k] < 0) result.last = std::min(result.last, crossing);
        }
        result.last = std::max(result.last, result.first);
        return result;
    }

    const Segment& s_;
    const Corners& t_;
    int axis_;
    Signs start_;
    Signs end_;
};

// A triangle without area is a segment; the two are known to intersect.
SegmentTriangleOverlap overlap_with_spine(const Segment& s, const Segment& spine) {
    const bool on_line = collinear(s.start, s.end, spine.start) && collinear(s.start, s.end, spine.end);
    if (s.start == s.end) return {OverlapKind::point, 0, 0};
    if (!on_line) {
        const double fraction = closest_points(s, spine).fraction_a;
        return {OverlapKind::point, fraction, fraction};
    }
    const bool forward = precedes(s.start, s.end);
    const Vec3& low = std::max(forward ? s.start : s.end, spine.start, precedes);
    const Vec3& high = std::min(forward ? s.end : s.start, spine.end, precedes);
    const double first = s.closest_fraction(forward ? low : high);
    const double last = s.closest_fraction(forward ? high : low);
    return {low == high ? OverlapKind::point : OverlapKind::segment, first, std::max(first, last)};
}

SegmentTriangleOverlap flat_overlap(const Segment& s, const Corners& t) {
    const int axis = projection_axis(t);
    SegmentTriangleOverlap result;
    if (axis >= 0) {
        if (overlap_in_plane(s, t, axis)) result = InPlane(s, t, axis).overlap();
    } else if (const Segment line = spine(t); segments_overlap(s, line)) {
        result = overlap_with_spine(s, line);
    }
    if (result.kind != OverlapKind::none) result.barycentric = closest_point(s.at(result.first), t).barycentric;
    return result;
}

// Numbers of one sign as fractions of their sum; equal fractions if the numbers exceeded the range of double.
template <std::size_t N>
std::array<double, N> shares(std::array<double, N> parts) {
    double sum = 0;
    for (double& part : parts) sum += part = std::abs(part);
    for (double& part : parts) part = sum > 0 && std::isfinite(sum) ? part / sum : 1.0 / N;
    return parts;
}

SegmentTriangleOverlap crossing(const Segment& s, const Corners& t) {
    const auto [fraction, rest] =
        shares<2>({orient3d_value(t[0], t[1], t[2], s.start), orient3d_value(t[0], t[1], t[2], s.end)});
    std::array<double, 3> opposite;
    for (std::size_t k = 0; k < 3; ++k) opposite[k] = orient3d_value(s.start, s.end, t[(k + 1) % 3], t[(k + 2) % 3]);
    const std::array<double, 3> weight = shares<3>(opposite);
    return {OverlapKind::point, fraction, fraction, Vec3(weight[0], weight[1], weight[2])};
}

} // namespace

bool segment_overlaps_triangle(const Segment& segment, const std::array<Vec3, 3>& triangle) {
    const PlaneSide plane(triangle[0], triangle[1], triangle[2]);
    const int start = plane(segment.start);
    const int end = plane(segment.end);
    if (start * end > 0) return false;
    if (start != 0 || end != 0) return line_pierces(segment, triangle);
    const int axis = projection_axis(triangle);
    return axis >= 0 ? overlap_in_plane(segment, triangle, axis) : segments_overlap(segment, spine(triangle));
}

SegmentTriangleOverlap segment_triangle_overlap(const Segment& segment, const std::array<Vec3, 3>& triangle) {
    const PlaneSide plane(triangle[0], triangle[1], triangle[2]);
    const int start = plane(segment.start);
    const int end = plane(segment.end);
    if (start * end > 0) return {};
    if (start == 0 && end == 0) return flat_overlap(segment, triangle);
    return line_pierces(segment, triangle) ? crossing(segment, triangle) : SegmentTriangleOverlap{};
}

} // namespace fathom
