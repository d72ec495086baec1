// Room: field. A grid seen as one uniform lattice of samples, whichever bricks are stored: each sample has one owner and so
// one value, and what is built on the lattice agrees across bricks to the bit.
#pragma once

#include <fathom/field/grid/grid_data.h>

#include <span>

namespace fathom {

// The value of a sample, counted in cells from the origin and clamped to the grid; interpolated where its brick is absent.
[[nodiscard]] double lattice_value(const GridData& data, std::array<int, 3> sample);

// All samples of a brick position, those on its upper border from their owners.
void read_lattice(const GridData& data, const std::array<int, 3>& brick, std::span<double, brick_size> out);

// The 3 x 3 x 3 samples from `first` on, x fastest.
void read_lattice(const GridData& data, const std::array<int, 3>& first, std::span<double, 27> out);

} // namespace fathom
