// Pictures and viewer layers of depth maps, for `fathom depth` and the demo.
#pragma once

#include <fathom/detect/depth/depth_object.h>
#include <fathom/show/image.h>
#include <fathom/show/viewer_document.h>

#include <span>
#include <vector>

namespace fathom::tool {

// Pictures of one projection, all of the same size.
struct DepthPictures {
    Image object;      // heights of the far side of the object
    Image environment; // heights of the nearest surfaces in the same box, regardless of the object
    Image hits;        // red where a surface of the environment is inside the object
    Image normals;     // normals of the environment at the hits, over the heights of the object
};

// Pictures of the first part of an object at `pose`.
[[nodiscard]] DepthPictures depth_pictures(const DepthObject& object, std::size_t projection, const Pose& pose,
                                           std::span<const DrawnBody> environment);

// The same maps as layers of a viewer document, in the frame of the object: the far side of the object, and the
// environment in the same box.
[[nodiscard]] std::vector<ViewerLayer> depth_layers(const DepthObject& object, std::size_t projection, const Pose& pose,
                                                    std::span<const DrawnBody> environment);

} // namespace fathom::tool
