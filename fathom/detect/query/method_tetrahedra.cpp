// Method tetrahedra: tetrahedra against tetrahedra.
#include <fathom/detect/query/methods.h>

#include <fathom/detect/tet/tet_collision.h>

#include <vector>

namespace fathom::query {

namespace {

CollideResult collide_tetrahedra(const Pair& pair, const CollideOptions& options) {
    const Pair p = ordered(pair, any_kind);
    const auto placed = [](const Placed& body) {
        std::vector<Vec3> moved = body.shape->tetrahedra().vertices;
        for (Vec3& v : moved) v = body.pose * v;
        return moved;
    };
    const std::vector<Vec3> of_a = placed(p.a), of_b = placed(p.b);
    const std::vector<IdPair> pairs =
        tet::overlapping_tetrahedra({of_a, p.a.shape->tet_topology()}, {of_b, p.b.shape->tet_topology()});
    CollideResult result{.error_bound = depth_error(pair)};
    if (pairs.empty()) return result;
    set_overlapping(result, Vec3::Zero());
    if (options.goal != CollideGoal::status) add_contacts_in_fields(p, options, result);
    sort_and_spread(result, options.max_contacts);
    // If tetrahedra only touch, the fields may not evaluate to inside both at any point.
    const CollideResult seen = result.contacts.empty() ? mesh_mesh_row.collide.run(p, options) : CollideResult{};
    if (!result.contacts.empty())
        result.witness = result.contacts.front().point_a;
    else if (seen.status == Status::overlapping)
        result.witness = seen.witness, result.contacts = seen.contacts;
    else
        result.witness = of_a[p.a.shape->tetrahedra().tetrahedra[pairs.front()[0]][0]];
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

bool two_tetrahedra(ShapeKind a, ShapeKind b) { return a == ShapeKind::tetrahedra && b == ShapeKind::tetrahedra; }

} // namespace

const MethodRow tetrahedra_row = {
    .method = Method::tetrahedra,
    .name = "tetrahedra",
    .collide = {.fits = two_tetrahedra,
                .guarantee = "status by exact predicates, also for inverted tetrahedra",
                .run = collide_tetrahedra},
};

} // namespace fathom::query
