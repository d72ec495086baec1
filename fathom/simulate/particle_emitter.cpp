// Room: simulate. When particles are born, and how obstacles move.
#include <fathom/simulate/particles.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

std::uint64_t ParticleEmitter::emitted_by(double time) const {
    if (time < start) return 0;
    return burst + static_cast<std::uint64_t>(std::floor(rate * std::max(0.0, std::min(time, end) - start)));
}

Pose ParticleObstacle::pose_at(double time) const {
    Pose now = pose;
    now.translation += time * velocity + std::sin(2 * std::numbers::pi * time / sway_period) * sway;
    const double turned = spin.norm() * time;
    if (turned != 0) now.rotation = (Quat(Eigen::AngleAxisd(turned, spin.normalized())) * now.rotation).normalized();
    return now;
}

} // namespace fathom
