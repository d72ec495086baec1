// Ranges of values and slopes of a grid over boxes: branch and bound over the pyramid.
#include <fathom/field/grid/grid_range.h>

#include <fathom/base/parallel.h>
#include <fathom/field/grid/grid_assembler.h>
#include <fathom/field/grid/grid_field.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace fathom {

namespace {

constexpr int corner_level = -1; // one brick position
constexpr int block_level = -2;  // a block of 4 cells a side in a stored brick
constexpr int cell_level = -3;   // one cell of a stored brick

// Cube of cells; `lower` counts cells from the origin.
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
        : data_(data), low_(low), high_(high), min_side_((high - low).maxCoeff() / 4) {
        // After the division by the cell size the box may exceed the grid by a few units in the last place.
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            const double cells = data.layout.cells(static_cast<int>(k));
            low_[axis] = std::clamp(low_[axis], 0.0, cells);
            high_[axis] = std::clamp(high_[axis], 0.0, cells);
        }
    }

    [[nodiscard]] Interval run() {
        descend({static_cast<int>(data_.levels.size()) - 1, {0, 0, 0}});
        // Interpolation in double may exceed the exact extrema by a few units in the last place of the largest value.
        const double slack = 1e-15 * std::max(std::abs(hull_.lower), std::abs(hull_.upper));
        return widened({hull_.lower - slack, hull_.upper + slack});
    }

private:
    void descend(const Node& node) {
        if (!overlaps(node)) return;
        const Interval bound = range_of(node);
        if (!hull_.empty() && hull_.contains(bound)) return;
        if (covered(node) || node.side() <= min_side_) {
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

    // Closed intervals: a box that only touches a node overlaps it.
    [[nodiscard]] bool overlaps(const Node& node) const {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            if (node.lower[k] > high_[axis] || node.lower[k] + node.side() < low_[axis]) return false;
            // Blocks may extend beyond the grid.
            if (node.lower[k] >= data_.layout.bricks[k] * brick_cells) return false;
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

    // Exact range over the part of a cell inside the box: its extrema are at the corners of that part.
    [[nodiscard]] Interval clipped(const Node& node) const {
        const Index brick = stored(node);
        const GridCell cell{brick == no_index ? brick_corner_values(data_, node.brick())
                                              : stored_cell_values(data_, brick, local(node)),
                            {}};
        Box part;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            // The query divides by the cell size, which may displace it by this much; the part is enlarged to include
            // that.
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
    double min_side_;
    Interval hull_ = Interval::none();
};

} // namespace

std::array<double, 8> brick_corner_values(const GridData& data, const std::array<int, 3>& brick) {
    const std::size_t first = data.layout.corner_index(brick);
    const std::size_t nx = static_cast<std::size_t>(data.layout.bricks[0]) + 1;
    const std::size_t slice = nx * (static_cast<std::size_t>(data.layout.bricks[1]) + 1);
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

Interval aligned_block_range(const GridData& data, const Box& box) {
    const auto wide = [](const FloatRange& range) {
        return Interval(static_cast<double>(range.lower), static_cast<double>(range.upper));
    };
    const int side = static_cast<int>(std::lround(box.size().x() / data.layout.cell));
    std::array<int, 3> cell, brick;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Eigen::Index>(k);
        cell[k] = static_cast<int>(std::lround((box.lower[axis] - data.layout.origin[axis]) / data.layout.cell));
        brick[k] = cell[k] / brick_cells;
        if (brick[k] >= data.layout.bricks[k]) return Interval::none();
    }
    if (side > brick_cells)
        return wide(level_range(data, std::countr_zero(static_cast<unsigned>(side / brick_cells)) - 1, cell));
    for (int& c : cell) c %= brick_cells;
    const std::size_t index = data.layout.brick_index(brick);
    const Index stored = data.brick_of[index];
    if (side == brick_cells || stored == no_index) return brick_range(data, index);
    if (side == 4)
        return wide(data.block_ranges[std::size_t{stored} * 8 +
                                      static_cast<std::size_t>(cell[0] / 4 | cell[1] / 4 << 1 | cell[2] / 4 << 2)]);
    Interval range = Interval::none();
    for (int k = cell[2]; k <= cell[2] + side; ++k)
        for (int j = cell[1]; j <= cell[1] + side; ++j)
            for (int i = cell[0]; i <= cell[0] + side; ++i)
                range = hull(range, Interval(stored_value(data, stored, brick_sample(i, j, k))));
    return range;
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

// ---- Smallest and largest slopes of the blocks of a grid, and of parts of its cells.

namespace {

constexpr int block_cells = 4;
constexpr int blocks_along_brick = brick_cells / block_cells;

float down(double v) { return std::nextafter(static_cast<float>(v), -HUGE_VALF); }
float up(double v) { return std::nextafter(static_cast<float>(v), HUGE_VALF); }

struct Bounds {
    Vec3 least = Vec3::Constant(HUGE_VAL), greatest = Vec3::Constant(-HUGE_VAL);

    void take(Eigen::Index axis, double slope) {
        least[axis] = std::min(least[axis], slope);
        greatest[axis] = std::max(greatest[axis], slope);
    }
    // `share` is a relative allowance for the rounding of the accumulated values.
    void write(double share, SlopeRange& out) const {
        out.middle = 0.5 * (least + greatest);
        out.half = (0.5 * (greatest - least) * (1 + share)).array() + 1e-12;
    }
};

// Along each axis the slope is bilinear in the other two coordinates, so its extrema are at the corners of the part.
void take_part(const std::array<double, 8>& corners, const Vec3& low, const Vec3& high, double side, Bounds& bounds) {
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
        const Eigen::Index u = (axis + 1) % 3, v = (axis + 2) % 3;
        const auto edge = [&](std::size_t upper_u, std::size_t upper_v) {
            const std::size_t at = upper_u << u | upper_v << v;
            return (corners[at | std::size_t{1} << axis] - corners[at]) / side;
        };
        const double e00 = edge(0, 0), e10 = edge(1, 0), e01 = edge(0, 1), e11 = edge(1, 1);
        for (const double s : {low[u], high[u]})
            for (const double t : {low[v], high[v]})
                bounds.take(axis, (1 - t) * ((1 - s) * e00 + s * e10) + t * ((1 - s) * e01 + s * e11));
    }
}

} // namespace

// Range of a box in cells from the origin, slightly enlarged, so that rounding cannot exclude a cell.
struct GridSlopes::Span {
    static constexpr double padding = 1e-6; // of a cell
    Vec3 low, high;
    std::array<int, 3> first, last; // cells

    Span(const Box& box, const GridLayout& layout)
        : low((box.lower - layout.origin) / layout.cell), high((box.upper - layout.origin) / layout.cell) {}
    bool within(const GridLayout& layout) {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            const int cells = layout.cells(static_cast<int>(k));
            if (!(low[axis] >= 0 && high[axis] <= cells)) return false;
            low[axis] = std::max(low[axis] - padding, 0.0);
            high[axis] = std::min(high[axis] + padding, static_cast<double>(cells));
            first[k] = std::min(static_cast<int>(low[axis]), cells - 1);
            last[k] = std::min(static_cast<int>(high[axis]), cells - 1);
        }
        return true;
    }
    // Without the cells that the box meets only in a face, where the field is continuous but for jumps.
    [[nodiscard]] Span without_neighbours() const {
        Span inner = *this;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            if (inner.first[k] < inner.last[k] && inner.low[axis] > inner.first[k] + 1 - 2 * padding) ++inner.first[k];
            if (inner.first[k] < inner.last[k] && inner.high[axis] < inner.last[k] + 2 * padding) --inner.last[k];
        }
        return inner;
    }
    // Whether it covers at most two cells along each axis.
    [[nodiscard]] bool small() const {
        return last[0] < first[0] + 2 && last[1] < first[1] + 2 && last[2] < first[2] + 2;
    }
};

GridSlopes::GridSlopes(const GridData& data)
    : data_(data), blocks_(8 * data.stored_bricks()), jumps_(data.stored_bricks()) {
    parallel_for(data_.layout.brick_count(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t position = begin; position < end; ++position) {
            const Index stored = data_.brick_of[position];
            if (stored == no_index) continue;
            for (int block = 0; block < 8; ++block)
                blocks_[8 * stored + static_cast<std::size_t>(block)] = stored_block(stored, block);
            double most = 0;
            for (std::size_t axis = 0; axis < 3; ++axis)
                for (const int side : {-1, 1})
                    most = std::max(most, face_jump(data_, data_.layout.brick_position(position), axis, side));
            jumps_[stored] = most > 0 ? up(most) : 0.0F;
        }
    });
}

GridSlopes::Block GridSlopes::stored_block(Index stored, int block) const {
    const std::array<int, 3> first = {block % 2 * block_cells, block / 2 % 2 * block_cells, block / 4 * block_cells};
    Block out;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double least = HUGE_VAL, greatest = -HUGE_VAL;
        std::array<int, 3> count = {block_cells + 1, block_cells + 1, block_cells + 1};
        count[axis] = block_cells; // number of edges along the axis
        const std::size_t stride = axis == 0 ? 1 : axis == 1 ? brick_samples : brick_samples * brick_samples;
        for (int k = 0; k < count[2]; ++k)
            for (int j = 0; j < count[1]; ++j)
                for (int i = 0; i < count[0]; ++i) {
                    const std::size_t at = brick_sample(first[0] + i, first[1] + j, first[2] + k);
                    const double edge = stored_value(data_, stored, at + stride) - stored_value(data_, stored, at);
                    least = std::min(least, edge);
                    greatest = std::max(greatest, edge);
                }
        out.least[axis] = down(least);
        out.greatest[axis] = up(greatest);
    }
    return out;
}

GridSlopes::Block GridSlopes::absent_block(const std::array<int, 3>& brick) const {
    Bounds bounds;
    take_part(brick_corner_values(data_, brick), Vec3::Zero(), Vec3::Ones(), brick_cells, bounds);
    Block block;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        block.least[axis] = down(bounds.least[static_cast<Eigen::Index>(axis)]);
        block.greatest[axis] = up(bounds.greatest[static_cast<Eigen::Index>(axis)]);
    }
    return block;
}

// A straight line through the span crosses each of its faces once.
double GridSlopes::jump_over(const Span& span) const {
    std::array<int, 3> first, last;
    int faces = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        first[k] = span.first[k] / brick_cells;
        last[k] = span.last[k] / brick_cells;
        faces += last[k] - first[k];
    }
    if (faces == 0) return 0;
    float most = 0;
    for (int z = first[2]; z <= last[2]; ++z)
        for (int y = first[1]; y <= last[1]; ++y)
            for (int x = first[0]; x <= last[0]; ++x)
                if (const Index stored = data_.brick_of[data_.layout.brick_index({x, y, z})]; stored != no_index)
                    most = std::max(most, jumps_[stored]);
    return faces * static_cast<double>(most);
}

// Bounds over the part of each cell inside the span.
void GridSlopes::over_cells(const Span& span, SlopeRange& out) const {
    Bounds bounds;
    for (int z = span.first[2]; z <= span.last[2]; ++z)
        for (int y = span.first[1]; y <= span.last[1]; ++y)
            for (int x = span.first[0]; x <= span.last[0]; ++x) {
                const std::array<int, 3> brick = {x / brick_cells, y / brick_cells, z / brick_cells};
                const Index stored = data_.brick_of[data_.layout.brick_index(brick)];
                const bool absent = stored == no_index; // then the whole brick is one cell
                const double side = absent ? brick_cells : 1;
                const Vec3 origin = absent
                                        ? Vec3(brick_cells * brick[0], brick_cells * brick[1], brick_cells * brick[2])
                                        : Vec3(x, y, z);
                const Vec3 low = ((span.low - origin) / side).cwiseMax(0.0),
                           high = ((span.high - origin) / side).cwiseMin(1.0);
                take_part(absent
                              ? brick_corner_values(data_, brick)
                              : stored_cell_values(data_, stored, {x % brick_cells, y % brick_cells, z % brick_cells}),
                          low, high, side * data_.layout.cell, bounds);
            }
    bounds.write(1e-9, out);
}

void GridSlopes::over_blocks(const Span& span, SlopeRange& out) const {
    const auto block_of = [](int cell) { return cell / block_cells; };
    Bounds bounds;
    for (int z = block_of(span.first[2]); z <= block_of(span.last[2]); ++z)
        for (int y = block_of(span.first[1]); y <= block_of(span.last[1]); ++y)
            for (int x = block_of(span.first[0]); x <= block_of(span.last[0]); ++x) {
                const std::array<int, 3> brick = {x / blocks_along_brick, y / blocks_along_brick,
                                                  z / blocks_along_brick};
                const Index stored = data_.brick_of[data_.layout.brick_index(brick)];
                const Block block =
                    stored == no_index
                        ? absent_block(brick)
                        : blocks_[8 * stored + static_cast<std::size_t>((z % 2 * 2 + y % 2) * 2 + x % 2)];
                for (std::size_t k = 0; k < 3; ++k) {
                    bounds.take(static_cast<Eigen::Index>(k), static_cast<double>(block.least[k]) / data_.layout.cell);
                    bounds.take(static_cast<Eigen::Index>(k),
                                static_cast<double>(block.greatest[k]) / data_.layout.cell);
                }
            }
    bounds.write(1e-6, out);
}

bool GridSlopes::over(const Box& box, SlopeRange& out) const {
    Span span(box, data_.layout);
    if (!span.within(data_.layout)) return false;
    const Span inner = span.without_neighbours();
    inner.small() ? over_cells(inner, out) : over_blocks(inner, out);
    out.jump = jump_over(span);
    return true;
}

} // namespace fathom
