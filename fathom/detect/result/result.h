// The words that every answer of this room is made of.
// "No" is always a proof. Where neither yes nor no was proven within the asked tolerance, the answer is "undecided".
#pragma once

#include <fathom/base/vec.h>

namespace fathom {

enum class Verdict { disjoint, overlapping, undecided };

// A piece of time in which something is in contact, ends included. Times run in [0,1] over the motion asked about.
struct ContactInterval {
    double start = 0;
    double end = 0;
    bool proven = true; // a point in contact was seen in it; otherwise contact is only not excluded

    friend bool operator==(const ContactInterval&, const ContactInterval&) = default;
};

// Which piece of the body. no_index: unknown.
struct Feature {
    Index element = no_index; // the brick of a grid, the triangle of a mesh
    Index part = no_index;    // of a decomposition; collide() knows none
};

struct Contact {
    // `depth` apart along the normal (m, world): the deepest point of one body in the other, and the other's surface
    // next to it.
    Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
    Vec3 normal = Vec3::Zero(); // unit, from A to B (world)
    double depth = 0;           // >= 0; with a margin, less than 0 down to -margin (m)
    Index region = 0;           // contacts of one region of overlap share it
    Feature feature_a{}, feature_b{};
};

} // namespace fathom
