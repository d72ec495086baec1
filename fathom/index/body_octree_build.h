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

} // namespace fathom
