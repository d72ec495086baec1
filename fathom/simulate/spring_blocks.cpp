// Room: simulate. Cuts the points into blocks and lists who touches them.
#include <fathom/simulate/spring_blocks.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t most_points = 2048, fewest_points = 256;

// Small enough for the first-level cache, large enough to be worth a task; bodies stay whole where they can.
std::vector<Index> cut(std::span<const Index> part) {
    std::vector<Index> first = {0};
    for (std::size_t i = 0; i < part.size(); ++i) {
        const std::size_t held = i - first.back();
        if (held >= most_points || (held >= fewest_points && part[i] != part[i - 1])) first.push_back(static_cast<Index>(i));
    }
    if (!part.empty()) first.push_back(static_cast<Index>(part.size()));
    return first;
}

// visit(block, element) for each block that an element touches, once.
template <class Element>
void for_each_touch(const std::vector<Element>& elements, std::span<const Index> block_of, const auto& visit) {
    for (std::size_t e = 0; e < elements.size(); ++e) {
        auto blocks = elements[e].points;
        for (Index& p : blocks) p = block_of[p];
        for (std::size_t i = 0; i < blocks.size(); ++i)
            if (std::find(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(i), blocks[i]) == blocks.begin() + static_cast<std::ptrdiff_t>(i))
                visit(blocks[i], static_cast<Index>(e));
    }
}

template <class Element>
Lists touching(const std::vector<Element>& elements, std::span<const Index> block_of, std::size_t block_count) {
    Lists lists;
    lists.offsets.assign(block_count + 1, 0);
    for_each_touch(elements, block_of, [&](Index block, Index) { ++lists.offsets[block + 1]; });
    for (std::size_t b = 0; b < block_count; ++b) lists.offsets[b + 1] += lists.offsets[b];
    lists.items.resize(lists.offsets.back());
    std::vector<Index> next(lists.offsets.begin(), lists.offsets.end() - 1);
    for_each_touch(elements, block_of, [&](Index block, Index e) { lists.items[next[block]++] = e; });
    return lists;
}

} // namespace

SpringBlocks::SpringBlocks(const SpringNetwork& network) : first(cut(network.part)) {
    std::vector<Index> block_of(network.size());
    for (std::size_t b = 0; b < size(); ++b) std::fill(block_of.begin() + first[b], block_of.begin() + first[b + 1], static_cast<Index>(b));
    springs = touching(network.springs, block_of, size());
    areas = touching(network.areas, block_of, size());
    volumes = touching(network.volumes, block_of, size());
}

} // namespace fathom
