// The classic way to the depths of a body's nodes, kept as the rival of marching on the mesh: fast
// marching (Sethian 1996) on a regular grid over the body, as Marchal et al. 2004 describe it in section 4.1. The
// boundary is drawn into the grid, the eikonal equation is solved outward from it to first order, and the nodes read
// their depths by interpolation. When not: always, where node_depths.h will do. The error is about half a cell
// everywhere, and the grid knows nothing of cuts: parts nearer than a cell share their values. O(points log points),
// one thread.
#pragma once

#include <fathom/field/tet/body_topology.h>

namespace fathom {

struct GridMarchingOptions {
    std::array<std::size_t, 3> points = {20, 20,
                                         20}; // along each axis of the body's box; an axis without extent has one
    bool exact_start =
        false; // points next to the boundary begin with their distance to it, instead of 0 as in the paper
};

// By node (m, >= 0); 0 for nodes of no element. Throws Error as check() does, and for fewer than 2 points or more than
// 10^8 in all.
[[nodiscard]] std::vector<double> grid_fast_marching_depths(const BodyTopology& topology,
                                                            std::span<const Vec3> positions,
                                                            const GridMarchingOptions& options = {});

} // namespace fathom
