// Collision of two fields in two poses.
// Method: Liu et al. 2024, sections 4.2 to 4.4, without step sizes and octree depths to set by hand, and with a proof.
// The minimum of B's field over the points of A is minus the penetration depth if the bodies overlap, and their
// distance if they do not.
// Guarantees: the status is global and proven. A common point proves overlap. The bodies are proven disjoint if every
// bounding sphere of one body's tree is clear of the other's field. Regions that stay open at the requested tolerance
// make the status "undecided".
// The depth of two convex analytic expressions is the global maximum. Otherwise it is the best result of descents from
// a bounded number of starting points, and a deeper point may exist, unless depth_tolerance asks for the global one.
// Contact normals are unit and point from A to B: moving B along the normal by `depth` removes the deepest penetration.
// Swapping A and B gives the same points and the negated normal, to the bit. const and thread-safe.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/detect/trees/field_sphere_tree.h>

#include <vector>

namespace fathom::field_field {

enum class CollideGoal { any, contacts };

struct CollideOptions {
    CollideGoal goal = CollideGoal::contacts;
    double margin = 0; // solids closer than this count as touching (m)
    // Boxes smaller than this are not subdivided (m). 0: 1e-9 of the size of the smaller solid, 1e-4 with a neural
    // field.
    double tolerance = 0;
    std::size_t max_evaluations = 300'000; // limit on field evaluations; regions that are open then stay undecided
    std::size_t max_contacts = 16;         // distributed over each region as far apart as possible
    // Contacts: also search for the globally deepest points, and bound their depth (m). 0: no.
    double depth_tolerance = 0;
};

struct CollideResult {
    Status status = Status::disjoint;
    // Overlapping: a point inside both; with a margin, a point of one body within the margin of the other (m, world).
    Vec3 witness = Vec3::Zero();
    double depth = 0; // penetration depth of the deepest contact (m)
    // With depth_tolerance: no point of a body is deeper in the field of the other (m). Otherwise infinity.
    double depth_bound = HUGE_VAL;
    double error_bound = 0;        // error of the fields near their surfaces (m)
    bool more_contacts = false;    // regions or points were omitted
    std::vector<Contact> contacts; // deepest first; of each region the deepest, then points far from the others
    std::size_t evaluations = 0;   // field evaluations
    double open_size = 0;          // undecided: size of the largest box that stayed open (m)
};

[[nodiscard]] CollideResult collide(const FieldSphereTree& a, const Pose& pose_a, const FieldSphereTree& b,
                                    const Pose& pose_b, const CollideOptions& options = {});

} // namespace fathom::field_field
