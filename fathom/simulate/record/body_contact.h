// Contact of two bodies: the one record that all worlds, recordings, tables and the viewer use.
#pragma once

#include <fathom/base/vec.h>

namespace fathom {

struct BodyContact {
    Index a = no_index, b = no_index; // numbers of the bodies; equal for a self-contact
    // Vertex, shell point, edge or triangle of each body, as the function that lists the contacts says; no_index:
    // unknown.
    Index feature_a = no_index, feature_b = no_index;
    Vec3 position = Vec3::Zero(); // m, world
    Vec3 normal = Vec3::Zero();   // unit, from a to b (world); zero if it is unknown
    double depth = 0;             // penetration depth (m), >= 0
};

} // namespace fathom
