// Room: detect. Which pixels of a view does a body meet between two depths, by its triangles, in double: for the few pixels that maps leave open.
// O(triangles + pixels that they may touch). Thread-safe.
#pragma once

#include <fathom/detect/depth/depth_map.h>
#include <fathom/detect/depth/drawn_mesh.h>

namespace fathom {

// The columns of open pixels: those with a true in `open`, from `lower` to `upper`, all of them grown by `margin` (m).
// Returns those that a triangle meets, touching counted; the others are false.
[[nodiscard]] std::vector<bool> columns_met(const DepthView& view, const DrawnBody& body, const std::vector<bool>& open, const DepthMap& lower, const DepthMap& upper,
                                            double margin);

} // namespace fathom
