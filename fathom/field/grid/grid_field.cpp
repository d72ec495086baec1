// Point queries of grid fields.
#include <fathom/field/grid/grid_field.h>

#include <fathom/field/beyond_domain.h>
#include <fathom/field/grid/grid_range.h>

#include <algorithm>
#include <bit>
#include <cmath>

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

} // namespace fathom
