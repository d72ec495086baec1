// A plane over what is inside in some region: how far the inside reaches there, to first order.
// As good as the square of the region's size where slopes are known, while range() alone is as good as its size.
#pragma once

#include <fathom/base/vec.h>

#include <cmath>

namespace fathom {

// normal . (x - middle of the region) <= offset for every x of the region where the field is at most 0 (m).
struct PlaneOver {
    Vec3 normal = Vec3::Zero(); // unit, or 0 where no plane is known
    double offset = HUGE_VAL;   // below minus the region's radius: nothing is inside
};

} // namespace fathom
