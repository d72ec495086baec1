// The body-centred cubic lattice of isosurface stuffing: classification of points, cuts of edges, and points that move
// onto a cut. Blocks of 8 x 8 x 8 cells that the field's range() proves to be entirely inside or outside are not
// sampled. Points have doubled coordinates: all even (corners of cells) or all odd (centres of cells); one unit is half
// a cell.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/field.h>
#include <fathom/field/tet/stuffing_stencils.h>

#include <array>
#include <span>
#include <vector>

namespace fathom {

using LatticePoint = std::array<int, 3>;

// Seven of a point's fourteen edges, which it owns; the other seven are their opposites and are owned by their far
// ends. The three long edges come first.
inline constexpr std::array<LatticePoint, 7> owned_edges = {
    {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}}};

class StuffingLattice {
public:
    static constexpr int block_cells = 8;
    static constexpr int block_points = 2 * block_cells * block_cells * block_cells;

    // Covers `bounds` with a margin of two cells. Throws Error as tetrahedralize() does.
    StuffingLattice(const Field& field, const Box& bounds, double cell, std::size_t limit, Progress* progress);

    [[nodiscard]] double cell() const { return cell_; }
    [[nodiscard]] Vec3 position(const LatticePoint& p) const { return origin_ + 0.5 * cell_ * Vec3(p[0], p[1], p[2]); }
    [[nodiscard]] Box box() const;

    struct Block {
        LatticePoint first{};     // its lowest corner
        Index samples = no_index; // index of its block of samples; no_index: entirely inside
    };
    [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; } // all except those outside

    // Ids of the vertices of tetrahedra: block times block_points plus place in the block for lattice points, then the
    // cuts.
    [[nodiscard]] Index point_id(const LatticePoint& p) const; // no_index in blocks outside and beyond the lattice
    [[nodiscard]] Side side(Index point_id) const;             // after points have moved; outside for no_index
    [[nodiscard]] Index cut_id(Index from, const LatticePoint& a, Index to, const LatticePoint& b) const;
    [[nodiscard]] std::size_t id_count() const { return blocks_.size() * block_points + cuts_.size(); }
    [[nodiscard]] Vec3 position_of(Index id) const;
    [[nodiscard]] bool is_on_surface(Index id) const {
        return id >= blocks_.size() * block_points || side(id) == Side::surface;
    }

    // Edges that the field crosses more than once, estimated by a few samples on each.
    [[nodiscard]] std::size_t hidden_edges(const Field& field) const;

    // Volume of the field's inside by jittered samples, and its standard deviation (m^3).
    struct Volume {
        double value = 0, deviation = 0;
    };
    [[nodiscard]] Volume volume_of(const Field& field) const;

private:
    struct Cut {
        Index owner;       // index of its lower end among the samples
        std::uint8_t edge; // index in owned_edges
        double share;      // position along the edge from the owner, in [0,1]
    };

    void classify(const Field& field, std::size_t limit);
    void sample(const Field& field, Progress* progress);
    void refuse_border() const;
    void find_cuts();
    void place_cuts(const Field& field, Progress* progress);
    void move_points();
    [[nodiscard]] std::size_t block_index(const LatticePoint& block) const;
    [[nodiscard]] LatticePoint point_at(const Block& block, std::size_t place) const;
    [[nodiscard]] LatticePoint point_of_sample(Index sample) const;
    [[nodiscard]] Index sample_of(const LatticePoint& p) const; // no_index if the point's block is not sampled
    [[nodiscard]] Index cut_of(Index sample, const LatticePoint& p, std::size_t direction) const;
    [[nodiscard]] Vec3 cut_position(const Cut& cut) const;
    [[nodiscard]] Index nearest_cut(Index sample) const;
    void place(const Field& field, std::span<Cut> cuts) const;

    Vec3 origin_ = Vec3::Zero();
    double cell_ = 1;
    std::array<int, 3> size_{}; // in blocks
    std::vector<Index> active_; // index in blocks_, by block of the whole lattice
    std::vector<Block> blocks_;
    std::vector<Index> sampled_;         // blocks_ with samples
    std::vector<double> values_;         // m
    std::vector<Side> sides_;            // by sample
    std::vector<std::uint8_t> cut_mask_; // bit mask of owned edges that are cut, by sample
    std::vector<Index> first_cut_;       // by sample
    std::vector<Index> moved_to_;        // a cut or no_index, by sample
    std::vector<Cut> cuts_;
};

} // namespace fathom
