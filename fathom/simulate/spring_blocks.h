// Room: simulate. Points in blocks, so that forces and matrices are summed in parallel without locks: a block adds up all
// elements that touch its points, but only for its own points. Elements across two blocks are computed twice. The order of each
// sum is that of the elements, whatever the number of threads.
#pragma once

#include <fathom/geometry/adjacency.h>
#include <fathom/simulate/spring_network.h>

namespace fathom {

struct SpringBlocks {
    std::vector<Index> first = {0}; // block b holds the points first[b], ..., first[b + 1] - 1
    Lists springs, areas, volumes;  // that touch each block, increasing

    SpringBlocks() = default;
    explicit SpringBlocks(const SpringNetwork& network); // O(n)

    [[nodiscard]] std::size_t size() const { return first.size() - 1; }
};

// Whether a point belongs to a block.
struct BlockRange {
    Index begin, end;
    [[nodiscard]] bool has(Index point) const { return point - begin < end - begin; }
};

[[nodiscard]] inline BlockRange block_range(const SpringBlocks& blocks, std::size_t block) { return {blocks.first[block], blocks.first[block + 1]}; }

} // namespace fathom
