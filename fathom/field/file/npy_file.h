// NumPy files (.npy): reading of points and tables, writing of results.
#pragma once

#include <fathom/base/encode/bytes.h>
#include <fathom/base/vec.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fathom {

// Header of a NumPy file, and its numbers in file order.
// Format: "numpy.lib.format", versions 1 to 3.

struct NpyHead {
    Scalar type = Scalar::float64;
    std::endian order = std::endian::little;
    bool fortran_order = false; // the first index runs fastest
    std::vector<std::uint64_t> shape;
    std::size_t count = 1; // number of values: the product of the shape
    std::size_t begin = 0; // offset of the values in the file
};

[[nodiscard]] bool is_npy(std::span<const std::byte> bytes);

// Throws Error: unsupported (structures, complex and other types, more than 8 dimensions), truncated or count_mismatch
// if the values do not fill the rest of the file exactly.
[[nodiscard]] NpyHead read_npy_head(const Source& source);

// Calls set(row, column, value) for every value of a table, in file order. An array of one dimension is one column.
template <class Set>
void visit_npy_table(const Source& source, const NpyHead& head, Set set) {
    const auto rows = static_cast<std::size_t>(head.shape.empty() ? 1 : head.shape[0]);
    const auto columns = static_cast<std::size_t>(head.shape.size() < 2 ? 1 : head.shape[1]);
    ByteReader bytes(source, head.begin, head.order);
    for (std::size_t i = 0; i < head.count; ++i) {
        const double value = read_number(bytes, head.type);
        if (head.fortran_order)
            set(i % rows, i / rows, value);
        else
            set(i / columns, i % columns, value);
    }
}

// Header for float32 or float64 values in little-endian order.
[[nodiscard]] std::string written_npy_head(bool doubles, bool fortran_order, const std::vector<std::uint64_t>& shape);

// Array of shape (N, 3): any integer or floating-point type of 1 to 8 bytes, C or Fortran order, both byte orders.
// Throws Error naming the file. Non-finite points are returned unchanged; fields return NaN for NaN.
[[nodiscard]] std::vector<Vec3> read_npy_points(const std::filesystem::path& path);

struct NpyTable {
    std::size_t columns = 1;
    std::vector<double> values; // row by row

    [[nodiscard]] std::size_t rows() const { return values.size() / columns; }
};
// Array of one or two dimensions; one dimension is one column.
[[nodiscard]] NpyTable read_npy_table(const std::filesystem::path& path);

// Writes shape (N, columns), float64, C order, row by row. `values` must be a whole number of rows. Atomic.
void write_npy_table(const std::filesystem::path& path, std::span<const double> values, std::size_t columns);

} // namespace fathom
