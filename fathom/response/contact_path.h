// A point of one body in the field of another at any time of a step: where, how deep, which way out, how
// fast. One object for a pair of bodies; const calls are thread-safe and free of allocation.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/field/field.h>
#include <fathom/response/contact_law.h>

#include <span>

namespace fathom {

// Turned on by a turn about the world axis `turn`, by its length (rad).
[[nodiscard]] Quat turned(const Quat& rotation, const Vec3& turn);

// A rigid body over one step.
struct MovingBody {
    Motion motion;                      // of the frame in which its points or its field are given
    Vec3 center = Vec3::Zero();         // of mass, in that frame (m)
    Vec3 velocity_start = Vec3::Zero(); // of the centre (m/s, world)
    Vec3 velocity_end = Vec3::Zero();
    Vec3 spin_start = Vec3::Zero(); // rad/s, world
    Vec3 spin_end = Vec3::Zero();

    [[nodiscard]] static MovingBody still(const Pose& pose) { return {Motion::still(pose)}; }
};

// One role of a pair: the points of one body, the field of the other. Spans and references outlive the call they are
// passed to.
struct ContactRole {
    std::span<const Vec3> points;  // in the frame of `shell` (m)
    std::span<const Vec3> normals; // unit, outward; may be empty unless the law asks for ContactNormal::shell
    const MovingBody& shell;
    const Field& field;
    const MovingBody& field_body;
};

struct ContactState {
    Vec3 position = Vec3::Zero();     // m, world
    Vec3 normal = Vec3::Zero();       // world, out of the field's body
    Vec3 velocity = Vec3::Zero();     // of the shell's point less that of the field's (m/s, world)
    Vec3 shell_handle = Vec3::Zero(); // from the centres of mass to the position (m, world)
    Vec3 field_handle = Vec3::Zero();
    double depth = 0; // below 0 where the point is outside (m)
};

class ContactPath {
public:
    ContactPath(const ContactRole& role, double step, const ContactLaw& law);

    // The point as the field sees it at both ends of the step: its chord.
    struct Chord {
        Vec3 start, end;
    };
    [[nodiscard]] Chord chord(Index point) const;

    [[nodiscard]] ContactState at(Index point, const Chord& chord, double t) const; // t in [0,1]

private:
    struct Placement {
        Pose pose;
        Vec3 center, velocity, spin;
    };
    class Body {
    public:
        Body(const MovingBody& body, double step, PathInTime path);
        [[nodiscard]] Placement at(double t,
                                   bool turned) const; // chords: without the rotation where it is not asked for
        [[nodiscard]] const Vec3& center(HandleCenter at) const {
            return at == HandleCenter::start ? center_start_ : center_end_;
        }

    private:
        [[nodiscard]] Placement accelerated(double t) const;

        const MovingBody& body_;
        double step_;
        PathInTime path_;
        Mover mover_;
        Vec3 center_start_, center_end_;
        bool turns_;
    };

    const ContactRole& role_;
    const ContactLaw& law_;
    Body shell_, field_;
};

// The force on the shell's body (N, world): penalty, damping and friction; none where the point is outside.
[[nodiscard]] Vec3 contact_force(const ContactState& state, const ContactLaw& law);

} // namespace fathom
