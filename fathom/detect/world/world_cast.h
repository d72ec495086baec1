// A ray against one shape of any kind: triangles by their tree, half-spaces by formula, other solids by
// SegmentCaster. Points are never hit. Thread-safe. Cost: a micro-second or so; the first ray also makes what the
// method needs.
#pragma once

#include <fathom/detect/world/world.h>

namespace fathom {

// `body` is left no_index. Direction and origin must be finite, the direction unit.
[[nodiscard]] RayHit cast_at(const Shape& shape, const Pose& pose, const Ray& ray, double limit);

} // namespace fathom
