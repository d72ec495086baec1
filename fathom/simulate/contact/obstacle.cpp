// Evaluates the fields of obstacles at points.
#include <fathom/simulate/contact/obstacle.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace fathom {

std::vector<PointInObstacle> points_in_obstacle(const StaticObstacle& obstacle, std::span<const Vec3> points) {
    constexpr std::size_t chunk = 1024;
    std::vector<PointInObstacle> all;
    parallel_append(points.size(), chunk, all, [&](std::size_t k, std::vector<PointInObstacle>& found) {
        const Sample sample = obstacle.field->sample(obstacle.pose.to_local(points[k]));
        const double steepness = sample.gradient.norm();
        if (sample.distance < 0 && steepness > 0)
            found.push_back(
                {static_cast<Index>(k), obstacle.pose.rotate(sample.gradient / steepness), -sample.distance});
    });
    return all;
}

RecordedBody recorded(const StaticObstacle& obstacle) {
    return {obstacle.name, std::make_shared<const TriangleMesh>(), obstacle.field, Vec3::Zero(), true};
}

// Poses of kinematic obstacles over time.

Pose KinematicObstacle::pose_at(double time) const {
    Pose now = pose;
    now.translation += time * velocity + std::sin(2 * std::numbers::pi * time / sway_period) * sway;
    const double turned = spin.norm() * time;
    if (turned != 0) now.rotation = (Quat(Eigen::AngleAxisd(turned, spin.normalized())) * now.rotation).normalized();
    return now;
}

void check(const KinematicObstacle& o) {
    const std::string name = fmt::format("obstacle '{}'", o.name);
    if (!o.mesh) throw Error(Cause::invalid_argument, "has no mesh", {.element = name});
    if (!is_finite(o.pose) || !is_finite(o.velocity) || !is_finite(o.spin) || !is_finite(o.sway))
        throw Error(Cause::non_finite, "its pose or motion is not finite", {.element = name});
    if (!(o.sway_period > 0) || !std::isfinite(o.sway_period))
        throw Error(Cause::invalid_argument, "sway_period is not positive", {.element = name});
}

} // namespace fathom
