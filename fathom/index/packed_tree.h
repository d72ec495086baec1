// All overlapping pairs of many moving boxes, anew each step: the quickest of the broad phases here.
// Method: boxes sorted by size class (large first), then along the Morton curve, and packed eight by eight into a tree
// without pointers (after Kamel & Faloutsos 1993); a group of eight walks down once, then each of its boxes against
// eight at a time. Sorted again only when the walks have grown longer. Not for single queries (Bvh). A step costs O(n
// log n + pairs); memory about 32 bytes a box and 8 a pair. One caller at a time; inside it runs in parallel, with the
// same bytes for any number of threads.
#pragma once

#include <fathom/index/bvh.h>

#include <algorithm>
#include <span>
#include <vector>

namespace fathom {

// Eight boxes. An unused lane has an inside-out box, which nothing meets.
struct alignas(64) BoxGroup {
    static constexpr std::size_t width = 8;
    float lower[3][width];
    float upper[3][width];
};

// Pairs {first[k], second[k]}, first < second, for k < count; the arrays may be longer.
struct FoundPairs {
    std::vector<Index> first, second;
    std::size_t count = 0;

    void make_room(std::size_t more) {
        if (first.size() < count + more) first.resize(2 * count + more + 64), second.resize(first.size());
    }
    void push(Index a, Index b) {
        make_room(1);
        first[count] = a, second[count++] = b;
    }
};

class PackedTree {
public:
    // Pairs {a, b}, a < b, of positions in `boxes` whose closed boxes overlap: exact, each once, sorted. An empty box
    // meets nothing; NaN and infinity must not occur in the others. `pairs` is overwritten.
    void find_pairs(std::span<const Box> boxes, std::vector<IdPair>& pairs);

    // The next step sorts anew, as it must when a box has become empty or is so no more; find_pairs sees for itself
    // when there are more boxes or fewer.
    void forget_order() { sorted_count_ = no_count; }

    [[nodiscard]] std::size_t sorts() const { return sorts_; } // so far
    [[nodiscard]] std::size_t memory_bytes() const;

    // How boxes are read as floats: x * scale - shift, rounded to nearest. Rounding keeps the order of any two numbers,
    // so boxes that overlap do so in floats; and those that overlap in floats with no two bounds equal do overlap.
    struct Frame {
        double scale = 1;
        Vec3 shift = Vec3::Zero();

        // What has gone far since the frame was chosen stays finite: infinity is for unused lanes.
        [[nodiscard]] float operator()(double x, int axis) const {
            return static_cast<float>(std::clamp(x * scale - shift[axis], -3e38, 3e38));
        }
    };

private:
    static constexpr std::size_t no_count = ~std::size_t{0};

    void sort(std::span<const Box> boxes);
    void fill(std::span<const Box> boxes);
    void raise_levels();
    [[nodiscard]] std::size_t collect(std::span<const Box> boxes);

    Frame frame_;
    std::vector<Index> order_;                  // id by position; no_index in the unused lanes of the last group
    std::vector<std::vector<BoxGroup>> levels_; // the boxes themselves, the groups of eight, the groups of those, ...
    std::vector<FoundPairs> found_;             // by task, kept for their memory
    std::size_t sorted_count_ = no_count, sorted_walks_ = 0, sorts_ = 0;
};

// Sorts pairs {a, b} with a < b < `count`, each at most once, given in pieces. O(pairs + count).
void sort_pairs(std::span<const FoundPairs> pieces, std::size_t count, std::vector<IdPair>& sorted);

// The walk of the packed tree, which alone knows SIMD.

struct PackedView {
    std::span<const std::vector<BoxGroup>> levels; // at least two
    std::span<const Index> order;
    std::span<const Box> boxes; // by id
};

// The pairs of the boxes of groups [begin, end) of level 0 with one another and with all later ones. Returns how many
// groups the boxes were compared with: what the step cost.
std::size_t find_pairs(const PackedView& tree, std::size_t begin, std::size_t end, FoundPairs& found);

} // namespace fathom
