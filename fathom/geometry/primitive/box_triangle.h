// Do an axis-aligned box and a triangle meet? Exact, without margin: closed (touching counts), for flat
// boxes, infinite boxes and triangles without area too; an empty box meets nothing. Thread-safe.
// Method: the separating axes of Akenine-Moller 2001, each decided by the sign of an exact predicate. About 90 ns.
#pragma once

#include <fathom/base/box.h>

#include <array>

namespace fathom {

[[nodiscard]] bool box_overlaps_triangle(const Box& box, const std::array<Vec3, 3>& triangle);

} // namespace fathom
