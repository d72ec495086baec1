// Points in blocks, so that forces and matrices are summed in parallel without locks: a block adds up
// all elements that touch its points, but only for its own points. Elements across two blocks are computed twice. The
// order of each sum is that of the elements, whatever the number of threads.
#pragma once

#include <fathom/simulate/springs/spring_network.h>

#include <algorithm>

namespace fathom {

struct SpringBlocks {
    std::vector<Index> first = {0}; // block b holds the points first[b], ..., first[b + 1] - 1
    using Touching = std::vector<std::vector<Index>>;
    Touching springs, areas, volumes; // that touch each block, increasing

    SpringBlocks() = default;
    explicit SpringBlocks(const SpringNetwork& network); // O(n)

    // What an edit will change: `before` is the network as it still is. New points join the last block, or begin
    // another. O(edit log n), and a pass over the lists of the blocks in which elements come or go.
    void apply(const NetworkEdit& edit, const SpringNetwork& before);

    [[nodiscard]] std::size_t size() const { return first.size() - 1; }
    [[nodiscard]] Index block_of(Index point) const {
        return static_cast<Index>(std::upper_bound(first.begin(), first.end(), point) - first.begin() - 1);
    }

private:
    void add_points(std::size_t count);
};

// Whether a point belongs to a block.
struct BlockRange {
    Index begin, end;
    [[nodiscard]] bool has(Index point) const { return point - begin < end - begin; }
};

[[nodiscard]] inline BlockRange block_range(const SpringBlocks& blocks, std::size_t block) {
    return {blocks.first[block], blocks.first[block + 1]};
}

} // namespace fathom
