// SIMD kernels of the queries of SurfaceTree, dispatched to the CPU at run time.
#pragma once

#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/geometry/surface_tree/triangle_exact.h>

namespace fathom {

// Eight triangles in the layout of the SIMD kernels of SurfaceTree: five cache lines.

// In the frame of the tree. Each triangle is rotated so that the edge opposite to `corner` is its longest. Unused lanes
// are NaN, which fails every comparison.
struct alignas(64) TrianglePack {
    float corner[3][8]; // [axis][lane]
    float edge_1[3][8]; // vectors to the two other corners
    float edge_2[3][8];
    // Error of a float distance, divided by 2^-16 (1 + |query|), both in the frame: see pack_of.
    float condition;
    // Error of a float edge function of a ray, relative to the error for edges of length 1.
    float reach;
    // Largest error of replacing a triangle of the pack by its longest edge: its height.
    float height;
    Index first; // position of lane 0 in the order of the tree
    Index count;
};
static_assert(sizeof(TrianglePack) == 320);

// Bound on the error of the float distances of a pack, divided by pack.condition, for a query point in the frame of the
// tree.
//
// Let u = 2^-24 and W = 1 + |query|. Corners lie in [-1, 1], so the errors of the coordinates of corner and query are
// at most u W, and that of the distance 6 u W. Distance to an edge: the error of the parameter is 9 u max(|v|, |e|) /
// |e|, which moves its point by at most 16 u W; the residual and its square add 8 u W. Distance to the plane: the error
// of the normal is 7 u |e1| |e2|, which is a rotation by 7 u k with k = |e1| |e2| / |e1 x e2|; with the dot product and
// the square, 40 u k W. Choice between them: the error of an edge function is 42 u k W in distance, 135 u k W for the
// third, which is the sum of the two others; there plane and edge differ by no more. The total is below 256 u k W =
// 2^-16 k W, with k >= 1.
[[nodiscard]] inline double distance_error(const Vec3& local_query) {
    return 0x1p-16 * (1 + local_query.cwiseAbs().maxCoeff());
}

// The triangles at positions [first, first + count) of the tree's order; count <= 8.
[[nodiscard]] TrianglePack pack_of(const BvhFrame& frame, std::span<const std::array<Vec3, 3>> corners, Index first);

// The data of a tree that the kernels use.
struct SurfaceView {
    const Bvh& tree;
    std::span<const TrianglePack> packs;
    std::span<const std::array<Vec3, 3>> corners;

    explicit SurfaceView(const SurfaceTree& surface)
        : tree(surface.tree_), packs(surface.packs_), corners(surface.corners_) {}
    [[nodiscard]] Index triangle(Index position) const { return tree.order()[position]; }
};

// All functions require a non-empty tree and max_distance, t_max >= 0.

// Computes out[k] for points[k], for the k of `order` one after another: fastest if neighbours in the order are
// neighbours in space.
void visit_closest(const SurfaceView& surface, std::span<const Vec3> points, std::span<const Index> order,
                   double max_distance, std::span<ClosestPoint> out);
void visit_first_hit(const SurfaceView& surface, std::span<const Ray> rays, double t_max, std::span<SurfaceHit> out);
[[nodiscard]] bool visit_any_hit(const SurfaceView& surface, const Ray& ray, double t_max);

// Every triangle that a ray intersects in [0, t_max], in unspecified order, and those whose boundary it touches; false
// stops.
void visit_all_hits(const SurfaceView& surface, const Ray& ray, double t_max,
                    CallableRef<bool(const RayIntersection&)> visitor);

} // namespace fathom
