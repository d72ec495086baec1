// A grid seen as one uniform lattice of samples, whichever bricks are stored: each sample has one owner
// and so one value, and what is built on the lattice agrees across bricks to the bit.
#pragma once

#include <fathom/field/grid/grid_field.h>

#include <span>

namespace fathom {

// The samples of a brick position as that brick alone sees them, stored or not.
class BrickReader {
public:
    BrickReader(const GridData& data, const std::array<int, 3>& brick);

    [[nodiscard]] double operator()(const std::array<int, 3>& sample) const { // each 0 to brick_cells
        if (stored_ == no_index) return corners_.value(Vec3(sample[0], sample[1], sample[2]) / brick_cells);
        return stored_value(data_, stored_, brick_sample(sample[0], sample[1], sample[2]));
    }

private:
    const GridData& data_;
    Index stored_;
    GridCell corners_{};
};

// The most by which a brick and its neighbour on one side (-1 or 1) disagree on their common face (m); 0 on the border
// of the grid.
[[nodiscard]] double face_jump(const GridData& data, const std::array<int, 3>& brick, std::size_t axis, int side);

// The value of a sample, counted in cells from the origin and clamped to the grid; interpolated where its brick is
// absent.
[[nodiscard]] double lattice_value(const GridData& data, std::array<int, 3> sample);

// All samples of a brick position, those on its upper border from their owners.
void read_lattice(const GridData& data, const std::array<int, 3>& brick, std::span<double, brick_size> out);

// The 3 x 3 x 3 samples from `first` on, x fastest.
void read_lattice(const GridData& data, const std::array<int, 3>& first, std::span<double, 27> out);

} // namespace fathom
