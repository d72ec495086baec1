// Writes binary STL: float coordinates, unit normals (zero for triangles without area).
#include <fathom/base/encode/byte_writer.h>
#include <fathom/geometry/io/writers.h>

namespace fathom {

namespace {

void append(std::string& bytes, const Vec3f& v) {
    for (int k = 0; k < 3; ++k) append_little_endian(bytes, v[k]);
}

// stableNormalized: tiny and huge triangles have normals too.
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
