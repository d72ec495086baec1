// What a field that is known only in a box answers outside of it. Everything inside lies in that box,
// which is convex: seen from p, nothing is nearer than the hypotenuse over the gap to the box and the distance from
// there. For values that are no distance the result keeps sign and range, as they did. Thread-safe, allocates nothing.
#pragma once

#include <fathom/field/field.h>

#include <cmath>

namespace fathom {

// `value` at `nearest`, the point of the domain nearest to p.
[[nodiscard]] inline double beyond_domain(const Vec3& p, const Vec3& nearest, double value) {
    const double gap = (p - nearest).norm();
    return value >= 0 ? std::hypot(gap, value) : value + gap;
}

// The same with its gradient; `inside` is the sample at `nearest`. For p in the domain, `inside` itself.
[[nodiscard]] Sample beyond_domain(const Vec3& p, const Vec3& nearest, const Sample& inside);

// `values` encloses the field on the points of the domain that are nearest to those of the box. Rounded outward.
[[nodiscard]] Interval beyond_domain(const Box& box, const Box& domain, const Interval& values);

} // namespace fathom
