// The columns of pixels and the triangles in them, in double: for the few pixels that maps leave open,
// and for gaps of objects. The depths of a triangle in a column are those of its part in it. O(triangles + pixels that
// they may touch). Thread-safe.
#pragma once

#include <fathom/detect/depth/depth_map.h>
#include <fathom/detect/depth/drawn_mesh.h>

#include <functional>

namespace fathom {

// Stretches of columns that no triangle of an object reaches into, anywhere in the column, and in which the object is
// not solid.
struct ColumnGaps {
    struct Stretch {
        float lower, upper; // depths
    };
    std::vector<std::size_t> first; // by pixel, and one more: its stretches are those from here to the next pixel's
    std::vector<Stretch> stretches;
};

// solid(pixel, depth): is the line through the middle of the pixel inside the object there? Asked only far from its
// surface. Triangles are grown by `margin` (m). Where a place of the body is too far away for doubles there are no
// gaps.
[[nodiscard]] ColumnGaps gaps_of(const DepthView& view, const DrawnBody& body, double margin,
                                 const std::function<bool(std::size_t, double)>& solid);

// Columns that may be met: those with a true in `open`, from `lower` to `upper`, without the gaps (null: there are
// none). A column is met where a triangle grown by `margin` (m) is neither out of it nor in a gap as a whole. False for
// all others.
[[nodiscard]] std::vector<bool> columns_met(const DrawnBody& body, const std::vector<bool>& open, const DepthMap& lower,
                                            const DepthMap& upper, const ColumnGaps* gaps, double margin);

} // namespace fathom
