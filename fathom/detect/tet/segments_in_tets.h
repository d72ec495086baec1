// Segments in objects: where does an edge of one body run inside another, and how deep?
// Marchal, Aubert & Chaillou 2004, section 5.2, with what it left for later: an edge answers once however many elements
// share it, and one that crosses many tetrahedra is one chain, cut into pieces without gaps and without overlaps.
// Method: an edge is clipped by the planes of each tetrahedron it may meet. Signs are exact; a plane is made from its
// three vertices in ascending order, so that both tetrahedra of a face give the same bits for the parameter lambda of a
// crossing, good to 1e-11. Stays and gaps shorter than 1e-10 of the edge are below that rounding and are not seen: so a
// chain goes on where it passes through edges and vertices of the mesh. Closed: an edge in a face of the boundary is
// inside, at depth 0. A flat tetrahedron holds nothing; inverted ones hold what they hold; where tetrahedra overlap
// each stretch is counted once, for the one entered first. Cost: about 2 us an edge near the other body. The same bytes
// for any number of threads.
#pragma once

#include <fathom/detect/tet/tet_body.h>

namespace fathom {

inline constexpr double shortest_stay = 1e-10; // of the length of an edge

// The stretch of an edge in one tetrahedron. Fractions in [0,1] run from the edge's first vertex to its second.
struct InsidePiece {
    Index tetrahedron;
    double enter, leave;                      // lambda_1 < lambda_2
    std::array<double, 4> at_enter, at_leave; // barycentric coordinates of both ends: none below 0, sum 1

    friend bool operator==(const InsidePiece&, const InsidePiece&) = default;
};

// One stay of an edge inside the body, as long as can be.
struct InsideChain {
    Index edge;                     // position in the list of edges that was asked
    double enter, leave;            // 0: the edge begins inside; 1: it ends inside
    Index first_piece, piece_count; // each piece begins where the one before it ends, to the last bit

    friend bool operator==(const InsideChain&, const InsideChain&) = default;
};

struct SegmentsInTets {
    std::vector<InsideChain> chains; // by edge, then along it
    std::vector<InsidePiece> pieces;

    [[nodiscard]] std::span<const InsidePiece> pieces_of(const InsideChain& chain) const {
        return std::span(pieces).subspan(chain.first_piece, chain.piece_count);
    }
    friend bool operator==(const SegmentsInTets&, const SegmentsInTets&) = default;
};

// The given edges of a (lower vertex first) in b; the boundary edges where none are given. `zone` is of b and reaches
// wherever edges of a are to be found. Where a and b are one body, an edge does not see the tetrahedra at its ends.
[[nodiscard]] SegmentsInTets segments_in_tets(const TetBody& a, std::span<const Edge> edges, const TetBody& b,
                                              const TetZone& zone);
[[nodiscard]] SegmentsInTets segments_in_tets(const TetBody& a, const TetBody& b);

// Depth along a chain, given the depth at each node of b: linear in each tetrahedron, so the integral (a trapezium a
// piece) is exact.
struct ChainDepth {
    double at_enter, at_leave; // m
    double deepest;            // m; reached where the chain passes from one piece to the next, or at an end
    double integral;           // of the depth along the chain, m^2
};
[[nodiscard]] ChainDepth depth_along(const SegmentsInTets& found, const InsideChain& chain, double edge_length,
                                     const TetBody& b, std::span<const double> node_depths);

} // namespace fathom
