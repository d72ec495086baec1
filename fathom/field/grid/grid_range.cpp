// Branch and bound over the pyramid of a grid.
#include <fathom/field/grid/grid_field.h>
#include <fathom/field/grid/grid_range.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr int corner_level = -1; // one brick position
constexpr int block_level = -2;  // a block of 4 cells a side in a stored brick
constexpr int cell_level = -3;   // one cell of a stored brick

// A cube of cells: `lower` counts cells from the origin.
struct Node {
    int level;
    std::array<int, 3> lower;

    [[nodiscard]] int side() const { // in cells
        return level == cell_level ? 1 : level == block_level ? 4 : brick_cells << (level + 1);
    }
    [[nodiscard]] std::array<int, 3> brick() const { return {lower[0] / 8, lower[1] / 8, lower[2] / 8}; }
};

Interval of(const FloatRange& r) { return {static_cast<double>(r.lower), static_cast<double>(r.upper)}; }

Interval span_of(const std::array<double, 8>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return {*low, *high};
}

class Search {
public:
    // `low` and `high` in cells from the origin.
    Search(const GridData& data, const Vec3& low, const Vec3& high)
        : data_(data), low_(low), high_(high), finest_((high - low).maxCoeff() / 4) {
        // Dividing by the cell size may leave the grid by a few units in the last place.
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            const double cells = data.layout.cells(static_cast<int>(k));
            low_[axis] = std::clamp(low_[axis], 0.0, cells);
            high_[axis] = std::clamp(high_[axis], 0.0, cells);
        }
    }

    [[nodiscard]] Interval run() {
        descend({static_cast<int>(data_.levels.size()) - 1, {0, 0, 0}});
        // Interpolation in double may step past the exact extremes by a few units in the last place of the largest
        // value.
        const double slack = 1e-15 * std::max(std::abs(hull_.lower), std::abs(hull_.upper));
        return widened({hull_.lower - slack, hull_.upper + slack});
    }

private:
    void descend(const Node& node) {
        if (!overlaps(node)) return;
        const Interval bound = range_of(node);
        if (!hull_.empty() && hull_.contains(bound)) return;
        if (covered(node) || node.side() <= finest_) {
            hull_ = hull(hull_, bound);
        } else if (is_leaf(node)) {
            hull_ = hull(hull_, clipped(node));
        } else {
            const int half = node.side() == 4 ? 1 : node.side() / 2;
            for_children(node, half);
        }
    }

    void for_children(const Node& node, int side) {
        const int count = node.side() / side;
        const int level = node.level - 1;
        for (int k = 0; k < count; ++k)
            for (int j = 0; j < count; ++j)
                for (int i = 0; i < count; ++i)
                    descend({level, {node.lower[0] + i * side, node.lower[1] + j * side, node.lower[2] + k * side}});
    }

    [[nodiscard]] Index stored(const Node& node) const {
        return data_.brick_of[data_.layout.brick_index(node.brick())];
    }

    [[nodiscard]] bool is_leaf(const Node& node) const {
        return node.level == cell_level || (node.level == corner_level && stored(node) == no_index);
    }

    // Closed: a box that only touches a node belongs to it, too.
    [[nodiscard]] bool overlaps(const Node& node) const {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            if (node.lower[k] > high_[axis] || node.lower[k] + node.side() < low_[axis]) return false;
            if (node.lower[k] >= data_.layout.bricks[k] * brick_cells) return false; // blocks may stick out of the grid
        }
        return true;
    }
    [[nodiscard]] bool covered(const Node& node) const {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            if (node.lower[k] < low_[axis] || node.lower[k] + node.side() > high_[axis]) return false;
        }
        return true;
    }

    [[nodiscard]] Interval range_of(const Node& node) const {
        if (node.level >= 0) return of(level_range(data_, node.level, node.lower));
        const Index brick = stored(node);
        if (brick == no_index) return span_of(brick_corner_values(data_, node.brick()));
        const auto blocks = data_.block_ranges.subspan(std::size_t{brick} * 8, 8);
        if (node.level == block_level) {
            const auto block = static_cast<std::size_t>((node.lower[0] / 4 & 1) | (node.lower[1] / 4 & 1) << 1 |
                                                        (node.lower[2] / 4 & 1) << 2);
            return of(blocks[block]);
        }
        if (node.level == cell_level) return span_of(stored_cell_values(data_, brick, local(node)));
        return stored_brick_range(data_, brick);
    }

    [[nodiscard]] static std::array<int, 3> local(const Node& node) {
        return {node.lower[0] % brick_cells, node.lower[1] % brick_cells, node.lower[2] % brick_cells};
    }

    // The exact range over the part of a cell that lies in the box: its extremes are at the corners of that part.
    [[nodiscard]] Interval clipped(const Node& node) const {
        const Index brick = stored(node);
        const GridCell cell{brick == no_index ? brick_corner_values(data_, node.brick())
                                              : stored_cell_values(data_, brick, local(node)),
                            {}};
        Box part;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            // The query divides by the cell size and may land this much beside; the part is grown to hold that.
            const double slack = 1e-14 * (1 + std::abs(high_[axis]));
            part.lower[axis] = std::clamp((low_[axis] - slack - node.lower[k]) / node.side(), 0.0, 1.0);
            part.upper[axis] = std::clamp((high_[axis] + slack - node.lower[k]) / node.side(), 0.0, 1.0);
        }
        Interval range = Interval::none();
        for (int k = 0; k < 8; ++k) range = hull(range, Interval(cell.value(part.corner(k))));
        const Interval all = span_of(cell.values);
        const double rounding = 1e-15 * std::max(std::abs(all.lower), std::abs(all.upper));
        return {range.lower - rounding, range.upper + rounding};
    }

    const GridData& data_;
    Vec3 low_, high_;
    double finest_;
    Interval hull_ = Interval::none();
};

} // namespace

std::array<double, 8> brick_corner_values(const GridData& data, const std::array<int, 3>& brick) {
    const std::size_t first = data.layout.corner_index(brick);
    const auto nx = static_cast<std::size_t>(data.layout.bricks[0] + 1);
    const std::size_t slice = nx * static_cast<std::size_t>(data.layout.bricks[1] + 1);
    std::array<double, 8> values;
    for (std::size_t k = 0; k < 8; ++k)
        values[k] = static_cast<double>(data.corners[first + (k & 1) + (k >> 1 & 1) * nx + (k >> 2) * slice]);
    return values;
}

std::array<double, 8> stored_cell_values(const GridData& data, Index stored, const std::array<int, 3>& cell) {
    constexpr std::array<std::size_t, 8> offsets = {0, 1, 9, 10, 81, 82, 90, 91};
    const std::size_t first = stored * brick_size + brick_sample(cell[0], cell[1], cell[2]);
    std::array<double, 8> values;
    if (data.storage == GridStorage::float32) {
        for (std::size_t k = 0; k < 8; ++k) values[k] = static_cast<double>(data.values[first + offsets[k]]);
    } else {
        const std::int32_t base = data.bases[stored];
        for (std::size_t k = 0; k < 8; ++k) values[k] = data.step * (base + data.codes[first + offsets[k]]);
    }
    return values;
}

Interval stored_brick_range(const GridData& data, Index stored) {
    Interval all = Interval::none();
    for (const FloatRange& block : data.block_ranges.subspan(std::size_t{stored} * 8, 8)) all = hull(all, of(block));
    return all;
}

Interval brick_range(const GridData& data, std::size_t brick_index) {
    const Index stored = data.brick_of[brick_index];
    if (stored != no_index) return stored_brick_range(data, stored);
    return span_of(brick_corner_values(data, data.layout.brick_position(brick_index)));
}

const FloatRange& level_range(const GridData& data, int level, const std::array<int, 3>& cell) {
    const int side = brick_cells << (level + 1);
    const auto nx = static_cast<std::size_t>(blocks_along(data.layout.bricks[0], level));
    const auto ny = static_cast<std::size_t>(blocks_along(data.layout.bricks[1], level));
    const auto at = [&](std::size_t k) { return static_cast<std::size_t>(cell[k] / side); };
    return data.levels[static_cast<std::size_t>(level)][(at(2) * ny + at(1)) * nx + at(0)];
}

Interval range_inside(const GridData& data, const Box& box) {
    const double per_cell = 1 / data.layout.cell;
    return Search(data, (box.lower - data.layout.origin) * per_cell, (box.upper - data.layout.origin) * per_cell).run();
}

Box inside_bounds(const GridData& data) {
    Box found;
    const GridLayout& layout = data.layout;
    for (std::size_t b = 0; b < layout.brick_count(); ++b) {
        const std::array<int, 3> p = layout.brick_position(b);
        const Index stored = data.brick_of[b];
        double least = span_of(brick_corner_values(data, p)).lower;
        if (stored != no_index)
            for (const FloatRange& r : data.block_ranges.subspan(std::size_t{stored} * 8, 8))
                least = std::min(least, static_cast<double>(r.lower));
        if (least > 0) continue;
        found.extend(layout.sample_position({p[0] * 8, p[1] * 8, p[2] * 8}));
        found.extend(layout.sample_position({p[0] * 8 + 8, p[1] * 8 + 8, p[2] * 8 + 8}));
    }
    return found;
}

} // namespace fathom
