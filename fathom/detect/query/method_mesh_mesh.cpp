// Method mesh_mesh: triangles against triangles.
#include <fathom/detect/query/methods.h>

#include <fathom/detect/mesh_mesh/mesh_mesh.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <cmath>

namespace fathom::query {

namespace {

constexpr std::size_t max_listed = 10'000; // limit on contacts before contact reduction

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
        const Vec3 of_a = area(ca), of_b = area(cb), direction = (cb[0] + cb[1] + cb[2]) - (ca[0] + ca[1] + ca[2]);
        normal = of_a.squaredNorm() > of_b.squaredNorm() ? of_a : of_b;
        if (!(normal.squaredNorm() > 0)) normal = direction.squaredNorm() > 0 ? direction : Vec3::UnitZ();
        if (normal.dot(direction) < 0) normal = -normal;
    }
    Contact contact{
        .point_a = near.point_a, .point_b = near.point_b, .normal = normal.stableNormalized(), .depth = -distance};
    contact.feature_a.element = triangles[0];
    contact.feature_b.element = triangles[1];
    return contact;
}

// The contacts of two shapes that are known to overlap at `witness`.
CollideResult contacts_of_overlap(const Pair& pair, const Vec3& witness, const CollideOptions& options) {
    CollideResult result;
    set_overlapping(result, witness);
    if (options.goal == CollideGoal::status) return result;
    if (pair.a.solid() || pair.b.solid()) add_contacts_in_fields(pair, options, result);
    if (result.contacts.empty()) { // two surfaces, or intersections below rounding
        const mesh_mesh::MeshCrossings all = mesh_mesh::mesh_crossings(
            pair.a.shape->tree(), pair.a.pose, pair.b.shape->tree(), pair.b.pose, max_listed, options.margin);
        result.more_contacts = all.more_contacts;
        for (const IdPair& t : all.pairs) result.contacts.push_back(contact_of(pair, t));
    }
    sort_and_spread(result, options.max_contacts);
    return result;
}

CollideResult surfaces_in_order(const Pair& pair, const CollideOptions& options) {
    const mesh_mesh::MeshCrossings first = mesh_mesh::mesh_crossings(
        pair.a.shape->tree(), pair.a.pose, pair.b.shape->tree(), pair.b.pose, 1, options.margin);
    Vec3 inside;
    if (!first.pairs.empty()) return contacts_of_overlap(pair, contact_of(pair, first.pairs.front()).point_a, options);
    return contained(pair, inside) ? contacts_of_overlap(pair, inside, options) : CollideResult{};
}

CollideResult collide_mesh_mesh(const Pair& pair, const CollideOptions& options) {
    const Pair p = ordered(pair, any_kind);
    CollideResult result = surfaces_in_order(p, options);
    if (p.swapped != pair.swapped) flip(result);
    result.error_bound = depth_error(pair);
    return result;
}

// ---- Distance

DistanceResult distance_mesh_mesh(const Pair& pair, const DistanceOptions&) {
    const Pair p = ordered(pair, any_kind);
    const mesh_mesh::MeshDistance near =
        mesh_mesh::mesh_distance(p.a.shape->tree(), p.a.pose, p.b.shape->tree(), p.b.pose);
    Vec3 witness = near.point_a;
    DistanceResult result =
        near.distance > 0 && !contained(p, witness)
            ? between(near.point_a, near.point_b, near.distance, near.distance)
            : penetration(p, contacts_of_overlap(p, witness, {.goal = CollideGoal::contacts, .max_contacts = 1}));
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

// A point shell and a solid are excluded: every point would need its own containment test, which costs less in the
// field.
bool two_surfaces(ShapeKind a, ShapeKind b) {
    return has_surface(a) && has_surface(b) && !(is_point_shell(a) && !is_surface(b)) &&
           !(is_point_shell(b) && !is_surface(a));
}

} // namespace

const MethodRow mesh_mesh_row = {
    .method = Method::mesh_mesh,
    .name = "mesh_mesh",
    .collide = {.fits = two_surfaces,
                .guarantee = "status by exact predicates; depth by descent",
                .margin = true,
                .run = collide_mesh_mesh},
    .distance = {.fits = two_surfaces,
                 .guarantee = "exact up to rounding; depth by descent",
                 .run = distance_mesh_mesh},
};

} // namespace fathom::query
