// Rays, in the frame of the shape.
#include <fathom/detect/world/world_cast.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double far_away = 1e9; // m: how far a field without end is looked for

struct Stretch {
    double first = 0, last = 0;
};

// Where the ray is in the box, grown a little; first > last: nowhere.
Stretch within(const Box& box, const Ray& ray, double limit) {
    Stretch in{0, limit};
    const double slack = 1e-9 * (std::isfinite(box.diagonal()) ? box.diagonal() : 0.0) + 1e-12 * ray.origin.norm();
    for (int axis = 0; axis < 3; ++axis) {
        const double below = box.lower[axis] - slack - ray.origin[axis],
                     above = box.upper[axis] + slack - ray.origin[axis];
        if (ray.direction[axis] == 0) {
            if (below > 0 || above < 0) return {1, 0};
            continue;
        }
        const double a = below / ray.direction[axis], b = above / ray.direction[axis];
        in.first = std::max(in.first, std::min(a, b));
        in.last = std::min(in.last, std::max(a, b));
    }
    return in;
}

// Along the gradient, or against the ray where there is none.
Vec3 way_out(const Field& field, const Vec3& point, const Vec3& direction) {
    const Vec3 gradient = field.sample(point).gradient;
    const double length = gradient.stableNorm();
    return length > 0 && std::isfinite(length) ? Vec3(gradient / length) : Vec3(-direction);
}

RayHit half_space_hit(const Shape::HalfSpace& plane, const Ray& ray, double limit) {
    const double height = plane.normal.dot(ray.origin) - plane.offset, fall = -plane.normal.dot(ray.direction);
    const double distance = height <= 0 ? 0 : fall > 0 ? height / fall : infinity;
    if (!(distance <= limit) || distance == infinity) return {};
    return {.distance = distance, .point = ray.at(distance), .normal = plane.normal, .verdict = Verdict::overlapping};
}

RayHit surface_hit(const Shape& shape, const Ray& ray, double limit) {
    const bool solid = has_field(shape.kind());
    if (solid && shape.bounds().contains(ray.origin) && shape.field()->distance(ray.origin) <= 0)
        return {.distance = 0,
                .point = ray.origin,
                .normal = way_out(*shape.field(), ray.origin, ray.direction),
                .verdict = Verdict::overlapping};
    const SurfaceHit hit = shape.tree().first_hit(ray, limit);
    if (!hit.found()) return {};
    const Triangle& t = shape.mesh().triangles[hit.triangle];
    const auto& v = shape.mesh().vertices;
    const Vec3 across = (v[t[1]] - v[t[0]]).cross(v[t[2]] - v[t[0]]).stableNormalized();
    return {.distance = hit.t,
            .point = ray.at(hit.t),
            .normal = across.dot(ray.direction) > 0 ? Vec3(-across) : across,
            .verdict = Verdict::overlapping};
}

RayHit field_hit(const Shape& shape, const Ray& ray, Stretch in) {
    const CastHit hit = shape.caster().first({ray.at(in.first), ray.at(in.last)});
    if (hit.verdict == Verdict::disjoint) return {};
    const double length = in.last - in.first, distance = in.first + hit.time * length;
    const Vec3 point = ray.at(distance);
    return {.distance = distance,
            .error = hit.error * length,
            .point = point,
            .normal = way_out(*shape.field(), point, ray.direction),
            .verdict = hit.verdict};
}

RayHit solid_hit(const Shape& shape, const Ray& ray, double limit) {
    const Stretch in = within(shape.bounds(), ray, limit);
    if (!(in.first <= in.last)) return {};
    if (std::isfinite(in.last)) return field_hit(shape, ray, in);
    // Ever longer pieces, so that the near ones are seen finely.
    for (double first = in.first, length = 1; first < far_away; first += length, length *= 2)
        if (const RayHit hit = field_hit(shape, ray, {first, first + length}); hit.verdict != Verdict::disjoint)
            return hit;
    return {};
}

RayHit local_hit(const Shape& shape, const Ray& ray, double limit) {
    switch (shape.kind()) {
    case ShapeKind::point_shell:
        return {};
    case ShapeKind::plane:
        return half_space_hit(shape.half_space(), ray, limit);
    case ShapeKind::closed_mesh:
    case ShapeKind::open_mesh:
    case ShapeKind::tetrahedra:
        return surface_hit(shape, ray, limit);
    default:
        return solid_hit(shape, ray, limit);
    }
}

} // namespace

RayHit cast_at(const Shape& shape, const Pose& pose, const Ray& ray, double limit) {
    RayHit hit = local_hit(shape, {pose.to_local(ray.origin), pose.turn_to_local(ray.direction)}, limit);
    if (hit.verdict == Verdict::disjoint) return {};
    hit.point = ray.at(hit.distance);
    hit.normal = pose.turn(hit.normal);
    return hit;
}

} // namespace fathom
