// Method dual_gradient: the complete method of Liu et al. 2024, by descent from detection points in the parts of a
// decomposition. For comparison: a contact that no descent reaches is not found, so that without one the pair is
// undecided unless the boxes of the parts are disjoint.
#include <fathom/detect/query/methods.h>

#include <fathom/detect/decomposition/detection_points.h>

#include <algorithm>

namespace fathom::query {

namespace {

PlainBody plain_body(const Placed& body) {
    const DetectionParts& parts = body.shape->detection_parts();
    return {{body.shape->field().get(), body.pose}, &parts.decomposition, parts.protrusions};
}

// Of the deepest point of A in B and the deepest point of B in A, the deeper counts.
Contact contact_of(const field_field::DualContact& c) {
    const bool of_a = c.depth_a >= c.depth_b;
    Contact contact{.normal = of_a ? c.normal_a : c.normal_b, .depth = of_a ? c.depth_a : c.depth_b};
    contact.point_a = of_a ? c.point_a : Vec3(c.point_b + contact.depth * contact.normal);
    contact.point_b = of_a ? Vec3(c.point_a - contact.depth * contact.normal) : c.point_b;
    contact.feature_a.part = c.part_a;
    contact.feature_b.part = c.part_b;
    return contact;
}

CollideResult collide_dual_gradient(const Pair& pair, const CollideOptions& options) {
    const Pair p = ordered(pair, any_kind);
    const PlainResult found = plain_field_collision(
        plain_body(p.a), plain_body(p.b),
        {.descent = {.rule = field_field::StepRule::adaptive}, .all = options.goal != CollideGoal::status});
    CollideResult result{.status = found.status, .witness = found.common, .error_bound = depth_error(pair)};
    if (options.goal != CollideGoal::status)
        for (const field_field::DualContact& c : found.contacts) result.contacts.push_back(contact_of(c));
    sort_and_spread(result, options.max_contacts);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

bool two_bounded_solids(ShapeKind a, ShapeKind b) {
    const auto bounded = [](ShapeKind kind) {
        return has_field(kind) && kind != ShapeKind::half_space && kind != ShapeKind::height_field;
    };
    return bounded(a) && bounded(b);
}

} // namespace

const MethodRow dual_gradient_row = {
    .method = Method::dual_gradient,
    .name = "dual_gradient",
    .collide = {.fits = two_bounded_solids,
                .guarantee = "witness by local descent, else undecided; depth by descent",
                .run = collide_dual_gradient},
};

} // namespace fathom::query
