// Reader and writer of OFF as in Geomview: [ST][C][N][4]OFF, text. Colours, normals and texture coordinates are
// ignored; positions of 4OFF are divided by their fourth coordinate.
#include <fathom/base/encode/text_scanner.h>
#include <fathom/geometry/io/face_collector.h>
#include <fathom/geometry/io/formats.h>

#include <fmt/format.h>

#include <iterator>

namespace fathom {

namespace {

constexpr std::size_t min_off_vertex_bytes = 6; // "0 0 0" and the end of the line
constexpr std::size_t min_off_corner_bytes = 2;

struct OffHeader {
    bool homogeneous = false; // a fourth coordinate
    std::size_t vertices = 0;
    std::size_t faces = 0;
};

// True if the word is a keyword. The prefixes occur in this order, each at most once.
bool take_keyword(std::string_view word, bool& homogeneous) {
    for (const std::string_view prefix : {"ST", "C", "N", "4"})
        if (word.starts_with(prefix)) {
            word.remove_prefix(prefix.size());
            homogeneous = prefix == "4";
        }
    return word == "OFF";
}

OffHeader read_header(TextScanner& scanner) {
    OffHeader header;
    const std::string_view first = scanner.peek();
    if (take_keyword(first, header.homogeneous)) {
        static_cast<void>(scanner.word());
        if (scanner.rest_of_line().starts_with("BINARY"))
            scanner.fail(Cause::unsupported, "binary OFF is not supported");
    } else if (first.ends_with("OFF")) {
        scanner.fail(Cause::unsupported, fmt::format("OFF of kind '{}' is not supported", first.substr(0, 16)));
    } // otherwise the keyword is missing, which Geomview allows
    const std::uint64_t vertices = scanner.count("number of vertices");
    const std::uint64_t faces = scanner.count("number of faces");
    header.vertices = scanner.checked_count(vertices, min_off_vertex_bytes, "vertices");
    header.faces = scanner.checked_count(faces, min_off_corner_bytes, "faces");
    scanner.next_line(); // the number of edges, which is often wrong and sometimes missing
    return header;
}

Vec3 read_vertex(TextScanner& scanner, std::size_t vertex, bool homogeneous) {
    Vec3 p = scanner.position(vertex);
    if (homogeneous) p /= scanner.number("w coordinate");
    if (!is_finite(p))
        scanner.fail(Cause::non_finite, "position is not finite", "vertex", static_cast<std::int64_t>(vertex));
    scanner.next_line();
    return p;
}

void read_corners(TextScanner& scanner, std::size_t face, std::size_t vertices, std::vector<Index>& corners) {
    const std::uint64_t stated = scanner.count("number of corners");
    const std::size_t count = scanner.checked_count(stated, min_off_corner_bytes, "corners");
    corners.clear();
    for (std::size_t k = 0; k < count; ++k) {
        const std::int64_t index = scanner.integer("vertex index of a face");
        if (index < 0 || index >= static_cast<std::int64_t>(vertices))
            scanner.fail(Cause::index_out_of_range,
                         fmt::format("refers to vertex {}, but there are {}", index, vertices), "face",
                         static_cast<std::int64_t>(face));
        corners.push_back(static_cast<Index>(index));
    }
    scanner.next_line();
}

} // namespace

MeshFile read_off(const Source& source) {
    MeshFile file;
    file.report.format = "off";
    TextScanner scanner(source, '#');
    const OffHeader header = read_header(scanner);
    file.surface.vertices.reserve(header.vertices);
    for (std::size_t i = 0; i < header.vertices; ++i)
        file.surface.vertices.push_back(read_vertex(scanner, i, header.homogeneous));
    FaceCollector faces(file, min_off_corner_bytes);
    std::vector<Index> corners;
    for (std::size_t i = 0; i < header.faces; ++i) {
        read_corners(scanner, i, header.vertices, corners);
        faces.add(corners, scanner.left());
    }
    faces.finish();
    if (!scanner.at_end())
        file.report.notes.push_back(fmt::format("extra text after the last face, line {}", scanner.line()));
    return file;
}

// ---- Writer of OFF.

std::string written_off(const TriangleMesh& mesh) {
    std::string text = fmt::format("OFF\n{} {} 0\n", mesh.vertices.size(), mesh.triangles.size());
    const auto out = std::back_inserter(text);
    for (const Vec3& v : mesh.vertices) fmt::format_to(out, "{} {} {}\n", v.x(), v.y(), v.z());
    for (const Triangle& t : mesh.triangles) fmt::format_to(out, "3 {} {} {}\n", t[0], t[1], t[2]);
    return text;
}

} // namespace fathom
