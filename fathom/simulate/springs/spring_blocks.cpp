// Divides the points into blocks and lists the elements that touch each.
#include <fathom/simulate/springs/spring_blocks.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t max_points = 2048, fewest_points = 256;

// Small enough for the first-level cache, large enough for a task; bodies are not divided if possible.
std::vector<Index> cut(std::span<const Index> part) {
    std::vector<Index> first = {0};
    for (std::size_t i = 0; i < part.size(); ++i) {
        const std::size_t held = i - first.back();
        if (held >= max_points || (held >= fewest_points && part[i] != part[i - 1]))
            first.push_back(static_cast<Index>(i));
    }
    if (!part.empty()) first.push_back(static_cast<Index>(part.size()));
    return first;
}

// Calls visit(block, element) once for each block that an element touches.
template <class Element>
void for_each_touch(const std::vector<Element>& elements, std::span<const Index> block_of, const auto& visit) {
    for (std::size_t e = 0; e < elements.size(); ++e) {
        auto blocks = elements[e].points;
        for (Index& p : blocks) p = block_of[p];
        for (std::size_t i = 0; i < blocks.size(); ++i)
            if (std::find(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(i), blocks[i]) ==
                blocks.begin() + static_cast<std::ptrdiff_t>(i))
                visit(blocks[i], static_cast<Index>(e));
    }
}

template <class Element>
SpringBlocks::Touching touching(const std::vector<Element>& elements, std::span<const Index> block_of,
                                std::size_t block_count) {
    std::vector<Index> counts(block_count, 0);
    for_each_touch(elements, block_of, [&](Index block, Index) { ++counts[block]; });
    SpringBlocks::Touching lists(block_count);
    for (std::size_t b = 0; b < block_count; ++b) lists[b].reserve(counts[b]);
    for_each_touch(elements, block_of, [&](Index block, Index e) { lists[block].push_back(e); });
    return lists;
}

struct Move {
    Index block, element;
    bool comes;
    friend auto operator<=>(const Move&, const Move&) = default;
};

template <class Element>
std::vector<Index> blocks_of(const SpringBlocks& blocks, const Element& element) {
    std::vector<Index> touched;
    for (const Index p : element.points) touched.push_back(blocks.block_of(p));
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    return touched;
}

// Applies the moves of one block to its list.
void follow(std::span<const Move> moves, std::vector<Index>& list) {
    std::vector<Index> come, go, left;
    for (const Move& m : moves) (m.comes ? come : go).push_back(m.element);
    std::set_difference(list.begin(), list.end(), go.begin(), go.end(), std::back_inserter(left));
    list.clear();
    std::merge(left.begin(), left.end(), come.begin(), come.end(), std::back_inserter(list));
}

template <class Element>
void follow(const std::vector<NetworkEdit::Change<Element>>& changes, const std::vector<Element>& before,
            const SpringBlocks& blocks, SpringBlocks::Touching& lists) {
    std::vector<Move> moves;
    for (const auto& [number, element] : changes) {
        const std::vector<Index> now = blocks_of(blocks, element);
        const std::vector<Index> old =
            number < before.size() ? blocks_of(blocks, before[number]) : std::vector<Index>{};
        for (const Index b : now)
            if (!std::binary_search(old.begin(), old.end(), b)) moves.push_back({b, number, true});
        for (const Index b : old)
            if (!std::binary_search(now.begin(), now.end(), b)) moves.push_back({b, number, false});
    }
    std::sort(moves.begin(), moves.end());
    for (std::size_t i = 0, end = 0; i < moves.size(); i = end) {
        while (end < moves.size() && moves[end].block == moves[i].block) ++end;
        follow(std::span(moves).subspan(i, end - i), lists[moves[i].block]);
    }
}

} // namespace

SpringBlocks::SpringBlocks(const SpringNetwork& network) : first(cut(network.part)) {
    std::vector<Index> block_of(network.size());
    for (std::size_t b = 0; b < size(); ++b)
        std::fill(block_of.begin() + first[b], block_of.begin() + first[b + 1], static_cast<Index>(b));
    springs = touching(network.springs, block_of, size());
    areas = touching(network.areas, block_of, size());
    volumes = touching(network.volumes, block_of, size());
}

void SpringBlocks::add_points(std::size_t count) {
    while (first.back() < count) {
        const bool full = size() == 0 || first.back() - first[size() - 1] >= max_points;
        if (full) first.push_back(first.back());
        first.back() = static_cast<Index>(std::min(count, first[size() - 1] + max_points));
    }
    for (Touching* lists : {&springs, &areas, &volumes}) lists->resize(size());
}

void SpringBlocks::apply(const NetworkEdit& edit, const SpringNetwork& before) {
    std::size_t count = before.size();
    for (const NetworkEdit::Point& p : edit.points) count = std::max<std::size_t>(count, std::size_t{p.number} + 1);
    add_points(count);
    follow(edit.springs, before.springs, *this, springs);
    follow(edit.areas, before.areas, *this, areas);
    follow(edit.volumes, before.volumes, *this, volumes);
}

} // namespace fathom
