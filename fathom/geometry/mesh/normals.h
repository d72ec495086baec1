// Unit normals of triangles, vertices and edges. They point to the side from which corners appear counter-clockwise,
// and are zero if there is no area. With angle weights, vertex and edge normals decide inside from outside at the
// closest point of a closed surface (Baerentzen & Aanaes 2005); this requires weld(), because vertices and edges are
// identified by index. O(n), parallel, the same result for any number of threads.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <vector>

namespace fathom {

struct EdgeTable;

// Zero only if the corners are collinear within double precision, at any scale.
[[nodiscard]] Vec3 unit_normal(const std::array<Vec3, 3>& corners);

[[nodiscard]] std::vector<Vec3> triangle_normals(const TriangleMesh& mesh);

enum class NormalWeight {
    angle, // angle of the triangle at the vertex: independent of the triangulation
    area   // area of the triangle: cheaper, smoother on scanned meshes, not valid for inside tests
};

struct VertexNormalOptions {
    NormalWeight weight = NormalWeight::angle;
};

[[nodiscard]] std::vector<Vec3> vertex_normals(const TriangleMesh& mesh, const VertexNormalOptions& options = {});

// The mean direction of the normals of the triangles at each edge of the table, which must be that of the mesh.
[[nodiscard]] std::vector<Vec3> edge_normals(const TriangleMesh& mesh, const EdgeTable& table);

} // namespace fathom
