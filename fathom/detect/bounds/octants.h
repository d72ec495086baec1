// Cells of an octree over a cube, or over a box of any shape.
#pragma once

#include <fathom/base/primitives.h>

#include <array>

namespace fathom {

// One of the eight halves of halves of halves; bit a of k picks the upper half along axis a.
[[nodiscard]] inline Box octant(const Box& box, int k) {
    const Vec3 middle = box.center();
    Box part = box;
    for (int axis = 0; axis < 3; ++axis) ((k >> axis) & 1 ? part.lower : part.upper)[axis] = middle[axis];
    return part;
}

// The pieces of a box, 1 to 8 of them, halved at shared planes: they tile it exactly. Sides are halved that are nearly
// the longest, so cells become cubes. 1: it is too small to be halved.
inline std::size_t octants(const Box& box, std::array<Box, 8>& out) {
    constexpr double nearly_longest = 0.7;
    const Vec3 size = box.size(), middle = box.center();
    const double longest = size.maxCoeff();
    out[0] = box;
    std::size_t count = 1;
    for (int k = 0; k < 3; ++k) {
        if (!(size[k] > nearly_longest * longest && box.lower[k] < middle[k] && middle[k] < box.upper[k])) continue;
        for (std::size_t c = 0; c < count; ++c) {
            out[count + c] = out[c];
            out[c].upper[k] = out[count + c].lower[k] = middle[k];
        }
        count *= 2;
    }
    return count;
}

} // namespace fathom
