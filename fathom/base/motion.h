// A rigid motion over one step, time in [0,1].
// Two paths join the start and the end pose: each point on its own straight line (Xu & Barbic 2014, equation 1), or the
// screw that a rigid body really follows. `bend` bounds the distance between the two at equal times.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/base/primitives.h>

namespace fathom {

enum class Path { straight, screw };

struct Motion {
    Pose start;
    Pose end;
    Path path = Path::straight;

    [[nodiscard]] static Motion stationary(const Pose& pose) { return {pose, pose, Path::straight}; }
};

[[nodiscard]] inline bool is_finite(const Motion& motion) { return is_finite(motion.start) && is_finite(motion.end); }

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

    // At every t, |screw path - straight path| <= chord_deviation() for this body-frame point: distance to the axis *
    // angle^2 / 8.
    [[nodiscard]] double chord_deviation(const Vec3& local) const;

    // No body-frame point within `radius` of the body's origin travels farther than this (m), on either path.
    [[nodiscard]] double max_displacement(double radius) const;

private:
    Motion motion_;
    Screw screw_;
};

// The path of a point of one moving body, seen from another that moves too. Time runs in [0,1].
// Straight: from where it is seen at the start to where it is seen at the end, on a line (Xu & Barbic 2014, equation
// 1). Screw: both bodies on their true screws. What one sees of the other is then no screw: the bounds below hold the
// centrifugal and Coriolis terms. Immutable, thread-safe, nothing is allocated. Metres; speeds in metres a step.

class RelativeMotion {
public:
    // The `path` of the motions themselves is not looked at.
    RelativeMotion(const Motion& moving, const Motion& seen_from, Path path);

    [[nodiscard]] Path path() const { return path_; }

    // Where a point, given in the frame of the moving body, is seen at time t in the frame of the other. On both paths
    // points within r of one another stay so.
    [[nodiscard]] Vec3 at(const Vec3& p, double t) const;

    // From the first to the last position. On straight paths this is the path.
    [[nodiscard]] Segment chord(const Vec3& p) const {
        return {start_turn_ * p + start_move_, end_turn_ * p + end_move_};
    }

    struct State {
        Vec3 position; // in the middle of a piece of time
        Vec3 velocity; // there
        double speed; // bound on it anywhere in the piece: no position is farther from the middle than speed * half its
                      // time
        double bend;  // bound on the distance, at equal times, between the path and the chord of the piece, and between
                      // the path and its tangent in the middle
    };
    [[nodiscard]] State over(const Vec3& p, double start, double end) const;

private:
    // A screw as velocity: what moves with it at x has the velocity turn x (x - point) + slide.
    struct Twist {
        Vec3 axis = Vec3::UnitX();
        Vec3 point = Vec3::Zero();
        Vec3 turn = Vec3::Zero();  // rad a step
        Vec3 slide = Vec3::Zero(); // m a step
        double angle = 0;

        [[nodiscard]] Vec3 moved(const Vec3& x, double t) const { return x + t * slide + turned(x - point, t); }
        // By how much a turn to t changes an arrow.
        [[nodiscard]] Vec3 turned(const Vec3& from, double t) const;
        [[nodiscard]] Vec3 velocity(const Vec3& x) const { return turn.cross(x - point) + slide; }
        [[nodiscard]] double axis_distance(const Vec3& x) const { return axis.cross(x - point).norm(); }
    };
    [[nodiscard]] static Twist twist_of(const Motion& motion);
    [[nodiscard]] Vec3 seen(const Vec3& world, double t) const;
    [[nodiscard]] Vec3 seen_arrow(const Vec3& world, double t) const;

    Path path_;
    Mat3 start_turn_, end_turn_; // of the moving body as seen at the start and at the end
    Vec3 start_move_, end_move_;
    Pose moving_start_, seen_start_;
    Twist moving_, seen_from_;
};

} // namespace fathom
