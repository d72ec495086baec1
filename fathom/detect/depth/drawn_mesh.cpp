// Room: detect. Meshes in floats, for drawing.
#include <fathom/detect/depth/drawn_mesh.h>

#include <fathom/base/error.h>

#include <atomic>

namespace fathom {

DrawnMesh::DrawnMesh(const TriangleMesh& mesh) : triangles_(mesh.triangles) {
    check(mesh);
    positions_.resize(mesh.vertices.size());
    place(mesh.vertices);
}

void DrawnMesh::move(std::span<const Vec3> vertices) {
    if (vertices.size() != positions_.size()) throw Error(Cause::count_mismatch, "as many vertices as before are needed", {.element = "vertices"});
    for (std::size_t v = 0; v < vertices.size(); ++v)
        if (!is_finite(vertices[v])) throw Error(Cause::non_finite, "not a finite place", {.element = "vertex", .index = static_cast<std::int64_t>(v)});
    place(vertices);
}

void DrawnMesh::place(std::span<const Vec3> vertices) {
    static std::atomic<std::uint64_t> versions{0};
    bounds_ = fathom::bounds(vertices);
    origin_ = vertices.empty() ? Vec3::Zero().eval() : bounds_.center();
    for (std::size_t v = 0; v < vertices.size(); ++v) positions_[v] = (vertices[v] - origin_).cast<float>();
    version_ = ++versions;
}

} // namespace fathom
