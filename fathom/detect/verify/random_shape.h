// Small random shapes of every kind, on which `fathom verify`, `fathom matrix` and the tests run the methods. The same
// random numbers give the same shape on every machine. About a millisecond each, except for grids and trees.
#pragma once

#include <fathom/base/random.h>
#include <fathom/detect/query/shape.h>

namespace fathom {

// About `size` large (m), around the origin. Half-spaces: the plane passes through a point within size / 2 of the
// origin.
[[nodiscard]] Shape random_shape(ShapeKind kind, Random& random, double size = 1);

// Poses with random rotations at which two shapes touch about half of the time.
struct RandomPoses {
    Pose a, b;
};
[[nodiscard]] RandomPoses random_poses(const Shape& a, const Shape& b, Random& random);

} // namespace fathom
