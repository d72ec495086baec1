// Writes binary little-endian PLY in double: nothing is lost.
#include <fathom/base/encode/byte_writer.h>
#include <fathom/geometry/io/writers.h>

#include <fmt/format.h>

namespace fathom {

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
