// Clearance radius: from one field value at a point, the radius of a sphere in which the field is proven to stay above
// a level.
// There are two proofs, and the larger radius is used.
// (1) Lipschitz: |f(p) - f(q)| <= L |p - q| everywhere, in the domain and beyond. (A grid that is above 0 at its border
// is not steeper beyond it than max(1, its slope inside).)
// (2) True distance: a distance D is 1-Lipschitz, and f is close to it. On a sparse grid a cell either has samples of
// its own, and then |f - D| <= near; or it shares samples with a brick that is absent: there |D| > band - near, |f - D|
// <= far, and f is a mean of samples of D's sign that are all beyond the band. As a mean of samples at x_i with weights
// w_i and mean position p, f is also at most sum w_i |x_i - s| <= hypot(spread, |p - s|) for the closest surface point
// s to p (Jensen), where the spread is half the diagonal of a cell, or of a brick. So D(p) >= sqrt((f(p) - e)^2 -
// spread^2), where e is the part of the stated error that remains for the samples; any q within r of p has D(q) >= D(p)
// - r; and f(q) >= min(D(q), band) - near, as long as D(q) >= 2 near - band.
// Beyond the domain f is h(gap, f at the border), and h(g, v) = hypot(g, v) preserves all of this: it increases with v,
// by at most as much, and h(gap, D) is again 1-Lipschitz because the gap grows at right angles to the border. If the
// border itself is not clear of the surface, h is g + v there and sqrt(2)-Lipschitz: then far replaces near, and r is
// divided by sqrt(2).
// For fields whose values are not a distance, or whose behaviour beyond their domain is not stated, only (1) applies.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/field/field.h>
#include <fathom/field/plane_over.h>

#include <memory>
#include <span>

namespace fathom {

// Built once for a field and a level (microseconds), then evaluated with values of the field. Cheap to copy.
class ClearanceRadius {
public:
    ClearanceRadius(const Field& field, double level);

    // Every q with |q - p| < the result has field(q) > level, if field(p) == value. 0 or less (or NaN): nothing is
    // proven.
    [[nodiscard]] double operator()(double value) const;
    // Every q with |q - p| <= the result has field(q) <= level. Negative (or NaN): nothing is proven.
    [[nodiscard]] double inside(double value) const;

    [[nodiscard]] double level() const { return level_; }
    // Difference of two values that is due to rounding (m).
    [[nodiscard]] double jump() const { return bounds_.jump; }

private:
    [[nodiscard]] double min_distance(double value) const; // lower bound on D(p), if field(p) == value

    double level_;
    ValueBounds
        bounds_; // lipschitz and jump serve (1), the others (2); the spread of a brick is 8 times that of a cell
};

// ---- Proof that a sphere about a point contains no interior point of a field.
// The value alone is tried first (ClearanceRadius). If that is not enough, fields that know bounds on their slopes
// (grids) use those in the sphere: near a surface they are the slopes of a distance, however steep the field is
// elsewhere. Fields whose range() proves more than a value (neural fields) use it over the cube around the sphere,
// which takes some microseconds. Cheap to copy; thread-safe; the field must outlive it.

class ClearanceProof {
public:
    explicit ClearanceProof(const Field& field);

    // Clearance radius from the value alone: no point closer than this is inside. Negative: nothing is proven.
    [[nodiscard]] double radius(double value) const { return radius_(value); }
    // Whether every q with |q - p| <= radius is proven to have field(q) > 0, if field(p) == value.
    [[nodiscard]] bool clears(const Vec3& p, double value, double radius) const {
        return radius_(value) > radius || (value > 0 && ((slopes_ && clears_by_slope(p, value, radius)) ||
                                                         (range_is_tighter_ && clears_by_range(p, radius))));
    }
    // Bounds on the gradient in a sphere; false if they are not known or the sphere is large.
    [[nodiscard]] bool slopes(const Vec3& p, double radius, SlopeRange& out) const {
        return radius <= largest_ && slopes_->over({p.array() - radius, p.array() + radius}, out);
    }
    // A plane that bounds the interior in a sphere, if field(p) == value. Returns false, and writes nothing, if the
    // slopes give no plane.
    bool plane_over(const Vec3& p, double value, double radius, PlaneOver& out) const;
    // For each box: its range, and a plane that bounds the interior in it, if slopes are known; see
    // Field::plane_ranges. Spans of equal length.
    void bounds_of(std::span<const Box> boxes, std::span<Interval> ranges, std::span<PlaneOver> planes,
                   const Vec3& facing = Vec3::Zero()) const;
    [[nodiscard]] bool knows_slopes() const { return slopes_ != nullptr; }

    [[nodiscard]] std::size_t bytes() const { return slopes_ ? slopes_->bytes() : 0; }

private:
    [[nodiscard]] bool clears_by_slope(const Vec3& p, double value, double radius) const;
    [[nodiscard]] bool clears_by_range(const Vec3& p, double radius) const;

    ClearanceRadius radius_;
    // Largest radius for which slopes are used (m).
    double largest_ = -1;
    bool range_is_tighter_; // FieldTraits
    std::shared_ptr<const FieldSlopes> slopes_;
    const Field* field_;
};

} // namespace fathom
