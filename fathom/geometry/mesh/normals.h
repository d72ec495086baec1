// Unit normals of triangles, vertices and edges; they point to the side from which corners run
// counter-clockwise. Zero where there is no area to tell. With angle weights, vertex and edge normals decide inside
// from outside at the closest point of a closed surface (Baerentzen & Aanaes 2005); for that weld first, as vertices
// and edges are told apart by index. O(n), parallel, the same result for any number of threads.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <vector>

namespace fathom {

struct EdgeTable;

// Zero only where the corners lie on one line as far as double can tell, at any scale.
[[nodiscard]] Vec3 unit_normal(const std::array<Vec3, 3>& corners);

[[nodiscard]] std::vector<Vec3> triangle_normals(const TriangleMesh& mesh);

enum class NormalWeight {
    angle, // of the triangle at the vertex: does not depend on how the surface is cut into triangles
    area   // of the triangle: cheaper, smoother on scanned meshes, wrong for deciding inside from outside
};

struct VertexNormalOptions {
    NormalWeight weight = NormalWeight::angle;
};

[[nodiscard]] std::vector<Vec3> vertex_normals(const TriangleMesh& mesh, const VertexNormalOptions& options = {});

// The mean direction of the triangles on each edge of the table, which must be the mesh's own.
[[nodiscard]] std::vector<Vec3> edge_normals(const TriangleMesh& mesh, const EdgeTable& table);

} // namespace fathom
