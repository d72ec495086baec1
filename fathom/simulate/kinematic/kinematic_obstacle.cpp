// Where obstacles are at a time.
#include <fathom/simulate/kinematic/kinematic_obstacle.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace fathom {

Pose MovingObstacle::pose_at(double time) const {
    Pose now = pose;
    now.translation += time * velocity + std::sin(2 * std::numbers::pi * time / sway_period) * sway;
    const double turned = spin.norm() * time;
    if (turned != 0) now.rotation = (Quat(Eigen::AngleAxisd(turned, spin.normalized())) * now.rotation).normalized();
    return now;
}

void check(const MovingObstacle& o) {
    const std::string name = fmt::format("obstacle '{}'", o.name);
    if (!o.mesh) throw Error(Cause::invalid_argument, "has no mesh", {.element = name});
    if (!is_finite(o.pose) || !is_finite(o.velocity) || !is_finite(o.spin) || !is_finite(o.sway))
        throw Error(Cause::non_finite, "its pose or motion", {.element = name});
    if (!(o.sway_period > 0) || !std::isfinite(o.sway_period))
        throw Error(Cause::invalid_argument, "the period of its sway is not positive", {.element = name});
}

} // namespace fathom
