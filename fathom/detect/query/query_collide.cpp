// collide(): the implementation for each method, and the selection by the table.
#include <fathom/detect/query/query.h>

#include <fathom/base/error.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/field_field/field_overlap.h>
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/detect/mesh_mesh/mesh_mesh.h>
#include <fathom/detect/query/query_pair.h>
#include <fathom/detect/tet/tet_collision.h>
#include <fathom/detect/trees/field_sphere_tree.h>
#include <fathom/detect/trees/triangle_sphere_tree.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace query {
namespace {

constexpr double same_direction = 1e-12;   // of unit normals: rotation rounds them by less
constexpr std::size_t max_listed = 10'000; // limit on contacts before contact reduction

void set_touching(CollideResult& result, const Vec3& common) {
    result.status = Status::overlapping;
    result.witness = common;
}

// ---- Half-spaces

// Two half-spaces are disjoint only if their normals are opposite.
CollideResult plane_and_plane(const Pair& pair, const CollideOptions& options) {
    const Shape::HalfSpace a = half_space(pair.a), b = half_space(pair.b);
    CollideResult result;
    const double gap = -(a.offset + b.offset); // if the normals are opposite
    if ((a.normal + b.normal).norm() > same_direction) {
        const Vec3 down = a.normal + b.normal; // decreases both equally, by half its square
        set_touching(result, std::min(a.offset, b.offset) / (0.5 * down.squaredNorm()) * down);
        result.depth = HUGE_VAL;
    } else if (gap <= options.margin) {
        set_touching(result, 0.5 * (a.offset - b.offset) * a.normal);
        result.depth = -gap;
    }
    if (result.status == Status::overlapping && options.goal == CollideGoal::contacts && std::isfinite(result.depth))
        result.contacts.push_back({.point_a = a.offset * a.normal,
                                   .point_b = (a.offset + gap) * a.normal,
                                   .normal = a.normal,
                                   .depth = result.depth});
    return result;
}

void collect_below(const Placed& surface, const Shape::HalfSpace& plane, double margin, CollideResult& result) {
    const TriangleSphereTree& mesh = surface.shape->surface();
    const Vec3 way = surface.pose.rotate_to_local(plane.normal);
    const double level = plane.offset + margin - plane.normal.dot(surface.pose.translation);
    std::vector<Index> open = {0};
    while (!open.empty()) {
        const Index at = open.back();
        open.pop_back();
        const SphereNode& node = mesh.tree().nodes()[at];
        if (way.dot(mesh.tree().sphere(node).center) - mesh.reach(at) > level) continue;
        for (Index k = node.first; k < node.first + node.size(); ++k) {
            if (!node.is_leaf()) {
                open.push_back(k);
                continue;
            }
            const auto corners = mesh.corners(k);
            const auto lowest = std::min_element(corners.begin(), corners.end(),
                                                 [&](const Vec3& p, const Vec3& q) { return way.dot(p) < way.dot(q); });
            const Vec3 point = surface.pose * *lowest;
            const double depth = plane.offset - plane.normal.dot(point);
            if (depth < -margin) continue;
            result.contacts.push_back(
                {.point_a = point, .point_b = point + depth * plane.normal, .normal = -plane.normal, .depth = depth});
            result.contacts.back().feature_a.element = mesh.triangle(k);
        }
    }
}

// Removes duplicates: a lowest corner occurs once for each triangle that shares it.
void drop_same_points(std::vector<Contact>& contacts) {
    const auto before = [](const Contact& p, const Contact& q) {
        return std::lexicographical_compare(p.point_a.begin(), p.point_a.end(), q.point_a.begin(), q.point_a.end()) ||
               (p.point_a == q.point_a && p.feature_a.element < q.feature_a.element);
    };
    std::sort(contacts.begin(), contacts.end(), before);
    contacts.erase(std::unique(contacts.begin(), contacts.end(),
                               [](const Contact& p, const Contact& q) { return p.point_a == q.point_a; }),
                   contacts.end());
}

// `b` is the half-space.
CollideResult surface_and_plane(const Pair& pair, const CollideOptions& options) {
    const Shape::HalfSpace plane = half_space(pair.b);
    const Lowest deepest = lowest(pair.a, plane.normal);
    CollideResult result;
    if (deepest.value > plane.offset + options.margin) return result;
    set_touching(result, deepest.point);
    result.depth = plane.offset - deepest.value;
    if (options.goal == CollideGoal::contacts) collect_below(pair.a, plane, options.margin, result);
    drop_same_points(result.contacts);
    sort_and_spread(result, options.max_contacts);
    if (options.goal != CollideGoal::contacts) result.depth = plane.offset - deepest.value;
    return result;
}

CollideResult by_closed_form(const Pair& pair, const CollideOptions& options) {
    if (is_plane(pair.a.kind()) && is_plane(pair.b.kind())) {
        const Pair p = ordered(pair, any_kind);
        CollideResult result = plane_and_plane(p, options);
        if (p.swapped != pair.swapped) flip(result);
        return result;
    }
    if (is_plane(pair.b.kind())) return surface_and_plane(pair, options);
    CollideResult result = surface_and_plane(pair.flipped(), options);
    flip(result);
    return result;
}

// ---- Surfaces

// Contact of two triangles that intersect or are close. Open surfaces have no separating direction, so the normal of
// intersecting triangles is that of the larger one, from a to b.
Contact contact_of(const Pair& pair, const IdPair& triangles) {
    const auto corners = [](const Placed& p, Index t) {
        const auto c = p.shape->mesh().corners(t);
        return std::array<Vec3, 3>{p.pose * c[0], p.pose * c[1], p.pose * c[2]};
    };
    const auto ca = corners(pair.a, triangles[0]), cb = corners(pair.b, triangles[1]);
    const auto area = [](const std::array<Vec3, 3>& c) -> Vec3 { return (c[1] - c[0]).cross(c[2] - c[0]); };
    const ClosestPair near = closest_points(ca, cb);
    const double distance = std::sqrt(near.squared_distance);
    Vec3 normal = near.point_b - near.point_a;
    if (!(distance > 0)) {
        const Vec3 of_a = area(ca), of_b = area(cb), way = (cb[0] + cb[1] + cb[2]) - (ca[0] + ca[1] + ca[2]);
        normal = of_a.squaredNorm() > of_b.squaredNorm() ? of_a : of_b;
        if (!(normal.squaredNorm() > 0)) normal = way.squaredNorm() > 0 ? way : Vec3::UnitZ();
        if (normal.dot(way) < 0) normal = -normal;
    }
    Contact contact{
        .point_a = near.point_a, .point_b = near.point_b, .normal = normal.stableNormalized(), .depth = -distance};
    contact.feature_a.element = triangles[0];
    contact.feature_b.element = triangles[1];
    return contact;
}

// Adds the contacts of the triangles of each shape in the other, if that is a solid.
void add_depths(const Pair& pair, const CollideOptions& options, CollideResult& result) {
    FieldContacts found = contacts_in_field(pair, options, true);
    result.contacts = std::move(found.contacts);
    result.more_contacts = found.more_contacts;
}

CollideResult surfaces_in_order(const Pair& pair, const CollideOptions& options) {
    CollideResult result;
    const MeshCrossings first =
        mesh_crossings(pair.a.shape->tree(), pair.a.pose, pair.b.shape->tree(), pair.b.pose, 1, options.margin);
    Vec3 inside;
    if (!first.pairs.empty())
        set_touching(result, contact_of(pair, first.pairs.front()).point_a);
    else if (contained(pair, inside))
        set_touching(result, inside);
    else
        return result;
    if (options.goal != CollideGoal::contacts) return result;
    if (pair.a.solid() || pair.b.solid()) add_depths(pair, options, result);
    if (result.contacts.empty()) { // two surfaces, or intersections below rounding
        const MeshCrossings all = mesh_crossings(pair.a.shape->tree(), pair.a.pose, pair.b.shape->tree(), pair.b.pose,
                                                 max_listed, options.margin);
        result.more_contacts = all.more_contacts;
        for (const IdPair& t : all.pairs) result.contacts.push_back(contact_of(pair, t));
    }
    sort_and_spread(result, options.max_contacts);
    return result;
}

CollideResult by_surfaces(const Pair& pair, const CollideOptions& options) {
    const Pair p = ordered(pair, any_kind);
    CollideResult result = surfaces_in_order(p, options);
    if (p.swapped != pair.swapped) flip(result);
    result.error_bound = depth_error(pair);
    return result;
}

CollideResult by_surface_in_field(const Pair& pair, const CollideOptions& options) {
    const Pair p = ordered(pair, is_surface);
    const FieldContacts found = contacts_in_field(p, options);
    CollideResult result{.status = found.status, .more_contacts = found.more_contacts, .contacts = found.contacts};
    if (!result.contacts.empty()) result.witness = result.contacts.front().point_a;
    if (options.goal == CollideGoal::contacts)
        sort_and_spread(result, options.max_contacts);
    else
        result.contacts.clear();
    if (p.swapped != pair.swapped) flip(result);
    result.error_bound = depth_error(pair);
    return result;
}

// ---- Solids

CollideResult by_fields(const Pair& pair, const CollideOptions& options) {
    field_field::CollideOptions ask{.margin = options.margin,
                                    .max_contacts = std::max<std::size_t>(options.max_contacts, 1)};
    if (options.goal != CollideGoal::contacts) ask.goal = field_field::CollideGoal::any;
    if (options.goal == CollideGoal::proof) ask.max_evaluations *= 100;
    field_field::CollideResult found =
        field_field::collide(pair.a.shape->solid(), pair.a.pose, pair.b.shape->solid(), pair.b.pose, ask);
    return {.status = found.status,
            .witness = found.witness,
            .depth = found.depth,
            .error_bound = depth_error(pair),
            .more_contacts = found.more_contacts,
            .contacts = std::move(found.contacts)};
}

CollideResult by_octree(const Pair& pair, const CollideOptions& options) {
    field_field::FieldOverlapOptions ask{.depth = 24,
                                         .order = field_field::OverlapOrder::best_first,
                                         .stop_at_first = true,
                                         .max_evaluations = 1'000'000,
                                         .keep_cells = false};
    if (options.goal == CollideGoal::proof) ask.depth = 40, ask.max_evaluations *= 100;
    const field_field::FieldOverlap found =
        field_field::field_overlap(*pair.a.shape->field(), pair.a.pose, *pair.b.shape->field(), pair.b.pose, ask);
    return {.status = found.status,
            .witness = found.witness,
            .error_bound = depth_error(pair),
            .more_contacts = found.budget_exhausted};
}

CollideResult by_tetrahedra(const Pair& pair, const CollideOptions& options) {
    const Pair p = ordered(pair, any_kind);
    const auto placed = [](const Placed& body) {
        std::vector<Vec3> moved = body.shape->tetrahedra().vertices;
        for (Vec3& v : moved) v = body.pose * v;
        return moved;
    };
    const std::vector<Vec3> of_a = placed(p.a), of_b = placed(p.b);
    const std::vector<IdPair> pairs =
        overlapping_tetrahedra({of_a, p.a.shape->tet_topology()}, {of_b, p.b.shape->tet_topology()});
    CollideResult result{.error_bound = depth_error(pair)};
    if (pairs.empty()) return result;
    set_touching(result, Vec3::Zero());
    result.proven = true;
    if (options.goal == CollideGoal::contacts) add_depths(p, options, result);
    sort_and_spread(result, options.max_contacts);
    // If tetrahedra only touch, the fields may not evaluate to inside both at any point.
    const CollideResult seen = result.contacts.empty() ? surfaces_in_order(p, options) : CollideResult{};
    if (!result.contacts.empty())
        result.witness = result.contacts.front().point_a;
    else if (seen.status == Status::overlapping)
        result.witness = seen.witness, result.contacts = seen.contacts;
    else
        result.witness = of_a[p.a.shape->tetrahedra().tetrahedra[pairs.front()[0]][0]];
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

// ---- Depth maps

DepthObject drawn(DepthBackend& backend, const Shape& shape) {
    const bool layered = shape.kind() == ShapeKind::closed_mesh || mesh_report(shape.mesh()).faces_outward();
    std::vector<Projection> projections;
    projections.reserve(3);
    for (int axis = 0; axis < 3; ++axis)
        projections.push_back({Vec3::Unit(axis), layered ? DepthSides::layers : DepthSides::both_sides});
    return {backend, shape.mesh(), projections, {.pixels = 512}};
}

CollideResult by_depth_maps(const Pair& pair, const CollideOptions& options) {
    const Pair p = ordered(pair, has_field); // depth maps of a surface without an interior would fill it
    const auto backend = make_cpu_depth_backend();
    DepthObject object = drawn(*backend, *p.a.shape);
    const DrawnBody other{std::make_shared<DrawnMesh>(p.b.shape->mesh()), p.b.pose, 0};
    const DepthCollision found = collide(object, p.a.pose, std::span(&other, 1), {.goal = DepthGoal::bodies});
    CollideResult result{.status = found.status,
                         .proven = found.proven,
                         .error_bound = found.tolerance,
                         .more_contacts = found.truncated};
    if (!found.enclosed_by.empty()) result.witness = found.enclosed_by.front().point;
    for (const DepthBodyHit& hit : found.bodies) {
        // If the object is moved by `depth` along way_out, the point is on its surface.
        Contact contact{.point_a = hit.point - hit.depth * hit.way_out,
                        .point_b = hit.point,
                        .normal = -hit.way_out,
                        .depth = hit.depth};
        contact.feature_b.element = hit.primitive;
        result.witness = hit.point;
        if (options.goal == CollideGoal::contacts) result.contacts.push_back(contact);
    }
    sort_and_spread(result, options.max_contacts);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

CollideResult by_method(Method method, const Pair& pair, const CollideOptions& options) {
    switch (method) {
    case Method::closed_form:
        return by_closed_form(pair, options);
    case Method::mesh_mesh:
        return by_surfaces(pair, options);
    case Method::mesh_field:
        return by_surface_in_field(pair, options);
    case Method::octree:
        return by_octree(pair, options);
    case Method::tetrahedra:
        return by_tetrahedra(pair, options);
    case Method::depth_maps:
        return by_depth_maps(pair, options);
    case Method::field_field:
        return by_fields(pair, options);
    case Method::automatic: // choose() has replaced it
    case Method::point_field:
    case Method::conservative_advancement:
        break;
    }
    throw Error(Cause::unsupported, "the method does not support collide()", {.element = std::string(name(method))});
}

bool supports_margin(Method method) {
    return method != Method::octree && method != Method::tetrahedra && method != Method::depth_maps;
}

} // namespace
} // namespace query

CollideResult collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                      const CollideOptions& options) {
    if (!(options.margin >= 0) || !std::isfinite(options.margin))
        throw Error(Cause::invalid_argument, "the margin must be finite and not negative");
    const Method method = choose(a.kind(), b.kind(), Question::collide, options.method);
    if (options.margin > 0 && !query::supports_margin(method))
        throw Error(Cause::unsupported, fmt::format("method '{}' does not support a margin", name(method)));
    CollideResult result;
    if (!is_finite(pose_a) || !is_finite(pose_b)) {
        result.status = Status::undecided;
    } else if (!a.bounds().empty() && !b.bounds().empty()) {
        result = query::by_method(method, {{&a, pose_a}, {&b, pose_b}}, options);
    }
    result.method = method;
    result.proven = result.proven && (result.status == Status::disjoint || result.status == Status::overlapping);
    return result;
}

} // namespace fathom
