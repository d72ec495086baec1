// Bounds on the way that two bodies have gone, and what it can have done to them.
#include <fathom/detect/world/pair_cache.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Of the ball round the shape, seen from where the other is.
double travel_of(const Shape& shape, const Pose& before, const Pose& now) {
    if (!shape.bounded()) return infinity;
    const Vec3 center = shape.bounds().empty() ? Vec3::Zero() : shape.bounds().center();
    const Quat turn = now.rotation * before.rotation.conjugate();
    const double slide = (now * center - before * center).norm();
    // Two rotations differ by twice the sine of half the angle between them; those of unit quaternions by rounding
    // more.
    return slide + 2 * turn.vec().norm() * shape.radius() + 1e-11 * (shape.radius() + center.norm());
}

} // namespace

double relative_travel(const Shape& a, const Pose& a_before, const Pose& a_now, const Shape& b, const Pose& b_before,
                       const Pose& b_now) {
    const double of_b = travel_of(b, relative(a_before, b_before), relative(a_now, b_now));
    const double of_a = travel_of(a, relative(b_before, a_before), relative(b_now, a_now));
    const double far =
        a_before.translation.norm() + a_now.translation.norm() + b_before.translation.norm() + b_now.translation.norm();
    return std::min(of_a, of_b) + 1e-14 * far;
}

bool measures_distance(const Shape& shape) {
    return has_surface(shape.kind()) || shape.kind() == ShapeKind::plane ||
           (shape.kind() == ShapeKind::formula && shape.error_bound() == 0);
}

} // namespace fathom
