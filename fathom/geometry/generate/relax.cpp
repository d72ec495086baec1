// Tangential relaxation of closed meshes.
#include <fathom/geometry/generate/relax.h>

#include <cmath>

namespace fathom {

VertexRings vertex_rings(const TriangleMesh& mesh) {
    VertexRings rings;
    rings.start.assign(mesh.vertices.size() + 1, 0);
    for (const Triangle& t : mesh.triangles)
        for (const Index v : t) ++rings.start[v + 1];
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) rings.start[v + 1] += rings.start[v];
    rings.opposite.resize(3 * mesh.triangles.size());
    std::vector<std::uint32_t> next(rings.start.begin(), rings.start.end() - 1);
    for (const Triangle& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k) rings.opposite[next[t[k]]++] = {t[(k + 1) % 3], t[(k + 2) % 3]};
    return rings;
}

Vec3 relaxed_position(const TriangleMesh& mesh, const VertexRings& rings, std::size_t v, double step) {
    const Vec3& p = mesh.vertices[v];
    Vec3 middle = Vec3::Zero(), normal = Vec3::Zero();
    double weight = 0;
    for (const auto& [a, b] : rings.around(v)) {
        // Centroids weighted by area pull vertices out of crowded places.
        const Vec3 out = area_vector({p, mesh.vertices[a], mesh.vertices[b]});
        const double area = std::sqrt(out.squaredNorm());
        middle += area * (mesh.vertices[a] + mesh.vertices[b] + p);
        normal += out;
        weight += 3 * area;
    }
    if (!(weight > 0)) return p;
    const Vec3 move = middle / weight - p;
    const double nn = normal.squaredNorm();
    return nn > 0 ? Vec3(p + step * (move - normal * (move.dot(normal) / nn))) : p;
}

bool keeps_facing(const TriangleMesh& mesh, const VertexRings& rings, std::size_t v, const Vec3& p) {
    for (const auto& [a, b] : rings.around(v)) {
        const Vec3 before = area_vector({mesh.vertices[v], mesh.vertices[a], mesh.vertices[b]});
        const Vec3 after = area_vector({p, mesh.vertices[a], mesh.vertices[b]});
        if (before.dot(after) <= 0.25 * std::sqrt(before.squaredNorm() * after.squaredNorm())) return false;
    }
    return true;
}

} // namespace fathom
