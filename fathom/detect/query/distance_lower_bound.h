// How far apart two shapes are at least: parts of both (part_pairs.h), the nearest first, until the
// answer is enough. It does not see one shape inside the surface of another. const and thread-safe. Cost: some
// micro-seconds with the usual effort; to the size of the finest parts with much.
#pragma once

#include <fathom/detect/query/shape.h>

namespace fathom {

struct GapOptions {
    double enough = HUGE_VAL; // m; what is beyond is not looked for
    std::size_t effort = 64;  // pairs of parts that are opened at most
    double finest =
        HUGE_VAL; // solids are cut down to parts of this radius (m); infinity: no finer than the leaves of their trees
    Vec3 way = Vec3::Zero(); // unit, from a to b (world): where their nearest points are known to lie; or zero
};

// No point of one is nearer to the other than this (m). 0 where nothing is known, as of shapes without end that are no
// half-spaces.
[[nodiscard]] double distance_lower_bound(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                          const GapOptions& options = {});

// How large the numbers are that distances of a shape are made of, its pose apart: what roundings are measured by (m).
[[nodiscard]] double extent(const Shape& shape);

} // namespace fathom
