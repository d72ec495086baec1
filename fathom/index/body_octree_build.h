// Construction and refit of a body octree: the topology of the tree (assignment of primitives to leaves and of leaves
// to nodes), and the two passes of an update.
#pragma once

#include <fathom/index/body_octree.h>
#include <fathom/index/bvh_build.h>

namespace fathom {

// Edits add no node below this level, so that the stacks of the visits suffice.
inline constexpr int deepest_edit = 64;
static_assert(deepest_edit < deepest_level);

// Boxes are in the frame of the tree. Without boxes the shape has no nodes.
[[nodiscard]] BvhShape build_body_shape(std::span<const BuildBox> boxes, const BodyOctreeOptions& options);

// Orders `ids` so that the centres of the first `count` are below those of the others along the longest side of the
// bounds of all centres.
void split_across(std::span<Index> ids, std::size_t count, std::span<const BuildBox> boxes);

// The two passes of an update of a body octree: over the points, and over the nodes. SIMD code is confined to the .cpp
// file.

// Whether the squares of all coordinates sum to a finite number: then none is NaN, infinite or above 1.3e154 in
// magnitude. Copies the points to `copies` unless that is null.
[[nodiscard]] bool are_tame(std::span<const Vec3> points, Vec3* copies);

// The margin in units of the frame, rounded up, including the rounding error of adding it to a coordinate in double.
[[nodiscard]] float margin_in(const BvhFrame& frame, double margin);

// The points of the leaves of a node in the order in which the fit reads them: round r holds one point of each of the
// eight children, the r-th of a leaf, or its first again if it has fewer. Points of a leaf beyond the maximum number of
// rounds are read from the leaf's own list.
inline constexpr std::size_t max_rounds = 32;
// Number of ids before the first round: the fit proceeds from the last node to the first and prefetches this far ahead.
inline constexpr std::size_t rounds_ahead = 512;

struct BodyFit {
    BvhFrame frame;
    float margin = 0; // see margin_in()
    const Vec3* starts = nullptr;
    const Vec3* ends = nullptr; // null if the points rest
    const BodyOctree::Piece* leaf_points = nullptr;
    const Index* listed_points = nullptr; // padded per leaf to a multiple of four with its first point
    const BodyOctree::Piece* node_rounds = nullptr;
    const Index* listed_rounds = nullptr; // the first rounds_ahead entries may be any point
    SphereRule rule = SphereRule::points;
    BvhNode* nodes = nullptr;
    SphereGroup* spheres = nullptr; // null for boxes only
};

// Fits nodes [begin, end), the last one first; nodes below them must have been fitted. Returns the sum of half the
// areas of the children's boxes, in the frame of the tree.
double fit_nodes(const BodyFit& fit, std::size_t begin, std::size_t end);
// The same for a single node outside the array that has no leaves.
void fit_above(const BodyFit& fit, BvhNode& node, SphereGroup* spheres);

} // namespace fathom
