// Do two tetrahedra meet? Exact for every finite input: solid and closed, so touching in a point, edge
// or face is overlap, and so is one inside the other. Any orientation; an inverted one is the same solid, and a flat
// one is the quadrangle, triangle, segment or point that it is. Neighbours in a mesh touch: leave them out by index
// first. Method: the edges of each are clipped by the planes of the other in double, and every answer so found is
// proved by a witness; what cannot be proved is asked of exact triangle tests. (Ganovelli et al. 2003 miss overlaps of
// one orientation.) Cost: about 100 ns for pairs in general position, 1 to 4 us for touching and flat ones.
// Thread-safe.
#pragma once

#include <fathom/base/vec.h>

#include <array>

namespace fathom {

[[nodiscard]] bool tetrahedra_overlap(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b);

// The same by the slow path alone.
[[nodiscard]] bool tetrahedra_overlap_exact(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b);

// Is p in the closed solid? Exact; any orientation; false for a flat tetrahedron.
[[nodiscard]] bool tetrahedron_contains(const std::array<Vec3, 4>& tetrahedron, const Vec3& p);

// The fast first answer to whether two tetrahedra meet: proved, or unsure. tetrahedron_tetrahedron.h is
// the whole answer. Method: the edges of each are clipped by the planes of the other; two convex solids meet exactly
// when an edge of one meets the other. Double4 faces at a time where the CPU can. Thread-safe.

enum class FilterAnswer { no, yes, unsure };

// Any finite input. Unsure where the two touch or nearly touch, where one is flat or nearly flat, where numbers are
// huge or tiny.
[[nodiscard]] FilterAnswer tetrahedra_filter(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b);

} // namespace fathom
