// The path of a point of one moving body, seen from another that moves too. Time runs in [0,1].
// Straight: from where it is seen at the start to where it is seen at the end, on a line (Xu & Barbic 2014, equation
// 1). Screw: both bodies on their true screws. What one sees of the other is then no screw: the bounds below hold the
// centrifugal and Coriolis terms. Immutable, thread-safe, nothing is allocated. Metres; speeds in metres a step.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/base/primitives.h>

namespace fathom {

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
