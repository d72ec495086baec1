// Pair queries of two body octrees, or of one with itself: overlapping nodes and overlapping primitives.
// Method: Madera et al. 2006, figure 4, without recursion and with eight volumes per step: the children of a node
// against the other node, then those that overlap against the other's children. In trees of different depth, the rest
// of the deeper one is tested against the leaf of the other. Spheres are compared if both trees have them, otherwise
// boxes. All queries are const and thread-safe, with the same result for any number of threads. The visit functions run
// on the calling thread and allocate nothing.
#pragma once

#include <fathom/index/body_octree.h>

#include <compare>

namespace fathom {

// Node words, as in BvhNode::child; see BodyOctree::box_of() and sphere_of().
struct OverlappingNodes {
    std::uint32_t a, b;
    auto operator<=>(const OverlappingNodes&) const = default;
};

struct NodeOverlap {
    std::vector<OverlappingNodes> pairs; // sorted, each once
    std::size_t volume_tests = 0;        // box-box or sphere-sphere tests
};

// Pairs of nodes at `level` (0: the two roots), or of leaves above it, whose volumes overlap and whose ancestors'
// volumes overlap too. May contain pairs that miss by rounding. A negative level selects the leaves.
[[nodiscard]] NodeOverlap overlapping_nodes(const BodyOctree& a, const BodyOctree& b, int level = -1);

// Pairs {primitive of a, primitive of b} whose primitive_box() overlap (closed, exact), sorted, each once. With
// spheres, only pairs under overlapping spheres are reported: pairs of primitives whose distance is at most the sum of
// the margins are always included, pairs of which only the boxes overlap may be missing. Runs in parallel.
[[nodiscard]] std::vector<IdPair> overlapping_primitives(const BodyOctree& a, const BodyOctree& b);
bool visit_overlapping_primitives(const BodyOctree& a, const BodyOctree& b, CallableRef<bool(Index, Index)> visitor);

struct SelfPairOptions {
    bool skip_neighbours = true; // skip pairs that share a point id
};

// Pairs {p, q} with p < q inside one body, under the same rules.
[[nodiscard]] std::vector<IdPair> overlapping_primitives(const BodyOctree& tree, const SelfPairOptions& options = {});
bool visit_overlapping_primitives(const BodyOctree& tree, CallableRef<bool(Index, Index)> visitor,
                                  const SelfPairOptions& options = {});

} // namespace fathom
