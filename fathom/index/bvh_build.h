// Topology of a wide tree without boxes: the output of the builder, used by Bvh.
#pragma once

#include <fathom/base/vec.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

// A box in the frame of the tree; the fourth lane is unused, so that one SSE register holds a corner.
struct BuildBox {
    Eigen::Array4f lower, upper;
};

struct BvhShape {
    std::vector<std::array<std::uint32_t, 8>> children; // of every wide node, level by level, as in BvhNode
    std::vector<Index> level_begin;
    std::vector<Index> leaf_begin;
    std::vector<Index> order;
};

// Depth of the binary tree below which surface-area splits are replaced by halving, and the depth that halving can add.
// A wide tree is never deeper, so a visit needs a stack of at most seven entries per level.
inline constexpr int halving_depth = 48;
inline constexpr int deepest_level = halving_depth + 33;

[[nodiscard]] BvhShape build_shape(std::span<const BuildBox> boxes, Index leaf_size);

} // namespace fathom
