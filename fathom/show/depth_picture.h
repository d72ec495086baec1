// What a depth map holds, as pictures: heights, hits and normals.
#pragma once

#include <fathom/detect/depth/depth_map.h>
#include <fathom/show/image.h>

namespace fathom {

struct DepthPictureOptions {
    bool color = false;           // a ramp of colours (blue near, yellow far) instead of greys (light near, dark far)
    bool stretch = true;          // the ramp runs over the depths that occur; else over the whole box
    Color nothing = {32, 36, 48}; // pixels where nothing was drawn
    Color hit = {214, 40, 40};
};

// One pixel of the map to one of the picture, first row on top.
[[nodiscard]] Image height_picture(const DepthMap& map, const DepthPictureOptions& options = {});

// Where the environment (a nearest map) is not deeper than the object (a farthest map): marked on the object's heights.
// Maps of equal size: Error{invalid_argument} else.
[[nodiscard]] Image hit_picture(const DepthMap& object, const DepthMap& environment,
                                const DepthPictureOptions& options = {});

// Normals as colours: -1..1 along the columns, along the rows and against the view to 0..255 of red, green and blue;
// what faces the view is blue. Error{invalid_argument} where the map has none.
[[nodiscard]] Image normal_picture(const DepthMap& map, const DepthPictureOptions& options = {});

} // namespace fathom
