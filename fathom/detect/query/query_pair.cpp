// Canonical order of two shapes, support points against half-spaces, contacts of triangles in fields.
#include <fathom/detect/query/query_pair.h>

#include <fathom/base/motion.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/field_field/closest_points_field_field.h>
#include <fathom/detect/mesh_field/contact_reduction.h>
#include <fathom/detect/query/compound.h>
#include <fathom/detect/query/distance_lower_bound.h>
#include <fathom/detect/query/methods.h>
#include <fathom/detect/trees/triangle_sphere_tree.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom::query {

namespace {

// Key for the canonical order of two placed shapes.
std::array<double, 12> key(const Placed& p) {
    const Vec3 size = p.shape->bounds().size(), low = p.shape->bounds().lower, &t = p.pose.translation;
    const auto& r = p.pose.rotation.coeffs();
    return {static_cast<double>(p.kind()),
            size.prod(),
            size.x(),
            low.x(),
            low.y(),
            t.x(),
            t.y(),
            t.z(),
            r[0],
            r[1],
            r[2],
            r[3]};
}

Contact flipped(Contact c) {
    std::swap(c.point_a, c.point_b);
    std::swap(c.feature_a, c.feature_b);
    c.normal = -c.normal;
    return c;
}

} // namespace

double Pair::size() const {
    const auto of = [](const Placed& p) { return p.shape->bounded() ? p.shape->bounds().size().maxCoeff() : HUGE_VAL; };
    const double least = std::min(of(a), of(b));
    return std::isfinite(least) && least > 0 ? least : 1;
}

Pair ordered(const Pair& pair, bool (*first)(ShapeKind)) {
    const bool a = first(pair.a.kind()), b = first(pair.b.kind());
    if (a != b) return a ? pair : pair.flipped();
    return key(pair.b) < key(pair.a) ? pair.flipped() : pair;
}

void flip(CollideResult& collision) {
    collision.normal = -collision.normal;
    collision.note = flipped(collision.note);
    for (Contact& c : collision.contacts) c = flipped(c);
}

void flip(DistanceResult& distance) {
    std::swap(distance.point_a, distance.point_b);
    distance.normal = -distance.normal;
    distance.note = flipped(distance.note);
}

void flip(SweepResult& sweep) {
    sweep.normal = -sweep.normal;
    sweep.note = flipped(sweep.note);
}

double surface_error(const Shape& shape) {
    if (shape.kind() == ShapeKind::compound) return shape.compound().surface_error;
    const double error = shape.error_bound();
    return std::isfinite(error) ? error : 0; // the zero surface is the shape, whatever the values around it
}

double depth_error(const Pair& pair) {
    const auto of = [](const Shape& s) {
        if (s.kind() == ShapeKind::tetrahedra) return s.field()->error_bound();
        return s.error_bound();
    };
    return of(*pair.a.shape) + of(*pair.b.shape);
}

Shape::HalfSpace half_space(const Placed& plane) {
    const Shape::HalfSpace local = plane.shape->half_space();
    const Vec3 normal = plane.pose.rotate(local.normal);
    return {normal, local.offset + normal.dot(plane.pose.translation)};
}

Lowest lowest(const Placed& surface, const Vec3& direction) {
    const TriangleSphereTree& mesh = surface.shape->surface();
    const Vec3 local_direction = surface.pose.rotate_to_local(direction);
    const auto nodes = mesh.tree().nodes();
    Lowest best{HUGE_VAL, Vec3::Zero()};
    std::vector<std::pair<double, Index>> open = {{-HUGE_VAL, 0}};
    const auto by_bound = std::greater<std::pair<double, Index>>();
    while (!open.empty()) {
        std::pop_heap(open.begin(), open.end(), by_bound);
        const auto [bound, at] = open.back();
        open.pop_back();
        if (bound > best.value) break;
        const SphereNode& node = nodes[at];
        for (Index k = node.first; k < node.first + node.size(); ++k) {
            if (!node.is_leaf()) {
                open.emplace_back(local_direction.dot(mesh.tree().sphere(nodes[k]).center) - mesh.reach(k), k);
                std::push_heap(open.begin(), open.end(), by_bound);
                continue;
            }
            for (const Vec3& corner : mesh.corners(k))
                if (const double value = local_direction.dot(corner); value < best.value) best = {value, corner};
        }
    }
    best.point = surface.pose * best.point;
    best.value = direction.dot(best.point);
    return best;
}

namespace {

field_field::ClosestBody body_of(const Shape& shape, bool by_field) {
    if (is_half_space(shape.kind())) return {.half_space = shape.half_space()};
    if (shape.has_triangles() && !(by_field && has_field(shape.kind())))
        return {.surface = &shape.surface(), .tree = &shape.tree()};
    return {.solid = &shape.solid(), .convex = shape.convex_body()};
}

} // namespace

double more_evaluations(double tolerance, double size) {
    return tolerance > 0 && std::isfinite(size) ? std::clamp(1e-3 * size / tolerance, 1.0, 20.0) : 1.0;
}

DistanceResult distance_of_disjoint(const Pair& pair, const DistanceOptions& options, bool by_fields,
                                    std::size_t max_evaluations) {
    Pair p = ordered(pair, is_half_space);
    if (is_half_space(p.a.kind())) p = p.flipped();
    const double tolerance = tolerance_of(pair, options);
    const field_field::ClosestPoints near = field_field::closest_points(
        body_of(*p.a.shape, by_fields), body_of(*p.b.shape, by_fields), relative(p.a.pose, p.b.pose),
        {.tolerance = 0.98 * tolerance,
         .max_evaluations = max_evaluations > 0
                                ? scaled(max_evaluations, options.effort)
                                : scaled(60'000, options.effort * more_evaluations(tolerance, pair.size()))});
    const double rounding = pose_rounding(extent(*p.a.shape) + extent(*p.b.shape), p.a.pose.translation.norm(),
                                          p.b.pose.translation.norm());
    DistanceResult result =
        between(p.a.pose * near.in_p, p.a.pose * near.in_q, std::max(0.0, near.lower - rounding), near.upper);
    result.error_bound = surface_error(*p.a.shape) + surface_error(*p.b.shape);
    if (p.swapped != pair.swapped) flip(result);
    return result;
}

bool contained(const Pair& pair, Vec3& point) {
    for (const Pair& p : {pair, pair.flipped()}) {
        if (!p.b.solid()) continue;
        for (const Vec3& sample : p.a.shape->component_samples()) {
            point = p.a.pose * sample;
            if (p.b.shape->bounds().contains(p.b.pose.to_local(point)) && p.b.holds(point)) return true;
        }
    }
    return false;
}

namespace {

Contact contact_of(const mesh_field::MeshContact& c) {
    Contact contact{.point_a = c.point, .point_b = c.point - c.depth * c.normal, .normal = c.normal, .depth = c.depth};
    contact.feature_a.element = c.triangle;
    return contact;
}

FieldContacts any_in_field(const Pair& pair, const CollideOptions& options) {
    mesh_field::MeshContactOptions inner{.goal = mesh_field::MeshGoal::any, .margin = options.margin};
    inner.max_evaluations = scaled(inner.max_evaluations, options.effort);
    const mesh_field::MeshContactResult found =
        mesh_field::mesh_contacts(pair.a.shape->surface(), pair.a.pose, *pair.b.shape->field(), pair.b.pose, inner);
    FieldContacts result{.status = found.status};
    for (const mesh_field::MeshContact& c : found.contacts) result.contacts.push_back(contact_of(c));
    return result;
}

} // namespace

FieldContacts contacts_in_field(const Pair& pair, const CollideOptions& options, bool both_ways) {
    if (options.goal == CollideGoal::status) return any_in_field(pair, options);
    std::vector<mesh_field::MeshInField> sides;
    std::vector<bool> turned;
    for (const Pair& p : {pair, pair.flipped()}) {
        const bool other = p.swapped != pair.swapped;
        if (!p.b.solid() || (other && !both_ways)) continue;
        sides.push_back({&p.a.shape->surface(), p.a.pose, p.b.shape->field().get(), p.b.pose});
        turned.push_back(other);
    }
    const mesh_field::ReductionResult found =
        mesh_field::reduce_contacts(sides, {.margin = options.margin, .max_contacts = options.max_contacts});
    FieldContacts result{found.status, {}, found.more_contacts};
    for (const mesh_field::ReducedContact& c : found.contacts)
        result.contacts.push_back(turned[c.side] ? flipped(contact_of(c.at)) : contact_of(c.at));
    return result;
}

void add_contacts_in_fields(const Pair& pair, const CollideOptions& options, CollideResult& result) {
    FieldContacts found = contacts_in_field(pair, options, true);
    result.contacts = std::move(found.contacts);
    result.more_contacts = found.more_contacts;
}

void sort_and_spread(CollideResult& collision, std::size_t max_contacts) {
    std::vector<Contact>& all = collision.contacts;
    const auto place = [](const Contact& c) {
        return std::tuple(-c.depth, c.point_a.x(), c.point_a.y(), c.point_a.z(), c.feature_a.element,
                          c.feature_b.element);
    };
    std::sort(all.begin(), all.end(), [&](const Contact& p, const Contact& q) { return place(p) < place(q); });
    collision.local_depth = all.empty() ? 0 : all.front().depth;
    if (all.size() <= max_contacts) return;
    collision.more_contacts = true;
    std::vector<double> gap(all.size(), HUGE_VAL);
    std::vector<Contact> kept;
    for (std::size_t at = 0; kept.size() < max_contacts;
         at = static_cast<std::size_t>(std::max_element(gap.begin(), gap.end()) - gap.begin())) {
        if (gap[at] <= 0) break; // the others lie on points that are already kept
        kept.push_back(all[at]);
        for (std::size_t k = 0; k < all.size(); ++k)
            gap[k] = std::min(gap[k], (all[k].point_a - all[at].point_a).squaredNorm());
    }
    std::sort(kept.begin(), kept.end(), [&](const Contact& p, const Contact& q) { return place(p) < place(q); });
    all = std::move(kept);
}

double approach_speed(const Shape& a, const Motion& motion_a, const Shape& b, const Motion& motion_b) {
    // Speed of the bounded (or smaller) body relative to the other.
    const bool of_a = a.bounded() && (!b.bounded() || a.radius() <= b.radius());
    const Shape& moving = of_a ? a : b;
    const Motion &mover = of_a ? motion_a : motion_b, &watcher = of_a ? motion_b : motion_a;
    const RelativeMotion seen(mover, watcher, Path::screw);
    const double turning =
        screw_between(mover.start, mover.end).angle + screw_between(watcher.start, watcher.end).angle;
    return seen.over(moving.bounds().center(), 0, 1).speed + turning * moving.radius();
}

} // namespace fathom::query
