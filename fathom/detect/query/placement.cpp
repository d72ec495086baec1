// Checks of poses, and boxes in poses.
#include <fathom/detect/query/placement.h>

#include <fathom/base/error.h>
#include <fathom/base/rounding.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

Pose checked_pose(const Pose& pose, std::int64_t index) {
    if (!is_finite(pose))
        throw Error(Cause::non_finite, "the pose must be finite", {.element = "pose", .index = index});
    const double length = pose.rotation.norm();
    if (!(std::abs(length - 1) < 1e-3))
        throw Error(Cause::invalid_argument,
                    fmt::format("the rotation is a quaternion of length {}, expected length 1", length),
                    {.element = "pose", .index = index});
    if (std::abs(length - 1) < unit_tolerance) return pose;
    return {pose.rotation.normalized(), pose.translation};
}

Box placed_box(const Box& box, const Pose& pose) {
    if (box.empty()) return {};
    const Vec3 center = pose * box.center();
    const Vec3 half = pose.rotation.toRotationMatrix().cwiseAbs() * box.half();
    const double rounding = pose_rounding(box.center().norm() + box.half().norm(), center.stableNorm());
    return Box::around(center, half).grown(rounding);
}

} // namespace fathom
