// Which tetrahedra of two bodies overlap, and which of one body with itself?
// Method: the tetrahedra near the other body in a voxel hash, then exact overlap eight pairs at a time
// (tetrahedron_batch.h). Closed: touching counts. Inverted and flat tetrahedra take part as the solids, quadrangles or
// triangles that they are. Cost: O(tetrahedra) to find the zone of contact, then about 0.1 us a pair of boxes. The same
// bytes for any number of threads.
#pragma once

#include <fathom/detect/tet/tet_body.h>

namespace fathom {

// Pairs {tetrahedron of a, tetrahedron of b}, each once, sorted.
[[nodiscard]] std::vector<IdPair> overlapping_tetrahedra(const TetBody& a, const TetBody& b);
// The same, where zones of both have been made for this step: of the box that the bounds of the two have in common.
[[nodiscard]] std::vector<IdPair> overlapping_tetrahedra(const TetBody& a, const TetZone& zone_a, const TetBody& b,
                                                         const TetZone& zone_b);

// Pairs {t, u}, t < u, of one body that share no vertex and overlap: where it has folded onto itself.
[[nodiscard]] std::vector<IdPair> self_overlapping_tetrahedra(const TetBody& body);

[[nodiscard]] inline bool share_vertex(const Tetrahedron& s, const Tetrahedron& t) {
    for (const Index v : s)
        if (v == t[0] || v == t[1] || v == t[2] || v == t[3]) return true;
    return false;
}

} // namespace fathom
