// A mesh that moves as it is told, whatever it meets: straight on, turning, swaying.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <memory>
#include <string>

namespace fathom {

struct MovingObstacle {
    std::string name;
    std::shared_ptr<const TriangleMesh> mesh;
    Pose pose{};                  // at time 0
    Vec3 velocity = Vec3::Zero(); // m/s
    Vec3 spin = Vec3::Zero();     // rad/s, world, about the origin of the mesh's frame
    Vec3 sway = Vec3::Zero();     // m: to both sides, a sine
    double sway_period = 1;       // s

    [[nodiscard]] bool fixed() const { return velocity.isZero(0) && spin.isZero(0) && sway.isZero(0); }
    [[nodiscard]] Pose pose_at(double time) const;
};

// Throws Error with its name: invalid_argument where it has no mesh or no period, non_finite.
void check(const MovingObstacle& obstacle);

} // namespace fathom
