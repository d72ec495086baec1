// Plane that bounds the interior of a field within a region, to first order.
// Where slopes are known, its error is quadratic in the size of the region; a bound from range() alone has linear
// error.
#pragma once

#include <fathom/base/vec.h>

#include <cmath>

namespace fathom {

// normal . (x - centre of the region) <= offset for every x of the region where the field is at most 0 (m).
struct PlaneOver {
    Vec3 normal = Vec3::Zero(); // unit vector, or 0 if no plane is known
    double offset = HUGE_VAL;   // below minus the region's radius, the region contains no interior point
};

} // namespace fathom
