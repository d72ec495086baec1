// Contact of two overlapping triangles, and proximity of features.
#include <fathom/geometry/primitive/triangle_contact.h>

#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/normals.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fathom {

// Proximity of a vertex and a face, and of two edges: distance, points, normal and weights.

namespace {

// Relative to the largest coordinate difference, as stated in closest_point.h.
constexpr double rounding_of_points = 1e-12;
// Sine of the angle of two edges above which their cross product is the better normal.
constexpr double clearly_crossing = 1e-3;

Vec3 unit_or_zero(const Vec3& v) {
    const double largest = v.cwiseAbs().maxCoeff(); // the squares of the quotients neither overflow nor underflow
    if (!(largest > 0 && std::isfinite(largest))) return Vec3::Zero();
    return (v / largest).normalized();
}

// `side` is exact: the side on which a lies along the normal.
Vec3 turned(const Vec3& normal, int side, const Vec3& before) {
    const bool back = side < 0 || (side == 0 && normal.dot(before) < 0);
    return back ? Vec3(-normal) : normal;
}

// The direction of the gap, unless it is within rounding.
Vec3 gap_normal(const Vec3& gap, double size, const Vec3& own, int side, const Vec3& before) {
    const bool tiny = gap.cwiseAbs().maxCoeff() <= rounding_of_points * size;
    if (tiny && own != Vec3::Zero()) return turned(own, side, before);
    return unit_or_zero(gap);
}

} // namespace

FeatureProximity vertex_face_proximity(const Vec3& vertex, const std::array<Vec3, 3>& face, const Vec3& before) {
    const ClosestOnTriangle found = closest_point(vertex, face);
    const Vec3 gap = vertex - found.point;
    const Vec3& w = found.barycentric;
    const Vec3 own = unit_normal(face);
    const int side = orient3d(face[0], face[1], face[2], vertex);
    FeatureProximity result;
    result.inner = found.feature == TriangleFeature::face;
    result.distance = gap.stableNorm();
    result.point_a = vertex;
    result.point_b = found.point;
    if (result.inner && own != Vec3::Zero()) {
        result.separating_direction = turned(own, side, before);
        if (side == 0) result.distance = 0; // they touch: the remaining gap is rounding
    } else {
        const double size =
            std::max((face[1] - face[0]).cwiseAbs().maxCoeff(), (face[2] - face[0]).cwiseAbs().maxCoeff());
        result.separating_direction = gap_normal(gap, size, own, side, before);
    }
    result.weight = {1, -w[0], -w[1], -w[2]};
    return result;
}

FeatureProximity edge_edge_proximity(const Segment& a, const Segment& b, const Vec3& before) {
    const ClosestOnSegments found = closest_points(a, b);
    const Vec3 gap = found.point_a - found.point_b;
    const double u = found.fraction_a;
    const double v = found.fraction_b;
    const Vec3 along_a = a.end - a.start;
    const Vec3 along_b = b.end - b.start;
    const Vec3 product = unit_or_zero(along_a).cross(unit_or_zero(along_b));
    const Vec3 own = unit_or_zero(product);
    const int side = orient3d(a.start, a.end, b.start, b.end);
    FeatureProximity result;
    result.inner = u > 0 && u < 1 && v > 0 && v < 1;
    result.distance = gap.stableNorm();
    result.point_a = found.point_a;
    result.point_b = found.point_b;
    if (result.inner && product.norm() > clearly_crossing) {
        result.separating_direction = turned(own, side, before);
        if (side == 0) result.distance = 0; // they touch: the remaining gap is rounding
    } else {
        const double size = std::max(along_a.cwiseAbs().maxCoeff(), along_b.cwiseAbs().maxCoeff());
        result.separating_direction = gap_normal(gap, size, own, side, before);
    }
    result.weight = {1 - u, u, -(1 - v), -v};
    return result;
}

namespace {

using Corners = std::array<Vec3, 3>;

struct Span {
    double lower, upper;
};
Span span_along(const Corners& t, const Vec3& axis) {
    const auto [lower, upper] = std::minmax({axis.dot(t[0]), axis.dot(t[1]), axis.dot(t[2])});
    return {lower, upper};
}

// The shortest separating translation along any of the given directions, in either sense.
class SeparatingTranslation {
public:
    SeparatingTranslation(const Corners& a, const Corners& b) : a_(a), b_(b) {}

    void try_along(const Vec3& axis) {
        if (axis == Vec3::Zero()) return;
        const Span a = span_along(a_, axis);
        const Span b = span_along(b_, axis);
        keep(axis, b.upper - a.lower);
        keep(-axis, a.upper - b.lower);
    }

    Vec3 direction = Vec3::Zero();
    double depth = std::numeric_limits<double>::infinity();

private:
    void keep(const Vec3& way, double move) {
        if (!(move < depth)) return;
        depth = move;
        direction = way;
    }

    const Corners& a_;
    const Corners& b_;
};

// Cross products of directions closer than this consist of rounding.
constexpr double nearly_parallel = 1e-7;

std::array<Vec3, 3> edge_directions(const Corners& t) {
    std::array<Vec3, 3> result;
    for (std::size_t k = 0; k < 3; ++k) result[k] = (t[(k + 1) % 3] - t[k]).stableNormalized();
    return result;
}

void try_product(SeparatingTranslation& way, const Vec3& p, const Vec3& q) {
    const Vec3 product = p.cross(q);
    const double size = product.norm();
    if (size > nearly_parallel) way.try_along(product / size);
}

} // namespace

TriangleContact triangle_contact(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    const TriangleOverlap overlap = triangle_overlap(a, b);
    TriangleContact contact;
    contact.kind = overlap.kind;
    contact.normal_a = unit_normal(a);
    contact.normal_b = unit_normal(b);
    if (contact.kind == OverlapKind::none) return contact;
    contact.segment = overlap.segment;
    // Relative to a common point the spans have the size of the triangles, even far from the origin.
    const Vec3 center = overlap.segment.start;
    const Corners near_a = {a[0] - center, a[1] - center, a[2] - center};
    const Corners near_b = {b[0] - center, b[1] - center, b[2] - center};
    SeparatingTranslation way(near_a, near_b);
    way.try_along(contact.normal_a);
    way.try_along(contact.normal_b);
    const auto edges_a = edge_directions(near_a);
    const auto edges_b = edge_directions(near_b);
    for (const Vec3& p : edges_a)
        for (const Vec3& q : edges_b) try_product(way, p, q);
    for (const Vec3& p : edges_a) try_product(way, p, contact.normal_a);
    for (const Vec3& q : edges_b) try_product(way, q, contact.normal_b);
    if (way.direction == Vec3::Zero()) return contact;
    contact.separating_direction = way.direction;
    contact.depth = std::max(0.0, way.depth);
    return contact;
}

} // namespace fathom
