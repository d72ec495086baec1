// Quadratic B-splines on the lattice of a grid.
#include <fathom/field/grid/grid_assembler.h>
#include <fathom/field/grid/grid_range.h>
#include <fathom/field/grid/smooth_grid.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// Weights of three neighbouring samples, and their derivatives, at `t` in [-1/2, 1/2] from the middle one.
struct Weights {
    std::array<double, 3> value, slope;
    explicit Weights(double t)
        : value{0.5 * (0.5 - t) * (0.5 - t), 0.75 - t * t, 0.5 * (0.5 + t) * (0.5 + t)}, slope{t - 0.5, -2 * t,
                                                                                               t + 0.5} {}
};

double sample_rounding(const GridData& data) {
    if (data.storage == GridStorage::code16) return data.step;
    const FloatRange& all = data.levels.back()[0];
    return 1e-6 * static_cast<double>(std::max(std::abs(all.lower), std::abs(all.upper)));
}

} // namespace

SmoothGridField::SmoothGridField(const GridField& grid)
    : grid_(grid), bounds_(grid.bounds().grown(1.5 * grid.layout().cell)), rounding_(sample_rounding(grid.data())),
      max_slope_(grid.data().lipschitz + std::sqrt(3.0) * rounding_ / grid.layout().cell) {}

double SmoothGridField::lipschitz() const { return std::hypot(1.0, max_slope_); } // outside the domain as GridField

double SmoothGridField::smoothing_bound() const {
    constexpr double mean_from_middle = 0.4803; // mean distance from the centre of a unit cube
    return mean_from_middle * grid_.layout().cell * max_slope_ + rounding_;
}

Sample SmoothGridField::inside(const Vec3& p) const {
    const GridLayout& layout = grid_.layout();
    std::array<int, 3> first;
    std::array<Weights, 3> w = {Weights(0), Weights(0), Weights(0)};
    for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Eigen::Index>(k);
        const double g = (p[axis] - layout.origin[axis]) / layout.cell;
        const double last = layout.bricks[k] * brick_cells;
        const double middle = g >= 0 ? std::min(std::floor(g + 0.5), last) : 0; // NaN stays in the weights
        first[k] = static_cast<int>(middle) - 1;
        w[k] = Weights(g - middle);
    }
    std::array<double, 27> values;
    read_lattice(grid_.data(), first, values);
    Sample result;
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t j = 0; j < 3; ++j) {
            const double* row = &values[9 * k + 3 * j];
            const double along = w[0].value[0] * row[0] + w[0].value[1] * row[1] + w[0].value[2] * row[2];
            const double slope = w[0].slope[0] * row[0] + w[0].slope[1] * row[1] + w[0].slope[2] * row[2];
            result.distance += w[1].value[j] * w[2].value[k] * along;
            result.gradient += Vec3(w[1].value[j] * w[2].value[k] * slope, w[1].slope[j] * w[2].value[k] * along,
                                    w[1].value[j] * w[2].slope[k] * along);
        }
    result.gradient /= layout.cell;
    return result;
}

double SmoothGridField::distance(const Vec3& p) const { return sample(p).distance; }

// Outside the domain as GridField: the hypotenuse over the gap and the distance at the border.
Sample SmoothGridField::sample(const Vec3& p) const {
    const Vec3 q = domain().closest(p);
    Sample at = inside(q);
    if (q == p) return at;
    const Vec3 gap = p - q;
    const Vec3 along = (gap.array() == 0).select(at.gradient, 0);
    if (at.distance < 0) return {at.distance + gap.norm(), along + gap.normalized()};
    const double far = std::hypot(gap.norm(), at.distance);
    return {far, (at.distance * along + gap) / far};
}

Interval SmoothGridField::range(const Box& box) const {
    if (box.empty()) return Interval::none();
    const double cell = grid_.layout().cell;
    // Averages of the trilinear field lie in its range over a box grown by half a cell. Outside the domain only a bound
    // on their difference is known.
    const Interval around = grid_.range(box.grown(0.5 * cell * (1 + 1e-9)));
    const double margin = (domain().contains(box) ? rounding_ : smoothing_bound()) +
                          1e-14 * std::max(std::abs(around.lower), std::abs(around.upper));
    const Interval bound(around.lower - margin, around.upper + margin);
    // For small boxes the bound by the Lipschitz constant is tighter.
    const double middle = distance(box.center()), reach = lipschitz() * box.half().norm();
    const double slack = 1e-14 * (std::abs(middle) + reach + 8 * cell * lipschitz());
    const Interval by_slope = widened({middle - reach - slack, middle + reach + slack}, 4);
    return std::isfinite(middle) ? intersection(bound, by_slope) : bound;
}

} // namespace fathom
