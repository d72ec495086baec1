// Reader and writer of Wavefront OBJ: positions and faces; all other data is ignored. The reader makes two passes,
// since faces may refer to later vertices and polygons are triangulated when all positions are known.
#include <fathom/base/encode/text_scanner.h>
#include <fathom/geometry/io/face_collector.h>
#include <fathom/geometry/io/formats.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace fathom {

namespace {

constexpr std::size_t min_corner_bytes = 2; // a digit and a blank

// Known statements that are ignored. All other unsupported lines are counted as unknown.
constexpr std::array<std::string_view, 39> passed_over = {
    "vt",     "vn",    "vp",   "g",        "s",        "o",   "mg",         "mtllib",    "usemtl", "usemap",
    "maplib", "bevel", "lod",  "c_interp", "d_interp", "end", "shadow_obj", "trace_obj", "ctech",  "stech",
    "cstype", "deg",   "bmat", "step",     "curv",     "sp",  "curv2",      "surf",      "parm",   "trim",
    "hole",   "scrv",  "con",  "call",     "csh",      "bsp", "bzp",        "cdc",       "cdp"};

// Words of a statement, which a backslash at the end of a line continues on the next line.
class Statement {
public:
    explicit Statement(TextScanner& scanner) : scanner_(scanner) {}

    // The next word; empty at the end of the statement.
    [[nodiscard]] std::string_view word() {
        if (carried_ && !scanner_.next_line()) return {};
        carried_ = false;
        while (true) {
            std::string_view found = scanner_.word_on_line();
            if (!found.ends_with('\\') || !scanner_.rest_of_line().empty()) return found;
            found.remove_suffix(1);
            if (!found.empty()) {
                carried_ = true;
                return found;
            }
            if (!scanner_.next_line()) return {};
        }
    }
    // Skips the rest of the statement, except for its last line, which for_each_statement() skips.
    void skip() {
        while (carried_ || scanner_.rest_of_line().ends_with('\\')) {
            carried_ = false;
            if (!scanner_.next_line()) return;
        }
    }

private:
    TextScanner& scanner_;
    bool carried_ = false;
};

// Calls on_statement(kind, statement) for every statement; its first word has been read.
template <class OnStatement>
void for_each_statement(TextScanner& scanner, OnStatement on_statement) {
    do {
        Statement statement(scanner);
        const std::string_view kind = scanner.word_on_line();
        if (!kind.empty()) on_statement(kind, statement);
    } while (scanner.next_line());
}

Vec3 read_position(TextScanner& scanner, Statement& statement, std::size_t vertex) {
    const double x = scanner.to_number(statement.word(), "x coordinate");
    const double y = scanner.to_number(statement.word(), "y coordinate");
    const double z = scanner.to_number(statement.word(), "z coordinate");
    Vec3 p(x, y, z);
    if (!is_finite(p))
        scanner.fail(Cause::non_finite, "position is not finite", "vertex", static_cast<std::int64_t>(vertex));
    statement.skip();
    return p;
}

class VertexPass {
public:
    explicit VertexPass(MeshFile& file) : file_(file) {}

    void run(const Source& source) {
        TextScanner scanner(source, '#');
        for_each_statement(scanner, [&](std::string_view kind, Statement& statement) {
            if (kind == "v") {
                file_.surface.vertices.push_back(read_position(scanner, statement, file_.surface.vertices.size()));
            } else if (kind == "f" || kind == "l" || kind == "p" || kind == "fo") {
                statement.skip();
                ++elements_;
            } else if (std::find(passed_over.begin(), passed_over.end(), kind) == passed_over.end()) {
                if (unknown_++ == 0) first_unknown_ = scanner.line();
            }
        });
        report(scanner);
    }

private:
    void report(const TextScanner& scanner) const {
        if (unknown_ == 0) return;
        if (file_.surface.vertices.empty() && elements_ == 0)
            throw Error(Cause::malformed, "contains neither vertices nor faces, only lines that are not OBJ",
                        {.file = scanner.place().file, .line = first_unknown_});
        file_.report.notes.push_back(
            fmt::format("skipped {} lines of unknown kind, the first of them is line {}", unknown_, first_unknown_));
    }

    MeshFile& file_;
    std::size_t elements_ = 0;
    std::size_t unknown_ = 0;
    std::int64_t first_unknown_ = 0;
};

// Vertex index, counted from 0, of a corner such as "7/2/5" or "-1//3". `defined` vertices precede this line.
Index corner_of(const TextScanner& scanner, std::string_view word, std::size_t defined, std::size_t vertex_count) {
    const std::string_view number = word.substr(0, word.find('/'));
    const std::int64_t stated = scanner.to_integer(number, "vertex index of a face");
    const std::int64_t index = stated < 0 ? static_cast<std::int64_t>(defined) + stated : stated - 1;
    if (stated == 0)
        scanner.fail(Cause::index_out_of_range, "a face refers to vertex 0, but indices in OBJ start at 1");
    if (index < 0 || index >= static_cast<std::int64_t>(vertex_count))
        scanner.fail(Cause::index_out_of_range,
                     fmt::format("a face refers to vertex {}, but there are {}", stated, vertex_count));
    return static_cast<Index>(index);
}

void read_faces(const Source& source, MeshFile& file) {
    TextScanner scanner(source, '#');
    FaceCollector faces(file, min_corner_bytes);
    std::vector<Index> corners;
    std::size_t defined = 0;
    for_each_statement(scanner, [&](std::string_view kind, Statement& statement) {
        if (kind == "v") {
            ++defined;
            statement.skip();
        } else if (kind == "f" || kind == "fo") { // fo: old form of f
            corners.clear();
            for (std::string_view word = statement.word(); !word.empty(); word = statement.word())
                corners.push_back(corner_of(scanner, word, defined, file.surface.vertices.size()));
            faces.add(corners, scanner.left());
        } else if (kind == "l" || kind == "p") {
            statement.skip();
            ++file.report.skipped_faces;
        }
    });
    faces.finish();
}

} // namespace

MeshFile read_obj(const Source& source) {
    MeshFile file;
    file.report.format = "obj";
    VertexPass(file).run(source);
    if (file.surface.vertices.size() >= no_index)
        throw Error(Cause::too_large, "too many vertices for 32-bit indices", {.file = source.name});
    read_faces(source, file);
    return file;
}

// ---- Writer of Wavefront OBJ.

std::string written_obj(const TriangleMesh& mesh) {
    std::string text = "# Fathom\n";
    const auto out = std::back_inserter(text);
    for (const Vec3& v : mesh.vertices) fmt::format_to(out, "v {} {} {}\n", v.x(), v.y(), v.z());
    for (const Triangle& t : mesh.triangles)
        fmt::format_to(out, "f {} {} {}\n", std::uint64_t{t[0]} + 1, std::uint64_t{t[1]} + 1, std::uint64_t{t[2]} + 1);
    return text;
}

} // namespace fathom
