// Closed forms for the signed distance of simple convex cores. Private to this folder.
#pragma once

#include <fathom/detect/convex/penetration.h>

namespace fathom::convex {

// The signed distance of two cores in the frame of A's core. direction.height is minus the distance.
struct CoreDistance {
    Direction direction{};
    double lower = 0; // proven lower bound on the height, but for rounding (m)
    bool unique = true;
    bool contact = false; // proven by a polytope where the points of the direction do not show it
};

// The pairs with a closed form are a point and a point, segment, box or ellipsoid, and two segments. Returns false for
// other pairs.
[[nodiscard]] bool closed_form(const Difference& difference, CoreDistance& result);

// Looks for a point of both boxes by projections onto one and the other in turn (in A's frame). It finds one quickly
// where they overlap deeply; false: nothing is known.
[[nodiscard]] bool box_common_point(const Difference& difference, Vec3& point);

// Two boxes that overlap, by their 15 separating axes. The points are not filled.
[[nodiscard]] CoreDistance box_penetration(const Difference& difference);

// Whether an axis of the faces of two boxes proves that they are more than `margin` apart.
[[nodiscard]] bool box_faces_separate(const Difference& difference, double margin);

} // namespace fathom::convex
