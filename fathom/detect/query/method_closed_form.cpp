// Method closed_form: half-spaces against half-spaces and against triangle surfaces.
#include <fathom/detect/query/methods.h>

#include <fathom/detect/query/conservative_advancement.h>
#include <fathom/detect/trees/triangle_sphere_tree.h>

#include <algorithm>
#include <cmath>

namespace fathom::query {

namespace {

constexpr double same_direction = 1e-12; // of unit normals: rotation rounds them by less

// The minimum translation is along a normal that is known.
void set_translation(CollideResult& result, double local_depth, const Vec3& normal, const CollideOptions& options) {
    result.local_depth = local_depth;
    result.depth = local_depth + options.margin;
    result.normal = normal;
    result.separates = Separates::proven;
}

// Two half-spaces are disjoint only if their normals are opposite.
CollideResult half_space_and_half_space(const Pair& pair, const CollideOptions& options) {
    const Shape::HalfSpace a = half_space(pair.a), b = half_space(pair.b);
    CollideResult result;
    const double gap = -(a.offset + b.offset); // if the normals are opposite
    if ((a.normal + b.normal).norm() > same_direction) {
        const Vec3 down = a.normal + b.normal; // decreases both equally, by half its square
        set_overlapping(result, std::min(a.offset, b.offset) / (0.5 * down.squaredNorm()) * down);
        result.depth = result.local_depth = HUGE_VAL;
    } else if (gap <= options.margin) {
        set_overlapping(result, 0.5 * (a.offset - b.offset) * a.normal);
        set_translation(result, -gap, a.normal, options);
        if (options.goal != CollideGoal::status)
            result.contacts.push_back({.point_a = a.offset * a.normal,
                                       .point_b = (a.offset + gap) * a.normal,
                                       .normal = a.normal,
                                       .depth = -gap});
    }
    return result;
}

void collect_below(const Placed& surface, const Shape::HalfSpace& plane, double margin, CollideResult& result) {
    const TriangleSphereTree& mesh = surface.shape->surface();
    const Vec3 direction = surface.pose.rotate_to_local(plane.normal);
    const double level = plane.offset + margin - plane.normal.dot(surface.pose.translation);
    std::vector<Index> open = {0};
    while (!open.empty()) {
        const Index at = open.back();
        open.pop_back();
        const SphereNode& node = mesh.tree().nodes()[at];
        if (direction.dot(mesh.tree().sphere(node).center) - mesh.reach(at) > level) continue;
        for (Index k = node.first; k < node.first + node.size(); ++k) {
            if (!node.is_leaf()) {
                open.push_back(k);
                continue;
            }
            const auto corners = mesh.corners(k);
            const auto lowest = std::min_element(corners.begin(), corners.end(), [&](const Vec3& p, const Vec3& q) {
                return direction.dot(p) < direction.dot(q);
            });
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
CollideResult surface_and_half_space(const Pair& pair, const CollideOptions& options) {
    const Shape::HalfSpace plane = half_space(pair.b);
    const Lowest deepest = lowest(pair.a, plane.normal);
    CollideResult result;
    if (deepest.value > plane.offset + options.margin) return result;
    set_overlapping(result, deepest.point);
    if (options.goal != CollideGoal::status) collect_below(pair.a, plane, options.margin, result);
    drop_same_points(result.contacts);
    sort_and_spread(result, options.max_contacts);
    set_translation(result, plane.offset - deepest.value, -plane.normal, options);
    return result;
}

CollideResult collide_closed_form(const Pair& pair, const CollideOptions& options) {
    if (is_half_space(pair.a.kind()) && is_half_space(pair.b.kind())) {
        const Pair p = ordered(pair, any_kind);
        CollideResult result = half_space_and_half_space(p, options);
        if (p.swapped != pair.swapped) flip(result);
        return result;
    }
    if (is_half_space(pair.b.kind())) return surface_and_half_space(pair, options);
    CollideResult result = surface_and_half_space(pair.flipped(), options);
    flip(result);
    return result;
}

// ---- Distance

DistanceResult distance_of_half_spaces(const Pair& pair) {
    const CollideResult touch = half_space_and_half_space(pair, {.goal = CollideGoal::status});
    if (touch.status == Status::overlapping)
        return {.lower_bound = -touch.local_depth,
                .upper_bound = -touch.local_depth,
                .point_a = touch.witness,
                .point_b = touch.witness,
                .normal = half_space(pair.a).normal};
    const Shape::HalfSpace a = half_space(pair.a), b = half_space(pair.b);
    return between(a.offset * a.normal, -b.offset * a.normal, -(a.offset + b.offset), -(a.offset + b.offset));
}

// `b` is the half-space.
DistanceResult distance_to_half_space(const Pair& pair) {
    const Shape::HalfSpace plane = half_space(pair.b);
    const Lowest deepest = lowest(pair.a, plane.normal);
    const double gap = deepest.value - plane.offset;
    DistanceResult result = between(deepest.point, deepest.point - gap * plane.normal, gap, gap);
    result.normal = -plane.normal;
    return result;
}

DistanceResult distance_closed_form(const Pair& pair, const DistanceOptions&) {
    const Pair p = ordered(pair, has_surface);
    DistanceResult result = is_half_space(p.a.kind()) ? distance_of_half_spaces(p) : distance_to_half_space(p);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

// ---- Sweep

// They are disjoint only if they face each other; their distance is then that of any point of one
// from the other.

SweepResult sweep_closed_form(const Moving& a, const Moving& b, const SweepOptions& options) {
    const Mover mover_a(a.motion), mover_b(b.motion);
    const auto distance_at = [&](double t) {
        return distance_closed_form({{a.shape, mover_a.pose(t)}, {b.shape, mover_b.pose(t)}}, {});
    };
    const auto probe = [&](double t) {
        const DistanceResult d = distance_at(t);
        return TimeProbe{d.upper_bound <= options.margin, d.lower_bound - options.margin};
    };
    const bool facing = distance_at(0.5).lower_bound > -HUGE_VAL && distance_at(1).lower_bound > -HUGE_VAL;
    const double speed = facing ? mover_a.max_displacement(0) + mover_b.max_displacement(0) : HUGE_VAL;
    AdvancementResult found = conservative_advancement(probe, {.speed = speed,
                                                               .all = options.goal == SweepGoal::all,
                                                               .tolerance = options.tolerance,
                                                               .resolution = options.resolution});
    SweepResult result{.status = found.status,
                       .time = found.time,
                       .error = found.error,
                       .intervals = std::move(found.intervals),
                       .budget_exhausted = found.budget_exhausted};
    const DistanceResult d = distance_at(std::min(result.time + result.error, 1.0));
    result.point = d.point_a, result.normal = d.normal;
    return result;
}

bool half_spaces_or_surface(ShapeKind a, ShapeKind b) { return both_half_spaces(a, b) || half_space_and_surface(a, b); }

} // namespace

const MethodRow closed_form_row = {
    .method = Method::closed_form,
    .name = "closed_form",
    .collide = {.fits = half_spaces_or_surface,
                .guarantee = "exact up to rounding",
                .margin = true,
                .run = collide_closed_form},
    .distance = {.fits = half_spaces_or_surface, .guarantee = "exact up to rounding", .run = distance_closed_form},
    .sweep = {.fits = both_half_spaces,
              .guarantee = "exact up to rounding",
              .guarantee_all = "exact up to rounding",
              .margin = true,
              .run = sweep_closed_form},
};

} // namespace fathom::query
