// Method mesh_field: triangles or points of a surface without an interior in the field of a solid.
#include <fathom/detect/query/methods.h>

#include <fathom/detect/mesh_field/mesh_field_distance.h>
#include <fathom/detect/query/distance_lower_bound.h>

#include <algorithm>

namespace fathom::query {

namespace {

constexpr std::size_t max_pairs = 3'000; // limit on pairs of nodes, if the field is not a distance

CollideResult collide_mesh_field(const Pair& pair, const CollideOptions& options) {
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

DistanceResult distance_mesh_field(const Pair& pair, const DistanceOptions& options) {
    const Pair p = ordered(pair, is_surface);
    const double tolerance = tolerance_of(pair, options);
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
                                                                            .effort = max_pairs * options.effort,
                                                                            .min_radius = 0.05 * tolerance,
                                                                            .direction = near.normal})));
    result.error_bound = near.upper > 0 ? surface_error(*p.b.shape) : depth_error(pair);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

bool surface_and_solid(ShapeKind a, ShapeKind b) { return is_surface(a) && has_field(b); }

} // namespace

const MethodRow mesh_field_row = {
    .method = Method::mesh_field,
    .name = "mesh_field",
    .collide = {.fits = surface_and_solid,
                .guarantee = "proof or witness, else undecided; depth by descent",
                .margin = true,
                .run = collide_mesh_field},
    .distance = {.fits = surface_and_solid,
                 .guarantee = "between proven bounds; depth by descent",
                 .run = distance_mesh_field},
};

} // namespace fathom::query
