// What depth maps saw, as pictures: for `fathom depth` and the demo.
#pragma once

#include <fathom/detect/depth/depth_object.h>
#include <fathom/show/image.h>
#include <fathom/show/viewer_document.h>

#include <span>
#include <vector>

namespace fathom::tool {

// All of one size, as the projection looks.
struct DepthPictures {
    Image object;      // heights of its far side
    Image environment; // heights of what is nearest in the same box, whatever the object
    Image hits;        // red where a surface of the environment is inside the object
    Image normals;     // of the environment there, on the object's heights
};

// Of the first part of an object at `pose`.
[[nodiscard]] DepthPictures depth_pictures(const DepthObject& object, std::size_t projection, const Pose& pose,
                                           std::span<const DrawnBody> environment);

// The same maps as layers of a viewer's document, in the frame of the object: its far side, and the environment in the
// same box.
[[nodiscard]] std::vector<ViewerLayer> depth_layers(const DepthObject& object, std::size_t projection, const Pose& pose,
                                                    std::span<const DrawnBody> environment);

} // namespace fathom::tool
