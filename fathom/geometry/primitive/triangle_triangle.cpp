// Intersection of two triangles.
#include <fathom/geometry/primitive/triangle_triangle.h>

#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/primitive/segment_triangle.h>

#include <algorithm>
#include <vector>

namespace fathom {

// Exact properties of one triangle.

int projection_axis(const std::array<Vec3, 3>& triangle) {
    int largest = 0;
    area_vector(triangle).cwiseAbs().maxCoeff(&largest);
    for (int k = 0; k < 3; ++k) {
        const int axis = (largest + k) % 3;
        if (orient2d(triangle[0], triangle[1], triangle[2], axis) != 0) return axis;
    }
    return -1;
}

Segment spine(const std::array<Vec3, 3>& triangle) {
    const auto [first, last] = std::minmax_element(triangle.begin(), triangle.end(), precedes);
    return {*first, *last};
}

bool collinear(const Vec3& a, const Vec3& b, const Vec3& c) { return projection_axis({a, b, c}) < 0; }

bool contains_in_plane(const std::array<Vec3, 3>& triangle, const Vec3& p, int axis) {
    const int turn = orient2d(triangle[0], triangle[1], triangle[2], axis);
    for (std::size_t k = 0; k < 3; ++k)
        if (orient2d(triangle[k], triangle[(k + 1) % 3], p, axis) * turn < 0) return false;
    return true;
}

namespace {

using Corners = std::array<Vec3, 3>;
using Signs = std::array<int, 3>;

Signs sides(const Corners& plane, const Corners& of) {
    const PlaneSide side(plane[0], plane[1], plane[2]);
    return {side(of[0]), side(of[1]), side(of[2])};
}

bool one_sided(const Signs& s) { return s[0] != 0 && s[0] == s[1] && s[0] == s[2]; }
bool all_zero(const Signs& s) { return s[0] == 0 && s[1] == 0 && s[2] == 0; }

// The point where a triangle's boundary crosses the common line of the two planes: on the edge from `below` the other
// plane to `above` it. At most one of the two lies on the plane.
struct End {
    const Vec3* below;
    const Vec3* above;
    bool below_on_plane;
    bool above_on_plane;

    [[nodiscard]] bool is_corner() const { return below_on_plane || above_on_plane; }
    [[nodiscard]] Vec3 point(const Corners& plane) const {
        if (below_on_plane) return *below;
        if (above_on_plane) return *above;
        const double from = std::abs(orient3d_value(plane[0], plane[1], plane[2], *below));
        const double to = std::abs(orient3d_value(plane[0], plane[1], plane[2], *above));
        const double sum = from + to;
        return Segment{*below, *above}.at(sum > 0 && std::isfinite(sum) ? from / sum : 0.5);
    }
};

// The interval of the common line that a triangle covers, in the direction (its normal) x (normal of the other).
struct AxisSpan {
    End lower;
    End upper;
    bool is_point; // it only touches the other plane with one corner
};

// `s` are the sides of the corners of `t` relative to the other triangle's plane: not all 0, not all strictly on one
// side.
AxisSpan span_of(const Corners& t, const Signs& s) {
    const bool any_above = s[0] > 0 || s[1] > 0 || s[2] > 0;
    const auto is_above = [&](std::size_t k) { return any_above ? s[k] > 0 : s[k] >= 0; };
    // One corner is alone on its side: the two edges at it cross the plane.
    const std::size_t alone = is_above(1) == is_above(2) ? 0 : is_above(2) == is_above(0) ? 1 : 2;
    const std::size_t next = (alone + 1) % 3;
    const std::size_t previous = (alone + 2) % 3;
    const auto end_at = [&](std::size_t other) -> End {
        const std::size_t below = is_above(alone) ? other : alone;
        const std::size_t above = is_above(alone) ? alone : other;
        return {&t[below], &t[above], s[below] == 0, s[above] == 0};
    };
    // With the normal towards the viewer and `above` up, the direction of the line points left.
    if (is_above(alone)) return {end_at(previous), end_at(next), s[alone] == 0};
    return {end_at(next), end_at(previous), s[alone] == 0};
}

// Along (normal of a) x (normal of b): +1 if the end of b lies beyond the end of a, 0 if they coincide.
int order(const End& a, const End& b) { return orient3d(*a.below, *a.above, *b.below, *b.above); }

struct AxisSpans {
    AxisSpan a;
    AxisSpan b;

    // The second span is measured along the opposite direction, so it is reversed here.
    AxisSpans(const Corners& ta, const Corners& tb, const Signs& side_of_a, const Signs& side_of_b)
        : a(span_of(ta, side_of_a)), b(span_of(tb, side_of_b)) {
        std::swap(b.lower, b.upper);
    }
    [[nodiscard]] bool overlap() const { return order(a.lower, b.upper) >= 0 && order(a.upper, b.lower) <= 0; }
};

TriangleOverlap common_span(const AxisSpans& spans, const Corners& a, const Corners& b) {
    const int a_before_b = order(spans.a.upper, spans.b.lower);
    const int b_before_a = order(spans.a.lower, spans.b.upper);
    if (a_before_b > 0 || b_before_a < 0) return {};
    // If both triangles end at one point, the one with a corner there has it without rounding.
    const int low = order(spans.a.lower, spans.b.lower);
    const int high = order(spans.a.upper, spans.b.upper);
    const bool low_from_a = low < 0 || (low == 0 && spans.a.lower.is_corner());
    const bool high_from_a = high > 0 || (high == 0 && spans.a.upper.is_corner());
    const Vec3 start = low_from_a ? spans.a.lower.point(b) : spans.b.lower.point(a);
    const Vec3 end = high_from_a ? spans.a.upper.point(b) : spans.b.upper.point(a);
    const bool one_point = spans.a.is_point || spans.b.is_point || a_before_b == 0 || b_before_a == 0;
    if (!one_point) return {OverlapKind::segment, {start, end}};
    const Vec3& point = (low_from_a ? spans.a : spans.b).lower.is_corner() ? start : end;
    return {OverlapKind::point, {point, point}};
}

// Coplanar triangles with area, projected along an axis. Both are oriented counter-clockwise.
class Coplanar {
public:
    Coplanar(const Corners& a, const Corners& b, int axis) : a_(turned(a, axis)), b_(turned(b, axis)) {
        for (std::size_t edge = 0; edge < 3; ++edge)
            for (std::size_t k = 0; k < 3; ++k) {
                b_inside_a_[edge][k] = orient2d(a_[edge], a_[(edge + 1) % 3], b_[k], axis);
                a_inside_b_[edge][k] = orient2d(b_[edge], b_[(edge + 1) % 3], a_[k], axis);
            }
    }

    [[nodiscard]] TriangleOverlap overlap() const {
        for (std::size_t edge = 0; edge < 3; ++edge)
            if (outside(b_inside_a_[edge], 0) || outside(a_inside_b_[edge], 0)) return {};
        for (std::size_t edge = 0; edge < 3; ++edge) {
            if (outside(b_inside_a_[edge], 1)) return along_edge(a_, edge, b_, b_inside_a_[edge]);
            if (outside(a_inside_b_[edge], 1)) return along_edge(b_, edge, a_, a_inside_b_[edge]);
        }
        return {OverlapKind::area, farthest(corners_of_common_area())};
    }

private:
    using Table = std::array<Signs, 3>; // [edge of one][corner of the other]

    static Corners turned(const Corners& t, int axis) {
        if (orient2d(t[0], t[1], t[2], axis) > 0) return t;
        return {t[0], t[2], t[1]};
    }
    // Whether all corners are on the outer side of the edge; their signs must be below `below`.
    static bool outside(const Signs& s, int below) { return s[0] < below && s[1] < below && s[2] < below; }

    // The other triangle lies outside this edge and touches its line with one or two corners.
    static TriangleOverlap along_edge(const Corners& t, std::size_t edge, const Corners& other, const Signs& s) {
        std::vector<Vec3> touching;
        for (std::size_t k = 0; k < 3; ++k)
            if (s[k] == 0) touching.push_back(other[k]);
        if (touching.empty()) return {};
        const auto [first, last] = std::minmax(t[edge], t[(edge + 1) % 3], precedes);
        const auto [other_first, other_last] = std::minmax(touching.front(), touching.back(), precedes);
        const Vec3& low = std::max(first, other_first, precedes);
        const Vec3& high = std::min(last, other_last, precedes);
        if (precedes(high, low)) return {};
        return {low == high ? OverlapKind::point : OverlapKind::segment, {low, high}};
    }

    static void add_contained(std::vector<Vec3>& points, const Corners& t, const Table& s) {
        for (std::size_t k = 0; k < 3; ++k)
            if (s[0][k] >= 0 && s[1][k] >= 0 && s[2][k] >= 0) points.push_back(t[k]);
    }

    [[nodiscard]] std::vector<Vec3> corners_of_common_area() const {
        std::vector<Vec3> points;
        add_contained(points, a_, a_inside_b_);
        add_contained(points, b_, b_inside_a_);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
                const std::size_t i_end = (i + 1) % 3;
                const std::size_t j_end = (j + 1) % 3;
                if (a_inside_b_[j][i] * a_inside_b_[j][i_end] < 0 && b_inside_a_[i][j] * b_inside_a_[i][j_end] < 0)
                    points.push_back(closest_points(Segment{a_[i], a_[i_end]}, Segment{b_[j], b_[j_end]}).point_a);
            }
        return points;
    }

    static Segment farthest(const std::vector<Vec3>& points) {
        Segment best{points.front(), points.front()};
        for (std::size_t i = 0; i < points.size(); ++i)
            for (std::size_t j = i + 1; j < points.size(); ++j)
                if ((points[i] - points[j]).squaredNorm() > (best.start - best.end).squaredNorm())
                    best = {points[i], points[j]};
        return best;
    }

    Corners a_;
    Corners b_;
    Table b_inside_a_;
    Table a_inside_b_;
};

// Whether all of `other` lies strictly beyond an edge of `t`.
bool separated_in_plane(const Corners& t, const Corners& other, int axis) {
    const int turn = orient2d(t[0], t[1], t[2], axis);
    for (std::size_t k = 0; k < 3; ++k) {
        const auto beyond = [&](const Vec3& p) { return turn * orient2d(t[k], t[(k + 1) % 3], p, axis) < 0; };
        if (beyond(other[0]) && beyond(other[1]) && beyond(other[2])) return true;
    }
    return false;
}

// The two are coplanar, or one has no area.
bool flat_pair_overlaps(const Corners& a, const Corners& b) {
    const int axis = projection_axis(a);
    if (axis < 0) return segment_overlaps_triangle(spine(a), b);
    if (projection_axis(b) < 0) return segment_overlaps_triangle(spine(b), a);
    return !separated_in_plane(a, b, axis) && !separated_in_plane(b, a, axis);
}

TriangleOverlap overlap_of_segment(const Segment& s, const Corners& t) {
    const SegmentTriangleOverlap found = segment_triangle_overlap(s, t);
    const auto at = [&](double fraction) -> Vec3 { return fraction == 1 ? s.end : s.at(fraction); };
    return {found.kind, {at(found.first), at(found.last)}};
}

TriangleOverlap flat_pair_overlap(const Corners& a, const Corners& b) {
    const int axis = projection_axis(a);
    if (axis < 0) return overlap_of_segment(spine(a), b);
    if (projection_axis(b) < 0) return overlap_of_segment(spine(b), a);
    return Coplanar(a, b, axis).overlap();
}

// Whether the segment from p, a corner of t, to q shares more with t than p.
bool runs_into(const Vec3& p, const Vec3& q, const Corners& t) {
    if (p == q) return false;
    const int axis = projection_axis(t);
    if (axis < 0) {
        const Segment line = spine(t);
        if (line.start == line.end || !collinear(line.start, line.end, q)) return false;
        return precedes(p, q) ? precedes(p, line.end) : precedes(line.start, p);
    }
    if (orient3d(t[0], t[1], t[2], q) != 0) return false;
    const auto corner = static_cast<std::size_t>(std::find(t.begin(), t.end(), p) - t.begin());
    const int turn = orient2d(t[0], t[1], t[2], axis);
    return turn * orient2d(p, t[(corner + 1) % 3], q, axis) >= 0 &&
           turn * orient2d(p, q, t[(corner + 2) % 3], axis) >= 0;
}

// Both lie on one line and share at least two corners: whether the common part is longer than the part between shared
// corners.
bool lines_cross(const Segment& a, const Segment& b, const Segment& shared) {
    const Vec3& low = std::max(a.start, b.start, precedes);
    const Vec3& high = std::min(a.end, b.end, precedes);
    return precedes(low, shared.start) || precedes(shared.end, high);
}

// The corners of `a` at the position of a corner of `b` first, then the others.
struct SharedCorners {
    Corners corners;
    std::size_t count = 0;

    SharedCorners(const Corners& a, const Corners& b) : corners(a) {
        const auto is_shared = [&](const Vec3& p) { return std::find(b.begin(), b.end(), p) != b.end(); };
        for (std::size_t k = 0; k < 3; ++k)
            if (is_shared(corners[k])) std::swap(corners[k], corners[count++]);
    }
};

// `a` has no area, and shares a corner with `b`.
bool line_crosses(const Corners& a, const SharedCorners& of_a, const Corners& b) {
    const Segment line = spine(a);
    const auto begin = of_a.corners.begin();
    const auto [first, last] = std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(of_a.count), precedes);
    if (*first == *last) return runs_into(*first, line.start, b) || runs_into(*first, line.end, b);
    return collinear(b[0], b[1], b[2]) && lines_cross(line, spine(b), {*first, *last});
}

// Triangles with area that share the edge from p to q: whether one is folded onto the other.
bool folded_over(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
    if (orient3d(p, q, a, b) != 0) return false;
    const int axis = projection_axis({p, q, a});
    return orient2d(p, q, a, axis) * orient2d(p, q, b, axis) > 0;
}

// Fast proofs of "no" for neighbours. Differences of doubles have a relative error of 2^-53, sums and products of three
// have errors below the factors used below; if numbers are so small that they underflow, the exact tests decide.
constexpr double rounding = 0x1p-53;
constexpr double smallest_side = 1e-60;

double longest_side(const Vec3& a, const Vec3& b) { return std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff()); }

// If they were folded, their normals would have the same direction.
bool surely_unfolded(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
    const Vec3 edge = q - p, to_a = a - p, to_b = b - p;
    const double side = std::max(longest_side(edge, to_a), to_b.cwiseAbs().maxCoeff());
    return side > smallest_side && edge.cross(to_a).dot(edge.cross(to_b)) < -256 * rounding * side * side * side * side;
}

// A plane through the common corner separates the rest of both.
bool surely_parted(const Corners& p, const Corners& q) {
    const Vec3 p1 = p[1] - p[0], p2 = p[2] - p[0], q1 = q[1] - p[0], q2 = q[2] - p[0];
    const Vec3 normal = (p1 + p2).normalized() - (q1 + q2).normalized();
    const double side = std::max(longest_side(p1, p2), longest_side(q1, q2));
    const double margin = 32 * rounding * side * normal.lpNorm<1>();
    return side > smallest_side && normal.dot(p1) > margin && normal.dot(p2) > margin && normal.dot(q1) < -margin &&
           normal.dot(q2) < -margin;
}

} // namespace

bool triangles_overlap(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    const Signs side_of_b = sides(a, b);
    if (one_sided(side_of_b)) return false;
    const Signs side_of_a = sides(b, a);
    if (one_sided(side_of_a)) return false;
    if (all_zero(side_of_a) || all_zero(side_of_b)) return flat_pair_overlaps(a, b);
    return AxisSpans(a, b, side_of_a, side_of_b).overlap();
}

TriangleOverlap triangle_overlap(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    const Signs side_of_b = sides(a, b);
    const Signs side_of_a = sides(b, a);
    if (one_sided(side_of_a) || one_sided(side_of_b)) return {};
    if (all_zero(side_of_a) || all_zero(side_of_b)) return flat_pair_overlap(a, b);
    return common_span(AxisSpans(a, b, side_of_a, side_of_b), a, b);
}

bool triangles_cross(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    const SharedCorners of_a(a, b);
    if (of_a.count == 0) return triangles_overlap(a, b);
    const SharedCorners of_b(b, a);
    if (of_a.count == 1 && surely_parted(of_a.corners, of_b.corners)) return false;
    if (of_a.count == 2 && surely_unfolded(of_a.corners[0], of_a.corners[1], of_a.corners[2], of_b.corners[2]))
        return false;
    if (projection_axis(a) < 0) return line_crosses(a, of_a, b);
    if (projection_axis(b) < 0) return line_crosses(b, of_b, a);
    if (of_a.count == 3) return true;
    const Corners& p = of_a.corners;
    const Corners& q = of_b.corners;
    if (of_a.count == 2) return folded_over(p[0], p[1], p[2], q[2]);
    return segment_overlaps_triangle({p[1], p[2]}, b) || segment_overlaps_triangle({q[1], q[2]}, a);
}

bool triangles_cross(const TriangleMesh& mesh, Index i, Index j) {
    return triangles_cross(mesh.corners(i), mesh.corners(j));
}

} // namespace fathom
