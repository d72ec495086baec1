// Combined fields, and grids baked from them.
#include <fathom/base/error.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/grid_csg.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

// A field minus a constant. Used only by bake(), in a box that surrounds the surface.
class ShiftedField final : public Field {
public:
    ShiftedField(const GridField& base, double shift) : base_(base), shift_(shift) {}

    [[nodiscard]] double distance(const Vec3& p) const override { return base_.distance(p) - shift_; }
    [[nodiscard]] Sample sample(const Vec3& p) const override {
        const Sample at = base_.sample(p);
        return {at.distance - shift_, at.gradient};
    }
    [[nodiscard]] Interval range(const Box& box) const override {
        const Interval range = base_.range(box);
        return range.empty() ? range : range - Interval(shift_);
    }
    [[nodiscard]] double lipschitz() const override { return base_.data().lipschitz; }
    [[nodiscard]] double error_bound() const override { return infinity; }
    [[nodiscard]] Box domain() const override { return base_.domain(); }
    [[nodiscard]] Box bounds() const override { return base_.domain(); }

private:
    const GridField& base_;
    double shift_;
};

double combination_error(const Field& a, const Field& b, Combination combination) {
    const double own = std::max(a.error_bound(), b.error_bound());
    const bool apart = std::isfinite(own) && !a.bounds().grown(own).overlaps(b.bounds().grown(own));
    return combination == Combination::unite && apart ? own : infinity;
}

// Box of the result. Domains that only touch would give a box without extent.
Box combined_box(const Box& a, const Box& b, Combination combination) {
    if (combination == Combination::unite) return hull(a, b);
    const Box shared = intersection(a, b);
    return combination == Combination::intersect && !shared.empty() && (shared.size().array() > 0).all() ? shared : a;
}

GridField baked(const Field& field, const Box& box, double cell, const GridCsgOptions& options) {
    BakeOptions bake_options;
    bake_options.box = box;
    const double cells = std::ceil(box.size().maxCoeff() / cell - 1e-6);
    bake_options.resolution = static_cast<int>(std::clamp(cells, 1.0, 1e9)); // bake() reports a count that is too large
    bake_options.band = options.band;
    bake_options.storage = options.storage;
    bake_options.memory_limit = options.memory_limit;
    bake_options.progress = options.progress;
    return bake(field, bake_options);
}

double cell_of(const GridCsgOptions& options, double finest) {
    if (!(options.cell >= 0 && std::isfinite(options.cell)))
        throw Error(Cause::invalid_argument, "must be positive, or 0", {.element = "option cell"});
    return options.cell > 0 ? options.cell : finest;
}

// The sampled values have the correct sign and overstate by at most `own`, so within the band their error is at most
// the band. The other errors that bake() states hold if the sampled field states its own error.
GridField with_near_error(const GridField& grid, const Field& field, double own) {
    GridData data = grid.data();
    const double interpolation = 0.5 * std::sqrt(3.0) * data.layout.cell * field.lipschitz() + data.step;
    data.near_error = std::min(data.near_error, data.band + own + interpolation);
    return GridField(std::move(data));
}

// Whether some point of a flat box has a value of at most `level`, to the accuracy of bricks. range() is loose over
// large boxes, so boxes that it does not exclude are halved.
bool reaches(const GridField& grid, const Box& flat, double level) {
    if (grid.range(flat).lower > level) return false;
    int longest = 0;
    if (flat.size().maxCoeff(&longest) <= brick_cells * grid.layout().cell) return true;
    Box first = flat, second = flat;
    first.upper[longest] = second.lower[longest] = flat.center()[longest];
    return reaches(grid, first, level) || reaches(grid, second, level);
}

bool reaches_border(const GridField& grid, double level) {
    for (int axis = 0; axis < 3; ++axis) {
        Box low = grid.domain(), high = low;
        low.upper[axis] = low.lower[axis];
        high.lower[axis] = high.upper[axis];
        if (reaches(grid, low, level) || reaches(grid, high, level)) return true;
    }
    return false;
}

} // namespace

CombinedField::CombinedField(FieldPtr a, FieldPtr b, Combination combination)
    : a_(std::move(a)), b_(std::move(b)), combination_(combination) {
    if (!a_ || !b_) throw Error(Cause::invalid_argument, "a combined field needs two fields");
    error_ = combination_error(*a_, *b_, combination_);
}

bool CombinedField::second_wins(double a, double b) const { return combination_ == Combination::unite ? b < a : b > a; }

double CombinedField::distance(const Vec3& p) const {
    const double a = a_->distance(p), b = combination_ == Combination::subtract ? -b_->distance(p) : b_->distance(p);
    return second_wins(a, b) ? b : a;
}

Sample CombinedField::sample(const Vec3& p) const {
    const Sample a = a_->sample(p);
    Sample b = b_->sample(p);
    if (combination_ == Combination::subtract) b = {-b.distance, -b.gradient};
    return second_wins(a.distance, b.distance) ? b : a;
}

void CombinedField::distances(std::span<const Vec3> points, std::span<double> out) const {
    std::array<double, 64> second;
    a_->distances(points, out);
    for (std::size_t start = 0; start < points.size(); start += second.size()) {
        const std::size_t count = std::min(second.size(), points.size() - start);
        b_->distances(points.subspan(start, count), std::span(second).first(count));
        for (std::size_t n = 0; n < count; ++n) {
            const double b = combination_ == Combination::subtract ? -second[n] : second[n];
            if (second_wins(out[start + n], b)) out[start + n] = b;
        }
    }
}

Interval CombinedField::range(const Box& box) const {
    if (box.empty()) return Interval::none();
    const Interval a = a_->range(box), b = b_->range(box);
    if (combination_ == Combination::unite) return min(a, b);
    return max(a, combination_ == Combination::subtract ? -b : b);
}

double CombinedField::lipschitz() const { return std::max(a_->lipschitz(), b_->lipschitz()); }

Box CombinedField::bounds() const {
    if (combination_ == Combination::subtract) return a_->bounds();
    return combination_ == Combination::unite ? hull(a_->bounds(), b_->bounds())
                                              : intersection(a_->bounds(), b_->bounds());
}

GridField combine(const GridField& a, const GridField& b, Combination combination, const GridCsgOptions& options) {
    const auto borrowed = [](const GridField& grid) { return FieldPtr(std::shared_ptr<void>(), &grid); };
    const CombinedField field(borrowed(a), borrowed(b), combination);
    const Box box = combined_box(a.domain(), b.domain(), combination);
    const GridField grid = baked(field, box, cell_of(options, std::min(a.layout().cell, b.layout().cell)), options);
    const bool in_bands = grid.data().band <= std::min(a.data().band, b.data().band) * (1 + 1e-9);
    return with_near_error(
        grid, field, in_bands ? std::max(a.near_error_bound(), b.near_error_bound()) : field.overstatement_bound());
}

GridField offset(const GridField& grid, double distance, const GridCsgOptions& options) {
    if (!std::isfinite(distance))
        throw Error(Cause::invalid_argument, "must be finite", {.element = "argument distance"});
    if (reaches_border(grid, distance))
        throw Error(Cause::invalid_argument,
                    "the surface at this distance leaves the grid: build the grid with a wider box",
                    {.element = "argument distance"});
    const ShiftedField field(grid, distance);
    const GridField result = baked(field, grid.domain(), cell_of(options, grid.layout().cell), options);
    const bool in_band = std::abs(distance) + result.data().band <= grid.data().band * (1 + 1e-9);
    return with_near_error(result, field, in_band ? grid.near_error_bound() : grid.error_bound());
}

} // namespace fathom
