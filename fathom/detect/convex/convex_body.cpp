// Support functions of convex bodies and their smooth pieces.
#include <fathom/detect/convex/convex_body.h>

#include <fathom/base/rounding.h>

#include <algorithm>
#include <cmath>

namespace fathom::convex {

namespace {

Support farthest_vertex(const Hull& hull, const Vec3& n) {
    int best = 0;
    double value = n.dot(hull.vertices[0]);
    for (std::size_t v = 1; v < hull.vertices.size(); ++v)
        if (const double other = n.dot(hull.vertices[v]); other > value) value = other, best = static_cast<int>(v);
    return {hull.vertices[static_cast<std::size_t>(best)], best};
}

Support climb(const Hull& hull, const Vec3& n, int hint) {
    auto at = static_cast<std::size_t>(
        hint >= 0 ? hint : static_cast<int>(hull.starts[(n.x() > 0) + 2 * (n.y() > 0) + 4 * (n.z() > 0)]));
    double value = n.dot(hull.vertices[at]);
    for (std::size_t from = at + 1; from != at;) {
        from = at;
        for (const Index next : hull.neighbors_of(from))
            if (const double other = n.dot(hull.vertices[next]); other > value) value = other, at = next;
    }
    return {hull.vertices[at], static_cast<int>(at)};
}

Support box_support(const Vec3& half, const Vec3& n) {
    const int piece = (n.x() > 0) + 2 * (n.y() > 0) + 4 * (n.z() > 0);
    return {{n.x() > 0 ? half.x() : -half.x(), n.y() > 0 ? half.y() : -half.y(), n.z() > 0 ? half.z() : -half.z()},
            piece};
}

Vec3 rim_point(const Vec3& half, bool top, const Vec3& n) {
    const double across = std::sqrt(n.x() * n.x() + n.y() * n.y()), r = top ? half.y() : half.x();
    const double z = top ? half.z() : -half.z();
    if (!(across > 0)) return {r, 0, z};
    return {r * (n.x() / across), r * (n.y() / across), z};
}

Support frustum_support(const Vec3& half, const Vec3& n) {
    const double across = std::sqrt(n.x() * n.x() + n.y() * n.y());
    const bool top = (half.y() - half.x()) * across + 2 * half.z() * n.z() > 0;
    return {rim_point(half, top, n), top};
}

Vec3 ellipsoid_point(const Vec3& radii, const Vec3& n) {
    const Vec3 scaled = radii.cwiseProduct(n);
    const double length = scaled.norm();
    return length > 0 ? Vec3(radii.cwiseProduct(scaled) / length) : Vec3(0, 0, radii.z());
}

} // namespace

Body sphere(double radius) { return {.radius = radius}; }
Body capsule(double length, double radius) {
    return {.core = Core::segment, .half = {0, 0, 0.5 * length}, .radius = radius, .extent = 0.5 * length};
}
Body box(const Vec3& size) { return {.core = Core::box, .half = 0.5 * size, .extent = outward(0.5 * size.norm())}; }
Body frustum(double bottom_radius, double top_radius, double height) {
    return {.core = Core::frustum,
            .half = {bottom_radius, top_radius, 0.5 * height},
            .extent = outward(std::hypot(std::max(bottom_radius, top_radius), 0.5 * height))};
}
Body ellipsoid(const Vec3& radii) { return {.core = Core::ellipsoid, .half = radii, .extent = radii.maxCoeff()}; }

Body polyhedron(std::shared_ptr<const Hull> hull) {
    double largest = 0;
    for (const Vec3& v : hull->vertices) largest = std::max(largest, v.squaredNorm());
    return {.core = Core::hull, .hull = std::move(hull), .extent = outward(std::sqrt(largest))};
}

Box Body::bounds() const {
    Box bounds;
    for (int axis = 0; axis < 3; ++axis)
        for (const double sign : {-1.0, 1.0}) {
            const Vec3 direction = placement.rotate_to_local(sign * Vec3::Unit(axis));
            const double reach = (placement * certain_support(*this, direction).point)[axis] + sign * radius;
            (sign > 0 ? bounds.upper : bounds.lower)[axis] = reach;
        }
    return bounds.grown(position_rounding(extent, radius, placement.translation.cwiseAbs().maxCoeff()));
}

Support support(const Body& body, const Vec3& direction, int hint) {
    switch (body.core) {
    case Core::point:
        return {};
    case Core::segment:
        return {{0, 0, direction.z() > 0 ? body.half.z() : -body.half.z()}, direction.z() > 0};
    case Core::box:
        return box_support(body.half, direction);
    case Core::frustum:
        return frustum_support(body.half, direction);
    case Core::ellipsoid:
        return {ellipsoid_point(body.half, direction), 0};
    case Core::hull:
        break;
    }
    const Hull& hull = *body.hull;
    return hull.vertices.size() <= max_scanned_vertices ? farthest_vertex(hull, direction)
                                                        : climb(hull, direction, hint);
}

Support certain_support(const Body& body, const Vec3& direction) {
    return body.core == Core::hull ? farthest_vertex(*body.hull, direction) : support(body, direction);
}

PiecePoint piece_point(const Body& body, int piece, const Vec3& n) {
    const Vec3& half = body.half;
    const Mat3 none = Mat3::Zero();
    switch (body.core) {
    case Core::point:
        return {Vec3::Zero(), none};
    case Core::segment:
        return {{0, 0, piece ? half.z() : -half.z()}, none};
    case Core::box:
        return {{piece & 1 ? half.x() : -half.x(), piece & 2 ? half.y() : -half.y(), piece & 4 ? half.z() : -half.z()},
                none};
    case Core::hull:
        return {body.hull->vertices[static_cast<std::size_t>(piece)], none};
    case Core::frustum: {
        const double across = std::sqrt(n.x() * n.x() + n.y() * n.y()), r = piece ? half.y() : half.x();
        PiecePoint result{rim_point(half, piece != 0, n), none};
        if (!(across > 0) || r == 0) return result;
        const Vec3 along(-n.y() / across, n.x() / across, 0);
        result.derivative = r / across * along * along.transpose();
        return result;
    }
    case Core::ellipsoid:
        break;
    }
    const double length = half.cwiseProduct(n).norm();
    PiecePoint result{ellipsoid_point(half, n), none};
    if (!(length > 0)) return result;
    result.derivative = (Mat3(half.cwiseProduct(half).asDiagonal()) - result.point * result.point.transpose()) / length;
    return result;
}

} // namespace fathom::convex
