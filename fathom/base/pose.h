// Rigid transforms: a rotation followed by a translation. A pose maps its own frame to the frame it is given in
// (world).
#pragma once

#include <fathom/base/vec.h>

namespace fathom {

struct Pose {
    Quat rotation = Quat::Identity(); // unit quaternion
    Vec3 translation = Vec3::Zero();  // m

    // Local to world, and back. Points are rotated and translated, vectors only rotated.
    [[nodiscard]] Vec3 operator*(const Vec3& p) const { return rotation * p + translation; }
    [[nodiscard]] Vec3 to_local(const Vec3& p) const { return rotation.conjugate() * (p - translation); }
    [[nodiscard]] Vec3 rotate(const Vec3& v) const { return rotation * v; }
    [[nodiscard]] Vec3 rotate_to_local(const Vec3& v) const { return rotation.conjugate() * v; }

    // (a * b) * p == a * (b * p).
    [[nodiscard]] Pose operator*(const Pose& b) const {
        return {Quat(rotation * b.rotation).normalized(), rotation * b.translation + translation};
    }
    [[nodiscard]] Pose inverse() const {
        const Quat back = rotation.conjugate();
        return {back, back * -translation};
    }

    [[nodiscard]] static Pose from_translation(const Vec3& translation) { return {Quat::Identity(), translation}; }
    [[nodiscard]] static Pose from_axis_angle(double angle, const Vec3& unit_axis,
                                              const Vec3& translation = Vec3::Zero()) {
        return {Quat(Eigen::AngleAxisd(angle, unit_axis)), translation};
    }
};

[[nodiscard]] inline bool is_finite(const Pose& pose) {
    return is_finite(pose.translation) && pose.rotation.coeffs().allFinite();
}

// The pose of B in the frame of A.
[[nodiscard]] inline Pose relative(const Pose& a, const Pose& b) { return a.inverse() * b; }

} // namespace fathom
