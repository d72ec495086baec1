// Static obstacles of deformable bodies, given as fields: finds the points inside, with separating direction and depth.
// O(points) field evaluations, in parallel; the same bytes for any number of threads. Thread-safe.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/field.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/simulate/record/recording.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fathom {

struct StaticObstacle {
    FieldPtr field;
    Pose pose{};
    std::string name{};
};

struct PointInObstacle {
    Index point = no_index;
    Vec3 separating_direction = Vec3::Zero(); // unit, separating direction of the point (world)
    double depth = 0;                         // m, > 0
};

// Ordered by point. Points at which the field has no gradient are omitted, since they have no
// separating direction.
[[nodiscard]] std::vector<PointInObstacle> points_in_obstacle(const StaticObstacle& obstacle,
                                                              std::span<const Vec3> points);

[[nodiscard]] RecordedBody recorded(const StaticObstacle& obstacle);

// Kinematic obstacle: a mesh on a prescribed motion, which contacts do not change. Translation, rotation and
// oscillation.

struct KinematicObstacle {
    std::string name;
    std::shared_ptr<const TriangleMesh> mesh;
    Pose pose{};                  // at time 0
    Vec3 velocity = Vec3::Zero(); // m/s
    Vec3 spin = Vec3::Zero();     // rad/s, world, about the origin of the mesh's frame
    Vec3 sway = Vec3::Zero();     // amplitude of a sinusoidal oscillation (m)
    double sway_period = 1;       // s

    [[nodiscard]] bool stationary() const { return velocity.isZero(0) && spin.isZero(0) && sway.isZero(0); }
    [[nodiscard]] Pose pose_at(double time) const;
};

// Throws Error with its name: invalid_argument if it has no mesh or no period, non_finite.
void check(const KinematicObstacle& obstacle);

} // namespace fathom
