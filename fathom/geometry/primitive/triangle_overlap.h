// Do an axis-aligned box and a triangle meet? Exact, without margin: closed (touching counts), for flat
// boxes, infinite boxes and triangles without area too; an empty box meets nothing. Thread-safe.
// Method: the separating axes of Akenine-Moller 2001, each decided by the sign of an exact predicate. About 90 ns.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/base/vec.h>

#include <array>

namespace fathom {

[[nodiscard]] bool box_overlaps_triangle(const Box& box, const std::array<Vec3, 3>& triangle);

// Do a tetrahedron and a triangle meet? Exact for every finite input: solid and closed, any
// orientation; a flat tetrahedron is the quadrangle, triangle, segment or point that it is, and so is a triangle
// without area. Method: planes that part the two, and a corner inside, both by exact signs; then exact tests of the
// faces. Cost: seven to twenty orientation tests, and up to four tests of triangles where those do not decide.
// Thread-safe.

[[nodiscard]] bool tetrahedron_overlaps_triangle(const std::array<Vec3, 4>& tetrahedron,
                                                 const std::array<Vec3, 3>& triangle);

} // namespace fathom
