// Plane that bounds the interior of a field within a region, to first order.
// Where slopes are known, its error is quadratic in the size of the region; a bound from range() alone has linear
// error.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/base/rounding.h>

#include <cmath>
#include <cstddef>

namespace fathom {

// normal . (x - centre of the region) <= offset for every x of the region where the field is at most 0 (m).
struct PlaneOver {
    Vec3 normal = Vec3::Zero(); // unit vector, or 0 if no plane is known
    double offset = HUGE_VAL;   // below minus the region's radius, the region contains no interior point
};

// Every slope is within `half` of `middle`, per axis.
struct SlopeRange {
    Vec3 middle = Vec3::Zero();
    Vec3 half = Vec3::Zero();
    // Additional change of the field along a straight line, where adjacent bricks differ slightly on their common face
    // (m).
    double jump = 0;

    [[nodiscard]] double max_slope() const { return (middle.cwiseAbs() + half).norm(); }
};

// The plane over a box with these half sides, if the field has this value at its centre. Returns false, and writes
// nothing, if the slopes have no common direction.
// For every x of the box, f(x) >= value + middle . (x - centre) - half . |x - centre| - jump; in the interior, f(x) <=
// 0.
inline bool plane_of(const SlopeRange& range, double value, const Vec3& half_sides, PlaneOver& out) {
    const double steepness = range.middle.norm(), spread = range.half.dot(half_sides);
    if (!(steepness > 0.1 * range.half.norm()) || !(steepness > 1e-6)) return false;
    const double size = half_sides.norm(), slack = relative_rounding * (std::abs(value) / steepness + size);
    out = {range.middle / steepness, (spread + range.jump - value) / steepness + slack};
    return true;
}

// Bounds on the gradients of a field over boxes. Immutable, thread-safe.
class FieldSlopes {
public:
    virtual ~FieldSlopes() = default;

    // Range over a box within the domain (m). Returns false, and writes nothing, if the box leaves the domain.
    virtual bool over(const Box& box, SlopeRange& out) const = 0;
    // Half the side of the largest box whose slopes are useful (m).
    [[nodiscard]] virtual double largest_half() const = 0;
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

} // namespace fathom
