// Is a ball round a point free of a field's inside? First from the value alone (free_radius.h); where
// that is not enough, on grids, from the slopes in the ball (grid_slopes.h), which near a surface are those of a
// distance however steep the grid is elsewhere; and for networks, whose slopes have no useful bound, from range() over
// the ball's cube: some us each. Cheap to copy; thread-safe; the field must outlive it.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/field/grid/grid_slopes.h>
#include <fathom/field/plane_over.h>

#include <memory>
#include <span>

namespace fathom {

class NetworkField;

class Clearance {
public:
    explicit Clearance(const Field& field);

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

    FreeRadius radius_;
    double largest_ =
        -1; // ball whose slopes are looked at: beyond some cells it meets the steep rim of the stored bricks (m)
    std::shared_ptr<const GridSlopes> slopes_; // grids only
    const NetworkField* network_ = nullptr;    // networks only
    const Field* field_;
};

} // namespace fathom
