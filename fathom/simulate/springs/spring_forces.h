// Forces and energies of a network: springs (equation 2 of Madera et al. 2006), air friction (equation 1), areas and
// volumes (Teschner et al. 2004), gravity. Every force except damping and friction is minus the gradient of its energy.
// Springs without length and triangles without area have no direction and so no force; all numbers stay finite.
// O(points + elements), about 10 ns per spring and 25 ns per triangle. Parallel by blocks, the same bits for any number
// of threads.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/adjacency.h>
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
    double gravity = 0; // 0 at the origin; of points that are not fixed
    double contact = 0;

    [[nodiscard]] double elastic() const { return stretch + bending + area + volume + contact; }
    [[nodiscard]] double total() const { return kinetic + elastic() + gravity; }
    SpringEnergy& operator+=(const SpringEnergy& other);
};

// Positions and velocities of the points of a network.
struct SpringState {
    std::vector<Vec3> positions;  // m
    std::vector<Vec3> velocities; // m/s
};

// Initial state of the network: its points, at rest.
[[nodiscard]] SpringState start_state(const SpringNetwork& network);

struct SpringSurroundings {
    Vec3 gravity = Vec3::Zero(); // m/s^2
    // Air friction (1/s): k_d of equation 1 over the mass; the speed of a free point falls by a factor e in 1 /
    // air_friction.
    double air_friction = 0;
};

// Fills forces[k], including those of fixed points (the reaction of their support is the opposite); returns the
// energies without contact. The spans have the size of the network; `blocks` must belong to this network.
SpringEnergy spring_forces(const SpringNetwork& network, const SpringBlocks& blocks, std::span<const Vec3> positions,
                           std::span<const Vec3> velocities, const SpringSurroundings& surroundings,
                           std::span<Vec3> forces);

// Single evaluation with checks: throws Error as check(network), or {count_mismatch}, {non_finite} for the state.
[[nodiscard]] std::vector<Vec3> spring_forces(const SpringNetwork& network, const SpringState& state,
                                              const SpringSurroundings& surroundings = {});
[[nodiscard]] SpringEnergy spring_energy(const SpringNetwork& network, const SpringState& state,
                                         const SpringSurroundings& surroundings = {});

void check(const SpringState& state, const SpringNetwork& network);

// Plasticity: springs that stay longer or shorter after they were stretched or compressed too far.
// Past the yield strain the rest length creeps toward the length at which the strain equals the yield strain; areas and
// volumes keep their size at rest. O(springs), parallel, the same bits for any number of threads.

struct PlasticOptions {
    double yield_strain = 0;     // limit of |length - rest| / rest; 0: springs are elastic
    double creep_rate = 10;      // 1/s: strain past the yield strain falls by a factor e in 1 / creep_rate
    double largest_change = 0.5; // largest change of a rest length over its initial value, in [0,1)

    [[nodiscard]] bool active() const { return yield_strain > 0; }
};

// Error{invalid_argument} names the option out of range.
void check(const PlasticOptions& options);

// `first_rest` holds the initial rest lengths of all springs. Returns the number of springs that changed.
std::size_t creep(std::span<Spring> springs, std::span<const double> first_rest, std::span<const Vec3> positions,
                  double step, const PlasticOptions& options);

// ---- Random motion and deformation of objects in a box, with reflection at its borders.
// Method: Madera et al. 2006, section 4: each object has a random velocity that is added to each of its masses. It is
// added once; if it were added in every step, as the text may also be read, it would be an unbounded force. A
// reflection only reverses velocities, before the step that would cross the border: no position jumps, so springs and
// heights keep their energy, and the path of a point under a constant force is retraced. Kinetic energy is preserved up
// to rounding.

enum class Reflection {
    // The velocity of the centre of mass is reversed when the object's bounds would cross a border, as in the paper;
    // the motion of the points about the centre continues. By that motion alone they may pass the border.
    object,
    point // each point separately
};

struct RandomMotion {
    double drift = 1; // speed (m/s), the same for all points of an object, in a random direction
    // Speed of each point in its own random direction (m/s); it does not change the momentum of the object.
    double deformation = 0;
    std::uint64_t seed = 1;
};

// Adds to the velocities. The motion of an object does not depend on its place in the network. O(n).
void add_random_motion(const SpringNetwork& network, const RandomMotion& motion, std::span<Vec3> velocities);

// Reverses the velocities of objects or points that move outward and would leave the box within `step` seconds; returns
// the number of reversals (each axis counts). Objects with fixed points and borders at infinity are ignored.
// `points_of` lists the points of each part. O(n), parallel over objects.
std::size_t reflect(const SpringNetwork& network, const Lists& points_of, const Box& environment, Reflection mode,
                    double step, std::span<const Vec3> positions, std::span<Vec3> velocities);

} // namespace fathom
