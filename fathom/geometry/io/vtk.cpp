// Reader and writer of VTK's legacy format: unstructured grids and polygonal data, text and binary (big-endian), with
// the old layout of cells or that of version 5 with OFFSETS and CONNECTIVITY. Format: "VTK file formats" (Kitware). The
// data after POINT_DATA or CELL_DATA is ignored. Structured datasets are rejected.
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text.h>
#include <fathom/base/encode/text_scanner.h>
#include <fathom/base/error.h>
#include <fathom/geometry/io/cell_builder.h>
#include <fathom/geometry/io/formats.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

namespace fathom {

namespace {

struct CellList {
    std::vector<Index> nodes;
    std::vector<std::size_t> ends; // end of each cell in `nodes`
};

std::string lower(std::string_view word) { return lower_case(std::string(word.substr(0, 32))); }

class VtkReader {
public:
    explicit VtkReader(const Source& source) : source_(source), scanner_(source) {}

    MeshFile read() {
        header();
        while (!scanner_.at_end()) {
            const std::string word = lower(scanner_.word());
            if (word == "point_data" || word == "cell_data") break;
            section(word);
        }
        if (!cells_) fail(Cause::truncated, "contains no POINTS");
        if (!waiting_.ends.empty()) fail(Cause::truncated, "contains CELLS without CELL_TYPES");
        return std::move(*cells_).finish(fmt::format("vtk {} {}", version_, binary_ ? "binary" : "ascii"));
    }

    // Line numbers are meaningless between binary data.
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {},
                           std::int64_t index = -1) const {
        if (!binary_) scanner_.fail(cause, reason, element, index);
        ByteReader(source_, scanner_.offset()).fail(cause, reason, element, index);
    }

private:
    void header() {
        constexpr std::string_view magic = "# vtk DataFile Version ";
        const std::string_view first = scanner_.rest_of_line();
        if (!first.starts_with(magic)) fail(Cause::unknown_format, "does not start with '# vtk DataFile Version'");
        version_ = printable(first.substr(magic.size(), 8));
        scanner_.next_line();
        scanner_.next_line(); // title, of any content
        const std::string mode = lower(scanner_.word());
        if (mode != "ascii" && mode != "binary") fail(Cause::malformed, "expected ASCII or BINARY");
        binary_ = mode == "binary";
        if (lower(scanner_.word()) != "dataset") fail(Cause::malformed, "expected DATASET");
        const std::string dataset = lower(scanner_.word());
        polygonal_ = dataset == "polydata";
        if (!polygonal_ && dataset != "unstructured_grid")
            fail(Cause::unsupported,
                 fmt::format("unsupported dataset '{}'; supported are UNSTRUCTURED_GRID and POLYDATA",
                             printable(dataset)));
    }

    void section(const std::string& word) {
        if (word == "points") return points();
        if (word == "metadata") return skip_metadata();
        if (word == "field") return skip_field();
        if (!cells_) fail(Cause::malformed, "expected POINTS");
        if (!polygonal_ && word == "cells") return void(waiting_ = cell_list());
        if (!polygonal_ && word == "cell_types") return typed_cells();
        if (polygonal_ && word == "vertices") return cells_of_type(2);
        if (polygonal_ && word == "lines") return cells_of_type(4);
        if (polygonal_ && word == "polygons") return cells_of_type(7);
        if (polygonal_ && word == "triangle_strips") return cells_of_type(6);
        fail(Cause::malformed,
             "not a keyword of this dataset, or the previous section contains more data than it states");
    }

    // Reads `count` numbers of the type, from text or from binary data that starts on the next line, and calls
    // use(value) for each.
    template <class Value, class Use>
    void values(std::uint64_t stated, Scalar type, std::string_view what, Use&& use) {
        if (binary_) {
            scanner_.next_line();
            ByteReader bytes(source_, scanner_.offset(), std::endian::big);
            const std::size_t count = bytes.checked_count(stated, size_of(type), what);
            for (std::size_t i = 0; i < count; ++i) {
                if constexpr (std::is_floating_point_v<Value>)
                    use(read_number(bytes, type));
                else
                    use(read_integer(bytes, type));
            }
            scanner_.skip_bytes(bytes.offset() - scanner_.offset());
        } else {
            const std::size_t count = scanner_.checked_count(stated, 2, what); // a digit and a blank
            for (std::size_t i = 0; i < count; ++i) {
                if constexpr (std::is_floating_point_v<Value>)
                    use(scanner_.number(what));
                else
                    use(scanner_.integer(what));
            }
        }
    }

    [[nodiscard]] Scalar scalar(std::string_view word, bool whole) const {
        const std::optional<Scalar> type = legacy_scalar(lower(word));
        if (!type || (whole && !is_whole(*type))) fail(Cause::unsupported, "unsupported number type");
        return *type;
    }

    // Product of two stated counts, checked for overflow.
    [[nodiscard]] std::uint64_t times(std::uint64_t count, std::uint64_t factor) const {
        if (factor != 0 && count > UINT64_MAX / factor)
            fail(Cause::count_mismatch, "states an impossible number of values");
        return count * factor;
    }

    void points() {
        if (cells_) fail(Cause::malformed, "duplicate POINTS");
        const std::uint64_t count = scanner_.count("number of points");
        const Scalar type = scalar(scanner_.word(), false);
        std::vector<Vec3> vertices;
        vertices.reserve(checked_value_count(times(count, 3), type) / 3);
        Vec3 p;
        int axis = 0;
        values<double>(3 * count, type, "coordinates", [&](double value) {
            p[axis] = value;
            axis = (axis + 1) % 3;
            if (axis == 0) vertices.push_back(p);
        });
        cells_.emplace(std::move(vertices), source_);
    }

    [[nodiscard]] std::size_t checked_value_count(std::uint64_t count, Scalar type) const {
        return scanner_.checked_count(count, binary_ ? size_of(type) : 2, "values");
    }

    [[nodiscard]] CellList cell_list() {
        const std::uint64_t cells = scanner_.count("number of cells");
        const std::uint64_t size = scanner_.count("size of the cell list");
        const std::size_t line_end = std::min(source_.text().find('\n', scanner_.offset()), source_.bytes.size());
        const std::string_view following = source_.text().substr(std::min(line_end + 1, source_.bytes.size()), 7);
        return lower(following) == "offsets" ? offset_list(cells, size) : mixed_list(cells, size);
    }

    [[nodiscard]] Index node(std::int64_t stated, std::size_t cell) const {
        return checked_vertex(stated, 0, cells_->vertex_count(), *this, "cell", cell);
    }

    // Each cell is stored as its number of nodes followed by the nodes.
    [[nodiscard]] CellList mixed_list(std::uint64_t cells, std::uint64_t size) {
        CellList list;
        list.ends.reserve(checked_value_count(cells, Scalar::int32));
        std::int64_t left = 0; // remaining nodes of the present cell
        values<std::int64_t>(size, Scalar::int32, "cell list", [&](std::int64_t value) {
            if (left > 0) {
                list.nodes.push_back(node(value, list.ends.size()));
                --left;
            } else {
                if (value < 0) bad_cell("has a negative number of nodes", list.ends.size());
                left = value;
            }
            if (left == 0) list.ends.push_back(list.nodes.size());
            if (list.ends.size() > cells) bad_cell("exceeds the stated number of cells", list.ends.size() - 1);
        });
        if (left > 0) bad_cell("exceeds the stated size of the cell list", list.ends.size());
        if (list.ends.size() != cells)
            fail(Cause::count_mismatch,
                 fmt::format("states {} cells, but its list contains {}", cells, list.ends.size()));
        return list;
    }

    [[noreturn]] void bad_cell(std::string_view reason, std::size_t cell) const {
        fail(Cause::count_mismatch, reason, "cell", static_cast<std::int64_t>(cell));
    }

    // Version 5: a 0 and the ends of all cells, then all nodes.
    [[nodiscard]] CellList offset_list(std::uint64_t offsets, std::uint64_t size) {
        CellList list;
        (void)scanner_.word(); // OFFSETS
        const Scalar offset_type = scalar(scanner_.word(), true);
        list.ends.reserve(checked_value_count(offsets, offset_type));
        std::int64_t before = 0;
        std::size_t seen = 0;
        values<std::int64_t>(offsets, offset_type, "offsets", [&](std::int64_t value) {
            if (seen == 0 ? value != 0 : value < before) bad_cell("has an offset below the previous one", seen);
            if (seen > 0) list.ends.push_back(static_cast<std::size_t>(value));
            before = value;
            ++seen;
        });
        if (static_cast<std::uint64_t>(before) != size)
            fail(Cause::count_mismatch, fmt::format("the last offset is {}, but {} nodes are stated", before, size));
        if (lower(scanner_.word()) != "connectivity") fail(Cause::malformed, "expected CONNECTIVITY");
        const Scalar node_type = scalar(scanner_.word(), true);
        list.nodes.reserve(checked_value_count(size, node_type));
        std::size_t cell = 0;
        values<std::int64_t>(size, node_type, "connectivity", [&](std::int64_t value) {
            while (list.ends[cell] <= list.nodes.size()) ++cell;
            list.nodes.push_back(node(value, cell));
        });
        return list;
    }

    void add(std::int64_t type, const CellList& list, std::size_t cell) {
        const std::size_t begin = cell == 0 ? 0 : list.ends[cell - 1];
        const auto nodes = std::span(list.nodes).subspan(begin, list.ends[cell] - begin);
        if (!add_vtk_cell(*cells_, type, nodes))
            bad_cell(fmt::format("has {} nodes, too few for cell type {}", nodes.size(), type), cell);
    }

    void cells_of_type(std::int64_t type) {
        const CellList list = cell_list();
        for (std::size_t cell = 0; cell < list.ends.size(); ++cell) add(type, list, cell);
    }

    void typed_cells() {
        const std::uint64_t count = scanner_.count("number of cell types");
        if (count != waiting_.ends.size())
            fail(Cause::count_mismatch, fmt::format("states {} cell types for {} cells", count, waiting_.ends.size()));
        std::size_t cell = 0;
        values<std::int64_t>(count, Scalar::int32, "cell types",
                             [&](std::int64_t type) { add(type, waiting_, cell++); });
        waiting_ = {};
    }

    // The section ends with an empty line.
    void skip_metadata() {
        while (scanner_.next_line())
            if (scanner_.rest_of_line().empty()) return;
    }

    // "FIELD name n", then n arrays: "name components tuples type" and the values.
    void skip_field() {
        (void)scanner_.word();
        const std::uint64_t arrays = scanner_.count("number of arrays");
        for (std::uint64_t i = 0; i < arrays; ++i) {
            if (lower(scanner_.peek()) == "metadata") skip_metadata();
            if (scanner_.word().empty()) fail(Cause::truncated, "an array of FIELD is missing");
            const std::uint64_t components = scanner_.count("number of components");
            const std::uint64_t tuples = scanner_.count("number of tuples");
            const std::string type = lower(scanner_.word());
            if (type == "string" || type == "bit")
                fail(Cause::unsupported, "a FIELD of strings or bits precedes the cells");
            values<double>(times(components, tuples), scalar(type, false), "field values", [](double) {});
        }
    }

    const Source& source_;
    TextScanner scanner_;
    std::string version_;
    bool binary_ = false;
    bool polygonal_ = false;
    std::optional<CellBuilder> cells_; // created by POINTS
    CellList waiting_;                 // CELLS that wait for CELL_TYPES
};

} // namespace

MeshFile read_vtk(const Source& source) { return VtkReader(source).read(); }

// ---- Writer of VTK's legacy binary format, version 3.0, which every VTK since 2003 and meshio can read. Surfaces are
// also written as unstructured grids of triangles, because meshio does not read polygonal data.

namespace {

constexpr std::int32_t legacy_triangle = 5, legacy_tetra = 10;

template <std::size_t N>
std::string written_legacy(std::span<const Vec3> vertices, std::span<const std::array<Index, N>> elements,
                           std::int32_t type) {
    if (vertices.size() > INT32_MAX) throw Error(Cause::too_large, "too many vertices for the 32-bit indices of .vtk");
    OutputBuffer out(std::endian::big);
    out.reserve(256 + vertices.size() * sizeof(Vec3) + elements.size() * (N + 2) * sizeof type);
    out.text(fmt::format("# vtk DataFile Version 3.0\nfathom\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n",
                         vertices.size()));
    for (const Vec3& v : vertices)
        for (int k = 0; k < 3; ++k) out.bytes(v[k]);
    out.text(fmt::format("\nCELLS {} {}\n", elements.size(), (N + 1) * elements.size()));
    for (const auto& element : elements) {
        out.bytes(static_cast<std::int32_t>(N));
        for (const Index v : element) out.bytes(static_cast<std::int32_t>(v));
    }
    out.text(fmt::format("\nCELL_TYPES {}\n", elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) out.bytes(type);
    out.text("\n");
    return std::move(out).take();
}

} // namespace

std::string written_vtk(const TriangleMesh& mesh) {
    return written_legacy<3>(mesh.vertices, mesh.triangles, legacy_triangle);
}
std::string written_vtk(const TetMesh& mesh) { return written_legacy<4>(mesh.vertices, mesh.tetrahedra, legacy_tetra); }

} // namespace fathom
