// The contact of two triangles that overlap.
#include <fathom/geometry/mesh/normals.h>
#include <fathom/geometry/primitive/triangle_contact.h>

#include <algorithm>
#include <limits>

namespace fathom {

namespace {

using Corners = std::array<Vec3, 3>;

struct Span {
    double lower, upper;
};
Span span_along(const Corners& t, const Vec3& axis) {
    const auto [lower, upper] = std::minmax({axis.dot(t[0]), axis.dot(t[1]), axis.dot(t[2])});
    return {lower, upper};
}

// The shortest move along any of the directions offered, either way.
class WayOut {
public:
    WayOut(const Corners& a, const Corners& b) : a_(a), b_(b) {}

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

// Products of directions closer than this tell rounding alone.
constexpr double nearly_parallel = 1e-7;

std::array<Vec3, 3> edge_directions(const Corners& t) {
    std::array<Vec3, 3> result;
    for (std::size_t k = 0; k < 3; ++k) result[k] = (t[(k + 1) % 3] - t[k]).stableNormalized();
    return result;
}

void try_product(WayOut& way, const Vec3& p, const Vec3& q) {
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
    // About a common point the spans are of the size of the triangles, however far away those lie.
    const Vec3 center = overlap.segment.start;
    const Corners near_a = {a[0] - center, a[1] - center, a[2] - center};
    const Corners near_b = {b[0] - center, b[1] - center, b[2] - center};
    WayOut way(near_a, near_b);
    way.try_along(contact.normal_a);
    way.try_along(contact.normal_b);
    const auto edges_a = edge_directions(near_a);
    const auto edges_b = edge_directions(near_b);
    for (const Vec3& p : edges_a)
        for (const Vec3& q : edges_b) try_product(way, p, q);
    for (const Vec3& p : edges_a) try_product(way, p, contact.normal_a);
    for (const Vec3& q : edges_b) try_product(way, q, contact.normal_b);
    if (way.direction == Vec3::Zero()) return contact;
    contact.way_out = way.direction;
    contact.depth = std::max(0.0, way.depth);
    return contact;
}

} // namespace fathom
