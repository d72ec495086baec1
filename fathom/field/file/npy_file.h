// Tables of numbers as NumPy keeps them: points in, results out.
#pragma once

#include <fathom/base/vec.h>

#include <filesystem>
#include <span>
#include <vector>

namespace fathom {

// An array of shape (N, 3): any whole or floating type of 1 to 8 bytes, C or Fortran order, both byte orders.
// Throws Error naming the file; non_finite points are the caller's business: fields answer NaN with NaN.
[[nodiscard]] std::vector<Vec3> read_npy_points(const std::filesystem::path& path);

struct NpyTable {
    std::size_t columns = 1;
    std::vector<double> values; // row by row

    [[nodiscard]] std::size_t rows() const { return values.size() / columns; }
};
// One or two dimensions; one dimension is one column.
[[nodiscard]] NpyTable read_npy_table(const std::filesystem::path& path);

// Shape (N, columns), float64, C order, row by row. `values` are a whole number of rows. Atomic.
void write_npy_table(const std::filesystem::path& path, std::span<const double> values, std::size_t columns);

} // namespace fathom
