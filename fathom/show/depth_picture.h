// Images of depth maps: heights, hits and normals.
#pragma once

#include <fathom/detect/depth/depth_map.h>
#include <fathom/show/image.h>

namespace fathom {

struct DepthPictureOptions {
    bool color = false;           // colour map (blue near, yellow far) instead of greys (light near, dark far)
    bool stretch = true;          // the colour map covers the depths that occur; otherwise the whole box
    Color nothing = {32, 36, 48}; // pixels without a depth
    Color hit = {214, 40, 40};
};

// One pixel of the map is one pixel of the image; the first row is on top.
[[nodiscard]] Image height_picture(const DepthMap& map, const DepthPictureOptions& options = {});

// Marks the pixels where the environment (a nearest map) is not deeper than the object (a farthest map) on the heights
// of the object. Error{invalid_argument} if the maps differ in size.
[[nodiscard]] Image hit_picture(const DepthMap& object, const DepthMap& environment,
                                const DepthPictureOptions& options = {});

// Normals as colours: the components along the columns, along the rows and against the view direction are mapped from
// -1..1 to 0..255 of red, green and blue; surfaces that face the viewer are blue. Error{invalid_argument} if the map
// has no normals.
[[nodiscard]] Image normal_picture(const DepthMap& map, const DepthPictureOptions& options = {});

} // namespace fathom
