// Cuts through a tetrahedral mesh, by a plane or by the surface that a blade sweeps.
// Method: every vertex near the cut gets a signed height over it. Edges that cross from one side to the other are split
// where their interpolated height is 0, the longest first. Splitting an edge halves all tetrahedra around it, so
// neighbours agree on every diagonal, and once no edge crosses the cut, each tetrahedron lies on one side. The faces
// between the sides are then opened.
// Slivers: where an edge is crossed close to its end, the cut passes through that vertex instead. No vertex is ever
// moved, so the volume is kept up to rounding, in this configuration and in any other to which the same edit is
// applied; the opened surface may deviate from the plane by `snap` times the longest edge there. A vertex is also used
// where a piece would be too flat to have the orientation of its tetrahedron (decided exactly): tetrahedra of positive
// volume stay positive.
// A tetrahedron that a blade crosses only in part is split completely, but its interior faces are opened only if their
// centre is under the blade; faces left closed are opened when a later sweep covers their centres. The mesh is valid at
// all times.
// Cost: O(n) to find the crossed elements, then proportional to the number of tetrahedra there. Deterministic. Not for
// blades that bend or fold within the size of one tetrahedron (an edge is crossed at most once); curved surfaces are
// followed to second order in the edge length. Repeated cuts at the same place produce ever smaller tetrahedra: there
// is no remeshing.
#pragma once

#include <fathom/geometry/edit/tet_edit.h>

namespace fathom {

struct CutPlane {
    Vec3 point = Vec3::Zero();
    Vec3 normal = Vec3::UnitZ(); // towards the upper side; need not be a unit vector
};

struct CutOptions {
    // In [0, 0.5): a crossing closer to a vertex than this fraction of its edge is moved to the vertex.
    double snap = 0.1;
};

struct CutReport {
    std::size_t crossed = 0; // tetrahedra that the cut crossed before the edit
    std::size_t split = 0;   // number of split edges
    std::size_t snapped = 0; // vertices that the cut was made to pass through
    std::size_t opened = 0;  // number of opened faces
    double farthest = 0;     // largest distance of a vertex of the opened faces from the cut (m)
};

// Throws Error{invalid_argument} for a normal of length 0 or `snap` out of range, Error{non_finite}. The changes are
// reported by mesh.take_edit().
CutReport cut(EditableTetMesh& mesh, const CutPlane& plane, const CutOptions& options = {});

// Cuts by an open or closed surface, whose triangles are consistently wound and joined by index (weld() if not). Throws
// as check(surface) does; a surface without area cuts nothing.
CutReport cut(EditableTetMesh& mesh, const TriangleMesh& surface, const CutOptions& options = {});

// The surface between two positions of the edge of a blade: a strip of two triangles per segment of the edge. If the
// path of the blade bends, cut with both strips at once (swept_path); otherwise a bridge may remain where they meet at
// an angle. Throws Error{count_mismatch} if the numbers of points differ, Error{invalid_argument} for fewer than two
// points, Error{non_finite}.
[[nodiscard]] TriangleMesh swept_surface(std::span<const Vec3> from, std::span<const Vec3> to);
// The same along many positions with `points_per_edge` points each.
[[nodiscard]] TriangleMesh swept_path(std::span<const Vec3> places, std::size_t points_per_edge);

} // namespace fathom
