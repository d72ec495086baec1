// Objects that drift and tremble at random in a box, and turn back at its borders.
// Method: Madera et al. 2006, section 4: each object has a random velocity that is added to each of its masses. It is
// added once; added in every step, as the text may also be read, it would be a force without end. A reflection only
// turns velocities round, before the step that would cross the border: no position jumps, so springs and heights keep
// their energy, and the path of a point under a steady force runs back as it came. Kinetic energy is kept to rounding.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/simulate/springs/spring_forces.h>

namespace fathom {

enum class Reflection {
    object, // the velocity of the centre of mass turns when the object's bounds would cross a border, as in the paper;
            // what the points do about the centre goes on. By that alone they may pass the border.
    point   // each point by itself
};

struct RandomMotion {
    double drift = 1; // m/s, the same for all points of an object, in a random direction
    double deformation =
        0; // m/s, of each point in its own direction; the momentum of the object stays that of the drift
    std::uint64_t seed = 1;
};

// Adds to the velocities. The same for an object wherever it stands in the network. O(n).
void add_random_motion(const SpringNetwork& network, const RandomMotion& motion, std::span<Vec3> velocities);

// Turns the velocities of what would leave the box within `step` seconds and is on its way out; returns how many turned
// (axes counted apart). Objects with fixed points stay as they are; so do borders at infinity. `points_of` lists the
// points of each part. O(n), parallel over objects.
std::size_t reflect(const SpringNetwork& network, const Lists& points_of, const Box& environment, Reflection mode,
                    double step, std::span<const Vec3> positions, std::span<Vec3> velocities);

} // namespace fathom
