// Tetrahedra that meet in a point or an edge only are parted, so that the boundary is a proper surface.
// Isosurface stuffing leaves such places where the shape is finer than the lattice. Cost: O(n) for each of a few
// rounds.
#pragma once

#include <fathom/geometry/mesh/tet_mesh.h>

#include <cstddef>
#include <vector>

namespace fathom {

struct PinchCounts {
    std::size_t split_vertices = 0;
    std::size_t dropped_tetrahedra = 0;
};

// Where the tetrahedra round a vertex fall into groups that share no face at it, each group gets a vertex of its own,
// `gap` metres apart, into the group. Where they do not, yet the boundary passes twice, tetrahedra are dropped: the
// smaller groups round such an edge, or the shortest way from one sheet to the other at such a vertex. In the end every
// boundary edge has two triangles and every boundary vertex one fan. Vertices without tetrahedra are left to the
// caller. The order of tetrahedra stays. `may_be_bare` marks by vertex what the boundary can touch, and is kept up to
// date.
PinchCounts part_pinches(TetMesh& mesh, std::vector<char>& may_be_bare, double gap);

// boundary(), where only faces of three marked vertices can be bare: looks at few tetrahedra.
[[nodiscard]] TriangleMesh marked_boundary(const TetMesh& mesh, const std::vector<char>& may_be_bare);

} // namespace fathom
