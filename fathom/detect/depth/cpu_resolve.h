// From the key that a pixel keeps to what it stands for: body and primitive, and the normal there. Only
// what is seen in the end is looked up, once a pixel; the cross product once a run of equal keys.
#pragma once

#include <fathom/detect/depth/cpu_raster.h>

namespace fathom {

struct Resolve {
    const Raster& raster;
    std::span<const DrawnBody> bodies;
    std::span<const Mat3> turns; // of the bodies, to the world
    DepthMap& map;               // ids and normals that are not empty are set
};

// Rows that were drawn with keys. A line or a point has the normal that looks back at the view; a triangle without area
// has none, which is 0.
void resolve_rows(const Resolve& resolve, const RasterRows& rows);

} // namespace fathom
