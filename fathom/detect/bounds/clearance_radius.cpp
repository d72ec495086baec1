// Clearance radii from the Lipschitz bound and the error bounds that a field states.
#include <fathom/detect/bounds/clearance_radius.h>

#include <fathom/base/rounding.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/tape.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/field/grid/grid_range.h>
#include <fathom/field/neural/network_range.h>
#include <fathom/field/neural/neural_field.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

// A brick of 16-bit codes whose samples span the whole range of the codes may have been clamped; its values then jump
// at its faces.
bool may_be_clamped(const GridData& data) {
    // A brick, whose diagonal is sqrt(3) * 8 cells, spans that range only if it is this steep.
    if (data.storage != GridStorage::code16 || data.lipschitz < 1.74) return false;
    const double reach = 65535 * data.step * (1 - 1e-6);
    for (Index b = 0; b < data.stored_bricks(); ++b)
        if (stored_brick_range(data, b).width() >= reach) return true;
    return false;
}

// Whether the field is above 0 everywhere on the border of its domain.
bool border_is_clear(const GridField& grid) {
    const Box domain = grid.domain(), bounds = grid.bounds();
    if (bounds.empty()) return true; // the interior is empty
    for (int axis = 0; axis < 3; ++axis)
        for (const bool upper : {false, true}) {
            if (upper ? bounds.upper[axis] < domain.upper[axis] : bounds.lower[axis] > domain.lower[axis]) continue;
            Box face = domain;
            (upper ? face.lower : face.upper)[axis] = upper ? domain.upper[axis] : domain.lower[axis];
            if (!(grid.range(face).lower > 0)) return false;
        }
    return true;
}

bool is_everywhere(const Box& domain) {
    return (domain.lower.array() == -HUGE_VAL).all() && (domain.upper.array() == HUGE_VAL).all();
}

} // namespace

ClearanceRadius::ClearanceRadius(const Field& field, double level)
    : level_(level), lipschitz_(field.lipschitz()), near_(HUGE_VAL), far_(HUGE_VAL), band_(HUGE_VAL) {
    if (const auto* grid = dynamic_cast<const GridField*>(&field)) {
        trust_grid(*grid);
        return;
    }
    // The distance to a field with jumps may jump too, so the error bound is used only with a finite Lipschitz bound.
    if (is_everywhere(field.domain()) && std::isfinite(lipschitz_)) near_ = far_ = field.error_bound();
    if (const auto* formula = dynamic_cast<const AnalyticField*>(&field)) {
        const Box bounds = formula->bounds();
        const double size = std::max(bounds.lower.cwiseAbs().maxCoeff(), bounds.upper.cwiseAbs().maxCoeff());
        jump_ = 2 * formula->tape().rounding_bound(std::isfinite(size) ? 4 * size : 1.0);
        near_ = far_ = near_ + jump_;
    }
    if (const auto* network = dynamic_cast<const NeuralField*>(&field)) jump_ = 2 * network->rounding_bound();
}

void ClearanceRadius::trust_grid(const GridField& grid) {
    const GridData& data = grid.data();
    const bool dense = data.stored_bricks() == data.layout.brick_count();
    double inside_slope = data.lipschitz;
    if (data.storage == GridStorage::code16 && !dense) {
        // Samples on the faces towards absent bricks are rounded on one side only.
        jump_ = data.step;
        inside_slope =
            may_be_clamped(data) ? HUGE_VAL : data.lipschitz + std::numbers::sqrt3 * data.step / data.layout.cell;
        lipschitz_ = std::hypot(1.0, inside_slope);
    }
    const bool clear = border_is_clear(grid);
    if (clear) lipschitz_ = std::min(lipschitz_, std::max(1.0, inside_slope));
    const double error = grid.error_bound();
    // The sign of an open mesh jumps in its hole, which makes the error twice the size of the domain: not a distance.
    if (!(error < grid.domain().diagonal())) return;
    near_ = data.near_error;
    far_ = std::max(error, near_);
    band_ = data.band;
    // The stated errors include spread * slope of the sampled function, which is a distance with slope 1.
    const double spread = 0.5 * std::numbers::sqrt3 * data.layout.cell;
    if (data.lipschitz >= 0.99 && near_ >= spread && far_ >= (dense ? 1 : brick_cells) * spread) spread_ = spread;
    if (clear && band_ >= 3 * near_ && level_ >= near_ - band_) return;
    near_ = far_;
    band_ = HUGE_VAL;
    spread_ = 0;
    if (!clear) max_slope_ = std::numbers::sqrt2;
}

double ClearanceRadius::min_distance(double value) const {
    if (band_ == HUGE_VAL) return value - far_;
    const auto beside = [&](double error, double spread) { // by the error of the samples, and by their positions
        const double mean = value - (error - spread);
        const double by_places = mean > spread ? std::sqrt((mean - spread) * (mean + spread)) : -HUGE_VAL;
        return spread > 0 ? std::max(value - error, by_places) : value - error;
    };
    return std::min(beside(near_, spread_),
                    std::max(band_ - near_, beside(far_, std::min(far_, brick_cells * spread_))));
}

double ClearanceRadius::operator()(double value) const {
    const double slack = relative_rounding * (std::abs(value) + std::abs(level_));
    const double by_slope = (value - level_ - jump_ - slack) / lipschitz_;
    double by_truth = -HUGE_VAL;
    if (near_ < HUGE_VAL && level_ < band_ - near_) {
        by_truth = (min_distance(value) - level_ - near_ - slack) / max_slope_;
    }
    return inward(std::max(by_slope, by_truth));
}

double ClearanceRadius::inside(double value) const {
    const double slack = relative_rounding * (std::abs(value) + std::abs(level_));
    const double spare = level_ - value - jump_ - slack;
    return spare >= 0 ? inward(spare) / lipschitz_ : -1.0;
}

// ---- ClearanceProof: spheres cleared by the slopes within them.

namespace {

constexpr double largest_in_cells = 6;
constexpr double far_from_sphere = 16; // distance of the centre of the large empty sphere, in radii

} // namespace

ClearanceProof::ClearanceProof(const Field& field) : radius_(field, 0), field_(&field) {
    if (const auto* grid = dynamic_cast<const GridField*>(&field)) {
        slopes_ = std::make_shared<GridSlopes>(grid->data());
        largest_ = largest_in_cells * grid->layout().cell;
    } else {
        network_ = dynamic_cast<const NeuralField*>(&field);
    }
}

bool ClearanceProof::clears_by_range(const Vec3& p, double radius) const {
    return network_->range({p.array() - radius, p.array() + radius}).lower > 0;
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

// A large sphere that is free of the interior nearly touches it where it protrudes most; this gives the plane.
bool ClearanceProof::plane_by_sphere(const Sphere& sphere, PlaneOver& out) const {
    const Sample middle = field_->sample(sphere.center);
    const double steepness = middle.gradient.norm(), away = far_from_sphere * sphere.radius;
    if (!(steepness > 0)) return false;
    const Vec3 normal = middle.gradient / steepness;
    const double free = radius_(field_->distance(sphere.center + away * normal));
    if (!(free > sphere.radius)) return false;
    out = {normal, away - std::sqrt((free - sphere.radius) * (free + sphere.radius)) + relative_rounding * away};
    return out.offset < sphere.radius;
}

void ClearanceProof::bounds_of(std::span<const Box> boxes, std::span<Interval> ranges,
                               std::span<PlaneOver> planes) const {
    if (network_) return network_->ranges(boxes, ranges, {.effort = RangeEffort::backward}, planes);
    field_->ranges(boxes, ranges);
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        planes[k] = {};
        if (ranges[k].lower > 0 || ranges[k].upper < 0) continue;
        const Sphere sphere{boxes[k].center(), outward(boxes[k].half().norm())};
        if (slopes_)
            plane_over(sphere.center, field_->distance(sphere.center), sphere.radius, planes[k]);
        else
            plane_by_sphere(sphere, planes[k]);
    }
}

} // namespace fathom
