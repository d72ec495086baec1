// One look-up that clears a whole ball: how far from a point the field certainly stays above a level.
// Two proofs, the better counts. (1) Lipschitz: |f(p) - f(q)| <= L |p - q| everywhere, in the domain and beyond. (A
// grid that is above 0 at its border is no steeper beyond it than max(1, its slope inside).) (2) Truth: a distance D is
// 1-Lipschitz, and f is near it. On a sparse grid a cell either has samples of its own, and then |f - D| <= near; or it
// shares samples with a brick that is absent: there |D| > band - near, |f - D| <= far, and f is a mean of samples of
// D's sign that are all past the band. As a mean of samples at x_i with weights w_i and mean place p, f is also at most
// sum w_i |x_i - s| <= hypot(spread, |p - s|) for the surface point s next to p (Jensen), where the spread is half the
// diagonal of a cell, or of a brick. So D(p) >= sqrt((f(p) - e)^2 - spread^2), with e what the stated error leaves for
// the samples; any q within r of p has D(q) >= D(p) - r; and f(q) >= min(D(q), band) - near, while D(q) >= 2 near -
// band. Beyond the domain f is h(gap, f at the border), and h(g, v) = hypot(g, v) keeps all of this: it rises with v,
// by at most as much, and h(gap, D) is again 1-Lipschitz because the gap grows at right angles to the border. Where the
// border itself is not clear of the surface, h is g + v there and sqrt(2)-Lipschitz: then far counts for near, and r is
// divided by sqrt(2). For fields whose values are no distance, or end at a domain without saying how, only (1) counts.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/field/field.h>
#include <fathom/field/grid/grid_range.h>
#include <fathom/field/plane_over.h>

#include <memory>
#include <span>

namespace fathom {

class GridField;

// Cheap to copy; made once for a field and a level (microseconds), then asked with values of the field.
class ClearanceRadius {
public:
    ClearanceRadius(const Field& field, double level);

    // Every q with |q - p| < the answer has field(q) > level, where field(p) == value. 0 or less (or NaN): nothing is
    // proven.
    [[nodiscard]] double operator()(double value) const;
    // Every q with |q - p| <= the answer has field(q) <= level. Less than 0 (or NaN): nothing is proven.
    [[nodiscard]] double inside(double value) const;

    [[nodiscard]] double level() const { return level_; }

private:
    void trust_grid(const GridField& grid);
    [[nodiscard]] double least_distance(double value) const; // D(p), where field(p) == value

    double level_;
    double lipschitz_; // (1)
    double jump_ = 0;  // (1): what rounding of stored samples adds to it
    double near_;      // (2): infinity where only (1) counts
    double far_;
    double band_;
    double spread_ =
        0; // (2): half the diagonal of a cell, 0 where the samples' own error is not known; a brick's is 8 times that
    double steepest_ = 1; // (2): Lipschitz bound on the distance, continued beyond the domain
};

// Is a ball round a point free of a field's inside? First from the value alone (clearance_radius.h); where
// that is not enough, on grids, from the slopes in the ball (grid_slopes.h), which near a surface are those of a
// distance however steep the grid is elsewhere; and for networks, whose slopes have no useful bound, from range() over
// the ball's cube: some us each. Cheap to copy; thread-safe; the field must outlive it.

class NeuralField;

class ClearanceProof {
public:
    explicit ClearanceProof(const Field& field);

    // For any radius at once: no point nearer than this is inside. Negative: nothing is known.
    [[nodiscard]] double radius(double value) const { return radius_(value); }
    // Every q with |q - p| <= radius has field(q) > 0, where field(p) == value.
    [[nodiscard]] bool clears(const Vec3& p, double value, double radius) const {
        return radius_(value) > radius || (value > 0 && ((slopes_ && clears_by_slope(p, value, radius)) ||
                                                         (network_ && clears_by_range(p, radius))));
    }
    // What the gradient can be in a ball; false where that is not known, or the ball is large.
    [[nodiscard]] bool slopes(const Vec3& p, double radius, SlopeRange& out) const {
        return radius <= largest_ && slopes_->over({p.array() - radius, p.array() + radius}, out);
    }
    // Over what is inside in a ball, where field(p) == value; false, with nothing written, where slopes tell no plane.
    bool plane_over(const Vec3& p, double value, double radius, PlaneOver& out) const;
    // Of boxes: their ranges, and planes over what is inside in the ball round each. Spans of equal length.
    void bounds_of(std::span<const Box> boxes, std::span<Interval> ranges, std::span<PlaneOver> planes) const;
    [[nodiscard]] bool knows_slopes() const { return slopes_ != nullptr; }

    [[nodiscard]] std::size_t bytes() const { return slopes_ ? slopes_->bytes() : 0; }

private:
    [[nodiscard]] bool clears_by_slope(const Vec3& p, double value, double radius) const;
    [[nodiscard]] bool clears_by_range(const Vec3& p, double radius) const;
    bool plane_by_ball(const Sphere& ball, PlaneOver& out) const;

    ClearanceRadius radius_;
    double largest_ =
        -1; // ball whose slopes are looked at: beyond some cells it meets the steep rim of the stored bricks (m)
    std::shared_ptr<const GridSlopes> slopes_; // grids only
    const NeuralField* network_ = nullptr;     // networks only
    const Field* field_;
};

} // namespace fathom
