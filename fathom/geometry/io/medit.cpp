// Reader and writer of Medit's text format .mesh: vertices, triangles, quadrilaterals, tetrahedra, and hexahedra,
// prisms and pyramids, which are subdivided. Format: Frey, "Medit: an interactive mesh visualization software" (INRIA
// RT-0253, 2001). Other sections are skipped; the binary format (.meshb) and meshes of dimension 2 are rejected.
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text.h>
#include <fathom/base/encode/text_scanner.h>
#include <fathom/geometry/io/cell_builder.h>
#include <fathom/geometry/io/formats.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fathom {

namespace {

struct MeditSection {
    std::string_view name;
    std::string_view element;
    CellKind kind;
};

constexpr std::array<MeditSection, 7> sections = {{{"Triangles", "triangle", CellKind::triangle},
                                                   {"Quadrilaterals", "quadrilateral", CellKind::quad},
                                                   {"Tetrahedra", "tetrahedron", CellKind::tetrahedron},
                                                   {"Hexahedra", "hexahedron", CellKind::hexahedron},
                                                   {"Prisms", "prism", CellKind::prism},
                                                   {"Pyramids", "pyramid", CellKind::pyramid},
                                                   {"Edges", "edge", CellKind::line}}};

bool is_keyword(std::string_view word) {
    return !word.empty() && ((word[0] >= 'A' && word[0] <= 'Z') || (word[0] >= 'a' && word[0] <= 'z'));
}

// The binary format starts with the integer 1, in the byte order of its writer.
bool is_binary(const Source& source) {
    if (source.bytes.size() < 4) return false;
    const auto mark = ByteReader(source).read<std::int32_t>("mark");
    return mark == 1 || mark == 0x01000000;
}

class MeditReader {
public:
    explicit MeditReader(const Source& source) : source_(source), scanner_(source, '#') {}

    MeshFile read() {
        if (is_binary(source_)) scanner_.fail(Cause::unsupported, "binary Medit files (.meshb) are not supported");
        if (scanner_.word() != "MeshVersionFormatted")
            scanner_.fail(Cause::unknown_format, "does not start with MeshVersionFormatted");
        (void)scanner_.integer("version");
        for (std::string_view word = scanner_.word(); word != "End" && !word.empty(); word = scanner_.word())
            section(word);
        if (!cells_) scanner_.fail(Cause::truncated, "contains no section Vertices");
        if (!skipped_.empty()) cells_->note(fmt::format("skipped the sections {}", skipped_));
        return std::move(*cells_).finish("medit ascii");
    }

private:
    void section(std::string_view word) {
        if (!is_keyword(word))
            scanner_.fail(Cause::count_mismatch,
                          "expected a keyword; the previous section contains more data than it states");
        if (word == "Dimension") return dimension();
        if (word == "Vertices") return vertices();
        const auto known =
            std::find_if(sections.begin(), sections.end(), [&](const MeditSection& s) { return s.name == word; });
        if (known != sections.end()) return cells(*known);
        if (skipped_.size() < 80) skipped_.append(skipped_.empty() ? "" : ", ").append(printable(word));
        while (!scanner_.at_end() && !is_keyword(scanner_.peek())) (void)scanner_.word();
    }

    void dimension() {
        if (scanner_.integer("dimension") != 3) scanner_.fail(Cause::unsupported, "the dimension of the mesh is not 3");
    }

    // A keyword in place of a number means fewer elements than stated.
    void expect_row(std::string_view element, std::size_t index, std::size_t count) {
        if (is_keyword(scanner_.peek()))
            scanner_.fail(Cause::count_mismatch, fmt::format("expected {}, got {}", count, index), element);
    }

    void vertices() {
        if (cells_) scanner_.fail(Cause::malformed, "duplicate section Vertices");
        const std::size_t count = scanner_.checked_count(scanner_.count("number of vertices"), 8, "vertices");
        std::vector<Vec3> vertices;
        vertices.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (scanner_.peek() == "End") expect_row("vertex", i, count);
            vertices.push_back(scanner_.position(i));
            (void)scanner_.number("reference of a vertex");
        }
        cells_.emplace(std::move(vertices), source_);
    }

    void cells(const MeditSection& section) {
        if (!cells_) scanner_.fail(Cause::unsupported, "cells precede the vertices");
        const std::size_t corners = corner_count(section.kind);
        const std::size_t count =
            scanner_.checked_count(scanner_.count("number of cells"), 2 * (corners + 1), section.name);
        std::vector<Index> nodes;
        for (std::size_t i = 0; i < count; ++i) {
            expect_row(section.element, i, count);
            nodes.clear();
            for (std::size_t k = 0; k < corners; ++k)
                nodes.push_back(checked_vertex(scanner_.integer("vertex of a cell"), 1, cells_->vertex_count(),
                                               scanner_, section.element, i));
            (void)scanner_.integer("reference of a cell");
            cells_->add(section.kind, nodes);
        }
    }

    const Source& source_;
    TextScanner scanner_;
    std::optional<CellBuilder> cells_;
    std::string skipped_;
};

} // namespace

MeshFile read_medit(const Source& source) { return MeditReader(source).read(); }

// ---- Writer of Medit's text format .mesh: double precision, all references 0.

std::string written_medit(const TetMesh& mesh) {
    OutputBuffer out;
    out.text(fmt::format("MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", mesh.vertices.size()));
    for (const Vec3& v : mesh.vertices) {
        for (int k = 0; k < 3; ++k) {
            out.digits(v[k]);
            out.text(" ");
        }
        out.text("0\n");
    }
    out.text(fmt::format("Tetrahedra\n{}\n", mesh.tetrahedra.size()));
    for (const Tetrahedron& t : mesh.tetrahedra) {
        for (const Index v : t) {
            out.digits(std::uint64_t{v} + 1);
            out.text(" ");
        }
        out.text("0\n");
    }
    out.text("End\n");
    return std::move(out).take();
}

} // namespace fathom
