// Reader and writer of VTK's .vtu, an XML format for unstructured grids. Format: "VTK file formats" (Kitware), XML
// formats. The reader uses points and cells only. Several pieces become one mesh; their points are concatenated and not
// merged. A compressed file may expand to a thousand times its size; a mesh that needs more memory than the limit below
// is rejected.
#include <fathom/geometry/io/vtu.h>

#include <fathom/base/encode/gzip.h>
#include <fathom/base/encode/text.h>
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/io/cell_builder.h>
#include <fathom/geometry/io/formats.h>
#include <fathom/geometry/io/vtk_xml.h>

#include <fmt/format.h>

#include <vector>

namespace fathom {

// ---- VtuFile.

namespace {

constexpr std::size_t block_size = 1u << 18;

// An array in the format of the appended section: number and size of blocks, compressed sizes, compressed blocks.
std::string packed(std::string_view bytes) {
    const std::size_t blocks = (bytes.size() + block_size - 1) / block_size;
    std::vector<std::string> pieces(blocks);
    parallel_tasks(blocks, [&](std::size_t k) { pieces[k] = deflated(bytes.substr(k * block_size, block_size)); });
    OutputBuffer out;
    out.bytes<std::uint64_t>(blocks);
    out.bytes<std::uint64_t>(block_size);
    out.bytes<std::uint64_t>(bytes.size() % block_size);
    for (const std::string& piece : pieces) out.bytes<std::uint64_t>(piece.size());
    for (const std::string& piece : pieces) out.text(piece);
    return std::move(out).take();
}

std::string section(std::string_view name, const std::string& tags) {
    return tags.empty() ? std::string() : fmt::format("      <{0}>\n{1}      </{0}>\n", name, tags);
}

} // namespace

void VtuFile::add(Part part, std::string_view attributes, std::string_view bytes) {
    tags_[static_cast<std::size_t>(part)] +=
        fmt::format("        <DataArray {} format=\"appended\" offset=\"{}\"/>\n", attributes, appended_.size());
    appended_ += packed(bytes);
}

void VtuFile::add_cells(std::span<const std::int32_t> connectivity, std::size_t corners, std::uint8_t type) {
    const std::size_t count = connectivity.size() / corners;
    std::vector<std::int64_t> offsets(count);
    for (std::size_t k = 0; k < count; ++k) offsets[k] = static_cast<std::int64_t>((k + 1) * corners);
    add(Part::cells, R"(type="Int32" Name="connectivity")", connectivity);
    add(Part::cells, R"(type="Int64" Name="offsets")", std::span<const std::int64_t>(offsets));
    add(Part::cells, R"(type="UInt8" Name="types")", std::string(count, static_cast<char>(type)));
}

std::string VtuFile::text(std::size_t points, std::size_t cells) const {
    std::string file = fmt::format(R"(<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">
  <UnstructuredGrid>
    <Piece NumberOfPoints="{}" NumberOfCells="{}">
{}{}{}{}    </Piece>
  </UnstructuredGrid>
  <AppendedData encoding="raw">
   _)",
                                   points, cells, section("Points", tags_[0]), section("Cells", tags_[1]),
                                   section("PointData", tags_[2]), section("CellData", tags_[3]));
    file += appended_;
    file += "\n  </AppendedData>\n</VTKFile>\n";
    return file;
}

namespace {

// ---- Reader. Limit on the memory of the mesh, depending on the size of the file.
class MemoryLimit {
public:
    explicit MemoryLimit(const Source& source) : name_(source.name), left_(16 * source.bytes.size() + (48u << 20)) {}

    void spend(std::uint64_t count, std::uint64_t bytes_each) {
        if (count > left_ / bytes_each)
            throw Error(Cause::too_large, "the mesh would take more memory than 16 times its file and 48 MB",
                        {.file = name_});
        left_ -= count * bytes_each;
    }

private:
    const std::string& name_;
    std::uint64_t left_;
};

struct Piece {
    std::uint64_t point_count = 0, cell_count = 0;
    std::optional<VtuArray> points, connectivity, offsets, types;
};

class VtuParser {
public:
    VtuParser(const Source& source, VtuStorage& storage) : xml_(source, "UnstructuredGrid", storage) {}

    std::vector<Piece> parse() {
        xml_.walk([this](Event event) { element(event); });
        return std::move(pieces_);
    }

private:
    using Event = VtkXml::Event;

    void element(Event event) {
        const std::string_view name = xml_.name();
        if (event == Event::close) {
            if (name == "Points" || name == "Cells") group_.clear();
        } else if (name == "Piece") {
            pieces_.push_back({xml_.number("NumberOfPoints", ""), xml_.number("NumberOfCells", "0"), {}, {}, {}, {}});
        } else if (name == "Points" || name == "Cells") {
            if (event == Event::open) group_ = name;
        } else if (name == "DataArray") {
            data_array(event);
        }
    }

    void data_array(Event event) {
        const std::string name = xml_.value("Name", "");
        std::optional<VtuArray>* slot = slot_of(name);
        if (slot == nullptr) return xml_.skip(event);
        if (group_ == "Points" && xml_.number("NumberOfComponents", "3") != 3)
            xml_.fail(Cause::malformed, "points do not have three coordinates");
        slot->emplace(xml_.array(event, group_ == "Points" ? "points" : name));
    }

    [[nodiscard]] std::optional<VtuArray>* slot_of(std::string_view name) {
        if (pieces_.empty()) return nullptr;
        Piece& piece = pieces_.back();
        if (group_ == "Points") return &piece.points;
        if (group_ != "Cells") return nullptr;
        if (name == "connectivity") return &piece.connectivity;
        if (name == "offsets") return &piece.offsets;
        return name == "types" ? &piece.types : nullptr;
    }

    VtkXml xml_;
    std::string group_; // "Points", "Cells" or another name
    std::vector<Piece> pieces_;
};

class VtuReader {
public:
    explicit VtuReader(const Source& source) : source_(source), limit_(source) {}

    MeshFile read() {
        const std::vector<Piece> pieces = VtuParser(source_, storage_).parse();
        if (pieces.empty()) throw Error(Cause::empty, "contains no <Piece>", {.file = source_.name});
        CellBuilder cells(read_points(pieces), source_);
        reserve(pieces, cells);
        std::size_t first = 0;
        for (const Piece& piece : pieces) {
            read_cells(piece, first, cells);
            first += static_cast<std::size_t>(piece.point_count);
        }
        return std::move(cells).finish(format(pieces));
    }

private:
    [[nodiscard]] std::unique_ptr<VtuNumbers> open(const std::optional<VtuArray>& array, std::string_view name,
                                                   bool whole) const {
        if (!array)
            throw Error(Cause::malformed, "a piece does not have this array",
                        {.file = source_.name, .element = std::string(name)});
        return open_array(source_, storage_, *array, whole);
    }

    static void expect_end(VtuNumbers& numbers, std::string_view what, std::uint64_t count) {
        if (!numbers.at_end())
            numbers.fail(Cause::count_mismatch, fmt::format("states {} {}, but contains more", count, what));
    }

    [[nodiscard]] std::vector<Vec3> read_points(const std::vector<Piece>& pieces) {
        std::size_t count = 0;
        for (const Piece& piece : pieces) {
            limit_.spend(piece.point_count, 2 * sizeof(Vec3)); // both the surface and the volume may contain them
            count += static_cast<std::size_t>(piece.point_count);
        }
        std::vector<Vec3> vertices;
        vertices.reserve(count);
        for (const Piece& piece : pieces) read_points(piece, vertices);
        return vertices;
    }

    void read_points(const Piece& piece, std::vector<Vec3>& vertices) const {
        if (piece.point_count == 0) return;
        const auto numbers = open(piece.points, "points", false);
        for (std::uint64_t i = 0; i < piece.point_count; ++i) {
            const double x = numbers->number(), y = numbers->number(), z = numbers->number();
            vertices.emplace_back(x, y, z);
        }
        expect_end(*numbers, "points", piece.point_count);
    }

    // Reserves exactly the memory that the cell types require.
    void reserve(const std::vector<Piece>& pieces, CellBuilder& cells) {
        std::size_t triangles = 0, tetrahedra = 0;
        for (const Piece& piece : pieces) {
            if (piece.cell_count == 0) continue;
            limit_.spend(piece.cell_count, 8); // bounds the time spent on skipped cells
            const auto types = open(piece.types, "types", true);
            for (std::uint64_t i = 0; i < piece.cell_count; ++i) {
                const CellKind kind = vtk_cell_kind(types->integer());
                triangles += triangles_of(kind);
                tetrahedra += tetrahedra_of(kind);
            }
            expect_end(*types, "cells", piece.cell_count);
        }
        limit_.spend(triangles, sizeof(Triangle));
        limit_.spend(tetrahedra, sizeof(Tetrahedron));
        cells.reserve(triangles, tetrahedra);
    }

    void read_cells(const Piece& piece, std::size_t first, CellBuilder& cells) {
        if (piece.cell_count == 0) return;
        const auto types = open(piece.types, "types", true);
        const auto offsets = open(piece.offsets, "offsets", true);
        const auto connectivity = open(piece.connectivity, "connectivity", true);
        std::vector<Index> nodes;
        std::int64_t begin = 0;
        for (std::uint64_t i = 0; i < piece.cell_count; ++i) {
            const std::int64_t type = types->integer(), end = offsets->integer(), cell = static_cast<std::int64_t>(i);
            if (end < begin) offsets->fail(Cause::malformed, "offset is below the previous one", "cell", cell);
            read_nodes(*connectivity, end - begin, piece, first, i, vtk_cell_kind(type), nodes);
            begin = end;
            if (!add_vtk_cell(cells, type, nodes))
                connectivity->fail(Cause::malformed,
                                   fmt::format("has {} nodes, too few for cell type {}", nodes.size(), type), "cell",
                                   cell);
        }
        expect_end(*offsets, "cells", piece.cell_count);
        expect_end(*connectivity, "nodes of cells", static_cast<std::uint64_t>(begin));
    }

    void read_nodes(VtuNumbers& connectivity, std::int64_t count, const Piece& piece, std::size_t first,
                    std::size_t cell, CellKind kind, std::vector<Index>& nodes) {
        nodes.clear();
        const bool kept = corner_count(kind) == 0; // polygons and strips: about one triangle per node
        if (kept) limit_.spend(static_cast<std::uint64_t>(count), 3 * sizeof(Triangle) + 3 * sizeof(Index));
        for (std::int64_t k = 0; k < count; ++k) {
            const Index node = checked_vertex(connectivity.integer(), 0, static_cast<std::size_t>(piece.point_count),
                                              connectivity, "cell", cell);
            if (kept || nodes.size() < max_nodes) nodes.push_back(node + static_cast<Index>(first));
        }
    }

    [[nodiscard]] std::string format(const std::vector<Piece>& pieces) const {
        static constexpr std::array<std::string_view, 3> names = {"ascii", "binary", "appended"};
        const VtuArray::Format used = pieces[0].points ? pieces[0].points->format : VtuArray::Format::ascii;
        const bool packed = used != VtuArray::Format::ascii && !storage_.compressor.empty();
        const bool raw = used == VtuArray::Format::appended && storage_.appended_encoding == ByteFeed::Encoding::raw;
        return fmt::format("vtu {}{}{}", names[static_cast<std::size_t>(used)], raw ? " raw" : "",
                           packed ? " zlib" : "");
    }

    // More than the corners of any cell; further nodes belong to higher orders.
    static constexpr std::size_t max_nodes = 1000;

    const Source& source_;
    VtuStorage storage_;
    MemoryLimit limit_;
};

} // namespace

MeshFile read_vtu(const Source& source) { return VtuReader(source).read(); }

// ---- Writer of meshes.

namespace {

template <std::size_t N>
std::string written(std::span<const Vec3> vertices, std::span<const std::array<Index, N>> elements, std::uint8_t type) {
    if (vertices.size() > INT32_MAX) throw Error(Cause::too_large, "too many vertices for 32-bit indices");
    std::vector<std::int32_t> corners;
    corners.reserve(N * elements.size());
    for (const auto& element : elements)
        for (const Index v : element) corners.push_back(static_cast<std::int32_t>(v));
    VtuFile file;
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    file.add(VtuFile::Part::points, R"(type="Float64" Name="Points" NumberOfComponents="3")", vertices);
    file.add_cells(corners, N, type);
    return file.text(vertices.size(), elements.size());
}

} // namespace

std::string written_vtu(const TriangleMesh& mesh) { return written<3>(mesh.vertices, mesh.triangles, vtk_triangle); }
std::string written_vtu(const TetMesh& mesh) { return written<4>(mesh.vertices, mesh.tetrahedra, vtk_tetra); }

} // namespace fathom
