// Checks and small edits of triangle meshes.
#include <fathom/base/error.h>
#include <fathom/geometry/mesh/element_checks.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

namespace fathom {

Box bounds(std::span<const Vec3> points) {
    Box box;
    for (const Vec3& p : points) box.extend(p);
    return box;
}

void check(const TriangleMesh& mesh, const std::string& file) {
    check_vertices(mesh.vertices, file);
    check_elements<3>(mesh.triangles, mesh.vertices.size(), "triangle", file);
}

TriangleMesh flipped(TriangleMesh mesh) {
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
    const std::size_t shift = mesh.vertices.size();
    if (shift + other.vertices.size() >= no_index)
        throw Error(Cause::too_large, "more vertices than 32-bit indices can name");
    mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
    mesh.triangles.reserve(mesh.triangles.size() + other.triangles.size());
    const Index offset = static_cast<Index>(shift);
    for (const Triangle& t : other.triangles) mesh.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
}

} // namespace fathom
