// Voxel hash over moving boxes: overlapping pairs, and queries with points, boxes and segments.
// Method: spatial hashing (Teschner et al. 2003) with one grid per size class of objects. A box is stored in a single
// voxel, that of its lower corner, at the level whose voxels are as large as the box; so no object is stored in many
// cells, a pair is found once, and an update is one counting sort. Voxels of a row are contiguous in the table, and a
// query reads rows, eight boxes at a time.
// When to use: boxes of similar size that move in every step or are selected in every step (a contact zone), queried
// with points, boxes and for pairs with another set. On 94,000 jittering tetrahedra an update costs a third of a Bvh
// refit (a twentieth of a build), pairs of two sets half, points two thirds.
// When not to use: all pairs within one set (PackedTree is 1.3 times faster), segments (Bvh is 1.7 times faster), rays,
// nearest boxes, and boxes at rest.
// An update is O(n) and must not run beside other calls; visits are const, thread-safe and allocate nothing. About 100
// bytes per box.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/index/packed_tree.h>

#include <cstddef>

namespace fathom {

// Inner loop of the voxel hash, which contains the SIMD code: the boxes of a run that overlap a given box.
struct BoxRun {
    const float* lower[3]; // per position, readable up to 8 entries beyond the last
    const float* upper[3];
    const std::uint32_t* rows;
    const Index* ids;
    const Box* boxes; // per id
};

// The same box twice: as floats, rounded to nearest like those of the run, and in double.
struct ScanBox {
    float lower[3];
    float upper[3];
    const Box* exact;
};

inline constexpr std::uint32_t any_row = ~std::uint32_t{0};
// Entries that `found` must have in addition to end - begin.
inline constexpr std::size_t scan_slack = 8;

// Writes to `found` the positions in [begin, end) whose box overlaps and whose row is `row` (or any), ascending;
// returns their number.
[[nodiscard]] std::size_t scan(const BoxRun& run, const ScanBox& box, std::uint32_t row, std::size_t begin,
                               std::size_t end, std::uint32_t* found);

struct VoxelHashOptions {
    double cell = 0; // side of the voxels (m) for most of the boxes; 0: chosen so that 19 of 20 boxes fit
};

class VoxelHash {
public:
    explicit VoxelHash(const VoxelHashOptions& options = {}); // throws Error{invalid_argument}

    // Sets the boxes of ids 0, ..., n - 1. An empty box is inactive: it overlaps nothing. Throws Error (non_finite,
    // too_large) and then leaves the content unchanged. The order is kept if no box has changed its voxel; otherwise
    // all boxes are sorted by one counting sort, a third of the cost of an update.
    void update(std::span<const Box> boxes);

    [[nodiscard]] std::size_t size() const { return boxes_.size(); }
    [[nodiscard]] double cell() const { return cell_; }        // m
    [[nodiscard]] std::size_t moved() const { return moved_; } // boxes that the last update found in another voxel
    [[nodiscard]] std::size_t memory_bytes() const;

    // Pairs {a, b}, a < b, of overlapping boxes: closed, exact, each once, sorted. Runs in parallel, with the same
    // bytes for any number of threads. `pairs` is overwritten.
    void find_pairs(std::vector<IdPair>& pairs) const;
    // Pairs {position in others, id here}, under the same rules. Empty boxes overlap nothing; the others must not
    // contain NaN or infinity.
    void find_pairs(std::span<const Box> others, std::vector<IdPair>& pairs) const;

    // Calls visitor(id) once for every box that overlaps the box, the point or the segment. The order is repeatable but
    // unspecified. The visitor returns false to stop; the visit then returns false. Closed; exact for boxes and points,
    // while a segment may report boxes that it misses by rounding. A non-finite or empty query finds nothing.
    bool visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const;
    bool visit_containing(const Vec3& point, CallableRef<bool(Index)> visitor) const {
        return visit_overlapping({point, point}, visitor);
    }
    bool visit_segment(const Segment& segment, CallableRef<bool(Index)> visitor) const;

private:
    // The voxel side grows by a factor of 4 per level.
    static constexpr int level_count = 15, main_level = 8, too_large = level_count;
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
    double side_[level_count] = {}, inverse_[level_count] = {}; // side of the voxels per level (m), and 1 / side
    std::size_t on_level_[level_count + 1] = {};                // number of boxes per level
    PackedTree::Frame frame_;                                   // frame of the bounds below
    std::vector<Box> boxes_;                                    // per id
    std::vector<Home> homes_;                                   // per id; beyond the table for inactive boxes
    std::vector<std::uint8_t> levels_;                          // per id
    // Per bucket: position of its first box. The bucket after all voxels holds boxes that are too large.
    std::vector<std::uint32_t> begin_;
    std::vector<Index> order_;               // id per position
    std::vector<std::uint32_t> rows_;        // row of voxels per position
    std::vector<float> lower_[3], upper_[3]; // per position, padded
    // Number of boxes when the cells were chosen; of those, the boxes above the main level.
    std::size_t chosen_for_ = 0, chosen_above_ = 0;
    std::size_t moved_ = 0;
};

} // namespace fathom
