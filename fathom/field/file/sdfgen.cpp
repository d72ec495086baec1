// SDFGen's text (Batty): counts of samples, place of the first, side of a cell, then a value a line, x
// fastest.
#include <fathom/field/file/grid_formats.h>
#include <fathom/base/encode/output_buffer.h>
#include <fathom/base/encode/text_scanner.h>

namespace fathom {

GridFile read_sdfgen(const Source& source, const GridReadOptions& options) {
    TextScanner text(source);
    StatedLattice lattice;
    for (std::uint64_t& n : lattice.counts) n = text.count("the number of samples");
    for (int k = 0; k < 3; ++k) lattice.origin[k] = text.number("the origin");
    lattice.cell = text.number("the side of a cell");
    LatticeBuilder builder(lattice, source, options);
    static_cast<void>(text.believable_count(builder.count(), 2, "samples"));
    for (std::size_t i = 0; i < builder.count(); ++i) builder.set(i, text.number("a sample"));
    if (!text.at_end()) text.fail(Cause::count_mismatch, "more samples than stated");
    return std::move(builder).finish("sdf text");
}

void write_sdfgen(FileWriter& file, const GridData& data, const GridWriteOptions& options) {
    const auto n = sample_counts(data.layout);
    OutputBuffer head;
    const auto line = [&](auto... numbers) {
        ((head.digits(numbers), head.text(" ")), ...);
        head.text("\n");
    };
    line(n[0], n[1], n[2]);
    line(data.layout.origin.x(), data.layout.origin.y(), data.layout.origin.z());
    line(data.layout.cell);
    file.write(head.view());
    for_each_slice(data, [&](std::span<const double> slice) {
        OutputBuffer out;
        for (const double value : slice) {
            if (options.doubles)
                out.digits(value);
            else
                out.digits(static_cast<float>(value));
            out.text("\n");
        }
        file.write(out.view());
    });
}

} // namespace fathom
