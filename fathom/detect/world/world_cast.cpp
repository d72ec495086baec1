// Rays and points against the bodies of a world.
#include <fathom/detect/world/world.h>

#include <fathom/base/error.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/detect/query/compound.h>
#include <fathom/detect/world/world_state.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom {

// ---- Ray cast against one shape of any kind: triangles by their tree, half-spaces in closed form, other solids by
// SegmentCaster. Points are never hit. Thread-safe. Cost: about a microsecond; the first ray also builds the data of
// the method.
namespace {

// `body` of the result stays no_index. Origin and direction must be finite, the direction unit.
[[nodiscard]] RayHit cast_at(const Shape& shape, const Pose& pose, const Ray& ray, double limit);

constexpr double far_away = 1e9; // m: search limit for unbounded fields

struct Stretch {
    double first = 0, last = 0;
};

// The part of the ray in the slightly grown box; first > last: none.
Stretch within(const Box& box, const Ray& ray, double limit) {
    Stretch in{0, limit};
    const double slack =
        1e-9 * (std::isfinite(box.diagonal()) ? box.diagonal() : 0.0) + relative_rounding * ray.origin.norm();
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

// Outward normal: along the gradient, or against the ray if the gradient is zero.
Vec3 outward_normal(const Field& field, const Vec3& point, const Vec3& direction) {
    const Vec3 gradient = field.sample(point).gradient;
    const double length = gradient.stableNorm();
    return length > 0 && std::isfinite(length) ? Vec3(gradient / length) : Vec3(-direction);
}

RayHit half_space_hit(const Shape::HalfSpace& plane, const Ray& ray, double limit) {
    const double height = plane.normal.dot(ray.origin) - plane.offset, fall = -plane.normal.dot(ray.direction);
    const double distance = height <= 0 ? 0 : fall > 0 ? height / fall : infinity;
    if (!(distance <= limit) || distance == infinity) return {};
    return {.distance = distance, .point = ray.at(distance), .normal = plane.normal, .status = Status::overlapping};
}

RayHit surface_hit(const Shape& shape, const Ray& ray, double limit) {
    const bool solid = has_field(shape.kind());
    if (solid && shape.bounds().contains(ray.origin) && shape.field()->distance(ray.origin) <= 0)
        return {.distance = 0,
                .point = ray.origin,
                .normal = outward_normal(*shape.field(), ray.origin, ray.direction),
                .status = Status::overlapping};
    const SurfaceHit hit = shape.tree().first_hit(ray, limit);
    if (!hit.found()) return {};
    const Triangle& t = shape.mesh().triangles[hit.triangle];
    const auto& v = shape.mesh().vertices;
    const Vec3 across = (v[t[1]] - v[t[0]]).cross(v[t[2]] - v[t[0]]).stableNormalized();
    return {.distance = hit.t,
            .point = ray.at(hit.t),
            .normal = across.dot(ray.direction) > 0 ? Vec3(-across) : across,
            .status = Status::overlapping};
}

RayHit field_hit(const Shape& shape, const Ray& ray, Stretch in) {
    const CastHit hit = shape.caster().first({ray.at(in.first), ray.at(in.last)});
    if (hit.status == Status::disjoint) return {};
    const double length = in.last - in.first, distance = in.first + hit.time * length;
    const Vec3 point = ray.at(distance);
    return {.distance = distance,
            .error = hit.error * length,
            .point = point,
            .normal = outward_normal(*shape.field(), point, ray.direction),
            .status = hit.status};
}

RayHit solid_hit(const Shape& shape, const Ray& ray, double limit) {
    const Stretch in = within(shape.bounds(), ray, limit);
    if (!(in.first <= in.last)) return {};
    if (std::isfinite(in.last)) return field_hit(shape, ray, in);
    // Pieces of increasing length, so that near ones are tested with a fine tolerance.
    for (double first = in.first, length = 1; first < far_away; first += length, length *= 2)
        if (RayHit hit = field_hit(shape, ray, {first, first + length}); hit.status != Status::disjoint) return hit;
    return {};
}

// The first hit of a part, then the smallest part.
RayHit compound_hit(const Compound& compound, const Ray& ray, double limit) {
    RayHit first;
    const auto test = [&](Index part) {
        const CompoundPart& p = compound.parts[part];
        const RayHit hit = cast_at(p.shape, p.pose, ray, limit);
        if (hit.status == Status::disjoint || std::tie(hit.distance, part) >= std::tie(first.distance, first.part))
            return;
        first = hit;
        first.part = part;
    };
    for (const Index part : compound.unbounded) test(part);
    compound.tree.visit_ray(ray, std::min(limit, first.distance), [&](Index id) {
        test(compound.bounded[id]);
        return std::min(limit, first.distance);
    });
    return first;
}

RayHit local_hit(const Shape& shape, const Ray& ray, double limit) {
    switch (shape.kind()) {
    case ShapeKind::compound:
        return compound_hit(shape.compound(), ray, limit);
    case ShapeKind::point_shell:
        return {};
    case ShapeKind::half_space:
        return half_space_hit(shape.half_space(), ray, limit);
    case ShapeKind::closed_mesh:
    case ShapeKind::open_mesh:
    case ShapeKind::tetrahedra:
        return surface_hit(shape.interior() == MeshInterior::capped ? shape.without_caps() : shape, ray, limit);
    default:
        return solid_hit(shape, ray, limit);
    }
}

RayHit cast_at(const Shape& shape, const Pose& pose, const Ray& ray, double limit) {
    RayHit hit = local_hit(shape, {pose.to_local(ray.origin), pose.rotate_to_local(ray.direction)}, limit);
    if (hit.status == Status::disjoint) return {};
    hit.point = ray.at(hit.distance);
    hit.normal = pose.rotate(hit.normal);
    return hit;
}

// `distance` is positive if no solid of the shape contains the point.
PointHit point_hit(const Shape& shape, const Vec3& point) {
    if (has_field(shape.kind())) return {.distance = shape.field()->distance(point)};
    PointHit deepest{.distance = infinity};
    if (shape.kind() != ShapeKind::compound) return deepest;
    const Compound& compound = shape.compound();
    const auto test = [&](Index part) {
        const CompoundPart& p = compound.parts[part];
        const double distance = point_hit(p.shape, p.pose.to_local(point)).distance;
        if (std::tie(distance, part) < std::tie(deepest.distance, deepest.part))
            deepest = {.part = part, .distance = distance};
    };
    compound.tree.visit_overlapping({point, point}, [&](Index id) {
        test(compound.bounded[id]);
        return true;
    });
    for (const Index part : compound.unbounded) test(part);
    return deepest;
}

Ray checked_ray(const Ray& ray) {
    if (!is_finite(ray.origin) || !is_finite(ray.direction))
        throw Error(Cause::non_finite, "the ray must be finite", {.element = "ray"});
    const Vec3 unit = ray.direction.stableNormalized();
    if (!(std::abs(unit.norm() - 1) < 1e-6))
        throw Error(Cause::invalid_argument, "the direction of the ray is zero", {.element = "ray"});
    return {ray.origin, unit};
}

} // namespace

double checked_limit(double limit) {
    if (!(limit >= 0)) throw Error(Cause::invalid_argument, "the limit must not be negative", {.element = "limit"});
    return limit;
}

void World::State::visit_hits(const Ray& unit, double limit, const WorldFilter& filter,
                              CallableRef<double(const RayHit&)> visit) const {
    const auto test = [&](Index id) {
        const WorldBody& body = *bodies[id];
        if (!body.form || !admits(filter, id)) return limit;
        RayHit hit = cast_at(body.shape(), body.pose, unit, limit);
        hit.body = id;
        if (hit.touching()) limit = visit(hit);
        return limit;
    };
    for (const Index id : endless)
        if (test(id) < 0) return;
    broad.visit_ray(unit, limit, test);
}

RayHit World::cast(const Ray& ray, double limit, const WorldFilter& filter) const {
    RayHit first;
    state_->visit_hits(checked_ray(ray), checked_limit(limit), filter, [&](const RayHit& hit) {
        if (std::tie(hit.distance, hit.body) < std::tie(first.distance, first.body)) first = hit;
        return first.distance;
    });
    return first;
}

RayHit World::cast_any(const Ray& ray, double limit, const WorldFilter& filter) const {
    RayHit any;
    state_->visit_hits(checked_ray(ray), checked_limit(limit), filter, [&](const RayHit& hit) {
        if (!any.touching() || hit.status == Status::overlapping) any = hit;
        return hit.status == Status::overlapping ? -1 : limit;
    });
    return any;
}

std::vector<RayHit> World::cast_all(const Ray& ray, double limit, const WorldFilter& filter) const {
    std::vector<RayHit> hits;
    state_->visit_hits(checked_ray(ray), checked_limit(limit), filter, [&](const RayHit& hit) {
        hits.push_back(hit);
        return limit;
    });
    std::ranges::sort(hits, {}, [](const RayHit& hit) { return std::tuple(hit.distance, hit.body); });
    return hits;
}

std::vector<PointHit> World::containing(const Vec3& point, const WorldFilter& filter) const {
    if (!is_finite(point)) throw Error(Cause::non_finite, "the point must be finite", {.element = "point"});
    std::vector<PointHit> hits;
    const auto test = [&](Index id) {
        const WorldBody& body = *state_->bodies[id];
        if (!body.form || !state_->admits(filter, id)) return true;
        PointHit hit = point_hit(body.shape(), body.pose.to_local(point));
        hit.body = id;
        if (hit.distance <= 0) hits.push_back(hit);
        return true;
    };
    state_->broad.visit_overlapping({point, point}, test);
    for (const Index id : state_->endless) test(id);
    std::ranges::sort(hits, {}, &PointHit::body);
    return hits;
}

} // namespace fathom
