// Point queries of grid fields, and how a grid describes itself.
#include <fathom/field/grid/grid_field.h>

#include <fathom/field/field.h>
#include <fathom/field/grid/grid_range.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

double lerp(double a, double b, double t) { return a + t * (b - a); }

} // namespace

Vec3 GridCell::slope(const Vec3& f) const {
    const auto difference = [&](int axis, int u, int v) { // along `axis`, interpolated over the other two
        const auto edge = [&](int corner) {
            return values[static_cast<std::size_t>(corner | (1 << axis))] - values[static_cast<std::size_t>(corner)];
        };
        return lerp(lerp(edge(0), edge(1 << u), f[u]), lerp(edge(1 << v), edge((1 << u) | (1 << v)), f[u]), f[v]);
    };
    return {difference(0, 1, 2), difference(1, 0, 2), difference(2, 0, 1)};
}

std::size_t GridData::bytes() const {
    std::size_t total = corners.size_bytes() + brick_of.size_bytes() + bases.size_bytes() + codes.size_bytes() +
                        values.size_bytes() + block_ranges.size_bytes();
    for (const auto& level : levels) total += level.size_bytes();
    return total;
}

int level_count(const GridLayout& layout) {
    const int longest = *std::max_element(layout.bricks.begin(), layout.bricks.end());
    return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(longest, 1) - 1))));
}

// Cell of a point: a stored brick and a cell in it, or a brick position whose corners are interpolated.
struct GridField::Spot {
    std::array<int, 3> brick; // position of the brick
    Index stored;             // index of the stored brick, or no_index
    std::array<int, 3> cell;  // inside the stored brick
    Vec3 fraction;
};

GridField::GridField(GridData data)
    : data_(std::move(data)), domain_(data_.layout.domain()), per_cell_(1 / data_.layout.cell) {
    bounds_ = inside_bounds(data_);
}

double GridField::lipschitz() const {
    // Outside the domain, the gradient of the distance to the domain is perpendicular to that of the field.
    return std::hypot(1.0, data_.lipschitz);
}

GridField::Spot GridField::locate(const Vec3& p) const {
    Spot spot;
    const Vec3 g = (p - data_.layout.origin) * per_cell_;
    std::array<int, 3> cell;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Eigen::Index>(k);
        const double last = data_.layout.bricks[k] * brick_cells - 1;
        cell[k] = g[axis] >= 1 ? static_cast<int>(std::min(g[axis], last)) : 0; // NaN goes to cell 0 and stays NaN
        spot.brick[k] = cell[k] / brick_cells;
        spot.cell[k] = cell[k] % brick_cells;
    }
    spot.stored = data_.brick_of[data_.layout.brick_index(spot.brick)];
    for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Eigen::Index>(k);
        const double f =
            spot.stored != no_index ? g[axis] - cell[k] : (g[axis] - spot.brick[k] * brick_cells) / brick_cells;
        spot.fraction[axis] = std::clamp(f, 0.0, 1.0);
    }
    return spot;
}

std::array<double, 8> GridField::corner_values(const Spot& spot) const {
    if (spot.stored == no_index) return brick_corner_values(data_, spot.brick);
    return stored_cell_values(data_, spot.stored, spot.cell);
}

double GridField::value_at(const Spot& spot) const { return GridCell{corner_values(spot), {}}.value(spot.fraction); }

void GridField::prefetch(const Spot& spot) const {
    if (spot.stored == no_index) {
        __builtin_prefetch(&data_.corners[data_.layout.corner_index(spot.brick)]);
        return;
    }
    const std::size_t first = spot.stored * brick_size + brick_sample(spot.cell[0], spot.cell[1], spot.cell[2]);
    if (data_.storage == GridStorage::float32) {
        __builtin_prefetch(&data_.values[first]);
        __builtin_prefetch(&data_.values[first + brick_samples * brick_samples]);
    } else {
        __builtin_prefetch(&data_.codes[first]);
        __builtin_prefetch(&data_.codes[first + brick_samples * brick_samples]);
        __builtin_prefetch(&data_.bases[spot.stored]);
    }
}

double GridField::distance(const Vec3& p) const {
    const Vec3 q = domain_.closest(p);
    const double value = value_at(locate(q));
    return q == p ? value : beyond_domain(p, q, value);
}

Sample GridField::sample(const Vec3& p) const {
    const Vec3 q = domain_.closest(p);
    return sample_at(locate(q), p, q);
}

Sample GridField::sample_at(const Spot& spot, const Vec3& p, const Vec3& nearest) const {
    const GridCell cell{corner_values(spot), {}};
    const double value = cell.value(spot.fraction);
    const double side = data_.layout.cell * (spot.stored == no_index ? brick_cells : 1);
    return beyond_domain(p, nearest, Sample{value, cell.slope(spot.fraction) / side});
}

// The cost is dominated by memory latency, so all addresses of a group are computed and prefetched before the values
// are read.
template <class Answer>
void GridField::in_groups(std::span<const Vec3> points, const Answer& answer) const {
    constexpr std::size_t group = 16;
    std::array<Spot, group> spots;
    std::array<Vec3, group> nearest;
    for (std::size_t start = 0; start < points.size(); start += group) {
        const std::size_t count = std::min(group, points.size() - start);
        for (std::size_t i = 0; i < count; ++i) {
            nearest[i] = domain_.closest(points[start + i]);
            spots[i] = locate(nearest[i]);
            prefetch(spots[i]);
        }
        for (std::size_t i = 0; i < count; ++i) answer(start + i, spots[i], nearest[i]);
    }
}

void GridField::distances(std::span<const Vec3> points, std::span<double> out) const {
    in_groups(points, [&](std::size_t i, const Spot& spot, const Vec3& nearest) {
        const double value = value_at(spot);
        out[i] = nearest == points[i] ? value : beyond_domain(points[i], nearest, value);
    });
}

void GridField::samples(std::span<const Vec3> points, std::span<Sample> out) const {
    in_groups(points, [&](std::size_t i, const Spot& spot, const Vec3& nearest) {
        out[i] = sample_at(spot, points[i], nearest);
    });
}

GridCell GridField::cell_at(const Vec3& p) const {
    const Spot spot = locate(domain_.closest(p));
    GridCell result{corner_values(spot), {}};
    const int side = spot.stored == no_index ? brick_cells : 1;
    std::array<int, 3> lower;
    for (std::size_t k = 0; k < 3; ++k) lower[k] = spot.brick[k] * brick_cells + (side == 1 ? spot.cell[k] : 0);
    result.box.lower = data_.layout.sample_position(lower);
    result.box.upper = data_.layout.sample_position({lower[0] + side, lower[1] + side, lower[2] + side});
    return result;
}

double GridField::sample_value(const std::array<int, 3>& s) const {
    return distance(domain_.closest(data_.layout.sample_position(s)));
}

Interval GridField::range(const Box& box) const {
    if (box.empty()) return Interval::none();
    const Box inside{domain_.closest(box.lower), domain_.closest(box.upper)};
    const Interval values = range_inside(data_, inside);
    return domain_.contains(box) ? values : beyond_domain(box, domain_, values);
}

// ---- Descriptions

FieldTraits GridField::traits() const {
    return {.kind = FieldKind::grid,
            .cost = EvaluationCost::table,
            .distance_like = std::isfinite(error_bound()),
            .cheap_range = data_.layout.cell};
}

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

} // namespace

ValueBounds GridField::value_bounds(double level) const {
    const bool dense = data_.stored_bricks() == data_.layout.brick_count();
    ValueBounds bounds{.lipschitz = lipschitz()};
    double inside_slope = data_.lipschitz;
    if (data_.storage == GridStorage::code16 && !dense) {
        // Samples on the faces towards absent bricks are rounded on one side only.
        bounds.jump = data_.step;
        inside_slope =
            may_be_clamped(data_) ? HUGE_VAL : data_.lipschitz + std::numbers::sqrt3 * data_.step / data_.layout.cell;
        bounds.lipschitz = std::hypot(1.0, inside_slope);
    }
    const bool clear = border_is_clear(*this);
    if (clear) bounds.lipschitz = std::min(bounds.lipschitz, std::max(1.0, inside_slope));
    // The sign of an open mesh jumps in its hole, which makes the error twice the size of the domain: not a distance.
    if (!(error_bound() < domain().diagonal())) return bounds;
    bounds.near_error = data_.near_error;
    bounds.far_error = std::max(error_bound(), data_.near_error);
    bounds.band = data_.band;
    // The stated errors include spread * slope of the sampled function, which is a distance with slope 1.
    const double spread = 0.5 * std::numbers::sqrt3 * data_.layout.cell;
    if (data_.lipschitz >= 0.99 && bounds.near_error >= spread &&
        bounds.far_error >= (dense ? 1 : brick_cells) * spread)
        bounds.spread = spread;
    if (clear && bounds.band >= 3 * bounds.near_error && level >= bounds.near_error - bounds.band) return bounds;
    bounds.near_error = bounds.far_error;
    bounds.band = HUGE_VAL;
    bounds.spread = 0;
    if (!clear) bounds.max_slope = std::numbers::sqrt2;
    return bounds;
}

Index GridField::feature_at(const Vec3& p) const {
    const Vec3 at = (domain_.closest(p) - layout().origin) / (layout().cell * brick_cells);
    std::array<int, 3> brick;
    for (std::size_t k = 0; k < 3; ++k)
        brick[k] = std::clamp(static_cast<int>(at[static_cast<Eigen::Index>(k)]), 0, layout().bricks[k] - 1);
    return static_cast<Index>(layout().brick_index(brick));
}

std::shared_ptr<const FieldSlopes> GridField::slopes() const { return std::make_shared<GridSlopes>(data_); }

FieldOctree GridField::octree() const {
    const auto& bricks = layout().bricks;
    const unsigned side = std::bit_ceil(static_cast<unsigned>(*std::max_element(bricks.begin(), bricks.end())));
    const int levels = 1 + std::countr_zero(side);
    return {.root = {layout().origin, layout().origin.array() + layout().cell * brick_cells * side},
            .levels = levels,
            .max_levels = levels};
}

void GridField::octree_ranges(std::span<const Box> boxes, std::span<Interval> out) const {
    std::transform(boxes.begin(), boxes.end(), out.begin(),
                   [this](const Box& box) { return aligned_block_range(data_, box); });
}

} // namespace fathom
