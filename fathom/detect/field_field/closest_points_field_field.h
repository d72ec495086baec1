// Closest points of two disjoint shapes, with a lower bound on their distance.
// Method: both trees are descended greedily to two nodes that are close, and the closest points are refined there by
// projected gradient steps on the squared distance (Birgin, Martinez & Raydan 2000). Branch and bound over pairs of
// nodes (dual_tree_bound.h) then raises the lower bound, subdividing as finely as needed, and finds closer points
// elsewhere; beside a convex body, over the nodes of the other shape alone (convex_bound.h). The bounds of nodes are of
// first order, so that near the closest points the number of open pairs does not grow with the depth. Thread-safe.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/convex/convex_body.h>
#include <fathom/detect/trees/dual_tree_bound.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <optional>

namespace fathom::field_field {

// One of the two shapes: a solid given by its field, triangles, or a half-space.
struct ClosestBody {
    const FieldSphereTree* solid = nullptr;
    const TriangleSphereTree* surface = nullptr; // if given, the triangles are used instead of the field
    const SurfaceTree* tree = nullptr;           // of the same triangles
    std::optional<FieldHalfSpace> half_space{};
    const convex::Body* convex = nullptr; // of a solid that is a convex body
};

struct ClosestOptions {
    double tolerance = 1e-6;               // requested difference of the bounds (m)
    std::size_t max_evaluations = 100'000; // limit on field evaluations; four pairs of nodes count as one
};

struct ClosestPoints {
    double lower = 0, upper = 0;                   // bounds on the distance (m)
    Vec3 in_p = Vec3::Zero(), in_q = Vec3::Zero(); // witness points at distance `upper` (m, P's frame)
    std::size_t evaluations = 0;
};

// The distance of a solid whose field computes in single precision is that of Field::in_double(). Below this tolerance
// (m), its values and bounds are used throughout, not only for the result; 0 for other fields.
[[nodiscard]] double least_single_tolerance(const Field& field);

// The shapes must not be empty, and known to be disjoint. P must be bounded, Q as well unless it is a half-space.
[[nodiscard]] ClosestPoints closest_points(const ClosestBody& p, const ClosestBody& q, const Pose& q_in_p,
                                           const ClosestOptions& options);

} // namespace fathom::field_field
