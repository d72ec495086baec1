// Whether a triangle mesh bounds a solid, and the repair of small defects so that it does.
// The rules are deterministic and use only ratios of lengths, so that they do not depend on the unit. L is the largest
// magnitude of a coordinate.
//   closed  The mesh is watertight, has a positive volume, and every component faces outward (mesh_report.h).
//   sealed  The inside is certain after these repairs, none of which moves a point by more than rounding:
//           vertices are merged that coincide within 2^-40 L (rounding of double) or, if that does not suffice, within
//           2^-20 L (rounding of float); triangles that occur twice count once; triangles are reoriented to agree with
//           the larger part of their neighbours, and components that face inward and are not cavities are reoriented;
//           cracks narrower than 2^-20 L are closed; every edge is then used equally often in both directions.
//   capped  After these repairs small holes remain, and they are closed by flat caps: the inside is a guess. A hole is
//           small if its cap covers at most half of the cross-section of its component, seen along the normal of the
//           cap. All caps of a component together are at most 1/8 of its area, and there are at most 1000.
//   sheet   Everything else: an open square, a bowl, a pipe, a triangle soup. There is no inside.
// O(n log n); for a closed mesh the cost is that of a mesh report.
#pragma once

#include <fathom/geometry/inspect/mesh_report.h>

#include <string>

namespace fathom {

struct SealedMesh {
    MeshInterior interior = MeshInterior::sheet;
    std::string reason{}; // one sentence: what was found and done
    // A sheet: as given. Otherwise vertices and triangles keep their numbers and positions, but triangles use the first
    // of the vertices that were merged, a triangle that counts once only is a point at its other occurrences, and the
    // caps follow at the end.
    TriangleMesh mesh{};
    std::size_t cap_triangles = 0;
    std::vector<Index> merged{}; // per vertex: the vertex that the triangles use instead; empty if none was merged
    double displacement = 0;     // largest distance between the given surface and the sealed one, without caps (m)
};

// Throws Error as check(mesh) does.
[[nodiscard]] SealedMesh seal(TriangleMesh mesh);

} // namespace fathom
