// Method depth_maps: depth maps of one shape, with the triangles of the other rendered into them.
#include <fathom/detect/query/methods.h>

#include <fathom/base/parallel.h>
#include <fathom/detect/depth/depth_collide.h>

#include <mutex>

namespace fathom::query {

namespace {

CollideResult collide_depth_maps(const Pair& pair, const CollideOptions& options) {
    const Pair p = ordered(pair, has_field); // depth maps of a surface without an interior would fill it
    SharedDepthObject& maps = *p.a.shape->depth_object();
    const DrawnBody other{p.b.shape->drawn(), p.b.pose, 0};
    DepthCollision found;
    {
        const std::lock_guard lock(maps.busy);
        undisturbed([&] { found = collide(maps.object, p.a.pose, std::span(&other, 1), {.goal = DepthGoal::bodies}); });
    }
    CollideResult result{.status = found.status, .error_bound = found.tolerance, .more_contacts = found.truncated};
    if (result.status == Status::disjoint && !found.proven) result.status = Status::undecided; // pixels are samples
    if (!found.enclosed_by.empty()) result.witness = found.enclosed_by.front().point;
    for (const DepthBodyHit& hit : found.bodies) {
        // If the object is moved by `depth` along separating_direction, the point is on its surface.
        Contact contact{.point_a = hit.point - hit.depth * hit.separating_direction,
                        .point_b = hit.point,
                        .normal = -hit.separating_direction,
                        .depth = hit.depth};
        contact.feature_b.element = hit.primitive;
        result.witness = hit.point;
        if (options.goal != CollideGoal::status) result.contacts.push_back(contact);
    }
    sort_and_spread(result, options.max_contacts);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

bool is_drawn(ShapeKind kind) { return has_surface(kind) && !is_point_shell(kind); }
bool drawn_solid(ShapeKind a, ShapeKind b) { return is_drawn(a) && has_field(a) && is_drawn(b); }

} // namespace

const MethodRow depth_maps_row = {
    .method = Method::depth_maps,
    .name = "depth_maps",
    .collide = {.fits = drawn_solid,
                .guarantee = "contacts accurate to a pixel; without a contact undecided",
                .run = collide_depth_maps},
};

} // namespace fathom::query
