// Fields that stand in the way of deforming bodies and never move: which points are inside, and which
// way is out? O(points * obstacles) look-ups, in parallel; the same bytes for any number of threads. Thread-safe.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/field.h>
#include <fathom/simulate/record/recording.h>

#include <span>
#include <string>
#include <vector>

namespace fathom {

struct FieldObstacle {
    FieldPtr field;
    Pose pose{};
    std::string name{};
};

struct PointInObstacle {
    Index obstacle = no_index, point = no_index;
    Vec3 normal = Vec3::Zero(); // unit, the way out (world)
    double depth = 0;           // m, > 0
};

// By obstacle, then by point. Points where the field has no gradient are left out: nothing tells where to push them.
[[nodiscard]] std::vector<PointInObstacle> points_in_obstacles(std::span<const FieldObstacle> obstacles,
                                                               std::span<const Vec3> points);

[[nodiscard]] RecordedBody recorded(const FieldObstacle& obstacle);

} // namespace fathom
