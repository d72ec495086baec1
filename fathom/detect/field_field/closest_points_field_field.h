// The two nearest points of solids that are apart, with a bound below.
// Straight down both trees to two leaves that look near; then, where one body is within the other's domain, its tree
// through that field, and search() with the wanted distance as margin proves it. Where that leaves the bounds farther
// apart than asked, pairs of parts of both (part_pairs.h) do, cut as finely as it needs. In the leaves two points draw
// each other over their surfaces. Thread-safe.
#pragma once

#include <fathom/detect/bounds/transformed_field.h>
#include <fathom/detect/trees/field_sphere_tree.h>

namespace fathom::field_field {

struct ClosestOptions {
    double tolerance = 1e-6;               // m, between the bounds
    bool strict = false;                   // tries for the tolerance even where the fields' errors forbid it
    bool polish = false;                   // both fields are smooth exact distances: to rounding
    std::size_t max_evaluations = 100'000; // pairs of nodes and look-ups
};

struct ClosestPoints {
    double lower = 0, upper = 0;                   // m
    Vec3 in_p = Vec3::Zero(), in_q = Vec3::Zero(); // `upper` apart, in P's frame
    std::size_t evaluations = 0;
};

// Both bounded and not empty, and known to be apart.
[[nodiscard]] ClosestPoints closest_points(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                                           const Pose& q_in_p, const ClosestOptions& options);

} // namespace fathom::field_field
