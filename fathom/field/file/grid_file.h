// Reading and writing of distance grids in common file formats. Files are not trusted: an Error names file, element and
// reason. docs/field-files.md lists what each format keeps and loses.
//   .fathom  native format (field_file.h)      .npy   NumPy, three dimensions     .nrrd  Nearly Raw Raster Data
//   .vti     VTK image data                    .sdf   SDFGen text                 .dist  Vega FEM binary distance field
//   .vdb     OpenVDB level sets, if the build has FATHOM_VDB
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

// Options for foreign formats; a .fathom file contains all of this.
struct GridReadOptions {
    Vec3 origin = Vec3::Zero(); // position of the first sample (m); .npy only, which does not store it
    double cell = 1;            // cell size (m); .npy only
    bool x_first = false;       // .npy: the array is indexed [x][y][z] instead of [z][y][x]
    double error = HUGE_VAL;    // |sample - true distance| (m), if the caller knows it; no format stores it
    double lipschitz = 1;       // of the sampled function; used if the error is known
    // Storage of the grid in memory; code16 requires samples no steeper than a distance.
    GridStorage storage = GridStorage::float32;
    std::size_t memory_limit = 0; // bytes; 0: 16 times the file size plus 48 MB
};

struct GridFile {
    GridField field;
    std::string format;               // for example "npy float32", "nrrd gzip"
    std::string note;                 // note of a .fathom file
    std::vector<std::string> remarks; // assumptions and additions, one sentence each
};

// The format is recognised by the content if possible, otherwise by the file name extension. Cells must be cubes and
// axes in order, otherwise Error{unsupported}. If the samples do not fill whole bricks of 8 cells, they are extended
// beyond the last ones as a field is outside its domain; a remark says so, and a known error grows accordingly.
[[nodiscard]] GridFile read_grid_file(const std::filesystem::path& path, const GridReadOptions& options = {});
// The same from memory; `name` is used in messages and to choose the format. Not for .vdb.
[[nodiscard]] GridFile read_grid_file(std::span<const std::byte> bytes, std::string_view name,
                                      const GridReadOptions& options = {});

struct GridWriteOptions {
    std::string note;     // .fathom only
    bool doubles = false; // samples in double instead of float; all formats but .fathom and .vdb
    bool x_first = false; // .npy: index the array [x][y][z]
    std::size_t size_limit = std::size_t{16} << 30;  // bytes of the file; Error{too_large} before writing starts
    std::size_t memory_limit = std::size_t{2} << 30; // bytes; 8 slices are sampled at a time
};

// The file name extension selects the format. All samples of the lattice are written, interpolated where no brick is
// stored; .fathom and .vdb stay sparse. Atomic: a failed write leaves no partial file. The same bytes for any number of
// threads.
void write_grid_file(const GridField& field, const std::filesystem::path& path, const GridWriteOptions& options = {});

// Whether this build has OpenVDB; without it, .vdb files give Error{unsupported}.
[[nodiscard]] bool has_openvdb();

// ---- Validation of grids that come from files, and of grids before they are written. A grid that passes can be
// queried without reading past its arrays and without overflow, whatever its origin.

// Limit of bricks along an axis; sums and products of positions stay far from overflow.
inline constexpr int max_bricks_along = 1 << 24;

// Number of entries of each array of a grid, from its layout and storage.
struct GridCounts {
    std::size_t corners = 0;
    std::size_t bricks = 0;
    std::size_t stored = 0;
    std::size_t level_entries = 0; // all levels together
};

// Counts that the layout requires, computed without overflow. Throws Error{malformed, non_finite} if the layout is
// invalid, and Error{count_mismatch} if a grid of `available` bytes cannot have it.
[[nodiscard]] GridCounts counts_of(const GridLayout& layout, std::size_t stored, std::size_t available,
                                   const Place& place);

// Splits `entries`, in which the levels are stored one after another.
[[nodiscard]] std::vector<std::span<const FloatRange>> split_levels(const GridLayout& layout,
                                                                    std::span<const FloatRange> entries);

// Checks the layout, the numbers and all arrays: finite, in range, of the lengths that the layout requires, stored
// bricks numbered in the order of their positions. Throws an Error that names the array and the entry. Reads every
// array except the codes once. It does not prove that ranges enclose samples: that is the responsibility of the program
// that built the grid.
void check_grid(const GridData& data, const Place& place);

} // namespace fathom
