// Simultaneous traversal of two body octrees, and the comparison of the primitives of two leaves; the basis of
// body_octree_pairs.cpp. SIMD code is confined to the .cpp file.
#pragma once

#include <fathom/index/body_octree.h>

namespace fathom {

// Two trees to be traversed together. The first has the larger frame; the volumes of the second are transformed into
// it.
struct BodyWalk {
    const BodyOctree& a;
    const BodyOctree& b;
    bool self; // the same body: each pair of distinct parts once, and each part with itself
    bool spheres;
    int level; // deepest level of the traversal; negative: down to the leaves
};

// Two nodes with overlapping volumes, at least one of which must be opened.
struct BodyWalkStep {
    std::uint32_t a, b; // node words
    int level;
    std::array<float, 6> volume; // volume of a if a is a leaf, otherwise of b: a box, or a sphere in the first four
};

using NodeReport = CallableRef<bool(std::uint32_t, std::uint32_t)>;

// Whether the roots overlap. `first` receives the first step of the traversal.
bool begin_walk(const BodyWalk& walk, BodyWalkStep& first);
// Calls report(word of a, word of b) for every pair at which the traversal ends; false stops. Adds the number of volume
// tests to `tests`.
bool walk_down(const BodyWalk& walk, const BodyWalkStep& from, NodeReport report, std::size_t& tests);
// A single step: pairs that must be opened further are appended to `below`.
bool walk_step(const BodyWalk& walk, const BodyWalkStep& from, NodeReport report, std::vector<BodyWalkStep>& below,
               std::size_t& tests);

// The boxes of up to 64 primitives of a leaf.
struct PrimitiveBlock {
    static constexpr std::size_t size = 64;
    alignas(32) double lower[size][4];
    alignas(32) double upper[size][4];
    Index ids[size];
    std::size_t count = 0;
    const Index* source = nullptr; // the list it was filled from
};

class LeafCompare {
public:
    LeafCompare(const BodyOctree& a, const BodyOctree& b, CallableRef<bool(Index, Index)> visitor)
        : a_(a), b_(b), visitor_(visitor) {}

    // Calls visitor(primitive of a, primitive of b) for all pairs with overlapping boxes; returns false if stopped.
    // Leaves are given by number.
    bool leaves(Index leaf_a, Index leaf_b);
    // The pairs inside one leaf of a.
    bool inside(Index leaf);

private:
    const BodyOctree &a_, &b_;
    CallableRef<bool(Index, Index)> visitor_;
    PrimitiveBlock block_a_, block_b_; // kept between calls: consecutive calls often share the leaf of a
};

} // namespace fathom
