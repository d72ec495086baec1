// Two fields in two poses: do they touch, how deep, where, which way is out, or how far apart are they?
// (Liu et al. 2024, sections 4.2 to 4.4, without its steps and depths to set by hand, and with a proof.) A common point
// that was found proves overlap; where every ball of one solid's tree is clear of the other's field, they are proven
// disjoint; what stays open at the asked tolerance is "undecided" and said so. One idea carries all: over the points x
// of A, the least value of B's field is minus the depth when they overlap and the distance when they do not. The
// verdict is global and proven. The depth of two convex formulas is that of the deepest point of all; of others it is
// the best of descents from a bounded number of places: a deeper point that none leads to is possible. Distances have a
// proven bound below, which may be loose. Contact normals are unit and point from A to B: moving B along the normal by
// `depth` undoes the deepest penetration. const and thread-safe; swapping A and B gives the same points and the negated
// normal, to the bit.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/detect/trees/field_sphere_tree.h>

#include <vector>

namespace fathom::field_field {

enum class CollideGoal { any, contacts };

struct CollideOptions {
    CollideGoal goal = CollideGoal::contacts;
    double margin = 0; // solids nearer than this count as touching (m)
    double tolerance =
        0; // boxes smaller than this are not cut further (m); 0: 1e-9 of the smaller solid, 1e-4 with a network
    std::size_t max_evaluations = 300'000; // look-ups; what is open then stays undecided
    std::size_t max_contacts = 16;         // spread as far as they go over each region
};

struct CollideResult {
    Verdict verdict = Verdict::disjoint;
    Vec3 witness =
        Vec3::Zero(); // overlapping: a point inside both; with a margin, of one and that near to the other (m, world)
    double depth = 0; // of the deepest contact (m)
    double error_bound = 0;        // |answers - truth|, of the fields near their surfaces (m)
    bool more_contacts = false;    // regions or points were left out
    std::vector<Contact> contacts; // deepest first; of each region the deepest, then well-spread ones
    std::size_t evaluations = 0;   // of fields
    double open_size = 0;          // undecided: of the largest box that stayed open (m)
};

[[nodiscard]] CollideResult collide(const FieldSphereTree& a, const Pose& pose_a, const FieldSphereTree& b,
                                    const Pose& pose_b, const CollideOptions& options = {});

struct SeparationOptions {
    double tolerance =
        0; // between the bounds (m); 0: 1e-3 of the smaller solid, or what the errors of the fields allow
    std::size_t max_evaluations = 3'000; // look-ups: `upper` is found with some hundreds, the rest proves `lower`
};

// Signed: the distance when apart, minus the depth as collide() finds it when not.
struct Separation {
    // Proven but for error_bound (m). Overlapping: lower is -infinity. Against a body without end: upper is infinity.
    double lower = 0, upper = 0;
    Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero(); // that reach `upper` (m, world)
    Vec3 normal = Vec3::Zero();                          // unit, from A to B
    double error_bound = 0;
    bool budget_exhausted = false; // the bounds are farther apart than asked
    std::size_t evaluations = 0;
};
[[nodiscard]] Separation separation(const FieldSphereTree& a, const Pose& pose_a, const FieldSphereTree& b,
                                    const Pose& pose_b, const SeparationOptions& options = {});

} // namespace fathom::field_field
