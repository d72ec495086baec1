// Triangles in the columns of pixels, in double: for the few pixels that depth maps leave open, and for the gaps of
// objects. The depth range of a triangle in a column is that of its part inside the column. Cost: O(triangles + pixels
// that they may touch). Thread-safe.
#pragma once

#include <fathom/detect/depth/depth_map.h>
#include <fathom/detect/depth/drawn_mesh.h>

#include <functional>

namespace fathom {

// Depth intervals of columns that no triangle of an object intersects, anywhere in the column, and in which the object
// is not solid.
struct ColumnGaps {
    struct Stretch {
        float lower, upper; // depths
    };
    std::vector<std::size_t>
        first; // by pixel, plus one: the intervals of a pixel run from its entry to that of the next pixel
    std::vector<Stretch> stretches;
};

// solid(pixel, depth) says whether the line through the centre of the pixel is inside the object there; it is called
// only far from the surface. Triangles are enlarged by `margin` (m). If a position of the body is too far away for
// doubles, there are no gaps.
[[nodiscard]] ColumnGaps gaps_of(const DepthView& view, const DrawnBody& body, double margin,
                                 const std::function<bool(std::size_t, double)>& solid);

// Columns that may be intersected: those with a true in `open`, from `lower` to `upper`, without the gaps (null: there
// are none). A column is intersected where a triangle enlarged by `margin` (m) is neither outside of it nor completely
// in a gap. The result is false for all others.
[[nodiscard]] std::vector<bool> columns_touched(const DrawnBody& body, const std::vector<bool>& open,
                                                const DepthMap& lower, const DepthMap& upper, const ColumnGaps* gaps,
                                                double margin);

} // namespace fathom
