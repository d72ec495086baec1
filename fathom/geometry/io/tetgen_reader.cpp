// Reader of TetGen's pair of text files: .node contains the vertices, .ele the tetrahedra (4 or 10 nodes). Format:
// TetGen manual (Si), "File formats". Attributes, boundary markers and region numbers are ignored. Vertices are
// numbered from 0 or from 1, depending on the first node.
#include <fathom/base/encode/text_scanner.h>
#include <fathom/geometry/io/cell_builder.h>
#include <fathom/geometry/io/formats.h>

#include <fmt/format.h>

namespace fathom {

namespace {

struct Nodes {
    std::vector<Vec3> vertices;
    std::int64_t first = 0; // number of the first vertex
};

// The number that starts a record; records are numbered without gaps.
std::int64_t record_number(TextScanner& scanner, std::string_view element, std::size_t index, std::size_t count) {
    if (scanner.at_end())
        scanner.fail(Cause::count_mismatch, fmt::format("expected {}, got {}", count, index), element);
    return scanner.to_integer(scanner.word_on_line(), "number of the record");
}

void expect_number(const TextScanner& scanner, std::int64_t number, std::int64_t expected, std::string_view element) {
    if (number != expected)
        scanner.fail(Cause::malformed, fmt::format("has number {}, expected {}", number, expected), element);
}

void expect_end(TextScanner& scanner, std::string_view element, std::size_t count) {
    if (!scanner.at_end()) scanner.fail(Cause::count_mismatch, fmt::format("expected {}, got more", count), element);
}

Nodes read_nodes(const Source& source) {
    TextScanner scanner(source, '#');
    const std::uint64_t stated = scanner.count("number of nodes");
    const std::string_view dimension = scanner.word_on_line();
    if (!dimension.empty() && dimension != "3") scanner.fail(Cause::unsupported, "the dimension of the nodes is not 3");
    scanner.next_line();
    const std::size_t count = scanner.checked_count(stated, 8, "nodes"); // "1 0 0 0\n"
    Nodes nodes;
    nodes.vertices.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t number = record_number(scanner, "node", i, count);
        if (i == 0) nodes.first = number;
        if (nodes.first != 0 && nodes.first != 1)
            scanner.fail(Cause::malformed, "the number of the first node is neither 0 nor 1", "node", 0);
        expect_number(scanner, number, nodes.first + static_cast<std::int64_t>(i), "node");
        nodes.vertices.push_back(scanner.position_on_line(i));
        scanner.next_line();
    }
    expect_end(scanner, "node", count);
    return nodes;
}

void read_elements(TextScanner& scanner, std::int64_t first, CellBuilder& cells) {
    const std::uint64_t stated = scanner.count("number of tetrahedra");
    const std::string_view word = scanner.word_on_line();
    const std::int64_t nodes = word.empty() ? 4 : scanner.to_integer(word, "number of nodes of a tetrahedron");
    if (nodes != 4 && nodes != 10)
        scanner.fail(Cause::unsupported, "the number of nodes of a tetrahedron is neither 4 nor 10");
    scanner.next_line();
    const std::size_t count = scanner.checked_count(stated, 2 * static_cast<std::size_t>(nodes + 1), "tetrahedra");
    cells.reserve(0, count);
    std::vector<Index> corners;
    for (std::size_t i = 0; i < count; ++i) {
        (void)record_number(scanner, "tetrahedron", i, count); // tetrahedra may have arbitrary numbers
        corners.clear();
        for (std::int64_t k = 0; k < nodes; ++k)
            corners.push_back(checked_vertex(scanner.to_integer(scanner.word_on_line(), "node of a tetrahedron"), first,
                                             cells.vertex_count(), scanner, "tetrahedron", i));
        cells.add(CellKind::tetrahedron, corners);
        scanner.next_line();
    }
    expect_end(scanner, "tetrahedron", count);
}

} // namespace

MeshFile read_tetgen(const Source& nodes, const Source& elements) {
    Nodes read = read_nodes(nodes);
    CellBuilder cells(std::move(read.vertices), nodes);
    TextScanner scanner(elements, '#');
    read_elements(scanner, read.first, cells);
    return std::move(cells).finish("tetgen");
}

} // namespace fathom
