// Pairs of triangles of one mesh that meet beyond the corners or the edge that they share.
// Every triangle visits the BVH of all with its box, and triangles_cross() judges exactly. O(n log n + overlapping
// boxes): far more than all else in a report. Parallel; the same result for any number of threads.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace fathom {

struct SelfIntersectionOptions {
    std::size_t most_pairs = std::numeric_limits<std::size_t>::max(); // kept; all are counted
    Progress* progress = nullptr;
};

struct SelfIntersections {
    std::size_t count = 0;
    std::vector<std::array<Index, 2>> pairs; // the first ones, lower triangle first, sorted
};

// Vertices at exactly equal positions count as shared. Throws Error{non_finite}, and Error{cancelled} when told to
// stop.
[[nodiscard]] SelfIntersections self_intersections(const TriangleMesh& mesh,
                                                   const SelfIntersectionOptions& options = {});

// Is there any such pair? Stops at the first. `tree` is over the boxes of the mesh's triangles, with or without keeping
// them.
class Bvh;
[[nodiscard]] bool crosses_itself(const TriangleMesh& mesh, const Bvh& tree, Progress* progress = nullptr);

} // namespace fathom
