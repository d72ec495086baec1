// Reader and writer of STL, text and binary. The format has no indices: equal positions become one vertex. Normals,
// colours and attribute bytes are ignored.
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text_scanner.h>
#include <fathom/geometry/io/face_collector.h>
#include <fathom/geometry/io/formats.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t header_bytes = 80;
constexpr std::size_t triangle_bytes = 50;
constexpr std::size_t preamble_bytes = header_bytes + 4;
constexpr std::size_t min_vertex_bytes = 12; // "vertex 0 0 0"

bool same_word(std::string_view word, std::string_view lower_case) {
    return std::equal(word.begin(), word.end(), lower_case.begin(), lower_case.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// A binary header may also begin with "solid". If the size does not decide, text has words and no zero bytes.
bool is_text(const Source& source) {
    if (source.bytes.size() >= preamble_bytes) {
        const std::uint64_t count = ByteReader(source, header_bytes).read<std::uint32_t>("number of triangles");
        if (source.bytes.size() == preamble_bytes + count * triangle_bytes) return false;
    }
    TextScanner scanner(source);
    if (!same_word(scanner.word(), "solid")) return false;
    const std::string_view opening = source.text().substr(0, 4096);
    return opening.find('\0') == std::string_view::npos;
}

Vec3 read_corner(ByteReader& reader) {
    const float x = reader.read<float>("x coordinate");
    const float y = reader.read<float>("y coordinate");
    const float z = reader.read<float>("z coordinate");
    return {x, y, z};
}

MeshFile read_binary(const Source& source) {
    MeshFile file;
    file.report.format = "stl binary";
    ByteReader reader(source);
    static_cast<void>(reader.take(header_bytes, "header"));
    const std::uint32_t count = reader.read<std::uint32_t>("number of triangles");
    if (reader.left() != std::uint64_t{count} * triangle_bytes)
        reader.fail(Cause::count_mismatch,
                    fmt::format("states {} triangles of 50 bytes each, but contains {} bytes", count, reader.left()));
    file.surface.triangles.reserve(count);
    PositionIndex positions(file.surface.vertices);
    for (std::uint32_t i = 0; i < count; ++i) {
        static_cast<void>(reader.take(12, "normal"));
        Triangle triangle{};
        for (Index& corner : triangle) {
            const Vec3 p = read_corner(reader);
            if (!is_finite(p))
                reader.fail(Cause::non_finite,
                            fmt::format("position of vertex {} is not finite", file.surface.vertices.size()),
                            "triangle", i);
            corner = positions.find_or_add(p);
        }
        static_cast<void>(reader.take(2, "attribute"));
        file.surface.triangles.push_back(triangle);
    }
    return file;
}

class TextReader {
public:
    explicit TextReader(const Source& source)
        : scanner_(source), positions_(file_.surface.vertices), faces_(file_, min_vertex_bytes) {
        file_.report.format = "stl text";
    }

    MeshFile read() {
        do {
            const std::string_view word = scanner_.word_on_line();
            if (!word.empty()) take_line(word);
        } while (scanner_.next_line());
        if (state_ != State::outside) scanner_.fail(Cause::truncated, "the text ends inside a solid");
        if (solids_ > 1) file_.report.notes.push_back(fmt::format("{} solids were read as one surface", solids_));
        if (repeated_ > 0)
            file_.report.notes.push_back(fmt::format("omitted {} corners equal to the previous one", repeated_));
        faces_.finish();
        return std::move(file_);
    }

private:
    enum class State { outside, solid, facet, loop };

    void take_line(std::string_view word) {
        if (same_word(word, "vertex")) {
            expect(State::loop, word);
            const Vec3 p = scanner_.position_on_line(file_.surface.vertices.size());
            if (!scanner_.word_on_line().empty())
                scanner_.fail(Cause::malformed, "a vertex has more than three coordinates");
            corners_.push_back(positions_.find_or_add(p));
        } else if (same_word(word, "facet")) {
            go(State::solid, State::facet, word);
        } else if (same_word(word, "outer")) {
            go(State::facet, State::loop, word);
            corners_.clear();
        } else if (same_word(word, "endloop")) {
            go(State::loop, State::facet, word);
            if (corners_.size() > 3) drop_repeated_corners();
            faces_.add(corners_, scanner_.left());
        } else if (same_word(word, "endfacet")) {
            go(State::facet, State::solid, word);
        } else if (same_word(word, "solid")) {
            go(State::outside, State::solid, word);
            ++solids_;
        } else if (same_word(word, "endsolid")) {
            go(State::solid, State::outside, word);
        } else if (!same_word(word, "color")) { // Materialise writes a colour for each facet
            scanner_.fail(Cause::malformed, "expected solid, facet, outer loop, vertex or their ends");
        }
    }

    // A facet with more than three vertices is a polygon. Consecutive equal vertices of a polygon are omitted.
    void drop_repeated_corners() {
        const std::size_t before = corners_.size();
        corners_.erase(std::unique(corners_.begin(), corners_.end()), corners_.end());
        while (corners_.size() > 1 && corners_.front() == corners_.back()) corners_.pop_back();
        repeated_ += before - corners_.size();
    }

    void expect(State state, std::string_view word) const {
        if (state_ != state) scanner_.fail(Cause::malformed, fmt::format("unexpected '{}'", word));
    }
    void go(State from, State to, std::string_view word) {
        expect(from, word);
        state_ = to;
    }

    MeshFile file_;
    TextScanner scanner_;
    PositionIndex positions_;
    FaceCollector faces_;
    std::vector<Index> corners_;
    State state_ = State::outside;
    std::size_t solids_ = 0;
    std::size_t repeated_ = 0;
};

} // namespace

MeshFile read_stl(const Source& source) { return is_text(source) ? TextReader(source).read() : read_binary(source); }

// ---- Writer of binary STL: float coordinates, unit normals (zero for triangles of zero area).

namespace {

void append(std::string& bytes, const Vec3f& v) {
    for (int k = 0; k < 3; ++k) append_little_endian(bytes, v[k]);
}

// stableNormalized() also gives normals for very small and very large triangles.
Vec3f normal(const std::array<Vec3, 3>& corners) {
    const Vec3 u = (corners[1] - corners[0]).stableNormalized();
    const Vec3 v = (corners[2] - corners[0]).stableNormalized();
    const Vec3 n = u.cross(v).stableNormalized();
    return n.allFinite() ? Vec3f(n.cast<float>()) : Vec3f(Vec3f::Zero());
}

} // namespace

std::string written_stl(const TriangleMesh& mesh) {
    std::string bytes = "binary STL, written by Fathom";
    bytes.resize(80, ' ');
    bytes.reserve(84 + 50 * mesh.triangles.size());
    append_little_endian(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
        append(bytes, normal(mesh.corners(i)));
        for (const Index v : mesh.triangles[i]) append(bytes, as_float(mesh.vertices[v], v));
        append_little_endian(bytes, std::uint16_t{0});
    }
    return bytes;
}

} // namespace fathom
