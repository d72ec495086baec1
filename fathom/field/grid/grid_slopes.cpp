// Room: field. Least and greatest slopes of the blocks of a grid.
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

} // namespace

GridSlopes::GridSlopes(const GridData& data) : data_(data), jump_(data.storage == GridStorage::code16 ? 4 * data.step : 0), blocks_(8 * data.stored_bricks()) {
    parallel_for(data_.stored_bricks(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            for (int block = 0; block < 8; ++block) {
                const std::array<int, 3> first = {block % 2 * block_cells, block / 2 % 2 * block_cells, block / 4 * block_cells};
                Block& out = blocks_[8 * b + static_cast<std::size_t>(block)];
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    double least = HUGE_VAL, greatest = -HUGE_VAL;
                    std::array<int, 3> count = {block_cells + 1, block_cells + 1, block_cells + 1};
                    count[axis] = block_cells; // edges along it
                    const std::size_t stride = axis == 0 ? 1 : axis == 1 ? brick_samples : brick_samples * brick_samples;
                    for (int k = 0; k < count[2]; ++k)
                        for (int j = 0; j < count[1]; ++j)
                            for (int i = 0; i < count[0]; ++i) {
                                const std::size_t at = brick_sample(first[0] + i, first[1] + j, first[2] + k);
                                const double edge = stored_value(data_, b, at + stride) - stored_value(data_, b, at);
                                least = std::min(least, edge);
                                greatest = std::max(greatest, edge);
                            }
                    out.least[axis] = down(least);
                    out.greatest[axis] = up(greatest);
                }
            }
    });
}

GridSlopes::Block GridSlopes::absent_block(const std::array<int, 3>& brick) const {
    const std::array<double, 8> corners = brick_corner_values(data_, brick);
    Block block;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double least = HUGE_VAL, greatest = -HUGE_VAL;
        for (std::size_t c = 0; c < 8; ++c) {
            if ((c >> axis) & 1) continue;
            const double edge = (corners[c | (std::size_t{1} << axis)] - corners[c]) / brick_cells;
            least = std::min(least, edge);
            greatest = std::max(greatest, edge);
        }
        block.least[axis] = down(least);
        block.greatest[axis] = up(greatest);
    }
    return block;
}

// Edge by edge, of eight cells.
void GridSlopes::over_cells(const std::array<int, 3>& first, SlopeRange& out) const {
    std::array<double, 27> samples;
    read_lattice(data_, first, samples);
    for (int axis = 0; axis < 3; ++axis) {
        const std::size_t stride = axis == 0 ? 1 : axis == 1 ? 3 : 9;
        double least = HUGE_VAL, greatest = -HUGE_VAL;
        for (std::size_t s = 0; s < 27; ++s) {
            if (s / stride % 3 == 2) continue;
            const double edge = samples[s + stride] - samples[s];
            least = std::min(least, edge);
            greatest = std::max(greatest, edge);
        }
        out.middle[axis] = 0.5 * (least + greatest) / data_.layout.cell;
        // 16-bit samples may differ by a step from one side of a brick's face to the other.
        out.half[axis] = (0.5 * (greatest - least) + jump_) / data_.layout.cell * (1 + 1e-9) + 1e-12;
    }
}

bool GridSlopes::over(const Box& box, SlopeRange& out) const {
    const GridLayout& layout = data_.layout;
    std::array<int, 3> first, last, cell; // blocks, and the first cell
    bool small = true; // two cells along each axis hold it
    for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Eigen::Index>(k);
        // A little wider, so that rounding cannot leave a block out.
        const double low = (box.lower[axis] - layout.origin[axis]) / layout.cell - 1e-6, high = (box.upper[axis] - layout.origin[axis]) / layout.cell + 1e-6;
        if (!(low >= 0 && high <= layout.cells(static_cast<int>(k)))) return false;
        cell[k] = static_cast<int>(low);
        small = small && high < cell[k] + 2;
        first[k] = cell[k] / block_cells;
        last[k] = std::min(static_cast<int>(high) / block_cells, layout.bricks[k] * blocks_along_brick - 1);
    }
    if (small) {
        over_cells(cell, out);
        return true;
    }
    std::array<float, 3> least = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, greatest = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    for (int z = first[2]; z <= last[2]; ++z)
        for (int y = first[1]; y <= last[1]; ++y)
            for (int x = first[0]; x <= last[0]; ++x) {
                const std::array<int, 3> brick = {x / 2, y / 2, z / 2};
                const Index stored = data_.brick_of[layout.brick_index(brick)];
                const Block block = stored == no_index ? absent_block(brick) : blocks_[8 * stored + static_cast<std::size_t>((z % 2 * 2 + y % 2) * 2 + x % 2)];
                for (std::size_t k = 0; k < 3; ++k) {
                    least[k] = std::min(least[k], block.least[k]);
                    greatest[k] = std::max(greatest[k], block.greatest[k]);
                }
            }
    for (std::size_t k = 0; k < 3; ++k) {
        const double low = static_cast<double>(least[k]) / layout.cell, high = static_cast<double>(greatest[k]) / layout.cell;
        out.middle[static_cast<Eigen::Index>(k)] = 0.5 * (low + high);
        out.half[static_cast<Eigen::Index>(k)] = 0.5 * (high - low) * (1 + 1e-6) + 1e-12;
    }
    return true;
}

} // namespace fathom
