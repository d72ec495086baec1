// Screw interpolation between two poses.
#include <fathom/base/motion.h>

#include <algorithm>
#include <cmath>

namespace fathom {

Pose Screw::displacement(double t) const {
    const Quat turn(Eigen::AngleAxisd(angle * t, axis));
    return {turn, point - turn * point + (slide * t) * axis};
}

Screw screw_between(const Pose& start, const Pose& end) {
    Quat turn = end.rotation * start.rotation.conjugate();
    if (turn.w() < 0) turn.coeffs() *= -1;
    const Vec3 move = end.translation - turn * start.translation; // the displacement is p -> turn p + move
    const double sine = turn.vec().norm();                        // of half the angle

    Screw screw;
    screw.angle = 2.0 * std::atan2(sine, turn.w());
    if (sine < 1e-12) { // too small a turn to place an axis: slide only
        screw.angle = 0;
        const Vec3 slide = end.translation - start.translation;
        screw.slide = slide.norm();
        if (screw.slide > 0) screw.axis = slide / screw.slide;
        screw.point = start.translation;
        return screw;
    }
    screw.axis = turn.vec() / sine;
    screw.slide = screw.axis.dot(move);
    // The point q of the axis nearest to the start satisfies (I - R) q = move - slide * axis. Solving relative to the
    // start position keeps precision when bodies are far from the origin.
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

Vec3 Mover::point(const Vec3& local, double t) const {
    if (motion_.path == Path::screw) return pose(t) * local;
    const Vec3 a = motion_.start * local;
    const Vec3 b = motion_.end * local;
    return a + t * (b - a);
}

double Mover::bend(const Vec3& local) const {
    const Vec3 from_axis = motion_.start * local - screw_.point;
    const double radius = from_axis.cross(screw_.axis).norm();
    return radius * screw_.angle * screw_.angle / 8.0;
}

double Mover::reach(double radius) const {
    const double axis_distance = (motion_.start.translation - screw_.point).cross(screw_.axis).norm();
    return std::hypot((axis_distance + radius) * screw_.angle, screw_.slide);
}

} // namespace fathom
