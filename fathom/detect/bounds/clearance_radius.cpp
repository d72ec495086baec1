// Clearance radii from the Lipschitz bound and the error bounds that a field states.
#include <fathom/detect/bounds/clearance_radius.h>

#include <fathom/base/rounding.h>
#include <fathom/field/grid/grid_data.h>

#include <algorithm>
#include <cmath>

namespace fathom {

ClearanceRadius::ClearanceRadius(const Field& field, double level)
    : level_(level), bounds_(field.value_bounds(level)) {}

double ClearanceRadius::min_distance(double value) const {
    const auto& [lipschitz, jump, near, far, band, spread_of_cell, max_slope] = bounds_;
    if (band == HUGE_VAL) return value - far;
    const auto beside = [&](double error, double spread) { // by the error of the samples, and by their positions
        const double mean = value - (error - spread);
        const double by_places = mean > spread ? std::sqrt((mean - spread) * (mean + spread)) : -HUGE_VAL;
        return spread > 0 ? std::max(value - error, by_places) : value - error;
    };
    return std::min(beside(near, spread_of_cell),
                    std::max(band - near, beside(far, std::min(far, brick_cells * spread_of_cell))));
}

double ClearanceRadius::operator()(double value) const {
    const double slack = relative_rounding * (std::abs(value) + std::abs(level_));
    const double by_slope = (value - level_ - bounds_.jump - slack) / bounds_.lipschitz;
    double by_truth = -HUGE_VAL;
    if (bounds_.near_error < HUGE_VAL && level_ < bounds_.band - bounds_.near_error)
        by_truth = (min_distance(value) - level_ - bounds_.near_error - slack) / bounds_.max_slope;
    return inward(std::max(by_slope, by_truth));
}

double ClearanceRadius::inside(double value) const {
    const double slack = relative_rounding * (std::abs(value) + std::abs(level_));
    const double spare = level_ - value - bounds_.jump - slack;
    return spare >= 0 ? inward(spare) / bounds_.lipschitz : -1.0;
}

// ---- ClearanceProof: spheres cleared by the slopes within them.

ClearanceProof::ClearanceProof(const Field& field)
    : radius_(field, 0), range_is_tighter_(field.traits().range_is_tighter), slopes_(field.slopes()), field_(&field) {
    if (slopes_) largest_ = slopes_->largest_half();
}

bool ClearanceProof::clears_by_range(const Vec3& p, double radius) const {
    return field_->range({p.array() - radius, p.array() + radius}).lower > 0;
}

bool ClearanceProof::clears_by_slope(const Vec3& p, double value, double radius) const {
    // A distance decreases by about the length of the way, so a smaller value cannot be proven clear.
    if (value < 0.9 * radius) return false;
    SlopeRange range;
    return slopes(p, radius, range) && value - range.jump > outward(radius * range.max_slope());
}

// In the sphere, f(x) >= f(c) + slope . (x - c) for some slope of the range; in the interior, f(x) <= 0.
bool ClearanceProof::plane_over(const Vec3& p, double value, double radius, PlaneOver& out) const {
    SlopeRange range;
    if (!slopes(p, radius, range)) return false;
    const double steepness = range.middle.norm();
    if (!(steepness > 0.1)) return false;
    out = {range.middle / steepness,
           (range.half.norm() * radius + range.jump - value) / steepness + relative_rounding * radius};
    return true;
}

void ClearanceProof::bounds_of(std::span<const Box> boxes, std::span<Interval> ranges, std::span<PlaneOver> planes,
                               const Vec3& facing) const {
    if (field_->plane_ranges(boxes, ranges, planes, facing)) return;
    if (!slopes_) field_->ranges(boxes, ranges);
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        planes[k] = {};
        if (!slopes_) continue;
        SlopeRange range;
        if (!(boxes[k].half().maxCoeff() <= largest_) || !slopes_->over(boxes[k], range)) {
            ranges[k] = field_->range(boxes[k]);
            continue;
        }
        const double value = field_->distance(boxes[k].center()),
                     change = outward((range.middle.cwiseAbs() + range.half).dot(boxes[k].half())) + range.jump +
                              relative_rounding * std::abs(value);
        ranges[k] = {value - change, value + change};
        plane_of(range, value, boxes[k].half(), planes[k]);
    }
}

} // namespace fathom
