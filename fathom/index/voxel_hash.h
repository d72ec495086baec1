// A hash of voxels over moving boxes: who overlaps whom, which boxes hold a point, meet a box or a
// segment? Method: spatial hashing (Teschner et al. 2003) with a grid for each size of object. A box lies in one voxel
// alone, that of its lower corner, at the level whose voxels are as large as itself; so nothing is ever in many cells,
// a pair is met once, and a step is one counting sort. Voxels of a row stand side by side in the table, and a query
// reads rows, eight boxes at a time. When to use: boxes of like size that move every step, or are chosen anew (a zone
// of contact), asked for points, boxes and pairs with another set. On 94,000 tetrahedra that tremble an update costs a
// third of a Bvh refit (a twentieth of a build), pairs of two sets half, points two thirds. When not: all pairs within
// one set (PackedTree: 1.3 times quicker), segments (Bvh: 1.7 times), rays, nearest boxes, and boxes that stand still.
// An update is O(n) and for one caller; visits are const, thread-safe and allocate nothing. About 100 bytes a box.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/index/packed_tree.h>

#include <cstddef>

namespace fathom {

// The inner loop of the voxel hash, which alone knows SIMD: which of a run of boxes meet a box?

struct BoxRun {
    const float* lower[3]; // by position, readable 8 beyond the last
    const float* upper[3];
    const std::uint32_t* rows;
    const Index* ids;
    const Box* boxes; // by id
};

// The same box twice: as floats, rounded to nearest as those of the run, and as it is.
struct ScanBox {
    float lower[3];
    float upper[3];
    const Box* exact;
};

inline constexpr std::uint32_t any_row = ~std::uint32_t{0};
inline constexpr std::size_t scan_slack = 8; // what `found` must have room for beyond end - begin

// Writes to `found` the positions in [begin, end) whose box overlaps and whose row is `row` (or any), ascending;
// returns how many.
[[nodiscard]] std::size_t scan(const BoxRun& run, const ScanBox& box, std::uint32_t row, std::size_t begin,
                               std::size_t end, std::uint32_t* found);

struct VoxelHashOptions {
    double cell = 0; // side of the voxels (m) for most of the boxes; 0: chosen so that 19 of 20 boxes fit
};

class VoxelHash {
public:
    explicit VoxelHash(const VoxelHashOptions& options = {}); // throws Error{invalid_argument}

    // The boxes of ids 0, ..., n - 1 as they are now. An empty box is away: nothing meets it. Throws Error (non_finite,
    // too_large) and then holds what it held. Where no box has changed voxel the order stays; else one counting sort of
    // all, which is a third of the cost of an update.
    void update(std::span<const Box> boxes);

    [[nodiscard]] std::size_t size() const { return boxes_.size(); }
    [[nodiscard]] double cell() const { return cell_; }        // m
    [[nodiscard]] std::size_t moved() const { return moved_; } // boxes that the last update found in another voxel
    [[nodiscard]] std::size_t memory_bytes() const;

    // Pairs {a, b}, a < b, of boxes that overlap: closed, exact, each once, sorted. In parallel, the same bytes for any
    // number of threads. `pairs` is overwritten.
    void find_pairs(std::vector<IdPair>& pairs) const;
    // Pairs {position in others, id here}, the same way. Empty boxes meet nothing; NaN and infinity must not occur in
    // the rest.
    void find_pairs(std::span<const Box> others, std::vector<IdPair>& pairs) const;

    // visitor(id) for every box that meets the box, the point or the segment, each once, in no promised but repeatable
    // order; it returns false to stop, and the visit then returns false. Closed; exact for boxes and points, while a
    // segment may be given boxes that it misses by rounding. What is not finite, or empty, meets nothing.
    bool visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const;
    bool visit_containing(const Vec3& point, CallableRef<bool(Index)> visitor) const {
        return visit_overlapping({point, point}, visitor);
    }
    bool visit_segment(const Segment& segment, CallableRef<bool(Index)> visitor) const;

private:
    static constexpr int level_count = 15, main_level = 8,
                         too_large = level_count; // sides differ by 4 from level to level
    struct Walk;

    struct Home {
        std::uint32_t bucket, row;
    };
    void choose_cells(std::span<const Box> boxes);
    [[nodiscard]] std::uint8_t level_of(const Box& box) const;
    [[nodiscard]] Home home_of(const Box& box, int level) const;
    [[nodiscard]] std::uint32_t table_size() const { return static_cast<std::uint32_t>(begin_.size() - 2); }
    [[nodiscard]] std::size_t above_main() const;
    void sort();
    void fill();

    VoxelHashOptions options_;
    double cell_ = 0;
    double side_[level_count] = {}, inverse_[level_count] = {}; // of the voxels of a level (m)
    std::size_t on_level_[level_count + 1] = {};                // boxes there
    PackedTree::Frame frame_;                                   // of the bounds below
    std::vector<Box> boxes_;                                    // by id
    std::vector<Home> homes_;                                   // by id; beyond the table for boxes that are away
    std::vector<std::uint8_t> levels_;                          // by id
    std::vector<std::uint32_t>
        begin_;                // by bucket: where its boxes begin; the bucket after all voxels holds what is too large
    std::vector<Index> order_; // by position: the id
    std::vector<std::uint32_t> rows_;               // by position: which row of voxels
    std::vector<float> lower_[3], upper_[3];        // by position, padded
    std::size_t chosen_for_ = 0, chosen_above_ = 0; // boxes when the cells were chosen; those above the main level
    std::size_t moved_ = 0;
};

} // namespace fathom
