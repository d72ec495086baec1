// How large an explicit step of a network may be.
// Method: the highest frequency w of M^-1 K, and the highest rate g of M^-1 D, by up to 64 Lanczos steps from a seeded
// vector (the estimate plus its residual, within a few per mille; Gershgorin's discs would refuse steps that are stable
// by a factor of up to two). A Verlet step h whose damping looks at the velocity half a step before is stable where h^2
// w^2 + 2 h g <= 4: for g = 0 that is h <= 2 / w, and with damping h <= 2 / w (sqrt(1 + z^2) - z), z = g / 2w. Holds
// for the shape that is given. A spring never gets stiffer than its stiffness, but triangles resist with the square of
// their size: leave room where bodies will be stretched much.
#pragma once

#include <fathom/simulate/springs/spring_blocks.h>

namespace fathom {

struct StiffnessBounds {
    double frequency = 0; // w (rad/s)
    double damping = 0;   // g (1/s)

    [[nodiscard]] double largest_stable_step() const; // s; infinite where nothing pulls
};

// Some 30 products with K, and as many with D. Parallel, the same for any number of threads.
[[nodiscard]] StiffnessBounds stiffness_bounds(const SpringNetwork& network, const SpringBlocks& blocks,
                                               std::span<const Vec3> positions);

// Of the points named and their neighbours, with all others held: never above those of the whole network but for
// rounding, and near them where what swings fastest is there, for it does not reach far. For what an edit has changed.
// O(points named), and a look at the elements of their blocks.
[[nodiscard]] StiffnessBounds stiffness_bounds_round(std::span<const Index> points, const SpringNetwork& network,
                                                     const SpringBlocks& blocks, std::span<const Vec3> positions);

// Of the network as it starts. Throws as check(network).
[[nodiscard]] double largest_stable_step(const SpringNetwork& network);

} // namespace fathom
