// Kinematics in a frame that moves.
#include <fathom/base/relative_motion.h>

#include <cmath>

namespace fathom {

RelativeMotion::Twist RelativeMotion::twist_of(const Motion& motion) {
    const Screw screw = screw_between(motion.start, motion.end);
    return {screw.axis, screw.point, screw.angle * screw.axis, screw.slide * screw.axis, screw.angle};
}

// As a change: the axis of a small turn may be far away, and its place would be rounded as coarsely.
Vec3 RelativeMotion::Twist::turned(const Vec3& from, double t) const {
    if (angle == 0) return Vec3::Zero();
    const Vec3 across = from - axis * axis.dot(from);
    const double sine = std::sin(0.5 * t * angle), cosine = std::cos(0.5 * t * angle);
    return (2 * sine * cosine) * axis.cross(across) - (2 * sine * sine) * across;
}

RelativeMotion::RelativeMotion(const Motion& moving, const Motion& seen_from, Path path)
    : path_(path), moving_start_(moving.start), seen_start_(seen_from.start) {
    const Pose start = relative(seen_from.start, moving.start), end = relative(seen_from.end, moving.end);
    start_turn_ = start.rotation.toRotationMatrix();
    end_turn_ = end.rotation.toRotationMatrix();
    start_move_ = start.translation;
    end_move_ = end.translation;
    if (path == Path::straight) return;
    moving_ = twist_of(moving);
    seen_from_ = twist_of(seen_from);
}

// What stands still in the world runs backwards for the other body.
Vec3 RelativeMotion::seen(const Vec3& world, double t) const {
    const Vec3 back = world - t * seen_from_.slide;
    return seen_start_.to_local(back + seen_from_.turned(back - seen_from_.point, -t));
}
Vec3 RelativeMotion::seen_arrow(const Vec3& world, double t) const {
    return seen_start_.turn_to_local(world + seen_from_.turned(world, -t));
}

Vec3 RelativeMotion::at(const Vec3& p, double t) const {
    if (path_ == Path::straight) return chord(p).at(t);
    return seen(moving_.moved(moving_start_ * p, t), t);
}

RelativeMotion::State RelativeMotion::over(const Vec3& p, double start, double end) const {
    const double middle = 0.5 * (start + end), half = 0.5 * (end - start);
    if (path_ == Path::straight) {
        const Segment whole = chord(p);
        return {whole.at(middle), whole.end - whole.start, whole.length(), 0};
    }
    const Vec3 world = moving_.moved(moving_start_ * p, middle);
    const Vec3 own = moving_.velocity(world), velocity = own - seen_from_.velocity(world);
    // Of the point in the world: both are the same all along its screw.
    const double speed = own.norm(), turning = moving_.angle * moving_.angle * moving_.axis_distance(world);
    // v = v_moving(x) - v_seen(x) turns with the first and is carried through the second.
    const double relative_speed = velocity.norm() + half * (turning + seen_from_.angle * speed);
    const double farthest = seen_from_.axis_distance(world) + half * speed;
    const double acceleration = turning + seen_from_.angle * (seen_from_.angle * farthest + 2 * relative_speed);
    return {seen(world, middle), seen_arrow(velocity, middle), relative_speed * (1 + 1e-12),
            acceleration * half * half / 2 * (1 + 1e-12)};
}

} // namespace fathom
