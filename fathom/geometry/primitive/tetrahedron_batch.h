// Overlap test of many pairs of tetrahedra. The results equal those of tetrahedra_overlap(), which are exact: solid and
// closed, any orientation, including inverted and flat ones.
// Method: eight pairs at a time in float SIMD. First the planes of both are tested (all corners beyond one plane:
// disjoint; a corner inside all planes: overlap), then, for the undecided pairs, the edges of each are clipped by the
// planes of the other. A result counts only with a witness that exceeds a bound on the rounding; the remaining pairs,
// few in general position, are decided by tetrahedra_overlap(). Cost: about 35 ns per pair if neighbours in the list
// are neighbours in memory; touching and flat pairs 1 to 4 us.
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

// out[k] is 1 if tetrahedra pairs[k][0] of a and pairs[k][1] of b overlap, otherwise 0. Indices must be in range.
// Throws Error{count_mismatch} if the spans differ in length. Runs in parallel; the same result for any number of
// threads and any CPU.
void tetrahedra_overlap(const TetrahedronSet& a, const TetrahedronSet& b, std::span<const IdPair> pairs,
                        std::span<std::uint8_t> out);

// The overlapping pairs only, in their order.
[[nodiscard]] std::vector<IdPair> overlapping_tetrahedra(const TetrahedronSet& a, const TetrahedronSet& b,
                                                         std::span<const IdPair> pairs);

} // namespace fathom
