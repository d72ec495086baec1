// Cuts through a tetrahedral mesh: by a plane, or by the surface that a blade sweeps.
// Method: every vertex near the cut gets a height over it. Edges that pass from one side to the other are split where
// their heights cross 0, the longest first: splitting an edge halves all tetrahedra round it, so neighbours agree about
// every diagonal, and once no edge passes through, each tetrahedron lies on one side. The faces between the sides are
// then opened. Slivers: where an edge is crossed close to its end, the cut passes through that vertex instead. No
// vertex is ever moved, so the volume is kept to rounding, in this shape and in any other that the same edit is applied
// to; the opened surface may leave the plane by `snap` times the longest edge there. A vertex is also taken where a
// piece would be too flat to have the orientation of its tetrahedron (judged exactly): tetrahedra that were positive
// stay so. A tetrahedron that a blade crosses only in part is split through, but its inner faces are opened only where
// their centre is under the blade; faces left closed are opened when a later sweep covers their centres. The mesh is
// valid throughout. Cost: O(n) to find what is crossed, then in proportion to the tetrahedra there. Same result on
// every run. Not for: blades that bend or fold within the size of one tetrahedron (an edge is crossed once at most);
// curved surfaces are followed to second order in the length of edges. Repeated cuts at the same place make ever
// smaller tetrahedra: no remeshing.
#pragma once

#include <fathom/geometry/edit/tet_edit.h>

namespace fathom {

struct CutPlane {
    Vec3 point = Vec3::Zero();
    Vec3 normal = Vec3::UnitZ(); // toward the upper side; need not be unit
};

struct CutOptions {
    double snap = 0.1; // in [0, 0.5): crossings nearer to a vertex than this share of their edge pass through it
};

struct CutReport {
    std::size_t crossed = 0; // tetrahedra that the cut met before
    std::size_t split = 0;   // edges
    std::size_t snapped = 0; // vertices that the cut was made to pass through
    std::size_t opened = 0;  // faces
    double farthest = 0;     // of a vertex of the opened faces from the cut (m)
};

// Error{invalid_argument} for a normal without length or `snap` out of range, {non_finite}. What changed:
// mesh.take_edit().
CutReport cut(EditableTetMesh& mesh, const CutPlane& plane, const CutOptions& options = {});

// By an open or closed surface, its triangles wound alike and joined by index (weld() if not). Throws as
// check(surface); a surface without area cuts nothing.
CutReport cut(EditableTetMesh& mesh, const TriangleMesh& surface, const CutOptions& options = {});

// The surface between two places of a blade's edge: a strip of two triangles for each piece of the edge. A blade whose
// path bends should cut with both strips at once (swept_path), or a bridge may be left where they meet at an angle.
// Error{count_mismatch} where the edges have not as many points, {invalid_argument} below two, {non_finite}.
[[nodiscard]] TriangleMesh swept_surface(std::span<const Vec3> from, std::span<const Vec3> to);
// The same along many places, `points_per_edge` points each.
[[nodiscard]] TriangleMesh swept_path(std::span<const Vec3> places, std::size_t points_per_edge);

} // namespace fathom
