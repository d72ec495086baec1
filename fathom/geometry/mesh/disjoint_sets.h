// Which elements hang together (union-find; Tarjan 1975, with path halving). One object a thread.
// The set's name is its lowest element, so that results do not depend on the order of joining.
#pragma once

#include <fathom/base/vec.h>

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace fathom {

class DisjointSets {
public:
    DisjointSets() = default;
    explicit DisjointSets(std::size_t element_count) { reset(element_count); }

    // Every element alone again.
    void reset(std::size_t element_count) {
        parent_.resize(element_count);
        std::iota(parent_.begin(), parent_.end(), Index{0});
        count_ = element_count;
    }

    [[nodiscard]] Index find(Index element) {
        while (parent_[element] != element) element = parent_[element] = parent_[parent_[element]];
        return element;
    }

    void join(Index a, Index b) {
        a = find(a);
        b = find(b);
        if (a == b) return;
        if (b < a) std::swap(a, b);
        parent_[b] = a;
        --count_;
    }

    [[nodiscard]] std::size_t count() const { return count_; } // of sets

private:
    std::vector<Index> parent_;
    std::size_t count_ = 0;
};

} // namespace fathom
