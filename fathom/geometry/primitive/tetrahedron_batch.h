// Do two tetrahedra meet, for many pairs at once? The same exact answers as tetrahedra_overlap(): solid
// and closed, any orientation, inverted and flat ones included. Method: eight pairs side by side in float. First the
// planes of both (all corners beyond one: apart; a corner inside all: they meet), then, for the pairs still open, the
// edges of each clipped by the planes of the other. An answer counts only with a witness that outweighs a bound on the
// rounding; the rest, few in general position, goes to tetrahedra_overlap(). Cost: about 35 ns a pair where neighbours
// in the list are neighbours in memory; touching and flat pairs 1 to 4 us.
#pragma once

#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/index/bvh.h>

namespace fathom {

struct TetrahedronSet {
    std::span<const Vec3> vertices; // m
    std::span<const Tetrahedron> tetrahedra;

    [[nodiscard]] std::array<Vec3, 4> corners(std::size_t k) const {
        const Tetrahedron& t = tetrahedra[k];
        return {vertices[t[0]], vertices[t[1]], vertices[t[2]], vertices[t[3]]};
    }
};

// out[k] is 1 where tetrahedra pairs[k][0] of a and pairs[k][1] of b meet, else 0. Indices must be in range; the spans
// of equal length, else Error{count_mismatch}. In parallel; the same for any number of threads and any CPU.
void tetrahedra_overlap(const TetrahedronSet& a, const TetrahedronSet& b, std::span<const IdPair> pairs,
                        std::span<std::uint8_t> out);

// Only those of the pairs that meet, in their order.
[[nodiscard]] std::vector<IdPair> overlapping_tetrahedra(const TetrahedronSet& a, const TetrahedronSet& b,
                                                         std::span<const IdPair> pairs);

} // namespace fathom
