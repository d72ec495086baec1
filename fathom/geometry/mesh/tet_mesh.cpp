// Checks, orientation and boundary of tetrahedral meshes.
#include <fathom/geometry/mesh/tet_mesh.h>

#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <algorithm>
#include <tuple>

namespace fathom {

namespace {

int orientation(const TetMesh& mesh, std::size_t tetrahedron) {
    const auto [a, b, c, d] = mesh.corners(tetrahedron);
    return orient3d(a, b, c, d);
}

struct Face {
    Triangle key; // ascending, so that both tetrahedra of a face agree
    Index tetrahedron;
    Index face;

    friend bool operator<(const Face& a, const Face& b) {
        return std::tie(a.key, a.tetrahedron, a.face) < std::tie(b.key, b.tetrahedron, b.face);
    }
};

Triangle corners_of(const Tetrahedron& t, std::size_t face) {
    const auto& f = tetrahedron_faces[face];
    return {t[static_cast<std::size_t>(f[0])], t[static_cast<std::size_t>(f[1])], t[static_cast<std::size_t>(f[2])]};
}

std::vector<Face> sorted_faces(const TetMesh& mesh) {
    std::vector<Face> faces;
    faces.reserve(4 * mesh.tetrahedra.size());
    for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i)
        for (std::size_t k = 0; k < 4; ++k) {
            Triangle key = corners_of(mesh.tetrahedra[i], k);
            std::sort(key.begin(), key.end());
            faces.push_back({key, static_cast<Index>(i), static_cast<Index>(k)});
        }
    std::sort(faces.begin(), faces.end());
    return faces;
}

} // namespace

void check(const TetMesh& mesh, const std::string& file) {
    check_vertices(mesh.vertices, file);
    check_elements<4>(mesh.tetrahedra, mesh.vertices.size(), "tetrahedron", file);
}

std::size_t orient(TetMesh& mesh) {
    std::size_t flipped = 0;
    for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i)
        if (orientation(mesh, i) < 0) {
            std::swap(mesh.tetrahedra[i][2], mesh.tetrahedra[i][3]);
            ++flipped;
        }
    return flipped;
}

TriangleMesh boundary(const TetMesh& mesh) {
    std::vector<Face> single;
    const std::vector<Face> faces = sorted_faces(mesh);
    for (std::size_t i = 0; i < faces.size();) {
        std::size_t next = i + 1;
        while (next < faces.size() && faces[next].key == faces[i].key) ++next;
        if (next == i + 1) single.push_back(faces[i]);
        i = next;
    }
    std::sort(single.begin(), single.end(), [](const Face& a, const Face& b) {
        return std::tie(a.tetrahedron, a.face) < std::tie(b.tetrahedron, b.face);
    });
    TriangleMesh surface{mesh.vertices, {}};
    surface.triangles.reserve(single.size());
    for (const Face& f : single) {
        Triangle t = corners_of(mesh.tetrahedra[f.tetrahedron], f.face);
        if (orientation(mesh, f.tetrahedron) < 0) std::swap(t[1], t[2]);
        surface.triangles.push_back(t);
    }
    return surface;
}

} // namespace fathom
