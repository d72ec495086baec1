// The minimum translation of two convex cores that overlap: the direction of least height of their Minkowski
// difference. Method: expanding polytope (van den Bergen 2001) from the simplex that GJK ends with. The polytope is
// inside the difference, so that the least distance of its faces from the origin is a lower bound on the depth; every
// support plane gives an upper bound. For curved cores the best faces are refined by Newton's method (difference.h),
// and the polytope shows that no other direction can be better by more than its gap. Limited iterations, no exceptions,
// no allocation. Private to this folder.
#pragma once

#include <fathom/detect/convex/difference.h>

namespace fathom::convex {

struct Penetration {
    Direction best{};      // height >= 0 up to rounding
    double lower = 0;      // proven lower bound on the depth, but for rounding (m)
    bool unique = true;    // no other direction separates by a translation that is as short
    bool encloses = false; // the polytope contains the origin, up to rounding: the cores are proven to overlap
    Simplex around{};      // if it does and it was requested: points of the polytope whose mean is the origin
};

// `inside`: points of the difference whose mean is the origin, up to rounding. `gap`: relative difference of the lower
// bound and the depth that is enough; a small one costs time for curved cores only. `around`: that simplex is wanted.
[[nodiscard]] Penetration penetration(const Difference& difference, const Simplex& inside, double gap = 1e-2,
                                      bool around = false);

// Whether no direction near the best one, about a degree away, has the same height up to `tie` (m).
[[nodiscard]] bool is_well_determined(const Difference& difference, const Direction& best);

// Directions count as equally good if their heights differ by at most this share of the size of the pair.
inline constexpr double tie_share = 4e-9;

} // namespace fathom::convex
