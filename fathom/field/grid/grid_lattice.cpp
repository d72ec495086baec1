// Reading a grid as a uniform lattice.
#include <fathom/field/grid/grid_lattice.h>
#include <fathom/field/grid/grid_range.h>

#include <algorithm>
#include <cmath>

namespace fathom {

BrickReader::BrickReader(const GridData& data, const std::array<int, 3>& brick)
    : data_(data), stored_(data.brick_of[data.layout.brick_index(brick)]) {
    if (stored_ == no_index) corners_.values = brick_corner_values(data, brick);
}

double face_jump(const GridData& data, const std::array<int, 3>& brick, std::size_t axis, int side) {
    std::array<int, 3> other = brick;
    other[axis] += side;
    if (other[axis] < 0 || other[axis] >= data.layout.bricks[axis]) return 0;
    const BrickReader mine(data, brick), theirs(data, other);
    double most = 0;
    for (int n = 0; n < brick_samples * brick_samples; ++n) {
        std::array<int, 3> s;
        s[(axis + 1) % 3] = n % brick_samples;
        s[(axis + 2) % 3] = n / brick_samples;
        s[axis] = side < 0 ? 0 : brick_cells;
        const double here = mine(s);
        s[axis] = brick_cells - s[axis];
        most = std::max(most, std::abs(here - theirs(s)));
    }
    return most;
}

double lattice_value(const GridData& data, std::array<int, 3> sample) {
    std::array<int, 3> brick;
    for (std::size_t k = 0; k < 3; ++k) {
        sample[k] = std::clamp(sample[k], 0, data.layout.bricks[k] * brick_cells);
        brick[k] = std::min(sample[k] / brick_cells, data.layout.bricks[k] - 1);
        sample[k] -= brick[k] * brick_cells;
    }
    return BrickReader(data, brick)(sample);
}

void read_lattice(const GridData& data, const std::array<int, 3>& brick, std::span<double, brick_size> out) {
    const BrickReader own(data, brick);
    std::size_t at = 0;
    for (int k = 0; k <= brick_cells; ++k)
        for (int j = 0; j <= brick_cells; ++j)
            for (int i = 0; i <= brick_cells; ++i) {
                const bool foreign = i == brick_cells || j == brick_cells || k == brick_cells;
                out[at++] = foreign ? lattice_value(data, {brick[0] * brick_cells + i, brick[1] * brick_cells + j,
                                                           brick[2] * brick_cells + k})
                                    : own({i, j, k});
            }
}

void read_lattice(const GridData& data, const std::array<int, 3>& first, std::span<double, 27> out) {
    std::array<int, 3> brick, local;
    bool within = true; // one brick owns all 27
    for (std::size_t k = 0; k < 3; ++k) {
        brick[k] = std::max(first[k], 0) / brick_cells;
        local[k] = first[k] - brick[k] * brick_cells;
        within = within && local[k] >= 0 && local[k] + 2 < brick_cells && brick[k] < data.layout.bricks[k];
    }
    if (within) {
        const BrickReader own(data, brick);
        for (int n = 0; n < 27; ++n)
            out[static_cast<std::size_t>(n)] = own({local[0] + n % 3, local[1] + n / 3 % 3, local[2] + n / 9});
    } else {
        for (int n = 0; n < 27; ++n)
            out[static_cast<std::size_t>(n)] =
                lattice_value(data, {first[0] + n % 3, first[1] + n / 3 % 3, first[2] + n / 9});
    }
}

} // namespace fathom
