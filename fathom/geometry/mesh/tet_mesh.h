// A tetrahedral mesh as two arrays. After orient() every tetrahedron (a, b, c, d) has positive volume:
// (b - a) x (c - a) . (d - a) > 0, the order of VTK and gmsh.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

namespace fathom {

using Tetrahedron = std::array<Index, 4>; // vertex indices

struct TetMesh {
    std::vector<Vec3> vertices; // m
    std::vector<Tetrahedron> tetrahedra;

    [[nodiscard]] std::array<Vec3, 4> corners(std::size_t tetrahedron) const {
        const Tetrahedron& t = tetrahedra[tetrahedron];
        return {vertices[t[0]], vertices[t[1]], vertices[t[2]], vertices[t[3]]};
    }
    friend bool operator==(const TetMesh&, const TetMesh&) = default;
};

// The four faces of a tetrahedron of positive volume, each counter-clockwise seen from outside; face k is opposite to
// corner k.
inline constexpr std::array<std::array<int, 3>, 4> tetrahedron_faces = {{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

[[nodiscard]] inline double signed_volume(const std::array<Vec3, 4>& c) {
    return (c[1] - c[0]).cross(c[2] - c[0]).dot(c[3] - c[0]) / 6.0;
}

// Throws Error (non_finite, index_out_of_range, too_large) naming the first invalid vertex or tetrahedron. O(n).
void check(const TetMesh& mesh, const std::string& file = {});

// Swaps two corners of every tetrahedron of negative volume (decided exactly); returns their number. O(n).
std::size_t orient(TetMesh& mesh);

// The faces that belong to only one tetrahedron, outward, with the vertex array of the whole mesh (so indices agree;
// unused vertices remain). Sorted by tetrahedron, then face. O(n log n).
[[nodiscard]] TriangleMesh boundary(const TetMesh& mesh);

} // namespace fathom
