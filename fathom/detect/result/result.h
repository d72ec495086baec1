// Types that the results of all collision queries share: status, contact interval, contact.
// "disjoint" is always a proof. If neither disjointness nor overlap is proven within the requested tolerance, the
// status is "undecided".
#pragma once

#include <fathom/base/vec.h>

#include <string_view>

namespace fathom {

enum class Status { disjoint, overlapping, undecided };

// Time interval of contact, ends included. Time runs in [0, 1] over the motion of the query.
struct ContactInterval {
    double start = 0;
    double end = 0;
    bool proven = true; // a contact was found in the interval; false: contact is only not excluded

    friend bool operator==(const ContactInterval&, const ContactInterval&) = default;
};

// Whether B, moved by the translation of a result, was shown to be disjoint from A.
enum class Separates {
    unknown, // no translation was computed or found
    found,   // disjoint, but not proven: the interior of a shape is guessed
    proven
};
[[nodiscard]] constexpr std::string_view name(Separates separates) {
    return separates == Separates::proven ? "proven" : separates == Separates::found ? "found" : "unknown";
}

// Feature of a body at a contact. no_index: unknown.
struct Feature {
    Index element = no_index; // brick of a grid, triangle of a mesh; of the part, if the body is a compound
    Index part = no_index;    // part of a compound shape (Shape::parts()) or of a decomposition
};

struct Contact {
    // Witness points (m, world), `depth` apart along the normal: the deepest point of one body in the other, and the
    // closest point on the other's surface.
    Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
    Vec3 normal = Vec3::Zero(); // unit, from A to B (world)
    double depth = 0;           // local penetration depth >= 0 (m); with a margin it may be negative, down to -margin
    Index region = 0;           // contacts of the same overlap region have the same value
    Feature feature_a{}, feature_b{};
};

// any: whether there is contact. first: the first contact. all: all contact intervals.
enum class SweepGoal { any, first, all };

} // namespace fathom
