// Largest stable explicit step of a network.
// Method: the highest frequency w of M^-1 K, and the highest rate g of M^-1 D, by up to 64 Lanczos steps from a seeded
// vector (the estimate plus its residual, within a few per mille; Gershgorin's discs would reject steps that are stable
// by a factor of up to two). A Verlet step h whose damping uses the velocity half a step before is stable if h^2 w^2 +
// 2 h g <= 4: for g = 0 that is h <= 2 / w, and with damping h <= 2 / w (sqrt(1 + z^2) - z), z = g / 2w. The result
// holds for the given shape. A spring never gets stiffer than its stiffness, but triangles resist with the square of
// their size: leave a margin if bodies will be stretched much.
#pragma once

#include <fathom/simulate/springs/spring_blocks.h>

namespace fathom {

struct StiffnessBounds {
    double frequency = 0; // w (rad/s)
    double damping = 0;   // g (1/s)

    [[nodiscard]] double largest_stable_step() const; // s; infinite without stiffness and damping
};

// Some 30 products with K, and as many with D. Parallel, the same for any number of threads.
[[nodiscard]] StiffnessBounds stiffness_bounds(const SpringNetwork& network, const SpringBlocks& blocks,
                                               std::span<const Vec3> positions);

// Bounds for the listed points and their neighbours, with all others fixed: never above those of the whole network
// except for rounding, and close to them if the fastest mode is there, since it is local. Used after an edit. O(points
// listed), and a pass over the elements of their blocks.
[[nodiscard]] StiffnessBounds stiffness_bounds_round(std::span<const Index> points, const SpringNetwork& network,
                                                     const SpringBlocks& blocks, std::span<const Vec3> positions);

// For the initial state of the network. Throws Error as check(network).
[[nodiscard]] double largest_stable_step(const SpringNetwork& network);

} // namespace fathom
