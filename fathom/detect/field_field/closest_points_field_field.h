// Closest points of two disjoint solids, with a lower bound on their distance.
// Method: both trees are descended greedily to two leaves that are close. If one body lies in the other's domain, its
// tree is then tested in that field, and search() with the requested distance as margin proves the lower bound. If the
// bounds are still farther apart than requested, branch and bound over pairs of nodes (dual_tree_bound.h) refines them,
// subdividing as finely as needed. Within a leaf pair the closest points are refined by alternating projection.
// Thread-safe.
#pragma once

#include <fathom/detect/bounds/transformed_field.h>
#include <fathom/detect/trees/field_sphere_tree.h>

namespace fathom::field_field {

struct ClosestOptions {
    double tolerance = 1e-6;               // requested difference of the bounds (m)
    bool strict = false;                   // pursue the tolerance even if the errors of the fields exceed it
    bool polish = false;                   // both fields are smooth exact distances: refine to rounding
    std::size_t max_evaluations = 100'000; // limit on pairs of nodes and field evaluations
};

struct ClosestPoints {
    double lower = 0, upper = 0;                   // bounds on the distance (m)
    Vec3 in_p = Vec3::Zero(), in_q = Vec3::Zero(); // witness points at distance `upper` (m, P's frame)
    std::size_t evaluations = 0;
};

// Both solids must be bounded, not empty, and known to be disjoint.
[[nodiscard]] ClosestPoints closest_points(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                                           const Pose& q_in_p, const ClosestOptions& options);

} // namespace fathom::field_field
