// A rigid motion over one step, time in [0,1].
// Two paths join the start and the end pose: each point on its own straight line (Xu & Barbic 2014, equation 1), or the
// screw that a rigid body really follows. `bend` bounds the distance between the two at equal times.
#pragma once

#include <fathom/base/pose.h>

namespace fathom {

enum class Path { straight, screw };

struct Motion {
    Pose start;
    Pose end;
    Path path = Path::straight;

    [[nodiscard]] static Motion still(const Pose& pose) { return {pose, pose, Path::straight}; }
};

// The screw that carries one pose to another along the shorter turn: a turn about a line while sliding along it.
struct Screw {
    Vec3 axis = Vec3::UnitX(); // unit, direction of the line; the slide's direction when there is no turn
    Vec3 point = Vec3::Zero(); // on the line (m, world)
    double angle = 0;          // in [0, pi]
    double slide = 0;          // along the axis (m)

    // Where the whole screw, run to the fraction t, takes a world point or a pose.
    [[nodiscard]] Pose displacement(double t) const;
};

[[nodiscard]] Screw screw_between(const Pose& start, const Pose& end);

// Evaluates a motion many times: the screw is found once. Immutable, thread-safe.
class Mover {
public:
    explicit Mover(const Motion& motion);

    [[nodiscard]] const Motion& motion() const { return motion_; }
    [[nodiscard]] const Screw& screw() const { return screw_; }

    // World position at time t of a point given in the body's frame, on the motion's path.
    [[nodiscard]] Vec3 point(const Vec3& local, double t) const;

    // World pose at time t of the screw. (Straight-line points do not form a rigid pose in between.)
    [[nodiscard]] Pose pose(double t) const;

    // At every t, |screw path - straight path| <= bend for this body-frame point: distance to the axis * angle^2 / 8.
    [[nodiscard]] double bend(const Vec3& local) const;

    // No body-frame point within `radius` of the body's origin travels farther than this (m), on either path.
    [[nodiscard]] double reach(double radius) const;

private:
    Motion motion_;
    Screw screw_;
};

} // namespace fathom
