// Conversion between file formats that list the samples of a whole lattice and grids of bricks.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/base/encode/text_scanner.h>
#include <fathom/base/file.h>
#include <fathom/field/file/grid_file.h>

#include <cstdint>

namespace fathom {

// Lattice as stated in a file.
struct StatedLattice {
    std::array<std::uint64_t, 3> counts{}; // samples along x, y, z
    Vec3 origin = Vec3::Zero();            // position of the first sample (m)
    double cell = 1;                       // cell size (m)
};

// Side of a cubic cell. Throws Error{unsupported} if the three differ by more than a millionth or one is not positive.
[[nodiscard]] double cubic_cell(const Vec3& spacing, const Place& place);

// Limit of the memory in bytes for reading a file of `size` bytes.
[[nodiscard]] inline std::size_t memory_limit(const GridReadOptions& options, std::size_t size) {
    return options.memory_limit > 0 ? options.memory_limit : 16 * size + (std::size_t{48} << 20);
}

// Throws Error{unsupported} if 16-bit codes are requested and cannot represent the samples of a brick.
void check_reach(std::span<const double, brick_size> samples, double cell, GridStorage storage, const Place& place);

// Collects samples in file order and builds the field. One object per file.
class LatticeBuilder {
public:
    // Checks the lattice, and that it fits into the memory limit for a file of this size, before any sample is set;
    // `extra` bytes are held elsewhere at the same time.
    LatticeBuilder(const StatedLattice& lattice, const Source& source, const GridReadOptions& options,
                   std::size_t extra = 0);

    [[nodiscard]] std::size_t count() const { return samples_.size(); } // number of samples

    // Sets a sample by index, x fastest. Error{non_finite, too_large} names a sample that a float cannot represent.
    void set(std::size_t index, double value) {
        const float rounded = static_cast<float>(value);
        if (!std::isfinite(rounded)) refuse(index, value);
        rounding_ = std::max(rounding_, std::abs(value - static_cast<double>(rounded)));
        samples_[index] = rounded;
    }

    // Requires that all samples are set. `format` and `remarks` are part of the result.
    [[nodiscard]] GridFile finish(std::string format, std::vector<std::string> remarks = {}) &&;

private:
    [[noreturn]] void refuse(std::size_t index, double value) const;
    [[nodiscard]] bool is_padded() const;
    [[nodiscard]] double value_at(const std::array<int, 3>& sample) const;
    [[nodiscard]] double padding_error() const;

    const Source& source_;
    GridReadOptions options_;
    std::array<int, 3> counts_{};
    GridLayout layout_;
    std::vector<float> samples_;
    double rounding_ = 0;
};

// Visits the samples of the whole lattice, slice by slice (x fastest), from the lowest z upward.
void for_each_slice(const GridData& data, CallableRef<void(std::span<const double>)> visit);

[[nodiscard]] inline std::array<std::uint64_t, 3> sample_counts(const GridLayout& layout) {
    return {static_cast<std::uint64_t>(layout.cells(0)) + 1, static_cast<std::uint64_t>(layout.cells(1)) + 1,
            static_cast<std::uint64_t>(layout.cells(2)) + 1};
}
[[nodiscard]] inline std::uint64_t sample_count(const GridLayout& layout) {
    const auto n = sample_counts(layout);
    return n[0] * n[1] * n[2];
}

// Writes all samples as float or double, little-endian, x fastest.
void write_samples(FileWriter& file, const GridData& data, bool doubles);

// ---- One reader and one writer per format, called by read_grid_file() and write_grid_file().
// Readers take decompressed bytes, validate everything, and throw Error. Writers write everything but do not call
// finish() on the file.

[[nodiscard]] GridFile read_npy_grid(const Source& source, const GridReadOptions& options);
// Attached data; raw, gzip, text.
[[nodiscard]] GridFile read_nrrd(const Source& source, const GridReadOptions& options);
[[nodiscard]] GridFile read_vti(const Source& source, const GridReadOptions& options);    // the same encodings as .vtu
[[nodiscard]] GridFile read_sdfgen(const Source& source, const GridReadOptions& options); // text
[[nodiscard]] GridFile read_vega(const Source& source, const GridReadOptions& options);   // binary

void write_npy_grid(FileWriter& file, const GridData& data, const GridWriteOptions& options);
void write_nrrd(FileWriter& file, const GridData& data, const GridWriteOptions& options); // raw
void write_vti(FileWriter& file, const GridData& data, const GridWriteOptions& options);  // appended raw
void write_sdfgen(FileWriter& file, const GridData& data, const GridWriteOptions& options);
void write_vega(FileWriter& file, const GridData& data, const GridWriteOptions& options);

// True if the counts at the start give the file size exactly.
[[nodiscard]] bool is_vega(std::span<const std::byte> bytes);

#ifdef FATHOM_WITH_VDB
// OpenVDB level sets. They are read in a child process with bounded memory and time, because OpenVDB does not validate
// its files.
[[nodiscard]] GridFile read_vdb(const std::filesystem::path& path, const GridReadOptions& options);
void write_vdb(const GridField& field, const std::filesystem::path& path);
#endif

} // namespace fathom
