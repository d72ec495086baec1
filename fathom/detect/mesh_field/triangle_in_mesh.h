// The deepest point of a triangle in a solid mesh, of all its points: where a descent
// (triangle_descent.h) takes dozens of look-ups about a crease, or ends in a valley, this takes about six. Method:
// every look-up tells balls in which nothing is deeper than d. Inside, no point q is deeper than |q - c|, with c the
// surface point that was found; outside, at p, none is deeper than |q - p| - distance(p). Where all these balls leave
// the most room is looked next, until there is none: as cutting planes (Kelley 1960), with spheres. It is exact for any
// solid and converges quadratically. |q - c|^2 - r^2 less |q|^2 is linear in q, so the most room is at a corner, or
// where two or three of the balls leave the same. Where fourteen look-ups do not settle it (triangles much larger than
// they are deep), a descent does. Thread-safe.
#pragma once

#include <fathom/detect/mesh_field/nearby_mesh.h>
#include <fathom/detect/mesh_field/triangle_descent.h>

namespace fathom {

// In the mesh's frame. `looks`: at a point of the triangle and at its corners, whose look-ups are not counted.
[[nodiscard]] TriangleLeast least_on_triangle(const MeshField& mesh, const std::array<Vec3, 3>& corners,
                                              const std::array<MeshLook, 4>& looks);

// Whether the field is proven to stay above `level` on the triangle. No: that took too long, or a point was found that
// is not.
[[nodiscard]] bool stays_above(const MeshField& mesh, const std::array<Vec3, 3>& corners,
                               const std::array<MeshLook, 4>& looks, double level);

} // namespace fathom
