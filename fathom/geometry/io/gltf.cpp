// Reader and writer of glTF 2.0: .glb, and .gltf with buffers embedded as data URIs. Every mesh of the default scene is
// transformed by its nodes; materials, skins, morph targets and animations are ignored. Deeply nested or too many JSON
// values, cycles of nodes, and small files that instantiate one mesh too often are rejected.
#include <fathom/base/encode/bytes.h>
#include <fathom/geometry/io/formats.h>
#include <fathom/geometry/io/gltf_scene.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace fathom {

namespace {

// Memory that may be allocated for a file of `size` bytes.
std::size_t max_mesh_bytes(std::size_t size) { return 8 * size + (std::size_t{32} << 20); }
constexpr std::size_t cost_of_visit = 64; // bytes charged for a primitive, which also bounds the time

constexpr std::uint32_t glb_magic = 0x46546c67;
constexpr std::uint32_t json_chunk = 0x4e4f534a;
constexpr std::uint32_t binary_chunk = 0x004e4942;

[[noreturn]] void fail(const Source& source, Cause cause, std::string_view reason, std::string_view element = {},
                       std::int64_t index = -1) {
    throw Error(cause, std::string(reason), {.file = source.name, .element = std::string(element), .index = index});
}

void check_version(const Source& source, const GltfTable& root) {
    const std::string& version = GltfTable(source, root.at("asset"), "asset").text("version");
    if (!version.starts_with("2."))
        fail(source, Cause::unsupported, "unsupported version of glTF; only version 2 is supported");
}

// Required extensions change the meaning of the data. Only those that do not affect positions and indices are accepted.
void check_extensions(const Source& source, const GltfTable& root) {
    for (const Json& name : root.list("extensionsRequired")) {
        const std::string text = name.is_string() ? name.get<std::string>() : std::string("?");
        const bool harmless = text == "KHR_mesh_quantization" || text.starts_with("KHR_materials_") ||
                              text.starts_with("KHR_texture_") || text.starts_with("EXT_texture_") ||
                              text == "KHR_lights_punctual";
        if (!harmless)
            fail(source, Cause::unsupported,
                 fmt::format("requires the extension {}, which is not supported", text.substr(0, 60)));
    }
}

class GltfReader {
public:
    GltfReader(const Source& source, const GltfTable& root, std::span<const std::byte> binary)
        : source_(source), root_(root), buffers_(source, root, binary),
          affordable_(max_mesh_bytes(source.bytes.size())) {}

    void read(MeshFile& file) {
        const std::vector<GltfPlaced> placed = gltf_scene(source_, root_);
        Totals totals;
        for (const GltfPlaced& p : placed) measure(p, totals);
        file.surface.vertices.reserve(totals.vertices);
        file.surface.triangles.reserve(totals.triangles);
        for (const GltfPlaced& p : placed) add_mesh(p, file.surface);
        if (lines_ > 0) {
            file.report.skipped_faces += lines_;
            file.report.notes.push_back(fmt::format("skipped {} primitives of points or lines", lines_));
        }
    }

private:
    struct Totals {
        std::size_t vertices = 0;
        std::size_t triangles = 0;
    };
    // A primitive of triangles.
    struct Primitive {
        GltfTable stated;
        std::size_t mode;      // 4: triangles, 5: strip, 6: fan
        std::size_t positions; // index of the accessor
        GltfAccessor points;
        std::optional<GltfAccessor> indices;

        [[nodiscard]] std::size_t triangles() const {
            const std::size_t corners = indices ? indices->count : points.count;
            return corners < 3 ? 0 : mode == 4 ? corners / 3 : corners - 2;
        }
    };

    // Calls on_primitive(primitive, fresh) for every primitive of triangles. `fresh` is true if its positions occur for
    // the first time in this mesh.
    template <class OnPrimitive>
    void for_each_primitive(std::size_t index, OnPrimitive on_primitive) const {
        const Json& primitives = GltfTable(source_, root_.list("meshes"), index, "mesh").list("primitives");
        std::map<std::size_t, bool> seen;
        for (std::size_t i = 0; i < primitives.size(); ++i) {
            const GltfTable stated(source_, primitives, i, "primitive");
            const std::size_t mode = stated.whole("mode", 4);
            if (mode > 6) stated.fail(Cause::malformed, "has an unknown mode");
            std::optional<Primitive> primitive;
            if (mode >= 4) {
                const std::size_t positions =
                    GltfTable(source_, stated.at("attributes"), "attributes").whole("POSITION");
                const GltfAccessor points = buffers_.accessor(positions, "VEC3", 3);
                primitive.emplace(Primitive{stated, mode, positions, points, std::nullopt});
                if (stated.has("indices")) primitive->indices = buffers_.accessor(stated.whole("indices"), "SCALAR", 1);
            }
            on_primitive(primitive, primitive && seen.try_emplace(primitive->positions, true).second);
        }
    }

    // A mesh may have many instances; the size of the result is bounded by the size of the file.
    void measure(const GltfPlaced& placed, Totals& totals) {
        const auto pay = [this](std::size_t bytes) {
            if (bytes > affordable_)
                fail(source_, Cause::too_large, "instantiates its meshes too often for the size of the file");
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

    void add_mesh(const GltfPlaced& placed, TriangleMesh& mesh) const {
        const bool mirrored = placed.place.topLeftCorner<3, 3>().determinant() < 0;
        std::map<std::size_t, std::size_t> first_vertices; // first vertex by accessor
        for_each_primitive(placed.mesh, [&](const std::optional<Primitive>& primitive, bool fresh) {
            if (!primitive) return;
            if (fresh) {
                first_vertices[primitive->positions] = mesh.vertices.size();
                add_vertices(primitive->points, placed.place, mesh);
            }
            add_triangles(*primitive, first_vertices[primitive->positions], mirrored, mesh);
        });
    }

    void add_vertices(const GltfAccessor& points, const Eigen::Matrix4d& place, TriangleMesh& mesh) const {
        for (std::size_t i = 0; i < points.count; ++i) {
            const Vec3 p(points.at(i, 0), points.at(i, 1), points.at(i, 2));
            const Vec3 placed = place.topLeftCorner<3, 3>() * p + place.topRightCorner<3, 1>();
            if (!is_finite(p) || !is_finite(placed))
                fail(source_, Cause::non_finite, "position is not finite", "vertex",
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
                                      fmt::format("refers to vertex {}, but there are {}", index, vertex_count));
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

    // Corners of triangles, strips and fans.
    [[nodiscard]] static std::array<std::size_t, 3> corners_of(std::size_t mode, std::size_t i) {
        if (mode == 4) return {3 * i, 3 * i + 1, 3 * i + 2};
        if (mode == 5) return {i, i + 1 + i % 2, i + 2 - i % 2};
        return {i + 1, i + 2, 0};
    }

    const Source& source_;
    const GltfTable& root_;
    GltfBuffers buffers_;
    std::size_t affordable_; // remaining allowance (bytes)
    std::size_t lines_ = 0;
};

struct Chunks {
    std::string_view json;
    std::span<const std::byte> binary;
};

Chunks glb_chunks(const Source& source) {
    ByteReader reader(source);
    static_cast<void>(reader.read<std::uint32_t>("magic"));
    if (reader.read<std::uint32_t>("version") != 2)
        reader.fail(Cause::unsupported, "unsupported version of GLB; only version 2 is supported");
    const std::uint32_t length = reader.read<std::uint32_t>("length");
    if (length > source.bytes.size())
        reader.fail(Cause::truncated, fmt::format("states {} bytes, but the file has {}", length, source.bytes.size()));
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
    const Json document = parse_gltf_json(source, chunks.json);
    const GltfTable root(source, document, "document");
    check_version(source, root);
    check_extensions(source, root);
    GltfReader(source, root, chunks.binary).read(file);
    if (file.surface.triangles.empty()) file.report.notes.push_back(fmt::format("the file contains no triangles"));
    return file;
}

// ---- Writer of GLB: one mesh, float positions, 32-bit indices.

namespace {

void append_chunk(std::string& glb, std::string_view type, std::string content, char padding) {
    content.resize((content.size() + 3) / 4 * 4, padding);
    append_little_endian(glb, static_cast<std::uint32_t>(content.size()));
    glb.append(type);
    glb.append(content);
}

struct Bounds {
    Vec3f lower = Vec3f::Constant(std::numeric_limits<float>::max());
    Vec3f upper = Vec3f::Constant(std::numeric_limits<float>::lowest());
};

Bounds append_positions(std::string& bytes, const TriangleMesh& mesh) {
    Bounds bounds;
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const Vec3f p = as_float(mesh.vertices[i], i);
        bounds.lower = bounds.lower.cwiseMin(p);
        bounds.upper = bounds.upper.cwiseMax(p);
        for (int k = 0; k < 3; ++k) append_little_endian(bytes, p[k]);
    }
    return bounds;
}

std::string numbers(const Vec3f& v) { return fmt::format("[{},{},{}]", v.x(), v.y(), v.z()); }

// glTF does not allow empty arrays, so a mesh without triangles becomes a scene without meshes.
std::string scene_text(const TriangleMesh& mesh, const Bounds& bounds) {
    const std::string asset = R"({"asset":{"version":"2.0","generator":"Fathom"})";
    if (mesh.triangles.empty()) return asset + "}";
    const std::size_t position_bytes = 12 * mesh.vertices.size();
    const std::size_t index_bytes = 12 * mesh.triangles.size();
    return asset +
           fmt::format(
               R"(,"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],)"
               R"("meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"mode":4}}]}}],)"
               R"("accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3","min":{},"max":{}}},)"
               R"({{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}}],)"
               R"("bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":{},"target":34962}},)"
               R"({{"buffer":0,"byteOffset":{},"byteLength":{},"target":34963}}],"buffers":[{{"byteLength":{}}}]}})",
               mesh.vertices.size(), numbers(bounds.lower), numbers(bounds.upper), 3 * mesh.triangles.size(),
               position_bytes, position_bytes, index_bytes, position_bytes + index_bytes);
}

} // namespace

std::string written_glb(const TriangleMesh& mesh) {
    const std::size_t binary_bytes = 12 * (mesh.vertices.size() + mesh.triangles.size());
    if (binary_bytes > std::numeric_limits<std::uint32_t>::max() - 4096)
        throw Error(Cause::too_large, "a GLB file is limited to 4 GB");
    std::string binary;
    binary.reserve(binary_bytes);
    const Bounds bounds = append_positions(binary, mesh);
    for (const Triangle& t : mesh.triangles)
        for (const Index v : t) append_little_endian(binary, v);
    std::string chunks;
    append_chunk(chunks, "JSON", scene_text(mesh, bounds), ' ');
    if (!mesh.triangles.empty()) append_chunk(chunks, std::string_view("BIN\0", 4), std::move(binary), '\0');
    std::string glb = "glTF";
    append_little_endian(glb, std::uint32_t{2});
    append_little_endian(glb, static_cast<std::uint32_t>(12 + chunks.size()));
    return glb + chunks;
}

} // namespace fathom
