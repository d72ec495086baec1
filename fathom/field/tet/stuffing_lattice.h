// The body-centred cubic lattice under isosurface stuffing: which points are inside, where edges are cut,
// which points move onto a cut. Blocks of 8 x 8 x 8 cells that the field's range() proves to be all inside or all
// outside are not sampled. Points have doubled coordinates: all even (corners of cells) or all odd (their centres); one
// unit is half a cell.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/field.h>
#include <fathom/field/tet/stuffing_stencils.h>

#include <array>
#include <span>
#include <vector>

namespace fathom {

using LatticePoint = std::array<int, 3>;

// From a point: seven of its fourteen edges, which it owns; the other seven are their opposites and belong to their far
// ends. Three long ones first.
inline constexpr std::array<LatticePoint, 7> owned_edges = {
    {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}}};

class StuffingLattice {
public:
    static constexpr int block_cells = 8;
    static constexpr int block_points = 2 * block_cells * block_cells * block_cells;

    // Covers `bounds` with two cells to spare. Errors as tetrahedralize().
    StuffingLattice(const Field& field, const Box& bounds, double cell, std::size_t limit, Progress* progress);

    [[nodiscard]] double cell() const { return cell_; }
    [[nodiscard]] Vec3 position(const LatticePoint& p) const { return origin_ + 0.5 * cell_ * Vec3(p[0], p[1], p[2]); }
    [[nodiscard]] Box box() const;

    struct Block {
        LatticePoint first{};     // its lowest corner
        Index samples = no_index; // which block of samples; no_index: all inside
    };
    [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; } // all but those outside

    // Names of what tetrahedra are made of: block times block_points plus place in it for lattice points, then the
    // cuts.
    [[nodiscard]] Index point_id(const LatticePoint& p) const; // no_index in blocks outside and past the lattice
    [[nodiscard]] Side side(Index point_id) const;             // after the move; outside for no_index
    [[nodiscard]] Index cut_id(Index from, const LatticePoint& a, Index to, const LatticePoint& b) const;
    [[nodiscard]] std::size_t id_count() const { return blocks_.size() * block_points + cuts_.size(); }
    [[nodiscard]] Vec3 position_of(Index id) const;
    [[nodiscard]] bool is_on_surface(Index id) const {
        return id >= blocks_.size() * block_points || side(id) == Side::surface;
    }

    // Edges that the field crosses more than once, as a few samples on each show.
    [[nodiscard]] std::size_t hidden_edges(const Field& field) const;

    // The field's inside by jittered samples, and the standard deviation of that (m^3).
    struct Volume {
        double value = 0, deviation = 0;
    };
    [[nodiscard]] Volume volume_of(const Field& field) const;

private:
    struct Cut {
        Index owner;       // place of its lower end among the samples
        std::uint8_t edge; // of owned_edges
        double share;      // of the edge, from the owner
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
    [[nodiscard]] Index sample_of(const LatticePoint& p) const; // no_index where the point's block is not sampled
    [[nodiscard]] Index cut_of(Index sample, const LatticePoint& p, std::size_t direction) const;
    [[nodiscard]] Vec3 cut_position(const Cut& cut) const;
    [[nodiscard]] Index nearest_cut(Index sample) const;
    void place(const Field& field, std::span<Cut> cuts) const;

    Vec3 origin_ = Vec3::Zero();
    double cell_ = 1;
    std::array<int, 3> size_{}; // in blocks
    std::vector<Index> active_; // by block of the whole lattice: its place in blocks_
    std::vector<Block> blocks_;
    std::vector<Index> sampled_;         // blocks_ with samples
    std::vector<double> values_;         // m
    std::vector<Side> sides_;            // by sample
    std::vector<std::uint8_t> cut_mask_; // by sample: which owned edges are cut
    std::vector<Index> first_cut_;       // by sample
    std::vector<Index> moved_to_;        // by sample: a cut, or no_index
    std::vector<Cut> cuts_;
};

} // namespace fathom
