// Poses that enter the library, and bounding boxes of shapes in poses. Thread-safe. Metres.
#pragma once

#include <fathom/detect/query/shape.h>

#include <cstdint>

namespace fathom {

// The pose with a normalized rotation. Error{non_finite}; Error{invalid_argument} if the length of the quaternion
// deviates from 1 by more than 1e-3. `index` is that of the pose in the caller's list, for the message.
[[nodiscard]] Pose checked_pose(const Pose& pose, std::int64_t index = -1);
// Bounding box of a box in a pose, rounding included; empty for an empty box.
[[nodiscard]] Box placed_box(const Box& box, const Pose& pose);
// The same of a bounded shape.
[[nodiscard]] inline Box placed_box(const Shape& shape, const Pose& pose) { return placed_box(shape.bounds(), pose); }

} // namespace fathom
