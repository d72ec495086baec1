// Exact unsigned distances from the samples of bricks to a triangle mesh, for whole bricks at a time.
// Method: a block of 2 x 2 x 2 bricks takes from the tree every triangle that can be the closest somewhere in it. The
// list is reduced for ever smaller blocks (nearest_kernel.h) down to 3 x 3 x 3 samples, which are tested against the
// remaining triangles. Because the bound keeps only triangles around the closest point, far bricks cost about as much
// as near ones: 30 to 120 ns per sample, whereas a tree traversal costs one or two microseconds. Use SurfaceTree for a
// few scattered points. Immutable, thread-safe.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/base/progress.h>
#include <fathom/field/grid/grid_data.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <span>
#include <vector>

namespace fathom {

// The 729 samples of one brick: distance (m), and the closest triangle.
struct BrickDistances {
    std::array<double, brick_size> distance;
    std::array<Index, brick_size> nearest;
};

struct PlacedTriangle; // defined in nearest_kernel.h

class MeshSampler {
public:
    // Both must outlive the sampler, belong together, and contain at least one triangle.
    MeshSampler(const TriangleMesh& mesh, const SurfaceTree& tree);
    ~MeshSampler();

    // By brick index: whether the surface intersects the brick grown by `reach` metres on every side. In parallel.
    [[nodiscard]] std::vector<char> near_bricks(const GridLayout& layout, double reach, Progress* progress) const;

    // Calls visitor(brick index, distances) for every wanted brick, in parallel and in unspecified order. The values do
    // not depend on the number of threads or on which other bricks are wanted.
    using Visitor = CallableRef<void(std::size_t, const BrickDistances&)>;
    void sample(const GridLayout& layout, const std::vector<char>& wanted, std::string_view stage, Progress* progress,
                Visitor visitor) const;

    // Upper bound on the error of distances up to `far` (m).
    [[nodiscard]] double error_bound(const GridLayout& layout, double far) const;

private:
    const TriangleMesh& mesh_;
    const SurfaceTree& tree_;
    std::vector<PlacedTriangle> placed_;
    double longest_ = 0;  // largest diagonal of a triangle's box (m)
    double farthest_ = 0; // largest coordinate magnitude (m)
};

} // namespace fathom
