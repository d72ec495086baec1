// Do two segments meet? Exact and closed: touching counts, and a segment may be a point.
// Cost: one orient3d when they do not lie in a plane, a few orient2d more when they do. Thread-safe.
#pragma once

#include <fathom/base/primitives.h>

namespace fathom {

[[nodiscard]] bool segments_overlap(const Segment& a, const Segment& b);

} // namespace fathom
