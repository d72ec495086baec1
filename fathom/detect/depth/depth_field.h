// A depth map as a field over its box, so that methods that know fields can ask it.
// A nearest map is the solid from the first surface on to the far side of the box; a farthest map, from its near side
// to the last surface. Where nothing was drawn there is nothing of it. Bilinear between the middles of pixels: across a
// silhouette the surface is a steep wall one pixel wide. See field/height/height_field.h for what the values mean.
// O(pixels).
#pragma once

#include <fathom/detect/depth/depth_map.h>
#include <fathom/field/height/height_field.h>

namespace fathom {

// In the frame of map.view.pose (m). Throws Error{invalid_argument} for a map that is not of at least 2 x 2 pixels, and
// as HeightField does.
[[nodiscard]] HeightField depth_field(const DepthMap& map);

} // namespace fathom
