// Overlap tests of a triangle with an axis-aligned box and with a tetrahedron.
// Box: exact, without margin: closed (touching counts), also for flat boxes, infinite boxes and triangles without area;
// an empty box overlaps nothing. Thread-safe. Method: the separating axes of Akenine-Moller 2001, each decided by the
// sign of an exact predicate. About 90 ns.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/base/vec.h>

#include <array>

namespace fathom {

[[nodiscard]] bool box_overlaps_triangle(const Box& box, const std::array<Vec3, 3>& triangle);

// Tetrahedron: exact for every finite input: solid and closed, any orientation; a flat tetrahedron is treated as the
// quadrangle, triangle, segment or point that it covers, and likewise a triangle without area. Method: separating
// planes, and corners inside, both by exact signs; then exact tests of the faces. Cost: seven to twenty orientation
// tests, and up to four triangle tests if those do not decide. Thread-safe.
[[nodiscard]] bool tetrahedron_overlaps_triangle(const std::array<Vec3, 4>& tetrahedron,
                                                 const std::array<Vec3, 3>& triangle);

} // namespace fathom
