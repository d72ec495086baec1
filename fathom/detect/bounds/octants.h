// Subdivision of boxes into the cells of an octree, for cubes and for boxes of any proportions.
#pragma once

#include <fathom/base/primitives.h>

#include <array>

namespace fathom {

// One of the eight octants of a box; bit a of k selects the upper half along axis a.
[[nodiscard]] inline Box octant(const Box& box, int k) {
    const Vec3 middle = box.center();
    Box part = box;
    for (int axis = 0; axis < 3; ++axis) ((k >> axis) & 1 ? part.lower : part.upper)[axis] = middle[axis];
    return part;
}

// Subdivides a box into 1 to 8 boxes that tile it exactly and share their dividing planes. Only sides that are nearly
// the longest are halved, so that cells approach cubes. Returns 1 if the box is too small to be halved.
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
