// Kuhn's subdivision of a cube into six tetrahedra, one for each permutation of the axes along an edge path from
// (0,0,0) to (1,1,1). Neighbouring cubes agree on their common face.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace fathom {

using LatticePoint = std::array<std::size_t, 3>;

struct KuhnWalk {
    std::array<std::size_t, 3> axes;
    bool even; // parity of the permutation; an odd one gives a tetrahedron of negative volume
};

inline constexpr std::array<KuhnWalk, 6> kuhn_walks = {{{{0, 1, 2}, true},
                                                        {{1, 2, 0}, true},
                                                        {{2, 0, 1}, true},
                                                        {{0, 2, 1}, false},
                                                        {{1, 0, 2}, false},
                                                        {{2, 1, 0}, false}}};

// The corners along the path through the cube whose lowest corner is `cell`, ordered for positive volume.
[[nodiscard]] constexpr std::array<LatticePoint, 4> corners_of(const LatticePoint& cell, const KuhnWalk& walk) {
    std::array<LatticePoint, 4> corners{cell, cell, cell, cell};
    for (std::size_t k = 0; k < 3; ++k) {
        corners[k + 1] = corners[k];
        ++corners[k + 1][walk.axes[k]];
    }
    if (!walk.even) std::swap(corners[1], corners[2]);
    return corners;
}

} // namespace fathom
