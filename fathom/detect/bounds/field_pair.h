// Two fields in their poses, asked in the frame of the first. Cheap to make; keeps neither alive.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/field.h>

namespace fathom {

class FieldPair {
public:
    FieldPair(const Field& p, const Field& q, const Pose& q_seen_from_p);

    [[nodiscard]] Vec3 to_q(const Vec3& x) const { return turn_ * x + move_; }

    [[nodiscard]] Vec3 from_q(const Vec3& direction) const { return turn_.transpose() * direction; } // turns only

    // At a point of P's frame, gradients in P's frame.
    [[nodiscard]] double distance_q(const Vec3& x) const { return q_->distance(to_q(x)); }
    [[nodiscard]] Sample sample_p(const Vec3& x) const { return p_->sample(x); }
    [[nodiscard]] Sample sample_q(const Vec3& x) const {
        const Sample s = q_->sample(to_q(x));
        return {s.distance, turn_.transpose() * s.gradient};
    }
    // role 0: the first field, 1: the second.
    [[nodiscard]] Sample sample(int role, const Vec3& x) const { return role == 0 ? sample_p(x) : sample_q(x); }
    void samples(int role, std::span<const Vec3> points, std::span<Sample> out) const; // at most 16
    [[nodiscard]] const Field& field(int role) const { return role == 0 ? *p_ : *q_; }

private:
    const Field *p_, *q_;
    Mat3 turn_; // from P's frame to Q's
    Vec3 move_;
};

} // namespace fathom
