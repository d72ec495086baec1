// A whole step of two tetrahedral bodies: the pairs, points and segments in contact, found together, so
// that the zones of contact are made once. Thread rule: one caller a collider; inside in parallel, the same bytes for
// any number of threads. Cost: O(tetrahedra) at about 15 ns each, then what is in contact; bodies whose bounds are
// apart cost their bounds alone.
#pragma once

#include <fathom/detect/tet/tet_body.h>

namespace fathom {

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

// Which tetrahedra of two bodies overlap, and which of one body with itself?
// Method: the tetrahedra near the other body in a voxel hash, then exact overlap eight pairs at a time
// (tetrahedron_batch.h). Closed: touching counts. Inverted and flat tetrahedra take part as the solids, quadrangles or
// triangles that they are. Cost: O(tetrahedra) to find the zone of contact, then about 0.1 us a pair of boxes. The same
// bytes for any number of threads.

// Pairs {tetrahedron of a, tetrahedron of b}, each once, sorted.
[[nodiscard]] std::vector<IdPair> overlapping_tetrahedra(const TetBody& a, const TetBody& b);
// The same, where zones of both have been made for this step: of the box that the bounds of the two have in common.
[[nodiscard]] std::vector<IdPair> overlapping_tetrahedra(const TetBody& a, const TetZone& zone_a, const TetBody& b,
                                                         const TetZone& zone_b);

// Pairs {t, u}, t < u, of one body that share no vertex and overlap: where it has folded onto itself.
[[nodiscard]] std::vector<IdPair> self_overlapping_tetrahedra(const TetBody& body);

[[nodiscard]] inline bool share_vertex(const Tetrahedron& s, const Tetrahedron& t) {
    for (const Index v : s)
        if (v == t[0] || v == t[1] || v == t[2] || v == t[3]) return true;
    return false;
}

// Points in objects: which vertices of one body are inside another, and in which tetrahedron?
// Marchal, Aubert & Chaillou 2004, section 5.1. Containment is exact and closed, whatever the orientation; a flat
// tetrahedron holds nothing. A point on a shared face, edge or vertex, or in tetrahedra that overlap, is given to the
// smallest number, once. Cost: about 1 us a point near the other body. The same bytes for any number of threads.

struct PointInTet {
    Index vertex;                      // of the body that intrudes
    Index tetrahedron;                 // of the body that holds it
    std::array<double, 4> barycentric; // weights of the tetrahedron's corners: none below 0, sum 1, good to 1e-12

    friend bool operator==(const PointInTet&, const PointInTet&) = default;
};

struct PointsInTetsOptions {
    bool boundary_only = false; // ask only for vertices on the boundary of the body that intrudes
};

// Vertices of a in b, ascending. `zone` is of b and reaches wherever vertices of a are to be found. Where a and b are
// one body, tetrahedra do not hold their own corners.
[[nodiscard]] std::vector<PointInTet> points_in_tets(const TetBody& a, const TetBody& b, const TetZone& zone,
                                                     const PointsInTetsOptions& options = {});
[[nodiscard]] std::vector<PointInTet> points_in_tets(const TetBody& a, const TetBody& b,
                                                     const PointsInTetsOptions& options = {});

// The value at the point of what is given at the nodes of b: a depth, where those are depths. Exact for linear values.
[[nodiscard]] inline double interpolated(const TetBody& b, const PointInTet& point,
                                         std::span<const double> node_values) {
    const Tetrahedron& t = b.topology.tetrahedra()[point.tetrahedron];
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += point.barycentric[k] * node_values[t[k]];
    return sum;
}

// Weights of a point in a tetrahedron that is not flat, outside too (then some are below 0); sum 1.
[[nodiscard]] std::array<double, 4> barycentric_coordinates(const std::array<Vec3, 4>& tetrahedron, const Vec3& point);

struct TetCollisionOptions {
    bool pairs = true; // the rest does not need them
    bool points = true;
    bool segments = true;
    bool boundary_points_only = false;
};

struct TetCollision {
    std::vector<IdPair> pairs;              // {tetrahedron of a, tetrahedron of b}
    std::vector<PointInTet> a_in_b, b_in_a; // vertices of the one in tetrahedra of the other
    SegmentsInTets edges_of_a, edges_of_b;  // boundary edges of the one in the other

    [[nodiscard]] bool empty() const {
        return pairs.empty() && a_in_b.empty() && b_in_a.empty() && edges_of_a.chains.empty() &&
               edges_of_b.chains.empty();
    }
};

class TetCollider {
public:
    explicit TetCollider(const TetCollisionOptions& options = {}) : options_(options) {}

    // Throws Error as bounds(body) does. Not for one body with itself.
    [[nodiscard]] TetCollision collide(const TetBody& a, const TetBody& b);

private:
    TetCollisionOptions options_;
    TetZone zone_a_, zone_b_;
};

// The nodes of `holder` whose depth a response needs, ascending: the corners of the tetrahedra that points or chains
// are in.
[[nodiscard]] std::vector<Index> nodes_in_contact(const TetBody& holder, std::span<const PointInTet> points,
                                                  const SegmentsInTets& segments);

} // namespace fathom
