// The shape of a body octree: which primitives share a leaf, and which leaves a node.
#pragma once

#include <fathom/index/body_octree.h>
#include <fathom/index/bvh_build.h>

namespace fathom {

// Edits add no node below this level, so that the stacks of the visits suffice.
inline constexpr int deepest_edit = 64;
static_assert(deepest_edit < deepest_level);

// Boxes in the frame of the tree. Without boxes, a shape without nodes.
[[nodiscard]] BvhShape build_body_shape(std::span<const BuildBox> boxes, const BodyOctreeOptions& options);

// Orders `ids` so that the first `count` have their centres below the others' along the longest side of all centres.
void split_across(std::span<Index> ids, std::size_t count, std::span<const BuildBox> boxes);

// The two passes of an update of a body octree: over the points, and over the nodes. Only its .cpp knows
// SIMD.

// Whether the squares of all coordinates sum to a finite number: then none is NaN, infinite or beyond 1.3e154. Copies
// the points to `copies` unless that is null.
[[nodiscard]] bool are_tame(std::span<const Vec3> points, Vec3* copies);

// The margin in units of the frame, rounded up; and what doubles may lose when they add it to a coordinate.
[[nodiscard]] float margin_in(const BvhFrame& frame, double margin);

// The points of the leaves of a node as its fit reads them: round r holds a point of each of the eight children, the
// r-th of a leaf or its first once more. What a leaf has beyond the most rounds is read from its own list.
inline constexpr std::size_t max_rounds = 32;
// So many ids lie before the first round: a fit, which goes from the last node to the first, looks that far ahead.
inline constexpr std::size_t rounds_ahead = 512;

struct BodyFit {
    BvhFrame frame;
    float margin = 0; // as margin_in()
    const Vec3* starts = nullptr;
    const Vec3* ends = nullptr; // null when the points rest
    const BodyOctree::Piece* leaf_points = nullptr;
    const Index* listed_points = nullptr; // each leaf's filled up to a multiple of four, with its first once more
    const BodyOctree::Piece* node_rounds = nullptr;
    const Index* listed_rounds = nullptr; // the first rounds_ahead of them name any point
    SphereRule rule = SphereRule::points;
    BvhNode* nodes = nullptr;
    SphereGroup* spheres = nullptr; // null for boxes alone
};

// Fits nodes [begin, end), the last one first; what lies below them must have been fitted. Returns the sum of half the
// areas of the children's boxes, in the frame.
double fit_nodes(const BodyFit& fit, std::size_t begin, std::size_t end);
// The same for a node that lies elsewhere and has no leaves.
void fit_above(const BodyFit& fit, BvhNode& node, SphereGroup* spheres);

} // namespace fathom
