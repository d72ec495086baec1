// Room: detect. Balls cleared by the slopes within them.
#include <fathom/detect/clearance.h>

#include <fathom/field/grid/grid_field.h>
#include <fathom/field/neural/network_field.h>

namespace fathom {

namespace {

constexpr double largest_in_cells = 6;

} // namespace

Clearance::Clearance(const Field& field) : radius_(field, 0) {
    if (const auto* grid = dynamic_cast<const GridField*>(&field)) {
        slopes_ = std::make_shared<GridSlopes>(grid->data());
        largest_ = largest_in_cells * grid->layout().cell;
    } else if (dynamic_cast<const NetworkField*>(&field)) {
        network_ = &field;
    }
}

bool Clearance::clears_by_range(const Vec3& p, double radius) const { return network_->range({p.array() - radius, p.array() + radius}).lower > 0; }

bool Clearance::clears_by_slope(const Vec3& p, double value, double radius) const {
    // A distance falls by about its way: hopeless otherwise.
    if (value < 0.9 * radius) return false;
    SlopeRange range;
    return slopes(p, radius, range) && value - range.jump > radius * range.steepest() * (1 + 1e-12);
}

} // namespace fathom
