// Room: geometry. glTF 2.0: .glb, and .gltf whose buffers are embedded as data URIs. Every mesh of the default scene is
// placed by its nodes; materials, skins, morph targets and animations are passed over. Hostile files: nested or
// numerous JSON values, nodes in circles, and small files that repeat one mesh endlessly are refused.
#include <fathom/geometry/format/byte_reader.h>
#include <fathom/geometry/format/readers.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace fathom {

namespace {

using Json = nlohmann::json;
using Matrix4 = Eigen::Matrix4d;

constexpr std::size_t most_json_depth = 64;

// What may be allocated for a file of `size` bytes.
std::size_t most_json_bytes(std::size_t size) { return 6 * size + (std::size_t{16} << 20); }
std::size_t most_mesh_bytes(std::size_t size) { return 8 * size + (std::size_t{32} << 20); }
constexpr std::size_t cost_of_visit = 64; // of a primitive, in bytes: a bound on time too

constexpr std::uint32_t glb_magic = 0x46546c67;
constexpr std::uint32_t json_chunk = 0x4e4f534a;
constexpr std::uint32_t binary_chunk = 0x004e4942;

[[noreturn]] void fail(const Source& source, Cause cause, std::string_view reason, std::string_view element = {},
                       std::int64_t index = -1) {
    throw Error(cause, std::string(reason), {.file = source.name, .element = std::string(element), .index = index});
}

// Adds up what the real parser would allocate, without keeping anything: so it is known before that one starts.
class JsonCensus : public nlohmann::json_sax<Json> {
public:
    explicit JsonCensus(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    bool null() override { return pay(member()); }
    bool boolean(bool) override { return pay(member()); }
    bool number_integer(number_integer_t) override { return pay(member()); }
    bool number_unsigned(number_unsigned_t) override { return pay(member()); }
    bool number_float(number_float_t, const string_t&) override { return pay(member()); }
    bool string(string_t& text) override { return pay(member() + text_cost + text.size()); }
    bool binary(binary_t&) override { return pay(member()); }
    bool key(string_t& text) override { return pay(tree_node_cost + text.size()); }
    bool start_object(std::size_t) override { return open(true); }
    bool start_array(std::size_t) override { return open(false); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        error_offset = position;
        return false;
    }

    std::optional<std::size_t> error_offset;

private:
    static constexpr std::size_t tree_node_cost = 96; // with the value in it
    static constexpr std::size_t text_cost = 48;
    static constexpr std::size_t container_cost = 64;
    static constexpr std::size_t array_member_cost = 32; // a value, and as much room to grow

    [[nodiscard]] std::size_t member() const { return in_object_.empty() || in_object_.back() ? 0 : array_member_cost; }
    bool pay(std::size_t bytes) {
        bytes_ += bytes;
        return bytes_ <= most_bytes_;
    }
    bool open(bool object) {
        const std::size_t cost = member() + container_cost;
        in_object_.push_back(object);
        return in_object_.size() <= most_json_depth && pay(cost);
    }
    bool close() {
        in_object_.pop_back();
        return true;
    }

    std::size_t most_bytes_;
    std::size_t bytes_ = 0;
    std::vector<bool> in_object_;
};

Json parsed(const Source& source, std::string_view text) {
    JsonCensus census(most_json_bytes(source.bytes.size()));
    const bool accepted = Json::sax_parse(text.begin(), text.end(), &census);
    if (census.error_offset)
        throw Error(Cause::malformed, "not valid JSON",
                    {.file = source.name, .offset = static_cast<std::int64_t>(*census.error_offset)});
    if (!accepted) fail(source, Cause::too_large, "the JSON nests deeper than 64 levels or holds too many values");
    return Json::parse(text.begin(), text.end(), nullptr, false);
}

// Typed access that never throws anything but Error.
class Table {
public:
    Table(const Source& source, const Json& value, std::string_view element, std::int64_t index = -1)
        : source_(source), value_(value), element_(element), index_(index) {
        if (!value.is_object()) fail(Cause::malformed, "is not a JSON object");
    }

    [[nodiscard]] bool has(const char* key) const { return value_.contains(key); }
    [[nodiscard]] const Json& at(const char* key) const {
        const auto found = value_.find(key);
        if (found == value_.end()) fail(Cause::malformed, fmt::format("has no '{}'", key));
        return *found;
    }
    [[nodiscard]] std::size_t whole(const char* key) const {
        const std::optional<std::size_t> value = as_whole(at(key));
        if (!value) fail(Cause::malformed, fmt::format("'{}' is not a whole number", key));
        return *value;
    }
    [[nodiscard]] std::size_t whole(const char* key, std::size_t otherwise) const {
        return has(key) ? whole(key) : otherwise;
    }
    [[nodiscard]] const std::string& text(const char* key) const {
        if (!at(key).is_string()) fail(Cause::malformed, fmt::format("'{}' is not a text", key));
        return at(key).get_ref<const std::string&>();
    }
    [[nodiscard]] bool flag(const char* key) const { return has(key) && at(key).is_boolean() && at(key).get<bool>(); }
    // An array, or an empty one where the key is absent.
    [[nodiscard]] const Json& list(const char* key) const {
        static const Json none = Json::array();
        if (!has(key)) return none;
        if (!at(key).is_array()) fail(Cause::malformed, fmt::format("'{}' is not an array", key));
        return at(key);
    }
    template <std::size_t N>
    [[nodiscard]] std::array<double, N> numbers(const char* key, const std::array<double, N>& otherwise) const {
        if (!has(key)) return otherwise;
        const Json& values = list(key);
        std::array<double, N> out{};
        if (values.size() != N) fail(Cause::malformed, fmt::format("'{}' has not {} numbers", key, N));
        for (std::size_t i = 0; i < N; ++i) {
            if (!values[i].is_number()) fail(Cause::malformed, fmt::format("'{}' holds no numbers", key));
            out[i] = values[i].get<double>();
        }
        return out;
    }
    [[nodiscard]] static std::optional<std::size_t> as_whole(const Json& value) {
        if (value.is_number_unsigned()) return value.get<std::size_t>();
        if (!value.is_number_float()) return std::nullopt; // negative whole numbers too
        const double number = value.get<double>();
        if (!(number >= 0 && number <= 0x1p53) || number != std::floor(number)) return std::nullopt;
        return static_cast<std::size_t>(number);
    }
    [[noreturn]] void fail(Cause cause, std::string_view reason) const {
        fathom::fail(source_, cause, reason, element_, index_);
    }

private:
    const Source& source_;
    const Json& value_;
    std::string_view element_;
    std::int64_t index_;
};

int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    return -1;
}

// Nothing where a character does not belong to base64.
std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
    while (text.ends_with('=')) text.remove_suffix(1);
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() * 3 / 4 + 1);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const int digit = base64_digit(c);
        if (digit < 0) return std::nullopt;
        bits = (bits << 6) | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<std::byte>(bits >> count));
    }
    return bytes;
}

// Numbers of an accessor: `components` each of `count` elements, `stride` bytes apart.
struct Accessor {
    std::span<const std::byte> bytes;
    std::size_t count = 0;
    std::size_t stride = 0;
    std::size_t component_size = 0;
    int component_type = 0;
    bool normalized = false;

    [[nodiscard]] double at(std::size_t element, std::size_t component) const {
        const std::byte* from = bytes.data() + element * stride + component * component_size;
        switch (component_type) {
        case 5120:
            return scaled<std::int8_t>(from);
        case 5121:
            return scaled<std::uint8_t>(from);
        case 5122:
            return scaled<std::int16_t>(from);
        case 5123:
            return scaled<std::uint16_t>(from);
        case 5125:
            return scaled<std::uint32_t>(from);
        default:
            return scaled<float>(from);
        }
    }

private:
    template <class T>
    [[nodiscard]] double scaled(const std::byte* from) const {
        T value;
        std::memcpy(&value, from, sizeof(T));
        if constexpr (std::is_integral_v<T>) {
            if (normalized) return std::max(-1.0, static_cast<double>(value) / std::numeric_limits<T>::max());
        }
        return static_cast<double>(value);
    }
};

class GltfReader {
public:
    GltfReader(const Source& source, const Json& root, std::span<const std::byte> binary)
        : source_(source), root_(source, root, "document"), binary_(binary),
          affordable_(most_mesh_bytes(source.bytes.size())) {}

    void read(MeshFile& file) {
        check_version();
        check_extensions();
        load_buffers();
        const std::vector<Placed> placed = placed_meshes();
        Totals totals;
        for (const Placed& p : placed) measure(p, totals);
        file.surface.vertices.reserve(totals.vertices);
        file.surface.triangles.reserve(totals.triangles);
        for (const Placed& p : placed) add_mesh(p, file.surface);
        if (lines_ > 0) {
            file.report.skipped_faces += lines_;
            file.report.notes.push_back(fmt::format("{} primitives of points or lines were skipped", lines_));
        }
    }

private:
    struct Placed {
        std::size_t mesh;
        Matrix4 place;
    };
    struct Totals {
        std::size_t vertices = 0;
        std::size_t triangles = 0;
    };
    // A triangle-based part of a mesh.
    struct Primitive {
        Table stated;
        std::size_t mode;      // 4 triangles, 5 strip, 6 fan
        std::size_t positions; // accessor
        Accessor points;
        std::optional<Accessor> indices;

        [[nodiscard]] std::size_t triangles() const {
            const std::size_t corners = indices ? indices->count : points.count;
            return corners < 3 ? 0 : mode == 4 ? corners / 3 : corners - 2;
        }
    };

    void check_version() const {
        const std::string& version = Table(source_, root_.at("asset"), "asset").text("version");
        if (!version.starts_with("2."))
            fail(source_, Cause::unsupported, "only glTF 2 is read, this is another version");
    }

    // Required extensions change what the numbers mean; only those that leave positions and indices alone are let pass.
    void check_extensions() const {
        for (const Json& name : root_.list("extensionsRequired")) {
            const std::string text = name.is_string() ? name.get<std::string>() : std::string("?");
            const bool harmless = text == "KHR_mesh_quantization" || text.starts_with("KHR_materials_") ||
                                  text.starts_with("KHR_texture_") || text.starts_with("EXT_texture_") ||
                                  text == "KHR_lights_punctual";
            if (!harmless)
                fail(source_, Cause::unsupported,
                     fmt::format("needs the extension {}, which is not read", text.substr(0, 60)));
        }
    }

    void load_buffers() {
        const Json& buffers = root_.list("buffers");
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            const Table buffer = table(buffers, i, "buffer");
            if (!buffer.has("uri")) {
                if (i != 0 || binary_.empty()) buffer.fail(Cause::malformed, "has neither a URI nor a binary chunk");
                buffers_.push_back(binary_);
            } else {
                decoded_.push_back(decoded(buffer));
                buffers_.push_back(decoded_.back());
            }
            if (buffer.whole("byteLength") > buffers_.back().size())
                buffer.fail(Cause::truncated, fmt::format("states {} bytes, but holds {}", buffer.whole("byteLength"),
                                                          buffers_.back().size()));
        }
    }

    [[nodiscard]] static std::vector<std::byte> decoded(const Table& buffer) {
        const std::string& uri = buffer.text("uri");
        const std::size_t comma = uri.find(',');
        if (!uri.starts_with("data:"))
            buffer.fail(Cause::unsupported, "lies in another file; only embedded buffers are read");
        if (comma == uri.npos || !std::string_view(uri).substr(0, comma).ends_with(";base64"))
            buffer.fail(Cause::unsupported, "its data URI is not base64");
        std::optional<std::vector<std::byte>> bytes = from_base64(std::string_view(uri).substr(comma + 1));
        if (!bytes) buffer.fail(Cause::malformed, "its data URI is not valid base64");
        return std::move(*bytes);
    }

    [[nodiscard]] Table table(const Json& list, std::size_t index, std::string_view element) const {
        if (index >= list.size())
            fail(source_, Cause::index_out_of_range, fmt::format("{} {} of {} is named", element, index, list.size()));
        return {source_, list[index], element, static_cast<std::int64_t>(index)};
    }

    [[nodiscard]] std::span<const std::byte> view(std::size_t index, std::size_t& stride) const {
        const Table table_of_view = table(root_.list("bufferViews"), index, "bufferView");
        const std::size_t buffer = table_of_view.whole("buffer");
        if (buffer >= buffers_.size())
            table_of_view.fail(Cause::index_out_of_range, "names a buffer that does not exist");
        const std::size_t offset = table_of_view.whole("byteOffset", 0);
        const std::size_t length = table_of_view.whole("byteLength");
        const std::span<const std::byte> whole = buffers_[buffer];
        if (offset > whole.size() || length > whole.size() - offset)
            table_of_view.fail(Cause::truncated, "reaches past the end of its buffer");
        stride = table_of_view.whole("byteStride", 0);
        return whole.subspan(offset, length);
    }

    [[nodiscard]] Accessor accessor(std::size_t index, std::string_view type, std::size_t components) const {
        const Table stated = table(root_.list("accessors"), index, "accessor");
        if (stated.has("sparse")) stated.fail(Cause::unsupported, "is sparse, which is not read");
        if (!stated.has("bufferView")) stated.fail(Cause::unsupported, "has no data (compressed by an extension?)");
        if (stated.text("type") != type) stated.fail(Cause::malformed, fmt::format("is not of type {}", type));
        Accessor out;
        out.component_type = static_cast<int>(std::min<std::size_t>(stated.whole("componentType"), 9999));
        out.component_size = component_size(out.component_type);
        if (out.component_size == 0) stated.fail(Cause::malformed, "has an unknown component type");
        out.normalized = stated.flag("normalized");
        out.count = stated.whole("count");
        const std::size_t size = components * out.component_size;
        const std::span<const std::byte> bytes = view(stated.whole("bufferView"), out.stride);
        const std::size_t offset = stated.whole("byteOffset", 0);
        if (out.stride == 0) out.stride = size;
        if (out.stride < size || out.stride > 1024) stated.fail(Cause::malformed, "its elements overlap");
        // The last element need not fill its stride.
        const bool fits = offset <= bytes.size() &&
                          (out.count == 0 || (bytes.size() - offset >= size &&
                                              out.count - 1 <= (bytes.size() - offset - size) / out.stride));
        if (!fits)
            stated.fail(Cause::count_mismatch, fmt::format("states {} elements, more than its bytes hold", out.count));
        out.bytes = bytes.subspan(offset);
        return out;
    }

    [[nodiscard]] static std::size_t component_size(int type) {
        switch (type) {
        case 5120:
        case 5121:
            return 1;
        case 5122:
        case 5123:
            return 2;
        case 5125:
        case 5126:
            return 4;
        default:
            return 0;
        }
    }

    // The nodes of the default scene, or all that are nobody's child; or every mesh once where there are no nodes.
    [[nodiscard]] std::vector<Placed> placed_meshes() const {
        std::vector<Placed> out;
        const Json& nodes = root_.list("nodes");
        if (nodes.empty()) {
            for (std::size_t i = 0; i < root_.list("meshes").size(); ++i) out.push_back({i, Matrix4::Identity()});
            return out;
        }
        struct Visit {
            std::size_t node;
            Matrix4 parent;
        };
        std::vector<Visit> stack;
        for (const std::size_t node : roots(nodes)) stack.push_back({node, Matrix4::Identity()});
        std::reverse(stack.begin(), stack.end());
        std::vector<bool> seen(nodes.size(), false);
        while (!stack.empty()) {
            const Visit visit = stack.back();
            stack.pop_back();
            const Table node = table(nodes, visit.node, "node");
            if (seen[visit.node]) node.fail(Cause::malformed, "has two parents or is its own ancestor");
            seen[visit.node] = true;
            const Matrix4 place = visit.parent * own_place(node);
            if (node.has("mesh")) out.push_back({node.whole("mesh"), place});
            const std::vector<std::size_t> children = indices(node, "children", nodes.size());
            for (auto child = children.rbegin(); child != children.rend(); ++child) stack.push_back({*child, place});
        }
        return out;
    }

    [[nodiscard]] std::vector<std::size_t> roots(const Json& nodes) const {
        const Json& scenes = root_.list("scenes");
        if (!scenes.empty()) return indices(table(scenes, root_.whole("scene", 0), "scene"), "nodes", nodes.size());
        std::vector<bool> is_child(nodes.size(), false);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            for (const std::size_t child : indices(table(nodes, i, "node"), "children", nodes.size()))
                is_child[child] = true;
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (!is_child[i]) out.push_back(i);
        return out;
    }

    [[nodiscard]] static std::vector<std::size_t> indices(const Table& owner, const char* key, std::size_t count) {
        std::vector<std::size_t> out;
        for (const Json& value : owner.list(key)) {
            const std::optional<std::size_t> index = Table::as_whole(value);
            if (!index || *index >= count)
                owner.fail(Cause::index_out_of_range, fmt::format("'{}' names no node", key));
            out.push_back(*index);
        }
        return out;
    }

    [[nodiscard]] static Matrix4 own_place(const Table& node) {
        if (node.has("matrix")) {
            const std::array<double, 16> m = node.numbers<16>("matrix", {});
            return Eigen::Map<const Matrix4>(m.data()); // both column by column
        }
        const std::array<double, 3> t = node.numbers<3>("translation", {0, 0, 0});
        const std::array<double, 4> r = node.numbers<4>("rotation", {0, 0, 0, 1});
        const std::array<double, 3> s = node.numbers<3>("scale", {1, 1, 1});
        Matrix4 place = Matrix4::Identity();
        place.topLeftCorner<3, 3>() =
            Quat(r[3], r[0], r[1], r[2]).toRotationMatrix() * Vec3(s[0], s[1], s[2]).asDiagonal();
        place.topRightCorner<3, 1>() = Vec3(t[0], t[1], t[2]);
        return place;
    }

    // on_primitive(primitive, fresh) for every triangle-based primitive; `fresh` where its positions come up for the
    // first time in this mesh.
    template <class OnPrimitive>
    void for_each_primitive(std::size_t index, OnPrimitive on_primitive) const {
        const Json& primitives = table(root_.list("meshes"), index, "mesh").list("primitives");
        std::map<std::size_t, bool> seen;
        for (std::size_t i = 0; i < primitives.size(); ++i) {
            const Table stated = table(primitives, i, "primitive");
            const std::size_t mode = stated.whole("mode", 4);
            if (mode > 6) stated.fail(Cause::malformed, "has an unknown mode");
            std::optional<Primitive> primitive;
            if (mode >= 4) {
                const std::size_t positions = Table(source_, stated.at("attributes"), "attributes").whole("POSITION");
                primitive.emplace(Primitive{stated, mode, positions, accessor(positions, "VEC3", 3), std::nullopt});
                if (stated.has("indices")) primitive->indices = accessor(stated.whole("indices"), "SCALAR", 1);
            }
            on_primitive(primitive, primitive && seen.try_emplace(primitive->positions, true).second);
        }
    }

    // One mesh may be placed again and again: what is built stays within the bounds of the file.
    void measure(const Placed& placed, Totals& totals) {
        const auto pay = [this](std::size_t bytes) {
            if (bytes > affordable_)
                fail(source_, Cause::too_large, "repeats its meshes too often for the size of the file");
            affordable_ -= bytes;
        };
        for_each_primitive(placed.mesh, [&](const std::optional<Primitive>& primitive, bool fresh) {
            pay(cost_of_visit);
            if (!primitive) {
                ++lines_;
                return;
            }
            pay(primitive->triangles() * sizeof(Triangle));
            totals.triangles += primitive->triangles();
            if (!fresh) return;
            pay(primitive->points.count * sizeof(Vec3));
            totals.vertices += primitive->points.count;
        });
    }

    void add_mesh(const Placed& placed, TriangleMesh& mesh) const {
        const bool mirrored = placed.place.topLeftCorner<3, 3>().determinant() < 0;
        std::map<std::size_t, std::size_t> first_vertices; // by accessor
        for_each_primitive(placed.mesh, [&](const std::optional<Primitive>& primitive, bool fresh) {
            if (!primitive) return;
            if (fresh) {
                first_vertices[primitive->positions] = mesh.vertices.size();
                add_vertices(primitive->points, placed.place, mesh);
            }
            add_triangles(*primitive, first_vertices[primitive->positions], mirrored, mesh);
        });
    }

    void add_vertices(const Accessor& points, const Matrix4& place, TriangleMesh& mesh) const {
        for (std::size_t i = 0; i < points.count; ++i) {
            const Vec3 p(points.at(i, 0), points.at(i, 1), points.at(i, 2));
            const Vec3 placed = place.topLeftCorner<3, 3>() * p + place.topRightCorner<3, 1>();
            if (!is_finite(p) || !is_finite(placed))
                fail(source_, Cause::non_finite, "not a finite position", "vertex",
                     static_cast<std::int64_t>(mesh.vertices.size()));
            mesh.vertices.push_back(placed);
        }
    }

    static void add_triangles(const Primitive& primitive, std::size_t first, bool mirrored, TriangleMesh& mesh) {
        const std::size_t vertex_count = primitive.points.count;
        const auto corner = [&](std::size_t k) {
            const double index = primitive.indices ? primitive.indices->at(k, 0) : static_cast<double>(k);
            if (!(index >= 0 && index < static_cast<double>(vertex_count)) || index != std::floor(index))
                primitive.stated.fail(Cause::index_out_of_range,
                                      fmt::format("names vertex {} of {}", index, vertex_count));
            return static_cast<Index>(first + static_cast<std::size_t>(index));
        };
        for (std::size_t i = 0; i < primitive.triangles(); ++i) {
            const std::array<std::size_t, 3> at = corners_of(primitive.mode, i);
            Triangle t = {corner(at[0]), corner(at[1]), corner(at[2])};
            if (mirrored) std::swap(t[1], t[2]);
            const bool bridge = primitive.mode != 4 && (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]);
            if (!bridge) mesh.triangles.push_back(t);
        }
    }

    // Triangles, strip and fan.
    [[nodiscard]] static std::array<std::size_t, 3> corners_of(std::size_t mode, std::size_t i) {
        if (mode == 4) return {3 * i, 3 * i + 1, 3 * i + 2};
        if (mode == 5) return {i, i + 1 + i % 2, i + 2 - i % 2};
        return {i + 1, i + 2, 0};
    }

    const Source& source_;
    Table root_;
    std::span<const std::byte> binary_;
    std::vector<std::vector<std::byte>> decoded_;
    std::vector<std::span<const std::byte>> buffers_;
    std::size_t affordable_; // bytes
    std::size_t lines_ = 0;
};

struct Chunks {
    std::string_view json;
    std::span<const std::byte> binary;
};

Chunks glb_chunks(const Source& source) {
    ByteReader reader(source);
    static_cast<void>(reader.read<std::uint32_t>("magic"));
    if (reader.read<std::uint32_t>("version") != 2) reader.fail(Cause::unsupported, "only version 2 of GLB is read");
    const std::uint32_t length = reader.read<std::uint32_t>("length");
    if (length > source.bytes.size())
        reader.fail(Cause::truncated, fmt::format("states {} bytes, but {} are there", length, source.bytes.size()));
    Chunks chunks;
    while (reader.offset() + 8 <= length) {
        const std::uint32_t size = reader.read<std::uint32_t>("chunk length");
        const std::uint32_t type = reader.read<std::uint32_t>("chunk type");
        const std::span<const std::byte> bytes = reader.take(size, "chunk");
        if (type == json_chunk && chunks.json.empty())
            chunks.json = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
        if (type == binary_chunk && chunks.binary.empty()) chunks.binary = bytes;
    }
    if (chunks.json.empty()) reader.fail(Cause::malformed, "has no JSON chunk");
    return chunks;
}

bool is_glb(const Source& source) {
    return source.bytes.size() >= 4 && ByteReader(source).read<std::uint32_t>("magic") == glb_magic;
}

} // namespace

MeshFile read_gltf(const Source& source) {
    MeshFile file;
    const bool binary = is_glb(source);
    file.report.format = binary ? "glb" : "gltf";
    const Chunks chunks = binary ? glb_chunks(source) : Chunks{source.text(), {}};
    const Json root = parsed(source, chunks.json);
    GltfReader(source, root, chunks.binary).read(file);
    if (file.surface.triangles.empty()) file.report.notes.push_back(fmt::format("the file holds no triangles"));
    return file;
}

} // namespace fathom
