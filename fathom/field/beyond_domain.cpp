// Values, gradients and ranges of a field outside its domain.
#include <fathom/field/beyond_domain.h>

#include <algorithm>

namespace fathom {

Sample beyond_domain(const Vec3& p, const Vec3& nearest, const Sample& inside) {
    if (nearest == p) return inside;
    // A step along the border moves `nearest`; a step away from the border only widens the gap.
    Vec3 along = inside.gradient;
    for (int k = 0; k < 3; ++k)
        if (nearest[k] != p[k]) along[k] = 0;
    const double result = beyond_domain(p, nearest, inside.distance);
    if (inside.distance < 0) return {result, along + (p - nearest).normalized()};
    return {result, (inside.distance * along + (p - nearest)) / result};
}

Interval beyond_domain(const Box& box, const Box& domain, const Interval& values) {
    // Smallest and largest distance of the box's points beyond the domain, per axis.
    const Vec3 least = (domain.lower - box.upper).cwiseMax(box.lower - domain.upper).cwiseMax(0.0);
    const Vec3 most = (domain.lower - box.lower).cwiseMax(box.upper - domain.upper).cwiseMax(0.0);
    const Interval gap = widened({least.norm(), most.norm()}, 8);
    const Interval outside =
        sqrt(square(gap) + square(Interval(std::max(0.0, values.lower), std::max(0.0, values.upper))));
    Interval result = values.upper >= 0 ? outside : Interval::none();
    if (values.lower < 0) result = hull(result, Interval(values.lower, std::min(0.0, values.upper)) + gap);
    return widened(result, 8);
}

} // namespace fathom
