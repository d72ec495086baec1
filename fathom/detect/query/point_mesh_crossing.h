// Does a moving point certainly pass through a surface within a short piece of time?
// A point is on a sheet for no time at all: no look at any one time sees it there. It is proven to be there between two
// times at which it is on either side of a triangle, where all of its path between lies over the inside of that
// triangle. Points that pass nearer to an edge than they move stay open: ask a shorter piece. Cost: a walk over both
// trees, and some tests of sides. const and thread-safe.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/detect/query/shape.h>

namespace fathom {

// A point shell and a mesh, both on their screws; the path of the motions is not looked at.
[[nodiscard]] bool points_cross(const Shape& points, const Motion& motion_points, const Shape& surface,
                                const Motion& motion_surface, double start, double end);

} // namespace fathom
