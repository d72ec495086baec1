// The walk of the packed tree, which alone knows SIMD.
#pragma once

#include <fathom/index/packed_tree.h>

namespace fathom {

struct PackedView {
    std::span<const std::vector<BoxGroup>> levels; // at least two
    std::span<const Index> order;
    std::span<const Box> boxes; // by id
};

// The pairs of the boxes of groups [begin, end) of level 0 with one another and with all later ones. Returns how many
// groups the boxes were compared with: what the step cost.
std::size_t find_pairs(const PackedView& tree, std::size_t begin, std::size_t end, FoundPairs& found);

} // namespace fathom
