// Grids of distances in the files of others, in and out. Every byte read is taken for hostile: an Error
// names file, element and reason. What each format keeps and loses: docs/field-files.md.
//   .fathom  our own (field_file.h)            .npy   NumPy, three dimensions     .nrrd  Nearly Raw Raster Data
//   .vti     VTK image data                    .sdf   SDFGen's text               .dist  Vega FEM's binary distance
//   field .vdb     OpenVDB level sets, where the build has FATHOM_VDB
#pragma once

#include <fathom/base/error.h>
#include <fathom/field/grid/grid_data.h>
#include <fathom/field/grid/grid_field.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// Of files that are not our own: a .fathom file says all of this itself.
struct GridReadOptions {
    Vec3 origin = Vec3::Zero(); // of the first sample (m); .npy only, which does not carry it
    double cell = 1;            // m; .npy only
    bool x_first = false;       // .npy: the array is indexed [x][y][z] instead of [z][y][x]
    double error = HUGE_VAL;    // |sample - true distance| (m), where the caller knows it; no format carries it
    double lipschitz = 1;       // of the function that was sampled; counts where the error is known
    GridStorage storage =
        GridStorage::float32;     // of the grid in memory; code16 is for samples no steeper than a distance
    std::size_t memory_limit = 0; // bytes; 0: 16 times the file and 48 MB
};

struct GridFile {
    GridField field;
    std::string format;               // "npy float32", "nrrd gzip"
    std::string note;                 // of a .fathom file
    std::vector<std::string> remarks; // what was assumed or added, a sentence each
};

// The content decides the format where it can, else the ending of the name. Cells must be cubes and axes in order, else
// Error{unsupported}. Samples that are not whole bricks of 8 cells are continued beyond the last ones as a field
// answers outside its domain; a remark says so, and a known error grows by what that may be off.
[[nodiscard]] GridFile read_grid_file(const std::filesystem::path& path, const GridReadOptions& options = {});
// The same from memory; `name` serves the messages and the choice of format. Not for .vdb.
[[nodiscard]] GridFile read_grid_file(std::span<const std::byte> bytes, std::string_view name,
                                      const GridReadOptions& options = {});

struct GridWriteOptions {
    std::string note;                                // .fathom only
    bool doubles = false;                            // samples in double instead of float; all but .fathom and .vdb
    bool x_first = false;                            // .npy: index the array [x][y][z]
    std::size_t size_limit = std::size_t{16} << 30;  // bytes of the file; Error{too_large} before it is begun
    std::size_t memory_limit = std::size_t{2} << 30; // bytes; what is sampled at a time is 8 slices
};

// The ending of the name decides. All samples of the lattice are written, interpolated where no brick is stored;
// .fathom and .vdb stay sparse. Atomic: a failed write leaves no half file. The same bytes for any number of threads.
void write_grid_file(const GridField& field, const std::filesystem::path& path, const GridWriteOptions& options = {});

// Whether this build has OpenVDB; without it, .vdb files are refused with Error{unsupported}.
[[nodiscard]] bool has_openvdb();

// Is this grid sound enough to be asked? For grids that come from files, and before one is written:
// whatever passes can be queried without reading past its arrays and without overflow, whoever made it.

// Bricks along an axis; so many that sums and products of positions stay far from overflow.
inline constexpr int max_bricks_along = 1 << 24;

// Number of entries of each array of a grid, by its layout and storage.
struct GridCounts {
    std::size_t corners = 0;
    std::size_t bricks = 0;
    std::size_t stored = 0;
    std::size_t level_entries = 0; // of all levels together
};

// What the layout asks for, computed without overflow. Error{malformed, non_finite} where it is no layout,
// Error{count_mismatch} where a grid of `available` bytes cannot have it.
[[nodiscard]] GridCounts counts_of(const GridLayout& layout, std::size_t stored, std::size_t available,
                                   const Place& place);

// Levels of `entries` in turn, as they are laid out one after another.
[[nodiscard]] std::vector<std::span<const FloatRange>> split_levels(const GridLayout& layout,
                                                                    std::span<const FloatRange> entries);

// Layout, numbers and all arrays: finite, in range, of the lengths that the layout asks for, stored bricks numbered in
// the order of their positions. Throws Error that names the array and the entry. Reads every array but the codes once.
// It does not prove that ranges enclose samples: that is the word of whoever built the grid.
void check_grid(const GridData& data, const Place& place);

} // namespace fathom
