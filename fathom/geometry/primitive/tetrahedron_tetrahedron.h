// Overlap test of two tetrahedra. Exact for every finite input: solid and closed, so touching in a point, edge or face
// counts as overlap, and so does containment. Any orientation; an inverted tetrahedron is the same solid, and a flat
// one is treated as the quadrangle, triangle, segment or point that it covers. Neighbours in a mesh touch: exclude them
// by index first.
// Method: the edges of each are clipped by the planes of the other in double, and every result is proved by a witness;
// pairs without proof are decided by exact triangle tests. (Ganovelli et al. 2003 miss overlaps of one orientation.)
// Cost: about 100 ns for pairs in general position, 1 to 4 us for touching and flat ones. Thread-safe.
#pragma once

#include <fathom/base/vec.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/index/bvh.h>

#include <array>

namespace fathom {

[[nodiscard]] bool tetrahedra_overlap(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b);

// The same result, always computed by the exact tests.
[[nodiscard]] bool tetrahedra_overlap_exact(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b);

// Whether p is in the closed solid. Exact; any orientation; false for a flat tetrahedron.
[[nodiscard]] bool tetrahedron_contains(const std::array<Vec3, 4>& tetrahedron, const Vec3& p);

// Fast filter of the overlap test: a proven result, or `unsure`. tetrahedra_overlap() is the complete test. Method: the
// edges of each are clipped by the planes of the other; two convex solids overlap if and only if an edge of one
// intersects the other. Four faces at a time if the CPU supports it. Thread-safe.
enum class FilterAnswer { no, yes, unsure };

// For any finite input. `unsure` if the two touch or nearly touch, if one is flat or nearly flat, or if numbers are
// huge or tiny.
[[nodiscard]] FilterAnswer tetrahedra_filter(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b);

// ---- Overlap test of many pairs of tetrahedra. The results equal those of tetrahedra_overlap(), which are exact:
// solid and closed, any orientation, including inverted and flat ones. Method: eight pairs at a time in float SIMD.
// First the planes of both are tested (all corners beyond one plane: disjoint; a corner inside all planes: overlap),
// then, for the undecided pairs, the edges of each are clipped by the planes of the other. A result counts only with a
// witness that exceeds a bound on the rounding; the remaining pairs, few in general position, are decided by
// tetrahedra_overlap(). Cost: about 35 ns per pair if neighbours in the list are neighbours in memory; touching and
// flat pairs 1 to 4 us.

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
