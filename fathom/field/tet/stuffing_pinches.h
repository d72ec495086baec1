// Separates tetrahedra that touch in a point or an edge only, so that the boundary is a manifold surface. Isosurface
// stuffing leaves such places where the shape is finer than the lattice. Cost: O(n) for each of a few rounds.
#pragma once

#include <fathom/geometry/mesh/tet_mesh.h>

#include <cstddef>
#include <vector>

namespace fathom {

struct PinchCounts {
    std::size_t split_vertices = 0;
    std::size_t dropped_tetrahedra = 0;
};

// If the tetrahedra round a vertex form groups that share no face at it, each group gets its own vertex, moved `gap`
// metres into the group. If they do not, but the boundary passes twice, tetrahedra are dropped: the smaller groups
// round such an edge, or the shortest path from one sheet to the other at such a vertex. In the end every boundary edge
// has two triangles and every boundary vertex one fan. Vertices without tetrahedra are left to the caller. The order of
// tetrahedra is preserved. `may_be_bare` marks the vertices that the boundary can touch, and is updated.
PinchCounts part_pinches(TetMesh& mesh, std::vector<char>& may_be_bare, double gap);

// boundary(), if only faces of three marked vertices can be bare: visits few tetrahedra.
[[nodiscard]] TriangleMesh marked_boundary(const TetMesh& mesh, const std::vector<char>& may_be_bare);

} // namespace fathom
