// Exact unsigned distances from the samples of bricks to a triangle mesh, for whole bricks at a time.
// Method: blocks of 2 x 2 x 2 bricks take from the tree every triangle that can be nearest somewhere in them; the list
// is sifted for ever smaller blocks (nearest_kernel.h) down to 3 x 3 x 3 samples, which meet what is left. Because the
// bound keeps only triangles round the nearest point, far bricks cost about as much as near ones: 30 to 120 ns a
// sample, where a tree walk costs a microsecond or two. A few scattered points: ask SurfaceTree. Immutable,
// thread-safe.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/base/progress.h>
#include <fathom/field/grid/grid_data.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <span>
#include <vector>

namespace fathom {

// The 729 samples of one brick: distance (m), and the triangle that gave it.
struct BrickDistances {
    std::array<double, brick_size> distance;
    std::array<Index, brick_size> nearest;
};

struct PlacedTriangle; // as nearest_kernel.h wants it

class MeshSampler {
public:
    // Both must outlive the sampler, belong together, and hold a triangle at least.
    MeshSampler(const TriangleMesh& mesh, const SurfaceTree& tree);
    ~MeshSampler();

    // By brick index: does the surface meet the brick grown by `reach` metres on every side? In parallel.
    [[nodiscard]] std::vector<char> near_bricks(const GridLayout& layout, double reach, Progress* progress) const;

    // visitor(brick index, distances) for every wanted brick, in parallel and in no order; the same values for any
    // number of threads, and for any choice of the other bricks wanted.
    using Visitor = CallableRef<void(std::size_t, const BrickDistances&)>;
    void sample(const GridLayout& layout, const std::vector<char>& wanted, std::string_view stage, Progress* progress,
                Visitor visitor) const;

    // Distances up to `far` (m) are off by no more than this (m).
    [[nodiscard]] double error_bound(const GridLayout& layout, double far) const;

private:
    const TriangleMesh& mesh_;
    const SurfaceTree& tree_;
    std::vector<PlacedTriangle> placed_;
    double longest_ = 0;  // diagonal of a triangle's box (m)
    double farthest_ = 0; // coordinate (m)
};

} // namespace fathom
