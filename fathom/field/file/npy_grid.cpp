// Grids as NumPy arrays of three dimensions, indexed [z][y][x] or, where asked, [x][y][z].
#include <fathom/base/error.h>
#include <fathom/field/file/grid_formats.h>
#include <fathom/field/file/npy_array.h>

#include <fmt/format.h>

namespace fathom {

GridFile read_npy_grid(const Source& source, const GridReadOptions& options) {
    const NpyHead head = read_npy_head(source);
    if (head.shape.size() != 3)
        throw Error(Cause::unsupported, fmt::format("an array of {} dimensions is no grid", head.shape.size()),
                    {.file = source.name, .element = "shape"});
    StatedLattice lattice{{head.shape[0], head.shape[1], head.shape[2]}, options.origin, options.cell};
    if (!options.x_first) std::swap(lattice.counts[0], lattice.counts[2]);
    LatticeBuilder builder(lattice, source, options);
    ByteReader bytes(source, head.begin, head.order);
    if (head.fortran_order == options.x_first) { // x runs fastest in the file
        for (std::size_t i = 0; i < builder.count(); ++i) builder.set(i, read_number(bytes, head.type));
    } else {
        const auto [nx, ny, nz] = lattice.counts;
        for (std::size_t x = 0; x < nx; ++x)
            for (std::size_t y = 0; y < ny; ++y)
                for (std::size_t z = 0; z < nz; ++z) builder.set((z * ny + y) * nx + x, read_number(bytes, head.type));
    }
    return std::move(builder).finish(
        fmt::format("npy {}", head.type == Scalar::float32   ? "float32"
                              : head.type == Scalar::float64 ? "float64"
                                                             : "whole"),
        {fmt::format("a .npy file tells no place: the first sample was put at ({}, {}, {}), cells of {} m",
                     options.origin.x(), options.origin.y(), options.origin.z(), options.cell)});
}

// The samples come with x fastest: [z][y][x] in C order, or [x][y][z] in Fortran order.
void write_npy_grid(FileWriter& file, const GridData& data, const GridWriteOptions& options) {
    const auto n = sample_counts(data.layout);
    file.write(options.x_first ? written_npy_head(options.doubles, true, {n[0], n[1], n[2]})
                               : written_npy_head(options.doubles, false, {n[2], n[1], n[0]}));
    write_samples(file, data, options.doubles);
}

} // namespace fathom
