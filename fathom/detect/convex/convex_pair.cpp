// Selection of the kernel for a pair, and the bounds of its result.
#include <fathom/detect/convex/convex_pair.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/convex/closed_forms.h>
#include <fathom/detect/convex/face_contacts.h>
#include <fathom/detect/convex/gjk.h>

#include <algorithm>
#include <cmath>

namespace fathom::convex {

namespace {

constexpr double curved_gap = 1e-2;       // relative gap of the bounds at which curved cores are refined
constexpr double touching_share = 1e-8;   // of the size: cores that touch at curved surfaces are found to this distance
constexpr double uncertain_normal = 1e-6; // of the size: below this distance the difference of two points has no
                                          // accurate direction

// ---- Cores

// Its support points are found by climbing, which rounding may end early.
bool is_large_hull(const Body& body) {
    return body.core == Core::hull && body.hull->vertices.size() > max_scanned_vertices;
}

// Normals of faces that the closest points may lie on: a mean of three points has a direction that is inaccurate if it
// is near the origin.
void try_faces(const Difference& d, const GjkResult& g, Direction& best) {
    const auto consider = [&](Vec3 normal) {
        if (normal.dot(g.normal) < 0) normal = -normal;
        const double height = d.height(normal);
        if (height < best.height) best.normal = normal, best.height = height;
    };
    const DifferencePoint* const p = g.simplex.points;
    if (g.simplex.count == 3) {
        const Vec3 across = (p[1].w - p[0].w).cross(p[2].w - p[0].w);
        if (across.squaredNorm() > 0) consider(across.normalized());
    }
    if (d.a.core == Core::frustum) consider(Vec3::UnitZ());
    if (d.b.core == Core::frustum) consider(d.turn.col(2));
}

// Cores that are apart: a direction of least height, from the simplex that GJK ended with.
CoreDistance apart(const Difference& d, GjkResult& g) {
    Direction best{g.normal, -g.lower, g.simplex.on_a(), g.simplex.on_b()};
    const auto is_found = [&] {
        const double distance = (best.on_b - best.on_a).norm();
        return distance + best.height <= d.rounding && distance > uncertain_normal * d.size;
    };
    for (int round = 0; round < 2 && !is_found(); ++round) {
        const double distance = (best.on_b - best.on_a).norm();
        if (round > 0) {
            if (g.stopped) break;
            gjk(d, {}, g);
            if (-g.lower < best.height) best.normal = g.normal, best.height = -g.lower;
            if (g.upper < distance) best.on_a = g.simplex.on_a(), best.on_b = g.simplex.on_b();
        }
        const Direction found = refined(d, g.simplex, -g.simplex.mean().normalized());
        if (!(found.height < best.height + d.rounding)) continue;
        const bool nearer = (found.on_b - found.on_a).norm() <= distance + d.rounding;
        best.normal = found.normal, best.height = std::min(found.height, best.height);
        if (nearer) best.on_a = found.on_a, best.on_b = found.on_b;
    }
    if (!is_found()) try_faces(d, g, best);
    const double distance = (best.on_b - best.on_a).norm();
    if (distance < uncertain_normal * d.size && distance + best.height > std::max(8 * d.rounding, 1e-9 * distance)) {
        const Penetration found = penetration(d, g.simplex, curved_gap, true);
        if (found.encloses) {
            g.simplex = found.around;
            return {found.best, found.lower, found.unique && is_well_determined(d, found.best), true};
        }
        if (found.best.height < best.height) best.normal = found.best.normal, best.height = found.best.height;
    }
    if (is_large_hull(d.a) || is_large_hull(d.b)) best.height = d.height(best.normal);
    CoreDistance result{best, -distance};
    result.unique = -best.height > uncertain_normal * d.size || is_well_determined(d, best);
    return result;
}

CoreDistance overlapping(const Difference& d, const Simplex& inside, double gap) {
    if (d.a.core == Core::box && d.b.core == Core::box) return box_penetration(d);
    const Penetration found = penetration(d, inside, gap);
    CoreDistance result{found.best, found.lower, found.unique};
    result.unique = result.unique && is_well_determined(d, found.best);
    return result;
}

CoreDistance general(const Difference& d, double gap, bool& cores_overlap, GjkResult& g) {
    gjk(d, {.gap = d.a.is_polyhedron() && d.b.is_polyhedron() ? 1e-15 : curved_gap}, g);
    cores_overlap = g.upper <= 8 * d.rounding;
    return cores_overlap ? overlapping(d, g.simplex, gap) : apart(d, g);
}

// ---- Bodies

PairDistance with_radii(const Difference& d, const CoreDistance& core, bool cores_overlap) {
    PairDistance result;
    const double radius = d.a.radius + d.b.radius;
    Direction r = core.direction;
    result.rounding = d.rounding;
    result.lower = -r.height - radius - d.rounding;
    result.upper = -core.lower - radius + d.rounding;
    // Cores that overlap may have whole faces whose points are equally deep.
    const double off = (r.on_a - r.on_b - r.height * r.normal).norm();
    if (cores_overlap && off > 64 * d.rounding) place_points(d, r);
    result.normal = d.core_a.rotation * r.normal;
    result.point_a = d.core_a * (r.on_a + d.a.radius * r.normal);
    result.point_b = d.core_a * (r.on_b - d.b.radius * r.normal);
    result.unique = core.unique;
    return result;
}

// A point of both bodies, from points of the cores that are not farther apart than the radii and the margin.
Vec3 between(const Difference& d, const Vec3& on_a, const Vec3& on_b) {
    const double radii = d.a.radius + d.b.radius;
    const double share = radii > 0 ? d.a.radius / radii : 0.5;
    return d.core_a * (on_a + share * (on_b - on_a));
}

// The status from the bounds on the distance of the cores, where GJK alone did not decide.
Overlap by_distance(const Difference& d, const CoreDistance& core, const GjkResult& g, double limit) {
    if (-core.direction.height - limit - d.rounding > 0) return {Status::disjoint}; // as with_radii() rounds it
    if (core.contact) return {Status::overlapping, between(d, g.simplex.on_a(), g.simplex.on_b())};
    const double distance = std::min(g.upper, std::max(0.0, -core.lower));
    if (distance > limit + touching_share * d.size) return {Status::undecided};
    return {Status::overlapping, between(d, g.simplex.on_a(), g.simplex.on_b())};
}

Overlap general_overlap(const Difference& d, double limit) {
    GjkResult g;
    gjk(d, {.gap = 1e-13, .above = limit + d.rounding, .below = limit}, g);
    const bool certain = !is_large_hull(d.a) && !is_large_hull(d.b);
    if (g.lower > limit + d.rounding && (certain || -d.height(g.normal) > limit + d.rounding))
        return {Status::disjoint};
    if (g.upper <= std::max(limit - touching_share * d.size, 0.0))
        return {Status::overlapping, between(d, g.simplex.on_a(), g.simplex.on_b())};
    // Near contact the same numbers decide as in signed_distance().
    GjkResult again;
    bool cores_overlap = false;
    const CoreDistance core = general(d, curved_gap, cores_overlap, again);
    return by_distance(d, core, again, limit);
}

bool two_boxes(const Difference& d) { return d.a.core == Core::box && d.b.core == Core::box; }

} // namespace

Overlap PairKernel::overlap(double margin) const {
    const Difference& d = d_;
    const double limit = d.a.radius + d.b.radius + margin;
    CoreDistance core;
    if (closed_form(d, core)) {
        if (-core.direction.height - limit - d.rounding > 0) return {Status::disjoint};
        if (core.direction.height > 0) // a point inside a box
            return {Status::overlapping,
                    d.core_a * (d.a.core == Core::point ? core.direction.on_a : core.direction.on_b)};
        return {Status::overlapping, between(d, core.direction.on_a, core.direction.on_b)};
    }
    if (two_boxes(d)) {
        if (box_faces_separate(d, limit + d.rounding)) return {Status::disjoint};
        if (Vec3 point; box_common_point(d, point)) return {Status::overlapping, d.core_a * point};
    }
    return general_overlap(d, limit);
}

PairDistance PairKernel::signed_distance(double gap) const {
    const Difference& d = d_;
    CoreDistance core;
    if (closed_form(d, core)) {
        const double height = core.direction.height;
        if (core.unique && height <= 8 * d.rounding && -height <= uncertain_normal * d.size)
            core.unique = is_well_determined(d, core.direction);
        return with_radii(d, core, false);
    }
    if (Vec3 point; two_boxes(d) && !box_faces_separate(d, 0) && box_common_point(d, point))
        return with_radii(d, box_penetration(d), true);
    return signed_distance_general(gap);
}

PairDistance PairKernel::signed_distance_general(double gap) const {
    bool cores_overlap = false;
    GjkResult g;
    const CoreDistance core = general(d_, gap, cores_overlap, g);
    return with_radii(d_, core, cores_overlap);
}

// ---- Contacts

void PairKernel::add_contacts(const PairDistance& distance, double margin, std::vector<Contact>& contacts) const {
    const Difference& d = d_;
    const Body &a = d.a, &b = d.b;
    const double radius = a.radius + b.radius;
    const Vec3 normal = d.core_a.rotate_to_local(distance.normal);
    const Direction direction{normal, -distance.lower - distance.rounding - radius,
                              d.core_a.to_local(distance.point_a) - a.radius * normal,
                              d.core_a.to_local(distance.point_b) + b.radius * normal};
    FaceContact found[max_face_contacts];
    const int count = face_contacts(d, direction, -margin - radius, found);
    for (int k = 0; k < count; ++k) {
        Contact contact{.point_a = d.core_a * (found[k].on_a + a.radius * normal),
                        .point_b = d.core_a * (found[k].on_b - b.radius * normal),
                        .normal = distance.normal,
                        .depth = found[k].depth + radius};
        contact.feature_a.element = found[k].feature_a, contact.feature_b.element = found[k].feature_b;
        contacts.push_back(contact);
    }
}

PairDistance signed_distance(const Placed& a, const Plane& b) {
    const Pose core = a.body.placed ? a.pose * a.body.placement : a.pose;
    const Vec3 deepest = core * certain_support(a.body, -core.rotate_to_local(b.normal)).point;
    PairDistance result;
    const double distance = b.normal.dot(deepest) - b.offset - a.body.radius;
    result.rounding =
        position_rounding(a.body.extent, a.body.radius, deepest.norm(), b.offset < 0 ? -b.offset : b.offset);
    result.lower = distance - result.rounding, result.upper = distance + result.rounding;
    result.normal = -b.normal;
    result.point_a = deepest - a.body.radius * b.normal;
    result.point_b = result.point_a - distance * b.normal;
    return result;
}

void add_contacts(const Placed& a, const Plane& b, double margin, std::vector<Contact>& contacts) {
    const Pose core = a.body.placed ? a.pose * a.body.placement : a.pose;
    FaceContact found[max_face_contacts];
    const int count = touching_corners(a.body, -core.rotate_to_local(b.normal), found);
    for (int k = 0; k < count; ++k) {
        Contact contact{.point_a = core * found[k].on_a - a.body.radius * b.normal, .normal = -b.normal};
        contact.depth = b.offset - b.normal.dot(contact.point_a);
        contact.point_b = contact.point_a + contact.depth * b.normal;
        contact.feature_a.element = found[k].feature_a;
        if (contact.depth >= -margin) contacts.push_back(contact);
    }
}

} // namespace fathom::convex
