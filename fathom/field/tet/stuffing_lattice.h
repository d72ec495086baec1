// The body-centred cubic lattice of isosurface stuffing: classification of points, cuts of edges, and points that move
// onto a cut. Blocks of 8 x 8 x 8 cells that the field's range() proves to be entirely inside or outside are not
// sampled. Points have doubled coordinates: all even (corners of cells) or all odd (centres of cells); one unit is half
// a cell.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/field.h>
#include <fathom/geometry/mesh/tet_mesh.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

// ---- Stencils: the part of a lattice tetrahedron that remains after the surface has cut it, at most three tetrahedra.
// Method: Labelle & Shewchuk, Isosurface Stuffing, SIGGRAPH 2007, section 3: stencils, and diagonals on which two
// neighbours agree because the choice depends only on their common face. A table of 81 entries, made once; thread-safe.

enum class Side : std::uint8_t { outside, surface, inside };

// Points of a lattice tetrahedron: 0 to 3 are its corners, 4 to 9 the cuts of its edges. Corners 0 and 1 are the ends
// of one long edge, 2 and 3 of the other; in both, the end of even parity comes first.
inline constexpr std::array<std::array<int, 2>, 6> stencil_edges = {{{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}};
inline constexpr int long_stencil_edges = 2; // the first two edges
using StencilTet = std::array<std::uint8_t, 4>;

struct Stencil {
    int count = 0;                    // number of tetrahedra
    std::array<StencilTet, 3> tets{}; // of positive volume if (0, 1, 2, 3) has positive volume
    // The quadrilateral on the surface may be cut along either diagonal; the one with the larger smallest angle is
    // used.
    bool has_choice = false;
    std::array<StencilTet, 3> others{}; // tetrahedra for the second diagonal
};

// A tetrahedron without a corner inside has an empty stencil: one with all corners on the surface is as flat as the
// surface.
[[nodiscard]] const Stencil& stencil(const std::array<Side, 4>& corners);

// A lattice point closer to a cut than these shares of the edge moves onto it. With them, and cuts anywhere else, all
// dihedral angles lie between the two angles below (degrees); a test searches for worse ones. The paper's own pair
// (0.24999, 0.41189) gives 9.3 to 161.7 degrees here, where all points move at once; this pair was found by a search
// for the largest smallest angle.
inline constexpr double long_reach = 0.284;
inline constexpr double short_reach = 0.398;
inline constexpr double stuffing_smallest_angle = 10.69;
inline constexpr double stuffing_largest_angle = 164.39;

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

// ---- Separates tetrahedra that touch in a point or an edge only, so that the boundary is a manifold surface.
// Isosurface stuffing leaves such places where the shape is finer than the lattice. Cost: O(n) for each of a few
// rounds.

struct PinchCounts {
    std::size_t split_vertices = 0;
    std::size_t dropped_tetrahedra = 0;
};

// If the tetrahedra round a vertex form groups that share no face at it, each group gets its own vertex, moved `gap`
// metres into the group. If they do not, but the boundary passes twice, tetrahedra are dropped: the smaller groups
// round such an edge, or the shortest path from one sheet to the other at such a vertex. In the end every boundary edge
// has two triangles and every boundary vertex one fan. Vertices without tetrahedra are left to the caller. The order of
// tetrahedra is preserved. `may_be_bare` marks the vertices that the boundary can touch, and is updated.
PinchCounts part_pinches(TetMesh& mesh, std::vector<char>& may_be_bare, double gap);

// boundary(), if only faces of three marked vertices can be bare: visits few tetrahedra.
[[nodiscard]] TriangleMesh marked_boundary(const TetMesh& mesh, const std::vector<char>& may_be_bare);

} // namespace fathom
