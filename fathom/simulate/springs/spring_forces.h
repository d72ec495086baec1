// Forces and energies of a network: springs (equation 2 of Madera et al. 2006), air friction (equation
// 1), areas and volumes (Teschner et al. 2004), gravity. Every force is minus the slope of its energy, damping and
// friction apart. Springs without length, and triangles without area, have no direction and so no force; all numbers
// stay finite. O(points + elements), about 10 ns a spring and 25 ns a triangle. Parallel by blocks, the same bits for
// any number of threads.
#pragma once

#include <fathom/simulate/springs/spring_blocks.h>
#include <fathom/simulate/springs/spring_network.h>

namespace fathom {

// In joules.
struct SpringEnergy {
    double kinetic = 0;
    double stretch = 0; // springs on edges
    double bending = 0; // springs across edges
    double area = 0;
    double volume = 0;
    double gravity = 0; // 0 at the origin; points that are not fixed
    double contact = 0;

    [[nodiscard]] double elastic() const { return stretch + bending + area + volume + contact; }
    [[nodiscard]] double total() const { return kinetic + elastic() + gravity; }
    SpringEnergy& operator+=(const SpringEnergy& other);
};

// Where the points of a network are, and how fast.
struct SpringState {
    std::vector<Vec3> positions;  // m
    std::vector<Vec3> velocities; // m/s
};

// As the network starts: its points, at rest.
[[nodiscard]] SpringState start_state(const SpringNetwork& network);

struct SpringSurroundings {
    Vec3 gravity = Vec3::Zero(); // m/s^2
    double air_friction =
        0; // 1/s: k_d of equation 1 over the mass; a free point loses its speed by a factor e in 1 / this
};

// Fills forces[k], for fixed points too (what holds them feels it); returns the energies, contact apart. The spans are
// as long as the network; `blocks` are of this network.
SpringEnergy spring_forces(const SpringNetwork& network, const SpringBlocks& blocks, std::span<const Vec3> positions,
                           std::span<const Vec3> velocities, const SpringSurroundings& surroundings,
                           std::span<Vec3> forces);

// Once, with checks: Error as check(network), or {count_mismatch}, {non_finite} for the state.
[[nodiscard]] std::vector<Vec3> spring_forces(const SpringNetwork& network, const SpringState& state,
                                              const SpringSurroundings& surroundings = {});
[[nodiscard]] SpringEnergy spring_energy(const SpringNetwork& network, const SpringState& state,
                                         const SpringSurroundings& surroundings = {});

void check(const SpringState& state, const SpringNetwork& network);

// Springs that stay longer or shorter after they were pulled or pressed too far.
// Past the yield strain the rest length creeps toward the length at which the strain is just that; areas and volumes
// keep their size at rest. O(springs), parallel, the same bits for any number of threads.

struct PlasticOptions {
    double yield_strain = 0;     // (length - rest) / rest, both ways; 0: springs are elastic
    double creep_rate = 10;      // 1/s: what is past the yield strain shrinks by a factor e in 1 / this
    double largest_change = 0.5; // of the rest length that a spring had at first, in [0,1)

    [[nodiscard]] bool active() const { return yield_strain > 0; }
};

// Error{invalid_argument} names the option out of range.
void check(const PlasticOptions& options);

// `first_rest` holds the rest lengths of all springs as they were at first. Returns how many springs changed.
std::size_t creep(std::span<Spring> springs, std::span<const double> first_rest, std::span<const Vec3> positions,
                  double step, const PlasticOptions& options);

} // namespace fathom
