// Depths of a body's nodes by fast marching (Sethian 1996) on a regular grid, as in Marchal et al. 2004, section 4.1. A
// baseline for the fast marching on the mesh of node_depths.h.
// Method: the boundary is rasterized into the grid, the eikonal equation is solved outward from it to first order, and
// the depths of the nodes are interpolated. O(points log points), one thread.
// When not to use it: wherever node_depths.h can be used. The error is about half a cell everywhere, and the grid does
// not resolve cuts: parts closer than a cell share their values.
#pragma once

#include <fathom/field/tet/body_topology.h>

namespace fathom {

struct GridMarchingOptions {
    // Grid points along each axis of the body's box; an axis without extent has one.
    std::array<std::size_t, 3> points = {20, 20, 20};
    // Points next to the boundary start with their distance to it, instead of 0 as in the paper.
    bool exact_start = false;
};

// Depth of each node (m, >= 0); 0 for nodes without an element. Throws Error as check() does, for fewer than 2 points
// along an axis and for more than 10^8 points in total.
[[nodiscard]] std::vector<double> grid_fast_marching_depths(const BodyTopology& topology,
                                                            std::span<const Vec3> positions,
                                                            const GridMarchingOptions& options = {});

} // namespace fathom
