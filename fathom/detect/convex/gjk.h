// The closest point of the Minkowski difference to the origin: the distance of two convex cores that are apart.
// Method: Gilbert, Johnson, Keerthi 1988. Every simplex gives a point of the difference (an upper bound on the
// distance), every support plane a lower bound; both are kept. Limited iterations, no exceptions, no allocation.
// Private to this folder.
#pragma once

#include <fathom/detect/convex/difference.h>

namespace fathom::convex {

struct GjkLimits {
    double gap = 1e-15;      // stop where the bounds differ by this share of the upper bound
    double above = HUGE_VAL; // stop once the distance is proven to exceed this (m)
    double below = -1;       // stop once the distance is at most this (m)
    int max_iterations = 96;
};

struct GjkResult {
    Simplex simplex{};          // its mean is the closest point found
    double upper = HUGE_VAL;    // distance of that point from the origin; 0 if the origin is inside the simplex (m)
    double lower = -HUGE_VAL;   // proven but for the rounding of heights: minus the height of `normal` (m)
    Vec3 normal = Vec3::Zero(); // unit, from A to B: direction of the lower bound
    bool stopped = false;       // bounds are as close as they get by rounding
};

// Continues from `result` where it has a simplex.
void gjk(const Difference& difference, const GjkLimits& limits, GjkResult& result);

} // namespace fathom::convex
