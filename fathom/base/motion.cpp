// Screw interpolation between two poses, and relative motion.
#include <fathom/base/motion.h>

#include <fathom/base/rounding.h>

#include <algorithm>
#include <cmath>

namespace fathom {

Pose Screw::displacement(double t) const {
    const Quat turn(Eigen::AngleAxisd(angle * t, axis));
    return {turn, point - turn * point + (slide * t) * axis};
}

namespace {

constexpr double smallest_sine = 1e-12; // of half the angle of a rotation

} // namespace

Screw screw_between(const Pose& start, const Pose& end) {
    Quat turn = end.rotation * start.rotation.conjugate();
    if (turn.w() < 0) turn.coeffs() *= -1;
    const Vec3 move = end.translation - turn * start.translation; // the displacement is p -> turn p + move
    const double sine = turn.vec().norm();                        // of half the angle

    Screw screw;
    screw.angle = 2.0 * std::atan2(sine, turn.w());
    if (sine < smallest_sine) { // rotation too small to determine an axis: translation only
        screw.angle = 0;
        const Vec3 slide = end.translation - start.translation;
        screw.slide = slide.norm();
        if (screw.slide > 0) screw.axis = slide / screw.slide;
        screw.point = start.translation;
        return screw;
    }
    screw.axis = turn.vec() / sine;
    screw.slide = screw.axis.dot(move);
    // The point q of the axis closest to the start satisfies (I - R) q = move - slide * axis. Solving relative to the
    // start position keeps precision if bodies are far from the origin.
    const Vec3 shift = (end.translation - start.translation) - screw.slide * screw.axis;
    const double cotangent = turn.w() / sine; // of half the angle
    screw.point = start.translation + 0.5 * (shift + cotangent * screw.axis.cross(shift));
    return screw;
}

Mover::Mover(const Motion& motion) : motion_(motion), screw_(screw_between(motion.start, motion.end)) {}

Pose Mover::pose(double t) const {
    if (t <= 0) return motion_.start;
    if (t >= 1) return motion_.end;
    return screw_.displacement(t) * motion_.start;
}

double Mover::chord_deviation(const Vec3& local) const {
    const Vec3 from_axis = motion_.start * local - screw_.point;
    const double radius = from_axis.cross(screw_.axis).norm();
    return radius * screw_.angle * screw_.angle / 8.0;
}

double Mover::max_displacement(double radius) const {
    const double axis_distance = (motion_.start.translation - screw_.point).cross(screw_.axis).norm();
    return std::hypot((axis_distance + radius) * screw_.angle, screw_.slide);
}

// Kinematics in a moving frame.

RelativeMotion::Twist RelativeMotion::twist_of(const Motion& motion) {
    const Screw screw = screw_between(motion.start, motion.end);
    return {screw.axis, screw.point, screw.angle * screw.axis, screw.slide * screw.axis, screw.angle};
}

// Returns the change of the vector: the axis of a small rotation may be far away, and a position relative to it would
// be rounded coarsely.
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

// A point at rest in the world moves backwards in the frame of the other body.
Vec3 RelativeMotion::seen(const Vec3& world, double t) const {
    const Vec3 back = world - t * seen_from_.slide;
    return seen_start_.to_local(back + seen_from_.turned(back - seen_from_.point, -t));
}
Vec3 RelativeMotion::seen_arrow(const Vec3& world, double t) const {
    return seen_start_.rotate_to_local(world + seen_from_.turned(world, -t));
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
    // Speed and centripetal acceleration of the point in the world: both are constant along its screw motion.
    const double speed = own.norm(), turning = moving_.angle * moving_.angle * moving_.axis_distance(world);
    // v = v_moving(x) - v_seen(x) rotates with the first body and is transported by the second.
    const double relative_speed = velocity.norm() + half * (turning + seen_from_.angle * speed);
    const double farthest = seen_from_.axis_distance(world) + half * speed;
    const double acceleration = turning + seen_from_.angle * (seen_from_.angle * farthest + 2 * relative_speed);
    return {seen(world, middle), seen_arrow(velocity, middle), outward(relative_speed),
            outward(acceleration * half * half / 2)};
}

} // namespace fathom
