// Rigid motions over one step, time in [0, 1], and relative motions of two bodies.
// A motion is its start and its end pose. Two paths join them, which the caller of a query chooses: each point on its
// own straight line (Xu & Barbic 2014, equation 1), or the screw motion that a rigid body follows.
// Mover::chord_deviation() bounds the distance between the two at equal times.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/base/primitives.h>

namespace fathom {

enum class Path { straight, screw };

struct Motion {
    Pose start;
    Pose end;

    [[nodiscard]] static Motion stationary(const Pose& pose) { return {pose, pose}; }
};

[[nodiscard]] inline bool is_finite(const Motion& motion) { return is_finite(motion.start) && is_finite(motion.end); }

// Screw motion from one pose to another with the smaller rotation angle: a rotation about a line and a translation
// along it.
struct Screw {
    Vec3 axis = Vec3::UnitX(); // unit direction of the line; direction of the translation if there is no rotation
    Vec3 point = Vec3::Zero(); // on the line (m, world)
    double angle = 0;          // rotation angle (rad) in [0, pi]
    double slide = 0;          // translation along the axis (m)

    // Displacement of world points and poses by the fraction t of the screw motion.
    [[nodiscard]] Pose displacement(double t) const;
};

[[nodiscard]] Screw screw_between(const Pose& start, const Pose& end);

// Evaluates a motion many times; the screw is computed once. Immutable, thread-safe.
class Mover {
public:
    explicit Mover(const Motion& motion);

    [[nodiscard]] const Motion& motion() const { return motion_; }
    [[nodiscard]] const Screw& screw() const { return screw_; }

    // World pose at time t of the screw motion. (Points on straight lines do not form a rigid pose in between.)
    [[nodiscard]] Pose pose(double t) const;

    // Bound on |screw path - straight path| at equal times for this body-frame point: distance to the axis * angle^2 /
    // 8 (m).
    [[nodiscard]] double chord_deviation(const Vec3& local) const;

    // Upper bound on the displacement (m), on either path, of body-frame points within `radius` of the body's origin.
    [[nodiscard]] double max_displacement(double radius) const;

private:
    Motion motion_;
    Screw screw_;
};

// Path of a point of one moving body in the frame of another moving body. Time runs in [0, 1].
// Straight: the line from the relative position at the start to the relative position at the end (Xu & Barbic 2014,
// equation 1). Screw: both bodies follow their screw motions. The relative motion is then not a screw; the bounds below
// contain the centrifugal and Coriolis terms. Immutable, thread-safe, no allocation. Metres; speeds in metres per step.
class RelativeMotion {
public:
    RelativeMotion(const Motion& moving, const Motion& seen_from, Path path);

    [[nodiscard]] Path path() const { return path_; }

    // Position at time t, in the frame of the second body, of a point given in the frame of the moving body. On both
    // paths points within a distance r of each other stay so.
    [[nodiscard]] Vec3 at(const Vec3& p, double t) const;

    // From the first to the last position. On straight paths this is the path itself.
    [[nodiscard]] Segment chord(const Vec3& p) const {
        return {start_turn_ * p + start_move_, end_turn_ * p + end_move_};
    }

    struct State {
        Vec3 position; // at the middle of the time interval
        Vec3 velocity; // at the middle of the time interval
        // Upper bound on the speed in the interval: no position is farther from `position` than speed * half the
        // duration.
        double speed;
        // Upper bound on the distance, at equal times, between the path and its chord over the interval, and between
        // the path and its tangent at the middle.
        double bend;
    };
    [[nodiscard]] State over(const Vec3& p, double start, double end) const;

private:
    // A screw motion as velocity: a point x that moves with it has the velocity turn x (x - point) + slide.
    struct Twist {
        Vec3 axis = Vec3::UnitX();
        Vec3 point = Vec3::Zero();
        Vec3 turn = Vec3::Zero();  // angular velocity (rad per step)
        Vec3 slide = Vec3::Zero(); // velocity along the axis (m per step)
        double angle = 0;

        [[nodiscard]] Vec3 moved(const Vec3& x, double t) const { return x + t * slide + turned(x - point, t); }
        // Change of a vector under the rotation up to time t.
        [[nodiscard]] Vec3 turned(const Vec3& from, double t) const;
        [[nodiscard]] Vec3 velocity(const Vec3& x) const { return turn.cross(x - point) + slide; }
        [[nodiscard]] double axis_distance(const Vec3& x) const { return axis.cross(x - point).norm(); }
    };
    [[nodiscard]] static Twist twist_of(const Motion& motion);
    [[nodiscard]] Vec3 seen(const Vec3& world, double t) const;
    [[nodiscard]] Vec3 seen_arrow(const Vec3& world, double t) const;

    Path path_;
    Mat3 start_turn_, end_turn_; // rotation of the moving body in the other's frame, at the start and at the end
    Vec3 start_move_, end_move_;
    Pose moving_start_, seen_start_;
    Twist moving_, seen_from_;
};

} // namespace fathom
