// Kernels for a pair of convex bodies: overlap, and the signed distance with witness points and the minimum
// translation. Closed forms for spheres, capsules and boxes; GJK for other pairs that are apart or whose cores are; for
// cores that overlap the separating axes of two boxes, otherwise an expanding polytope. Swept-sphere radii are exact
// everywhere. Bounds count the rounding of the arithmetic. const, thread-safe, deterministic; no allocation, no
// exceptions, limited iterations. Metres, world frame.
#pragma once

#include <fathom/detect/convex/difference.h>
#include <fathom/detect/result/result.h>

#include <vector>

namespace fathom::convex {

struct Placed {
    const Body& body;
    const Pose& pose;
};

struct Overlap {
    Status status = Status::undecided;
    Vec3 witness = Vec3::Zero(); // overlapping: a point of both bodies, up to the margin (m)
};

struct PairDistance {
    // The signed distance lies between these bounds (m): the distance, or minus the length of the minimum translation.
    // B moved by more than -lower along the normal is disjoint from A.
    double lower = 0, upper = 0;
    Vec3 normal = Vec3::Zero();                          // unit, from A to B
    Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero(); // on the surfaces; their difference is along the normal
    bool unique = true;  // no other normal separates by the same distance, up to 4e-9 of the size
    double rounding = 0; // bound on the error of a height by rounding (m)
};

// Two bodies in their poses, which must outlive it.
class PairKernel {
public:
    PairKernel(const Placed& a, const Placed& b) : d_(a.body, a.pose, b.body, b.pose) {}

    // Whether the bodies are at most `margin` apart (m). "disjoint" is proven by a separating plane; distances within
    // rounding of the margin count as overlapping.
    [[nodiscard]] Overlap overlap(double margin = 0) const;
    // `gap`: relative difference of the bounds that is enough for bodies that overlap.
    [[nodiscard]] PairDistance signed_distance(double gap = 1e-6) const;
    // The contacts of bodies that overlap or are within the margin (m): the common part of their faces, edges or
    // vertices along the normal of `distance` (face_contacts.h). At least one; local depths along the normal, not below
    // -margin except for that one; Feature::element numbers the vertices, edges and faces of each body.
    void add_contacts(const PairDistance& distance, double margin, std::vector<Contact>& contacts) const;
    // As signed_distance(), by the general algorithms even where a closed form exists. For tests.
    [[nodiscard]] PairDistance signed_distance_general(double gap = 1e-6) const;

private:
    Difference d_;
};

[[nodiscard]] inline Overlap overlap(const Placed& a, const Placed& b, double margin = 0) {
    return PairKernel(a, b).overlap(margin);
}
[[nodiscard]] inline PairDistance signed_distance(const Placed& a, const Placed& b, double gap = 1e-6) {
    return PairKernel(a, b).signed_distance(gap);
}

// The same for a body A and the half-space B of all points p with normal . p <= offset (world; the normal is unit).
struct Plane {
    Vec3 normal = Vec3::UnitZ();
    double offset = 0; // m
};
[[nodiscard]] PairDistance signed_distance(const Placed& a, const Plane& b);
void add_contacts(const Placed& a, const Plane& b, double margin, std::vector<Contact>& contacts);

} // namespace fathom::convex
