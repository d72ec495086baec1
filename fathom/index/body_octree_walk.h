// The walk down two body octrees, and the comparison of two leaves: what body_octree_pairs.cpp builds on.
// Only its .cpp knows SIMD.
#pragma once

#include <fathom/index/body_octree.h>

namespace fathom {

// Two trees to be walked together. The first has the larger frame, into which the other's volumes are brought.
struct BodyWalk {
    const BodyOctree& a;
    const BodyOctree& b;
    bool self; // the same body: each pair of its parts once, and each part with itself
    bool spheres;
    int level; // no deeper; negative: down to the leaves
};

// Two nodes whose volumes overlap, and of which one at least must be opened.
struct BodyWalkStep {
    std::uint32_t a, b; // words
    int level;
    std::array<float, 6> volume; // of a if that is a leaf, else of b: a box, or a sphere in the first four
};

using NodeReport = CallableRef<bool(std::uint32_t, std::uint32_t)>;

// Whether the roots overlap: `first` is where the walk begins.
bool begin_walk(const BodyWalk& walk, BodyWalkStep& first);
// report(word of a, word of b) for every pair that the walk ends in; false stops. Adds the volume tests done to
// `tests`.
bool walk_down(const BodyWalk& walk, const BodyWalkStep& from, NodeReport report, std::size_t& tests);
// One step alone: what must be opened further goes to `below`.
bool walk_step(const BodyWalk& walk, const BodyWalkStep& from, NodeReport report, std::vector<BodyWalkStep>& below,
               std::size_t& tests);

// The boxes of primitives of a leaf, up to 64 at a time.
struct PrimitiveBlock {
    static constexpr std::size_t size = 64;
    alignas(32) double lower[size][4];
    alignas(32) double upper[size][4];
    Index ids[size];
    std::size_t count = 0;
    const Index* source = nullptr; // the list that it was made of
};

class LeafCompare {
public:
    LeafCompare(const BodyOctree& a, const BodyOctree& b, CallableRef<bool(Index, Index)> visitor)
        : a_(a), b_(b), visitor_(visitor) {}

    // visitor(primitive of a, primitive of b) for all whose boxes overlap; false when it stopped. Leaf by number.
    bool leaves(Index leaf_a, Index leaf_b);
    // The pairs inside a leaf of a.
    bool inside(Index leaf);

private:
    const BodyOctree &a_, &b_;
    CallableRef<bool(Index, Index)> visitor_;
    PrimitiveBlock block_a_, block_b_; // the walk often stays with one leaf of a
};

} // namespace fathom
