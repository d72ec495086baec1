// Small shapes of every kind at random: what `fathom verify`, `fathom matrix` and the tests try the
// methods on. The same random numbers give the same shape on every machine. About a millisecond each, grids and trees
// apart.
#pragma once

#include <fathom/base/random.h>
#include <fathom/detect/query/shape.h>

namespace fathom {

// About `size` large (m), round the origin. Planes: through a point within size / 2 of it.
[[nodiscard]] Shape random_shape(ShapeKind kind, Random& random, double size = 1);

// Poses at which two shapes touch about as often as not. Turned at random.
struct RandomPoses {
    Pose a, b;
};
[[nodiscard]] RandomPoses random_poses(const Shape& a, const Shape& b, Random& random);

} // namespace fathom
