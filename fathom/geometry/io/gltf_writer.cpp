// Writes GLB: one mesh, float positions, 32-bit indices.
#include <fathom/base/encode/byte_writer.h>
#include <fathom/geometry/io/writers.h>

#include <fmt/format.h>

#include <limits>

namespace fathom {

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

// glTF knows no empty arrays, so a mesh without triangles is a scene without meshes.
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
        throw Error(Cause::too_large, "GLB ends at 4 GB");
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
