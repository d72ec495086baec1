// distance(): the implementation for each method, and the selection by the table.
#include <fathom/detect/query/query.h>

#include <fathom/base/error.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/mesh_field/mesh_field_distance.h>
#include <fathom/detect/mesh_mesh/mesh_mesh.h>
#include <fathom/detect/query/distance_lower_bound.h>
#include <fathom/detect/query/query_pair.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace query {
namespace {

constexpr std::size_t max_pairs = 3'000; // limit on pairs of nodes, if the field is not a distance

double default_tolerance(const Pair& pair, const DistanceOptions& options) {
    return options.tolerance > 0 ? options.tolerance : 1e-3 * pair.size();
}

// The deepest contact of shapes that are known to overlap.
DistanceResult overlapping(const Pair& pair, Method method) {
    const CollideResult found =
        collide(*pair.a.shape, pair.a.pose, *pair.b.shape, pair.b.pose, {.method = method, .max_contacts = 1});
    DistanceResult result{.lower_bound = -HUGE_VAL,
                          .upper_bound = -std::max(found.depth, 0.0),
                          .point_a = found.witness,
                          .point_b = found.witness,
                          .error_bound = depth_error(pair)};
    if (!found.contacts.empty()) {
        const Contact& c = found.contacts.front();
        result.point_a = c.point_a, result.point_b = c.point_b, result.normal = c.normal;
    }
    return result;
}

DistanceResult between(const Vec3& point_a, const Vec3& point_b, double lower, double upper) {
    return {.lower_bound = lower,
            .upper_bound = upper,
            .point_a = point_a,
            .point_b = point_b,
            .normal = (point_b - point_a).stableNormalized()};
}

// ---- Half-spaces

DistanceResult plane_and_plane(const Pair& pair) {
    const CollideResult touch =
        collide(*pair.a.shape, pair.a.pose, *pair.b.shape, pair.b.pose, {.method = Method::closed_form});
    if (touch.status == Status::overlapping)
        return {.lower_bound = -touch.depth,
                .upper_bound = -touch.depth,
                .point_a = touch.witness,
                .point_b = touch.witness,
                .normal = half_space(pair.a).normal};
    const Shape::HalfSpace a = half_space(pair.a), b = half_space(pair.b);
    return between(a.offset * a.normal, -b.offset * a.normal, -(a.offset + b.offset), -(a.offset + b.offset));
}

// `b` is the half-space.
DistanceResult surface_and_plane(const Pair& pair) {
    const Shape::HalfSpace plane = half_space(pair.b);
    const Lowest deepest = lowest(pair.a, plane.normal);
    const double gap = deepest.value - plane.offset;
    DistanceResult result = between(deepest.point, deepest.point - gap * plane.normal, gap, gap);
    result.normal = -plane.normal;
    return result;
}

DistanceResult by_closed_form(const Pair& pair) {
    const Pair p = ordered(pair, has_surface);
    DistanceResult result = is_plane(p.a.kind()) ? plane_and_plane(p) : surface_and_plane(p);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

// ---- Surfaces

DistanceResult by_surfaces(const Pair& pair) {
    const Pair p = ordered(pair, any_kind);
    const mesh_mesh::MeshDistance near =
        mesh_mesh::mesh_distance(p.a.shape->tree(), p.a.pose, p.b.shape->tree(), p.b.pose);
    Vec3 inside;
    DistanceResult result = near.distance > 0 && !contained(p, inside)
                                ? between(near.point_a, near.point_b, near.distance, near.distance)
                                : overlapping(p, Method::mesh_mesh);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

DistanceResult by_surface_in_field(const Pair& pair, const DistanceOptions& options) {
    const Pair p = ordered(pair, is_surface);
    const double tolerance = default_tolerance(pair, options);
    const mesh_field::MeshFieldDistance near = mesh_field::mesh_field_distance(
        p.a.shape->surface(), p.a.shape->tree(), p.a.pose, p.b.shape->solid(), p.b.pose, tolerance);
    DistanceResult result{.lower_bound = near.lower,
                          .upper_bound = near.upper,
                          .point_a = near.on_surface,
                          .point_b = near.on_solid,
                          .normal = near.normal};
    if (near.upper > 0 && near.upper - near.lower > tolerance)
        result.lower_bound =
            std::min(near.upper, std::max(near.lower, distance_lower_bound(*p.a.shape, p.a.pose, *p.b.shape, p.b.pose,
                                                                           {.sufficient = near.upper - tolerance,
                                                                            .effort = max_pairs,
                                                                            .min_radius = 0.05 * tolerance,
                                                                            .direction = near.normal})));
    result.error_bound = near.upper > 0 ? surface_error(*p.b.shape) : depth_error(pair);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

// ---- Solids

// A box of the half-space under the body, wider than the body: it has the same distance, and both shapes are then
// bounded.
Shape block_under(const Placed& plane, const Placed& body, Pose& pose) {
    const Shape::HalfSpace half = half_space(plane);
    const Vec3 center = body.pose * body.shape->bounds().center();
    const double reach = 1.1 * body.shape->radius();
    const Vec3 top = center - (half.normal.dot(center) - half.offset) * half.normal;
    pose = {Quat::FromTwoVectors(Vec3::UnitZ(), half.normal), top - reach * half.normal};
    return Shape(std::make_shared<AnalyticField>(shapes::box(Vec3::Constant(2 * reach))));
}

DistanceResult by_separation(const Pair& pair, const DistanceOptions& options) {
    const field_field::Separation near = field_field::separation(
        pair.a.shape->solid(), pair.a.pose, pair.b.shape->solid(), pair.b.pose, {.tolerance = options.tolerance});
    const bool apart = near.upper > 0;
    return {.lower_bound = near.lower,
            .upper_bound = near.upper,
            .point_a = near.point_a,
            .point_b = near.point_b,
            .normal = near.normal,
            .error_bound = apart ? surface_error(*pair.a.shape) + surface_error(*pair.b.shape) : depth_error(pair),
            .converged = !near.budget_exhausted};
}

DistanceResult by_fields(const Pair& pair, const DistanceOptions& options) {
    const Pair p = ordered(pair, is_plane);
    if (!is_plane(p.a.kind())) return by_separation(pair, options);
    if (!p.b.shape->bounded()) throw Error(Cause::unsupported, "both shapes are unbounded");
    const CollideResult touch = collide(*pair.a.shape, pair.a.pose, *pair.b.shape, pair.b.pose,
                                        {.method = Method::field_field, .max_contacts = 1});
    if (touch.status == Status::overlapping) return overlapping(pair, Method::field_field);
    Pair cut = p;
    const Shape block = block_under(p.a, p.b, cut.a.pose);
    cut.a.shape = &block;
    DistanceResult result = by_separation(cut, options);
    result.error_bound = surface_error(*p.b.shape);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

DistanceResult by_method(Method method, const Pair& pair, const DistanceOptions& options) {
    switch (method) {
    case Method::closed_form:
        return by_closed_form(pair);
    case Method::mesh_mesh:
        return by_surfaces(pair);
    case Method::mesh_field:
        return by_surface_in_field(pair, options);
    case Method::field_field:
        return by_fields(pair, options);
    case Method::automatic: // choose() has replaced it
    case Method::octree:
    case Method::point_field:
    case Method::tetrahedra:
    case Method::depth_maps:
    case Method::conservative_advancement:
        break;
    }
    throw Error(Cause::unsupported, "the method does not support distance()", {.element = std::string(name(method))});
}

} // namespace
} // namespace query

DistanceResult distance(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                        const DistanceOptions& options) {
    if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance))
        throw Error(Cause::invalid_argument, "the tolerance must be finite and not negative");
    const Method method = choose(a.kind(), b.kind(), Question::distance, options.method);
    DistanceResult result{.lower_bound = HUGE_VAL, .upper_bound = HUGE_VAL};
    if (!is_finite(pose_a) || !is_finite(pose_b))
        result = {.lower_bound = -HUGE_VAL, .upper_bound = HUGE_VAL, .converged = false};
    else if (!a.bounds().empty() && !b.bounds().empty())
        result = query::by_method(method, {{&a, pose_a}, {&b, pose_b}}, options);
    result.method = method;
    const query::Pair pair{{&a, pose_a}, {&b, pose_b}};
    if (result.upper_bound > 0 && std::isfinite(result.upper_bound))
        result.converged = !(result.upper_bound - result.lower_bound >
                             1.001 * query::default_tolerance(pair, options) + 4 * result.error_bound);
    return result;
}

} // namespace fathom
