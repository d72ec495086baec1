// Method mesh_field: triangles or points of a surface without an interior in the field of a solid.
#include <fathom/detect/query/methods.h>

#include <fathom/detect/mesh_field/mesh_contacts.h>

#include <algorithm>

namespace fathom::query {

namespace {

constexpr std::size_t max_proof_evaluations = 20'000; // of the field, for the status before a distance

CollideResult collide_mesh_field(const Pair& pair, const CollideOptions& options) {
    const Pair p = ordered(pair, is_surface);
    const FieldContacts found = contacts_in_field(p, options);
    CollideResult result{.status = found.status, .more_contacts = found.more_contacts, .contacts = found.contacts};
    if (!result.contacts.empty()) result.witness = result.contacts.front().point_a;
    if (options.goal != CollideGoal::status)
        sort_and_spread(result, options.max_contacts);
    else
        result.contacts.clear();
    if (p.swapped != pair.swapped) flip(result);
    result.error_bound = depth_error(pair);
    return result;
}

DistanceResult distance_mesh_field(const Pair& pair, const DistanceOptions& options) {
    const Pair p = ordered(pair, is_surface);
    const auto contacts = [&](mesh_field::MeshGoal goal) {
        return mesh_field::mesh_contacts(p.a.shape->surface(), p.a.pose, *p.b.shape->field(), p.b.pose,
                                         {.goal = goal, .max_evaluations = max_proof_evaluations});
    };
    if (contacts(mesh_field::MeshGoal::any).status != Status::overlapping) {
        if (p.b.shape->bounded() || is_half_space(p.b.kind())) return distance_of_disjoint(pair, options);
        return {.lower_bound = 0, .upper_bound = HUGE_VAL, .converged = false};
    }
    const mesh_field::MeshContactResult deepest = contacts(mesh_field::MeshGoal::deepest);
    const mesh_field::MeshContact& c = deepest.contacts.front();
    DistanceResult result{.lower_bound = -HUGE_VAL,
                          .upper_bound = -std::max(c.depth, 0.0),
                          .point_a = c.point,
                          .point_b = c.point - c.depth * c.normal,
                          .normal = c.normal,
                          .error_bound = depth_error(pair)};
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
