// Extension of a field that is known only in a box (its domain) to points outside of it.
// The interior of the shape lies in the domain, which is convex. Hence no interior point is closer to p than the
// hypotenuse over the gap from p to the domain and the distance at the nearest domain point. For values that are not a
// distance, sign and range are preserved. Thread-safe; does not allocate.
#pragma once

#include <fathom/field/field.h>

#include <cmath>

namespace fathom {

// Extended value at p; `value` is the field at `nearest`, the point of the domain nearest to p.
[[nodiscard]] inline double beyond_domain(const Vec3& p, const Vec3& nearest, double value) {
    const double gap = (p - nearest).norm();
    return value >= 0 ? std::hypot(gap, value) : value + gap;
}

// Extended value and gradient at p; `inside` is the sample at `nearest`. For p in the domain the result is `inside`
// itself.
[[nodiscard]] Sample beyond_domain(const Vec3& p, const Vec3& nearest, const Sample& inside);

// Encloses the extended field over `box`; `values` encloses the field at the domain points nearest to those of the box.
// Rounded outward.
[[nodiscard]] Interval beyond_domain(const Box& box, const Box& domain, const Interval& values);

} // namespace fathom
