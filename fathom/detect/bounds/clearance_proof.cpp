// Balls cleared by the slopes within them.
#include <fathom/detect/bounds/clearance_proof.h>

#include <fathom/field/grid/grid_field.h>
#include <fathom/field/neural/neural_field.h>

namespace fathom {

namespace {

constexpr double largest_in_cells = 6;
constexpr double far_from_ball = 16; // the middle of a ball that is to be free of the inside, in radii

} // namespace

Clearance::Clearance(const Field& field) : radius_(field, 0), field_(&field) {
    if (const auto* grid = dynamic_cast<const GridField*>(&field)) {
        slopes_ = std::make_shared<GridSlopes>(grid->data());
        largest_ = largest_in_cells * grid->layout().cell;
    } else {
        network_ = dynamic_cast<const NetworkField*>(&field);
    }
}

bool Clearance::clears_by_range(const Vec3& p, double radius) const {
    return network_->range({p.array() - radius, p.array() + radius}).lower > 0;
}

bool Clearance::clears_by_slope(const Vec3& p, double value, double radius) const {
    // A distance falls by about its way: hopeless otherwise.
    if (value < 0.9 * radius) return false;
    SlopeRange range;
    return slopes(p, radius, range) && value - range.jump > radius * range.steepest() * (1 + 1e-12);
}

// In the ball, f(x) >= f(c) + slope . (x - c) for some slope of the range; inside, f(x) <= 0.
bool Clearance::plane_over(const Vec3& p, double value, double radius, PlaneOver& out) const {
    SlopeRange range;
    if (!slopes(p, radius, range)) return false;
    const double steepness = range.middle.norm();
    if (!(steepness > 0.1)) return false;
    out = {range.middle / steepness, (range.half.norm() * radius + range.jump - value) / steepness + 1e-12 * radius};
    return true;
}

// A large ball that is free of the inside touches it where it bulges most, or nearly.
bool Clearance::plane_by_ball(const Sphere& ball, PlaneOver& out) const {
    const Sample middle = field_->sample(ball.center);
    const double steepness = middle.gradient.norm(), away = far_from_ball * ball.radius;
    if (!(steepness > 0)) return false;
    const Vec3 normal = middle.gradient / steepness;
    const double free = radius_(field_->distance(ball.center + away * normal));
    if (!(free > ball.radius)) return false;
    out = {normal, away - std::sqrt((free - ball.radius) * (free + ball.radius)) + 1e-12 * away};
    return out.offset < ball.radius;
}

void Clearance::bounds_of(std::span<const Box> boxes, std::span<Interval> ranges, std::span<PlaneOver> planes) const {
    if (network_) return network_->ranges(boxes, ranges, {.effort = RangeEffort::backward}, planes);
    field_->ranges(boxes, ranges);
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        planes[k] = {};
        if (ranges[k].lower > 0 || ranges[k].upper < 0) continue;
        const Sphere ball{boxes[k].center(), boxes[k].half().norm() * (1 + 1e-12)};
        if (slopes_)
            plane_over(ball.center, field_->distance(ball.center), ball.radius, planes[k]);
        else
            plane_by_ball(ball, planes[k]);
    }
}

} // namespace fathom
