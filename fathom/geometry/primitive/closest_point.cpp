// Closest points of points, segments, triangles and tetrahedra.
#include <fathom/geometry/primitive/closest_point.h>

#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace fathom {

namespace {

using Corners = std::array<Vec3, 3>;

ClosestOnTriangle on_corner(const Vec3& p, const Corners& t, int k) {
    const Vec3& corner = t[static_cast<std::size_t>(k)];
    return {corner, Vec3::Unit(k), (p - corner).squaredNorm(), static_cast<TriangleFeature>(k)};
}

// Always measured from the same end, so that two triangles agree bit for bit on a shared edge.
ClosestOnTriangle on_edge(const Vec3& p, const Corners& t, int k) {
    int from = k, to = (k + 1) % 3;
    if (precedes(t[static_cast<std::size_t>(to)], t[static_cast<std::size_t>(from)])) std::swap(from, to);
    const auto [point, fraction, squared] =
        closest_point(p, Segment{t[static_cast<std::size_t>(from)], t[static_cast<std::size_t>(to)]});
    if (fraction <= 0) return on_corner(p, t, from);
    if (fraction >= 1) return on_corner(p, t, to);
    Vec3 weight = Vec3::Zero();
    weight[from] = 1 - fraction;
    weight[to] = fraction;
    return {point, weight, squared, static_cast<TriangleFeature>(3 + k)};
}

bool better(const ClosestOnTriangle& a, const ClosestOnTriangle& b) {
    if (a.squared_distance != b.squared_distance) return a.squared_distance < b.squared_distance;
    return a.feature < b.feature;
}

ClosestOnTriangle on_border(const Vec3& p, const Corners& t) {
    ClosestOnTriangle best = on_edge(p, t, 0);
    for (int k = 1; k < 3; ++k)
        if (const ClosestOnTriangle found = on_edge(p, t, k); better(found, best)) best = found;
    return best;
}

// The foot of the perpendicular if it is inside the triangle. Computed in coordinates along the longest edge and across
// it, so that a thin triangle loses precision only across its width.
struct Foot {
    std::optional<ClosestOnTriangle> found;
    bool thin; // the boundary may be as close
};
Foot on_face(const Vec3& p, const Corners& t) {
    std::array<double, 3> squared_length;
    for (std::size_t k = 0; k < 3; ++k) squared_length[k] = (t[(k + 1) % 3] - t[k]).squaredNorm();
    const auto longest = static_cast<std::size_t>(std::max_element(squared_length.begin(), squared_length.end()) -
                                                  squared_length.begin());
    const Vec3& origin = t[longest];
    const Vec3 edge = t[(longest + 1) % 3] - origin;
    const Vec3 side = t[(longest + 2) % 3] - origin;
    const double edge_squared = squared_length[longest];
    double side_along = side.dot(edge) / edge_squared;
    Vec3 across = side - side_along * edge;
    // Repeated: in a thin triangle the first result was mostly rounding.
    const double left_over = across.dot(edge) / edge_squared;
    side_along += left_over;
    across -= left_over * edge;
    const double across_squared = across.squaredNorm();
    if (!(across_squared > 1e-30 * edge_squared)) return {{}, true};
    const bool thin = across_squared < 1e-12 * edge_squared;

    const Vec3 d = p - origin;
    const double d_along = d.dot(edge) / edge_squared;
    const double third = d.dot(across) / across_squared;
    const double second = d_along - third * side_along;
    const double first = 1 - second - third;
    if (!(first > 0 && second > 0 && third > 0)) return {{}, thin};
    std::array<double, 3> weight;
    weight[longest] = first;
    weight[(longest + 1) % 3] = second;
    weight[(longest + 2) % 3] = third;
    const Vec3 point = origin + d_along * edge + third * across;
    return {ClosestOnTriangle{point, Vec3(weight[0], weight[1], weight[2]), (p - point).squaredNorm(),
                              TriangleFeature::face},
            thin};
}

// Swapped arguments must give the same bits: every pair is computed in a fixed order.
bool comes_first(const Vec3* a, const Vec3* b, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        if (a[k] != b[k]) return precedes(a[k], b[k]);
    return true;
}
ClosestPair swapped(const ClosestPair& pair) { return {pair.point_b, pair.point_a, pair.squared_distance}; }
ClosestOnSegments swapped(const ClosestOnSegments& pair) {
    return {{pair.point_b, pair.point_a, pair.squared_distance}, pair.fraction_b, pair.fraction_a};
}

ClosestPair pair_of(const ClosestOnSegments& found) { return {found.point_a, found.point_b, found.squared_distance}; }

void keep_better(ClosestPair& best, const ClosestPair& found) {
    if (found.squared_distance < best.squared_distance) best = found;
}

// Both points strictly between the ends: the common perpendicular of two non-parallel lines.
std::optional<ClosestOnSegments> inner_points(const Segment& a, const Segment& b) {
    const Vec3 along_a = a.end - a.start;
    const Vec3 along_b = b.end - b.start;
    const Vec3 normal = along_a.cross(along_b);
    const double squared = normal.squaredNorm();
    if (!(squared > 1e-30 * along_a.squaredNorm() * along_b.squaredNorm())) return {};
    const Vec3 between = b.start - a.start;
    const double s = between.cross(along_b).dot(normal) / squared;
    const double t = between.cross(along_a).dot(normal) / squared;
    if (!(s > 0 && s < 1 && t > 0 && t < 1)) return {};
    const Vec3 on_a = a.at(s);
    const Vec3 on_b = b.at(t);
    return ClosestOnSegments{{on_a, on_b, (on_a - on_b).squaredNorm()}, s, t};
}

ClosestOnSegments ordered_segments(const Segment& a, const Segment& b) {
    const auto from_a = [&](double s, const Vec3& end) -> ClosestOnSegments {
        const auto [point, fraction, squared] = closest_point(end, b);
        return {{end, point, squared}, s, fraction};
    };
    const auto from_b = [&](double t, const Vec3& end) -> ClosestOnSegments {
        const auto [point, fraction, squared] = closest_point(end, a);
        return {{point, end, squared}, fraction, t};
    };
    ClosestOnSegments best = from_a(0, a.start);
    for (const ClosestOnSegments& found : {from_a(1, a.end), from_b(0, b.start), from_b(1, b.end)})
        if (found.squared_distance < best.squared_distance) best = found;
    if (const auto inner = inner_points(a, b); inner && inner->squared_distance < best.squared_distance) best = *inner;
    return best;
}

ClosestPair ordered_triangles(const Corners& a, const Corners& b) {
    if (const TriangleOverlap common = triangle_overlap(a, b); common.kind != OverlapKind::none) {
        const Vec3 middle = common.segment.at(0.5);
        return {middle, middle, 0};
    }
    const auto edge = [](const Corners& t, std::size_t k) { return Segment{t[k], t[(k + 1) % 3]}; };
    ClosestPair best = pair_of(ordered_segments(edge(a, 0), edge(b, 0)));
    for (std::size_t k = 1; k < 9; ++k) keep_better(best, ordered_segments(edge(a, k / 3), edge(b, k % 3)));
    for (std::size_t k = 0; k < 3; ++k) {
        const ClosestOnTriangle on_b = closest_point(a[k], b);
        keep_better(best, {a[k], on_b.point, on_b.squared_distance});
        const ClosestOnTriangle on_a = closest_point(b[k], a);
        keep_better(best, {on_a.point, b[k], on_a.squared_distance});
    }
    return best;
}

ClosestOnTetrahedron inside_point(const Vec3& p, const std::array<Vec3, 4>& t) {
    ClosestOnTetrahedron result{p, {}, 0, true};
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        const auto& f = tetrahedron_faces[k];
        const auto corner = [&](std::size_t i) -> const Vec3& { return t[static_cast<std::size_t>(f[i])]; };
        sum += result.barycentric[k] = std::abs(orient3d_value(corner(0), corner(1), corner(2), p));
    }
    for (double& weight : result.barycentric) weight = sum > 0 && std::isfinite(sum) ? weight / sum : 0.25;
    return result;
}

} // namespace

ClosestOnSegment closest_point(const Vec3& p, const Segment& segment) {
    const Vec3 along = segment.end - segment.start;
    const double squared_length = along.squaredNorm();
    const double fraction =
        squared_length > 0 ? std::clamp((p - segment.start).dot(along) / squared_length, 0.0, 1.0) : 0.0;
    // Measured from the nearer end, so that a point close to either end keeps its precision.
    const Vec3 point =
        fraction <= 0.5 ? Vec3(segment.start + fraction * along) : Vec3(segment.end - (1 - fraction) * along);
    return {point, fraction, (p - point).squaredNorm()};
}

ClosestOnTriangle closest_point(const Vec3& p, const std::array<Vec3, 3>& triangle) {
    const auto [face, thin] = on_face(p, triangle);
    if (face && !thin) return *face;
    const ClosestOnTriangle border = on_border(p, triangle);
    return face && better(*face, border) ? *face : border;
}

ClosestOnTetrahedron closest_point(const Vec3& p, const std::array<Vec3, 4>& tetrahedron) {
    if (tetrahedron_contains(tetrahedron, p)) return inside_point(p, tetrahedron);
    ClosestOnTetrahedron best{p, {}, std::numeric_limits<double>::infinity(), false};
    for (const auto& f : tetrahedron_faces) {
        const std::array<std::size_t, 3> corner = {static_cast<std::size_t>(f[0]), static_cast<std::size_t>(f[1]),
                                                   static_cast<std::size_t>(f[2])};
        const Corners face = {tetrahedron[corner[0]], tetrahedron[corner[1]], tetrahedron[corner[2]]};
        const ClosestOnTriangle found = closest_point(p, face);
        if (!(found.squared_distance < best.squared_distance)) continue;
        best.point = found.point;
        best.squared_distance = found.squared_distance;
        best.barycentric = {};
        for (std::size_t k = 0; k < 3; ++k)
            best.barycentric[corner[k]] = found.barycentric[static_cast<Eigen::Index>(k)];
    }
    return best;
}

ClosestOnSegments closest_points(const Segment& a, const Segment& b) {
    const std::array<Vec3, 2> a_ends = {a.start, a.end};
    const std::array<Vec3, 2> b_ends = {b.start, b.end};
    return comes_first(a_ends.data(), b_ends.data(), 2) ? ordered_segments(a, b) : swapped(ordered_segments(b, a));
}

ClosestPair closest_points(const Segment& a, const std::array<Vec3, 3>& b) {
    if (const SegmentTriangleOverlap common = segment_triangle_overlap(a, b); common.kind != OverlapKind::none) {
        const Vec3 middle = a.at(0.5 * (common.first + common.last));
        return {middle, middle, 0};
    }
    ClosestPair best = pair_of(closest_points(a, Segment{b[0], b[1]}));
    for (std::size_t k = 1; k < 3; ++k) keep_better(best, closest_points(a, Segment{b[k], b[(k + 1) % 3]}));
    for (const Vec3& end : {a.start, a.end}) {
        const ClosestOnTriangle found = closest_point(end, b);
        keep_better(best, {end, found.point, found.squared_distance});
    }
    return best;
}

ClosestPair closest_points(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    return comes_first(a.data(), b.data(), 3) ? ordered_triangles(a, b) : swapped(ordered_triangles(b, a));
}

} // namespace fathom
