// Do a tetrahedron and a triangle meet? Exact for every finite input: solid and closed, any
// orientation; a flat tetrahedron is the quadrangle, triangle, segment or point that it is, and so is a triangle
// without area. Method: planes that part the two, and a corner inside, both by exact signs; then exact tests of the
// faces. Cost: seven to twenty orientation tests, and up to four tests of triangles where those do not decide.
// Thread-safe.
#pragma once

#include <fathom/base/vec.h>

#include <array>

namespace fathom {

[[nodiscard]] bool tetrahedron_overlaps_triangle(const std::array<Vec3, 4>& tetrahedron,
                                                 const std::array<Vec3, 3>& triangle);

} // namespace fathom
