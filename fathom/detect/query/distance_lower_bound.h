// Lower bound on the distance of two shapes, by branch and bound over pairs of nodes of their trees
// (dual_tree_bound.h).
// Limitation: it does not detect that one shape lies inside the surface of another.
// Cost: some microseconds with the default options; more effort makes the bound as tight as the smallest nodes allow.
// const and thread-safe.
#pragma once

#include <fathom/detect/query/shape.h>

namespace fathom {

struct GapOptions {
    double sufficient = HUGE_VAL; // the search stops once the bound reaches this (m)
    std::size_t effort = 64;      // limit on pairs of nodes that are opened
    // Solids are subdivided down to nodes of this radius (m). Infinity: not below the leaves of their trees.
    double min_radius = HUGE_VAL;
    Vec3 direction = Vec3::Zero(); // unit direction from a to b between their closest points, if known (world); or zero
};

// Lower bound on the distance (m). 0 if nothing is known, for example for unbounded shapes other than half-spaces.
[[nodiscard]] double distance_lower_bound(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                          const GapOptions& options = {});

// Magnitude of the coordinates of a shape in its own frame (m); rounding errors of distances are proportional to it.
[[nodiscard]] double extent(const Shape& shape);

} // namespace fathom
