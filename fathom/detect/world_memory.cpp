// Room: detect. Bounds on the way that two bodies have gone, and what it can have done to them.
#include <fathom/detect/query_table.h>
#include <fathom/detect/world_memory.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t little = 2000; // look-ups: grids, which know little beyond their border, could take a hundred times that in vain

// Of the ball round the shape, seen from where the other is.
double travel_of(const Shape& shape, const Pose& before, const Pose& now) {
    if (!shape.bounded()) return infinity;
    const Vec3 center = shape.bounds().empty() ? Vec3::Zero() : shape.bounds().center();
    const Quat turn = now.rotation * before.rotation.conjugate();
    const double slide = (now * center - before * center).norm();
    // Two rotations differ by twice the sine of half the angle between them; those of unit quaternions by rounding more.
    return slide + 2 * turn.vec().norm() * shape.radius() + 1e-11 * (shape.radius() + center.norm());
}

} // namespace

double relative_travel(const Shape& a, const Pose& a_before, const Pose& a_now, const Shape& b, const Pose& b_before, const Pose& b_now) {
    const double of_b = travel_of(b, relative(a_before, b_before), relative(a_now, b_now));
    const double of_a = travel_of(a, relative(b_before, a_before), relative(b_now, a_now));
    const double far = a_before.translation.norm() + a_now.translation.norm() + b_before.translation.norm() + b_now.translation.norm();
    return std::min(of_a, of_b) + 1e-14 * far;
}

double steepness(const Shape& shape) {
    const bool distance = has_surface(shape.kind()) || shape.kind() == ShapeKind::plane; // exact outside
    return distance ? 1.0 : std::max(1.0, shape.field()->lipschitz());
}

Reserve reserve_of(const Shape& a, const Shape& b, double margin) {
    return {std::max(steepness(a), steepness(b)), margin > 0 ? infinity : 2 * (a.error_bound() + b.error_bound())};
}

bool surely_apart(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin) {
    const Method method = choose(a.kind(), b.kind(), Question::collide, Method::automatic);
    if (method == Method::fields)
        return collide(a.solid(), pose_a, b.solid(), pose_b, {.goal = CollideGoal::any, .margin = margin, .budget = little}).verdict == Verdict::disjoint;
    if (method == Method::surface_in_field) {
        const bool first = is_surface(a.kind());
        const Shape &surface = first ? a : b, &solid = first ? b : a;
        const MeshContactOptions options{.goal = MeshGoal::any, .margin = margin, .budget = little};
        return mesh_contacts(surface.surface(), first ? pose_a : pose_b, *solid.field(), first ? pose_b : pose_a, options).verdict == Verdict::disjoint;
    }
    const Collision found = collide(a, pose_a, b, pose_b, {.goal = QueryGoal::verdict, .margin = margin});
    return found.verdict == Verdict::disjoint && found.proven;
}

} // namespace fathom
