// Where two bodies, or two parts of one, may touch: node pairs, colliding points and primitive pairs of
// body octrees. Method: Madera et al. 2006, figure 4, without recursion and eight volumes a step: the children of a
// node against the other node, then those that collide against the other's children. Trees of unlike depth: what is
// left of the deeper one against the leaf. Spheres are compared where both trees have them, boxes otherwise. All
// queries are const, thread-safe, and the same for any number of threads; those that visit run on the calling thread
// and allocate nothing.
#pragma once

#include <fathom/index/body_octree.h>

#include <compare>

namespace fathom {

// Words of nodes, as in BvhNode::child: BodyOctree::box_of() and sphere_of() read them.
struct OverlappingNodes {
    std::uint32_t a, b;
    auto operator<=>(const OverlappingNodes&) const = default;
};

struct NodeOverlap {
    std::vector<OverlappingNodes> pairs; // sorted, each once
    std::size_t volume_tests = 0;        // box with box, or sphere with sphere
};

// Pairs of nodes at `level` (0: the two roots), or of leaves above it, whose volumes overlap and those of all ancestors
// too; and perhaps some that miss by rounding. A negative level asks for leaves.
[[nodiscard]] NodeOverlap overlapping_nodes(const BodyOctree& a, const BodyOctree& b, int level = -1);

struct CollidingPoints {
    std::vector<Index> of_a, of_b; // sorted, each once
    std::size_t volume_tests = 0;
};

// The paper's output. For each pair of leaves that overlapping_nodes() finds: the points of a's leaf that lie in b's
// volume (as box_of() or sphere_of() gives it, its margin included; closed), and the other way round. Of a swept step:
// the points whose box of start and end meets it.
[[nodiscard]] CollidingPoints colliding_points(const BodyOctree& a, const BodyOctree& b);

// Pairs {primitive of a, primitive of b} whose primitive_box() overlap (closed, exact), sorted, each once. With spheres
// only those of them that lie under overlapping spheres: no two primitives that come as near as the sum of the margins
// are lost, but pairs whose boxes alone overlap may be. In parallel.
[[nodiscard]] std::vector<IdPair> overlapping_primitives(const BodyOctree& a, const BodyOctree& b);
bool visit_overlapping_primitives(const BodyOctree& a, const BodyOctree& b, CallableRef<bool(Index, Index)> visitor);

struct SelfPairOptions {
    bool skip_neighbours = true; // leave out pairs that have a point id in common
};

// Pairs {p, q} with p < q inside one body, the same way.
[[nodiscard]] std::vector<IdPair> overlapping_primitives(const BodyOctree& tree, const SelfPairOptions& options = {});
bool visit_overlapping_primitives(const BodyOctree& tree, CallableRef<bool(Index, Index)> visitor,
                                  const SelfPairOptions& options = {});

} // namespace fathom
