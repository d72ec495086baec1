// Grid files of SDFGen and Vega FEM.
// SDFGen text (Batty): numbers of samples, position of the first, side of a cell, then one value per line, x fastest.
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text.h>
#include <fathom/base/encode/text_scanner.h>
#include <fathom/field/file/sample_lattice.h>

#include <fmt/format.h>

namespace fathom {

GridFile read_sdfgen(const Source& source, const GridReadOptions& options) {
    TextScanner text(source);
    StatedLattice lattice;
    for (std::uint64_t& n : lattice.counts) n = text.count("the number of samples");
    for (int k = 0; k < 3; ++k) lattice.origin[k] = text.number("the origin");
    lattice.cell = text.number("the side of a cell");
    LatticeBuilder builder(lattice, source, options);
    static_cast<void>(text.checked_count(builder.count(), 2, "samples"));
    for (std::size_t i = 0; i < builder.count(); ++i) builder.set(i, text.number("a sample"));
    if (!text.at_end()) text.fail(Cause::count_mismatch, "more samples follow than stated");
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

// ---- Vega FEM binary distance field (Barbic et al.): the numbers of cells along x (negative if floats follow,
// otherwise doubles), y (negative for a field of closest points, which is not supported) and z, the box in six doubles,
// then the values at all (nx + 1)(ny + 1)(nz + 1) corners, x fastest. Little-endian.

namespace {

constexpr std::size_t head_size = 3 * 4 + 6 * 8;
constexpr std::int64_t max_cells = 1 << 27;

struct Head {
    std::array<std::int64_t, 3> cells{};
    bool floats = false;

    [[nodiscard]] bool sound() const {
        return std::all_of(cells.begin(), cells.end(), [](std::int64_t n) { return n >= 1 && n < max_cells; });
    }
    // Size that a file with this header must have; saturated.
    [[nodiscard]] std::uint64_t size() const {
        std::uint64_t count = 1;
        for (const std::int64_t n : cells) {
            if (count > (std::uint64_t{1} << 60) / static_cast<std::uint64_t>(n + 1)) return UINT64_MAX;
            count *= static_cast<std::uint64_t>(n + 1);
        }
        return head_size + count * (floats ? 4 : 8);
    }
};

Head read_head(ByteReader& bytes) {
    Head head;
    for (std::int64_t& n : head.cells) n = bytes.read<std::int32_t>("the number of cells");
    head.floats = head.cells[0] < 0;
    head.cells[0] = std::abs(head.cells[0]);
    return head;
}

} // namespace

bool is_vega(std::span<const std::byte> bytes) {
    if (bytes.size() < head_size) return false;
    const Source source{bytes, {}};
    ByteReader reader(source);
    const Head head = read_head(reader);
    return head.sound() && head.size() == bytes.size();
}

GridFile read_vega(const Source& source, const GridReadOptions& options) {
    ByteReader bytes(source);
    const Head head = read_head(bytes);
    if (head.cells[1] < 0) bytes.fail(Cause::unsupported, "the file contains closest points, not distances");
    if (!head.sound()) bytes.fail(Cause::malformed, "invalid numbers of cells");
    Vec3 lower, upper, cells;
    for (Vec3* corner : {&lower, &upper})
        for (int k = 0; k < 3; ++k) (*corner)[k] = bytes.read<double>("the box");
    if (head.size() != source.bytes.size())
        bytes.fail(source.bytes.size() < head.size() ? Cause::truncated : Cause::count_mismatch,
                   fmt::format("{} x {} x {} cells do not match the size of the file", head.cells[0], head.cells[1],
                               head.cells[2]));
    StatedLattice lattice;
    for (std::size_t k = 0; k < 3; ++k) {
        lattice.counts[k] = static_cast<std::uint64_t>(head.cells[k]) + 1;
        cells[static_cast<Eigen::Index>(k)] = static_cast<double>(head.cells[k]);
    }
    lattice.origin = lower;
    lattice.cell = cubic_cell((upper - lower).cwiseQuotient(cells), bytes.place("box"));
    LatticeBuilder builder(lattice, source, options);
    for (std::size_t i = 0; i < builder.count(); ++i)
        builder.set(i,
                    head.floats ? static_cast<double>(bytes.read<float>("a sample")) : bytes.read<double>("a sample"));
    return std::move(builder).finish(head.floats ? "vega float32" : "vega float64");
}

void write_vega(FileWriter& file, const GridData& data, const GridWriteOptions& options) {
    std::string head;
    for (int k = 0; k < 3; ++k)
        append_little_endian(
            head, static_cast<std::int32_t>(k == 0 && !options.doubles ? -data.layout.cells(k) : data.layout.cells(k)));
    const Box box = data.layout.domain();
    for (const Vec3& corner : {box.lower, box.upper})
        for (int k = 0; k < 3; ++k) append_little_endian(head, corner[k]);
    file.write(head);
    write_samples(file, data, options.doubles);
}

} // namespace fathom
