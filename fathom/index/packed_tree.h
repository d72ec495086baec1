// All overlapping pairs of many moving boxes, computed from scratch each step: the fastest broad phase of this library.
// Method: boxes are sorted by size class (large first), then along the Morton curve, and packed in groups of eight into
// an implicit tree without pointers (after Kamel & Faloutsos 1993). A group of eight is traversed once against the
// tree, then each of its boxes is tested against eight at a time. The order is computed again only when the traversals
// have become longer. Not for single queries (use Bvh). A step costs O(n log n + pairs); memory about 32 bytes per box
// and 8 per pair. Not thread-safe: one caller at a time; it runs in parallel internally, with the same bytes for any
// number of threads.
#pragma once

#include <fathom/index/bvh.h>

#include <algorithm>
#include <span>
#include <vector>

namespace fathom {

// Eight boxes. An unused lane has an inverted box, which overlaps nothing.
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
    // Pairs {a, b}, a < b, of positions in `boxes` whose closed boxes overlap: exact, each once, sorted. Empty boxes
    // overlap nothing; the others must not contain NaN or infinity. `pairs` is overwritten.
    void find_pairs(std::span<const Box> boxes, std::vector<IdPair>& pairs);

    // Makes the next step sort again. Required when a box has become empty or is no longer empty; find_pairs() detects
    // a change of the number of boxes itself.
    void forget_order() { sorted_count_ = no_count; }

    [[nodiscard]] std::size_t sorts() const { return sorts_; } // number of sorts so far
    [[nodiscard]] std::size_t memory_bytes() const;

    // Conversion of boxes to float: x * scale - shift, rounded to nearest. Rounding is monotone, so boxes that overlap
    // also overlap in float; and boxes that overlap in float with no two bounds equal do overlap.
    struct Frame {
        double scale = 1;
        Vec3 shift = Vec3::Zero();

        // Coordinates far outside the frame stay finite: infinity is reserved for unused lanes.
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
    std::vector<Index> order_; // id per position; no_index in the unused lanes of the last group
    // Level 0: the boxes; level 1: the bounds of groups of eight; level 2: those of eight such groups; and so on.
    std::vector<std::vector<BoxGroup>> levels_;
    std::vector<FoundPairs> found_; // per task, kept for their memory
    std::size_t sorted_count_ = no_count, sorted_walks_ = 0, sorts_ = 0;
};

// Sorts pairs {a, b} with a < b < `count`, each at most once, given in several lists. O(pairs + count).
void sort_pairs(std::span<const FoundPairs> pieces, std::size_t count, std::vector<IdPair>& sorted);

// Input of the traversal kernel of the packed tree, which contains the SIMD code.
struct PackedView {
    std::span<const std::vector<BoxGroup>> levels; // at least two
    std::span<const Index> order;
    std::span<const Box> boxes; // per id
};

// Finds the pairs of the boxes of groups [begin, end) of level 0 with one another and with all later boxes. Returns the
// number of groups that boxes were compared with, a measure of the cost of the step.
std::size_t find_pairs(const PackedView& tree, std::size_t begin, std::size_t end, FoundPairs& found);

} // namespace fathom
