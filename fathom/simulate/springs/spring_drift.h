// Random motion and deformation of objects in a box, with reflection at its borders.
// Method: Madera et al. 2006, section 4: each object has a random velocity that is added to each of its masses. It is
// added once; if it were added in every step, as the text may also be read, it would be an unbounded force. A
// reflection only reverses velocities, before the step that would cross the border: no position jumps, so springs and
// heights keep their energy, and the path of a point under a constant force is retraced. Kinetic energy is preserved up
// to rounding.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/simulate/springs/spring_forces.h>

namespace fathom {

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
