// Least and greatest slopes of the blocks of a grid, and of parts of its cells.
#include <fathom/field/grid/grid_slopes.h>

#include <fathom/base/parallel.h>
#include <fathom/field/grid/grid_lattice.h>
#include <fathom/field/grid/grid_range.h>

#include <algorithm>
#include <cmath>

namespace fathom {

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
    // `share` covers the rounding of what was taken.
    void write(double share, SlopeRange& out) const {
        out.middle = 0.5 * (least + greatest);
        out.half = (0.5 * (greatest - least) * (1 + share)).array() + 1e-12;
    }
};

// Along each axis the slope is bilinear in the other two coordinates, so it has its extremes at the corners of the
// part.
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

// In cells from the origin, a little wider than the box, so that rounding cannot leave a cell out.
struct GridSlopes::Span {
    Vec3 low, high;
    std::array<int, 3> first, last; // cells

    Span(const Box& box, const GridLayout& layout)
        : low((box.lower - layout.origin) / layout.cell), high((box.upper - layout.origin) / layout.cell) {
        low.array() -= 1e-6;
        high.array() += 1e-6;
    }
    bool within(const GridLayout& layout) {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            const int cells = layout.cells(static_cast<int>(k));
            if (!(low[axis] >= 0 && high[axis] <= cells)) return false;
            first[k] = std::min(static_cast<int>(low[axis]), cells - 1);
            last[k] = std::min(static_cast<int>(high[axis]), cells - 1);
        }
        return true;
    }
    [[nodiscard]] bool small() const { // two cells along each axis hold it
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
        count[axis] = block_cells; // edges along it
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

// A straight way through the span crosses each of the faces in it once.
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

// The part of each cell that the span holds.
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
    span.small() ? over_cells(span, out) : over_blocks(span, out);
    out.jump = jump_over(span);
    return true;
}

} // namespace fathom
