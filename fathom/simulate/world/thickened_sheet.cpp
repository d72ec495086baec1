// Doubles a sheet and closes its border.
#include <fathom/simulate/world/thickened_sheet.h>

#include <fathom/geometry/mesh/adjacency.h>

namespace fathom {

SheetHull::SheetHull(const TriangleMesh& sheet, double thickness) : faces_(sheet.triangles), half_(0.5 * thickness) {
    const auto n = static_cast<Index>(sheet.vertices.size());
    const EdgeTable table = edge_table(faces_, n);
    double length = 0;
    for (const Edge& e : table.edges) length += (sheet.vertices[e[1]] - sheet.vertices[e[0]]).norm();
    if (!(thickness > 0) && !table.edges.empty()) half_ = 0.1 * length / static_cast<double>(table.edges.size());
    mesh_.triangles = faces_;
    for (const Triangle& t : faces_) mesh_.triangles.push_back({t[0] + n, t[2] + n, t[1] + n});
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        if (table.sides[e].size() != 1) continue;
        const bool along = runs_along_edge(faces_, table.sides[e][0]);
        const Index a = table.edges[e][along ? 0 : 1], b = table.edges[e][along ? 1 : 0];
        mesh_.triangles.push_back({b, a, a + n});
        mesh_.triangles.push_back({b, a + n, b + n});
    }
    move(sheet.vertices);
}

void SheetHull::move(std::span<const Vec3> vertices) {
    std::vector<Vec3> normals(vertices.size(), Vec3::Zero());
    for (const Triangle& t : faces_) {
        const Vec3 area = area_vector({vertices[t[0]], vertices[t[1]], vertices[t[2]]});
        for (const Index v : t) normals[v] += area;
    }
    mesh_.vertices = doubled(vertices);
    for (std::size_t v = 0; v < vertices.size(); ++v) {
        const Vec3 out = half_ * normals[v].stableNormalized();
        mesh_.vertices[v] += out;
        mesh_.vertices[v + vertices.size()] -= out;
    }
}

std::vector<Vec3> SheetHull::doubled(std::span<const Vec3> of_vertices) const {
    std::vector<Vec3> both(of_vertices.begin(), of_vertices.end());
    both.insert(both.end(), of_vertices.begin(), of_vertices.end());
    return both;
}

bool is_open(const TriangleMesh& mesh) {
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    for (std::size_t e = 0; e < table.edges.size(); ++e)
        if (table.sides[e].size() == 1) return true;
    return false;
}

} // namespace fathom
