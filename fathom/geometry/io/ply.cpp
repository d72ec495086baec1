// Reader and writer of PLY (Turk 1994): text and both byte orders, elements and properties of any order, type and name.
// The reader uses x, y, z of the vertices, vertex_indices (or vertex_index) of the faces, and triangle strips; other
// data is skipped according to its declared layout.
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text_scanner.h>
#include <fathom/geometry/io/face_collector.h>
#include <fathom/geometry/io/formats.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace fathom {

namespace {

constexpr std::size_t max_parts = 256; // maximum number of elements of a header and of properties of an element

enum class PlyScalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct ScalarName {
    std::string_view name;
    PlyScalar type;
};
constexpr std::array<ScalarName, 16> scalar_names = {{{"char", PlyScalar::int8},
                                                      {"uchar", PlyScalar::uint8},
                                                      {"short", PlyScalar::int16},
                                                      {"ushort", PlyScalar::uint16},
                                                      {"int", PlyScalar::int32},
                                                      {"uint", PlyScalar::uint32},
                                                      {"float", PlyScalar::float32},
                                                      {"double", PlyScalar::float64},
                                                      {"int8", PlyScalar::int8},
                                                      {"uint8", PlyScalar::uint8},
                                                      {"int16", PlyScalar::int16},
                                                      {"uint16", PlyScalar::uint16},
                                                      {"int32", PlyScalar::int32},
                                                      {"uint32", PlyScalar::uint32},
                                                      {"float32", PlyScalar::float32},
                                                      {"float64", PlyScalar::float64}}};

constexpr std::size_t size_of(PlyScalar type) {
    constexpr std::array<std::size_t, 8> sizes = {1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[static_cast<std::size_t>(type)];
}
constexpr bool is_real(PlyScalar type) { return type == PlyScalar::float32 || type == PlyScalar::float64; }

struct Property {
    std::string_view name;
    PlyScalar type = PlyScalar::float32;      // of the value, or of the members of a list
    std::optional<PlyScalar> count_type = {}; // type of the length of a list
};

struct Element {
    std::string_view name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
    std::int64_t line = 0; // line of the header

    [[nodiscard]] std::size_t find(std::string_view property) const {
        const auto found =
            std::find_if(properties.begin(), properties.end(), [&](const Property& p) { return p.name == property; });
        return static_cast<std::size_t>(found - properties.begin());
    }
    [[nodiscard]] bool has_lists() const {
        return std::any_of(properties.begin(), properties.end(),
                           [](const Property& p) { return p.count_type.has_value(); });
    }
    // Minimum size of a row in a binary file; lists may be empty.
    [[nodiscard]] std::size_t min_bytes() const {
        std::size_t sum = 0;
        for (const Property& p : properties) sum += size_of(p.count_type.value_or(p.type));
        return sum;
    }
};

enum class Encoding { text, little_endian, big_endian };

struct PlyHeader {
    Encoding encoding = Encoding::text;
    std::vector<Element> elements;
    std::size_t end = 0; // byte after the header
};

class HeaderReader {
public:
    explicit HeaderReader(const Source& source) : scanner_(source) {}

    PlyHeader read() {
        if (scanner_.word_on_line() != "ply") scanner_.fail(Cause::malformed, "does not start with 'ply'");
        while (scanner_.next_line()) {
            const std::string_view word = scanner_.word_on_line();
            if (word == "end_header") {
                if (!has_format_) scanner_.fail(Cause::malformed, "the header has no format line");
                scanner_.next_line();
                header_.end = scanner_.offset();
                return std::move(header_);
            }
            take_line(word);
        }
        scanner_.fail(Cause::truncated, "the header is not closed");
    }

private:
    void take_line(std::string_view word) {
        if (word.empty() || word == "comment" || word == "obj_info") return;
        if (word == "format") return take_format();
        if (word == "element") return take_element();
        if (word == "property") return take_property();
        scanner_.fail(Cause::malformed, "expected format, element, property, comment or end_header");
    }

    void take_format() {
        const std::string_view word = scanner_.word_on_line();
        if (word == "ascii")
            header_.encoding = Encoding::text;
        else if (word == "binary_little_endian")
            header_.encoding = Encoding::little_endian;
        else if (word == "binary_big_endian")
            header_.encoding = Encoding::big_endian;
        else
            scanner_.fail(Cause::unsupported,
                          "the format is neither ascii nor binary_little_endian nor binary_big_endian");
        has_format_ = true;
    }

    void take_element() {
        Element element;
        element.name = scanner_.word_on_line();
        const std::int64_t count = scanner_.to_integer(scanner_.word_on_line(), "number of elements");
        if (count < 0) scanner_.fail(Cause::malformed, "number of elements is negative");
        element.count = static_cast<std::uint64_t>(count);
        element.line = scanner_.line();
        if (header_.elements.size() >= max_parts)
            scanner_.fail(Cause::too_large, "the header has more than 256 kinds of elements");
        header_.elements.push_back(std::move(element));
    }

    void take_property() {
        if (header_.elements.empty()) scanner_.fail(Cause::malformed, "a property precedes the first element");
        Property property;
        std::string_view word = scanner_.word_on_line();
        if (word == "list") {
            property.count_type = scalar(scanner_.word_on_line());
            if (is_real(*property.count_type))
                scanner_.fail(Cause::malformed, "the length of a list is not of an integer type");
            word = scanner_.word_on_line();
        }
        property.type = scalar(word);
        property.name = scanner_.word_on_line();
        Element& element = header_.elements.back();
        if (property.name.empty()) scanner_.fail(Cause::malformed, "a property has no name");
        if (element.properties.size() >= max_parts)
            scanner_.fail(Cause::too_large, "an element has more than 256 properties");
        if (element.find(property.name) < element.properties.size())
            scanner_.fail(Cause::malformed, "an element has two properties of the same name");
        element.properties.push_back(property);
    }

    [[nodiscard]] PlyScalar scalar(std::string_view word) const {
        for (const ScalarName& known : scalar_names)
            if (known.name == word) return known.type;
        scanner_.fail(Cause::malformed, "unknown type of a property");
    }

    TextScanner scanner_;
    PlyHeader header_;
    bool has_format_ = false;
};

// A number of any type as stored in the file. Integers up to 32 bits are exact in double.
double read_scalar(ByteReader& reader, PlyScalar type) {
    switch (type) {
    case PlyScalar::int8:
        return reader.read<std::int8_t>("value");
    case PlyScalar::uint8:
        return reader.read<std::uint8_t>("value");
    case PlyScalar::int16:
        return reader.read<std::int16_t>("value");
    case PlyScalar::uint16:
        return reader.read<std::uint16_t>("value");
    case PlyScalar::int32:
        return reader.read<std::int32_t>("value");
    case PlyScalar::uint32:
        return reader.read<std::uint32_t>("value");
    case PlyScalar::float32:
        return reader.read<float>("value");
    case PlyScalar::float64:
        return reader.read<double>("value");
    }
    return 0;
}

// Read position in a binary body. A copy can read from the same position again.
class BinaryBody {
public:
    static constexpr std::size_t min_corner_bytes = 1;

    BinaryBody(const Source& source, const PlyHeader& header)
        : reader_(source, header.end,
                  header.encoding == Encoding::big_endian ? std::endian::big : std::endian::little) {}

    [[nodiscard]] std::size_t left() const { return reader_.left(); }
    [[nodiscard]] bool at_end() const { return reader_.at_end(); }

    [[nodiscard]] double value(const Property& property) { return read_scalar(reader_, property.type); }
    [[nodiscard]] double member(const Property& property) { return read_scalar(reader_, property.type); }

    [[nodiscard]] std::size_t list_length(const Property& property) {
        const double stated = read_scalar(reader_, *property.count_type);
        if (stated < 0) reader_.fail(Cause::malformed, "the length of a list is negative");
        return reader_.checked_count(static_cast<std::uint64_t>(stated), size_of(property.type), "members of a list");
    }
    void skip_members(const Property& property, std::size_t count) {
        static_cast<void>(reader_.take(count * size_of(property.type), "list"));
    }
    void skip_value(const Property& property) { static_cast<void>(reader_.take(size_of(property.type), "value")); }
    // Skips all rows at once if they have equal size.
    [[nodiscard]] bool skip_rows(const Element& element, std::size_t count) {
        if (element.has_lists()) return false;
        static_cast<void>(reader_.take(count * element.min_bytes(), element.name));
        return true;
    }
    [[nodiscard]] std::size_t checked_row_count(const Element& element) const {
        return reader_.checked_count(element.count, std::max<std::size_t>(element.min_bytes(), 1), element.name);
    }
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element, std::size_t index) const {
        reader_.fail(cause, reason, element, static_cast<std::int64_t>(index));
    }

private:
    ByteReader reader_;
};

// Read position in a text body. A row may span several lines; only the order of the words matters.
class TextBody {
public:
    static constexpr std::size_t min_corner_bytes = 2; // a digit and a blank

    TextBody(const Source& source, const PlyHeader& header) : scanner_(source, '\0', header.end) {}

    [[nodiscard]] std::size_t left() const { return scanner_.left(); }
    [[nodiscard]] bool at_end() { return scanner_.at_end(); }

    [[nodiscard]] double value(const Property& property) { return scanner_.number(property.name); }
    [[nodiscard]] double member(const Property&) { return static_cast<double>(scanner_.integer("member of a list")); }

    [[nodiscard]] std::size_t list_length(const Property&) {
        return scanner_.checked_count(scanner_.count("length of a list"), min_corner_bytes, "members of a list");
    }
    void skip_members(const Property& property, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) skip_value(property);
    }
    void skip_value(const Property& property) {
        if (scanner_.word().empty())
            scanner_.fail(Cause::truncated, fmt::format("{} is missing", property.name.substr(0, 40)));
    }
    [[nodiscard]] bool skip_rows(const Element&, std::size_t) { return false; }
    [[nodiscard]] std::size_t checked_row_count(const Element& element) const {
        return scanner_.checked_count(element.count, 2 * element.properties.size(), element.name);
    }
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element, std::size_t index) const {
        scanner_.fail(cause, reason, element, static_cast<std::int64_t>(index));
    }

private:
    TextScanner scanner_;
};

template <class Body>
class BodyReader {
public:
    BodyReader(const Source& source, MeshFile& file)
        : source_(source), file_(file), faces_(file, Body::min_corner_bytes) {}

    void read(const PlyHeader& header) {
        struct Later {
            const Element* element;
            Body body;
        };
        std::vector<Later> later; // faces that precede the vertices
        bool has_vertices = false;
        Body body(source_, header);
        for (const Element& element : header.elements) {
            if (element.count == 0) continue;
            if (element.name == "vertex" && !has_vertices) {
                read_vertices(body, element);
                has_vertices = true;
            } else if (holds_faces(element) && has_vertices) {
                read_faces(body, element);
            } else if (!element.properties.empty()) {
                // Rows without properties are not visited, since their number is not bounded by the file.
                if (holds_faces(element)) later.push_back({&element, body});
                skip(body, element);
            }
        }
        if (!body.at_end())
            file_.report.notes.push_back(fmt::format("extra data after the last element, {} bytes", body.left()));
        for (Later& faces : later) read_faces(faces.body, *faces.element);
        faces_.finish();
    }

private:
    [[nodiscard]] static std::size_t index_list(const Element& element) {
        const std::size_t found = element.find("vertex_indices");
        return found < element.properties.size() ? found : element.find("vertex_index");
    }
    [[nodiscard]] static bool holds_faces(const Element& element) {
        const std::size_t list = index_list(element);
        return (element.name == "face" || element.name == "tristrips") && list < element.properties.size() &&
               element.properties[list].count_type.has_value();
    }

    static void skip(Body& body, const Property& property) {
        if (property.count_type)
            body.skip_members(property, body.list_length(property));
        else
            body.skip_value(property);
    }

    static void skip(Body& body, const Element& element) {
        const std::size_t rows = body.checked_row_count(element);
        if (body.skip_rows(element, rows)) return;
        for (std::size_t i = 0; i < rows; ++i)
            for (const Property& property : element.properties) skip(body, property);
    }

    void read_vertices(Body& body, const Element& element) {
        const std::array<std::size_t, 3> axes = {element.find("x"), element.find("y"), element.find("z")};
        for (const std::size_t axis : axes)
            if (axis >= element.properties.size() || element.properties[axis].count_type)
                throw Error(Cause::malformed, "vertices have no x, y or z",
                            {.file = source_.name, .line = element.line});
        const std::size_t rows = body.checked_row_count(element);
        file_.surface.vertices.reserve(rows);
        for (std::size_t i = 0; i < rows; ++i) {
            Vec3 p;
            for (std::size_t k = 0; k < element.properties.size(); ++k) {
                const auto axis = std::find(axes.begin(), axes.end(), k);
                if (axis != axes.end())
                    p[axis - axes.begin()] = body.value(element.properties[k]);
                else
                    skip(body, element.properties[k]);
            }
            if (!is_finite(p)) body.fail(Cause::non_finite, "position is not finite", "vertex", i);
            file_.surface.vertices.push_back(p);
        }
    }

    // Calls on_list(row, property) at the index list; the call reads the list.
    template <class OnList>
    static void for_each_list(Body& body, const Element& element, OnList on_list) {
        const std::size_t list = index_list(element);
        const std::size_t rows = body.checked_row_count(element);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t k = 0; k < element.properties.size(); ++k) {
                if (k == list)
                    on_list(i, element.properties[k]);
                else
                    skip(body, element.properties[k]);
            }
    }

    // Binary faces are read twice: one byte can produce a triangle, so that only an exact allocation keeps the memory
    // bounded.
    void reserve_triangles(Body body, const Element& element) {
        std::size_t count = 0;
        for_each_list(body, element, [&](std::size_t, const Property& property) {
            const std::size_t length = body.list_length(property);
            body.skip_members(property, length);
            count += length > 2 ? length - 2 : 0;
        });
        file_.surface.triangles.reserve(file_.surface.triangles.size() + count);
    }

    void read_faces(Body& body, const Element& element) {
        if constexpr (std::is_same_v<Body, BinaryBody>) reserve_triangles(body, element);
        const bool strips = element.name == "tristrips";
        for_each_list(body, element, [&](std::size_t row, const Property& property) {
            corners_.clear();
            const std::size_t length = body.list_length(property);
            for (std::size_t k = 0; k < length; ++k) {
                const double stated = body.member(property);
                if (strips && stated == -1)
                    end_strip(body);
                else
                    corners_.push_back(vertex(body, stated, element.name, row));
            }
            if (strips)
                end_strip(body);
            else
                faces_.add(corners_, body.left());
        });
    }

    [[nodiscard]] Index vertex(const Body& body, double stated, std::string_view element, std::size_t row) const {
        const std::size_t count = file_.surface.vertices.size();
        if (!(stated >= 0 && stated < static_cast<double>(count)) || stated != std::floor(stated))
            body.fail(Cause::index_out_of_range, fmt::format("refers to vertex {}, but there are {}", stated, count),
                      element, row);
        return static_cast<Index>(stated);
    }

    // Every second triangle of a strip has the opposite orientation; triangles with two equal corners only connect
    // strips.
    void end_strip(const Body& body) {
        for (std::size_t k = 2; k < corners_.size(); ++k) {
            const std::size_t odd = k % 2;
            const Triangle t = {corners_[k - 2 + odd], corners_[k - 1 - odd], corners_[k]};
            if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) faces_.add(t, body.left());
        }
        corners_.clear();
    }

    const Source& source_;
    MeshFile& file_;
    FaceCollector faces_;
    std::vector<Index> corners_;
};

} // namespace

MeshFile read_ply(const Source& source) {
    const PlyHeader header = HeaderReader(source).read();
    MeshFile file;
    constexpr std::array<std::string_view, 3> names = {"ply text", "ply binary little-endian", "ply binary big-endian"};
    file.report.format = names[static_cast<std::size_t>(header.encoding)];
    if (header.encoding == Encoding::text)
        BodyReader<TextBody>(source, file).read(header);
    else
        BodyReader<BinaryBody>(source, file).read(header);
    if (file.surface.triangles.empty()) file.report.notes.push_back(fmt::format("the file contains no faces"));
    return file;
}

// ---- Writer of binary little-endian PLY in double, without loss of precision.

std::string written_ply(const TriangleMesh& mesh) {
    std::string bytes = fmt::format("ply\nformat binary_little_endian 1.0\ncomment Fathom\n"
                                    "element vertex {}\nproperty double x\nproperty double y\nproperty double z\n"
                                    "element face {}\nproperty list uchar uint vertex_indices\nend_header\n",
                                    mesh.vertices.size(), mesh.triangles.size());
    bytes.reserve(bytes.size() + 24 * mesh.vertices.size() + 13 * mesh.triangles.size());
    for (const Vec3& v : mesh.vertices)
        for (int k = 0; k < 3; ++k) append_little_endian(bytes, v[k]);
    for (const Triangle& t : mesh.triangles) {
        append_little_endian(bytes, std::uint8_t{3});
        for (const Index v : t) append_little_endian(bytes, v);
    }
    return bytes;
}

} // namespace fathom
