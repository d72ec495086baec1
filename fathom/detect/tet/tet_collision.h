// Collision detection of two tetrahedral bodies for one step: overlapping pairs of tetrahedra, vertices and edges in
// contact are found together, so that the contact zones are built once. Thread rule: one caller per collider; parallel
// inside, the same bytes for any number of threads. Cost: O(tetrahedra) at about 15 ns each, plus the contacts; bodies
// with disjoint bounds cost only the computation of the bounds.
#pragma once

#include <fathom/detect/tet/tet_body.h>

namespace fathom::tet {

// ---- Edges of one body inside another, with their depth.
// Marchal, Aubert & Chaillou 2004, section 5.2, with the extensions that the paper leaves for later: an edge is
// reported once however many elements share it, and an edge that crosses many tetrahedra gives one chain, divided into
// pieces without gaps and without overlaps.
// Method: an edge is clipped by the planes of each tetrahedron that it may intersect. Signs are exact. A plane is
// computed from its three vertices in ascending order, so that both tetrahedra of a face give the same bits for the
// parameter lambda of a crossing, accurate to 1e-11. Intervals and gaps shorter than 1e-10 of the edge are below that
// rounding and are ignored, so that a chain continues where it passes through edges and vertices of the mesh. Closed:
// an edge in a face of the boundary is inside, at depth 0. A flat tetrahedron contains nothing; inverted tetrahedra
// contain the same points as others. Where tetrahedra overlap, each interval is counted once, for the tetrahedron
// entered first. Cost: about 2 us per edge near the other body. The same bytes for any number of threads.

inline constexpr double shortest_stay = 1e-10; // shortest interval inside, as a fraction of the length of the edge

// The interval of an edge inside one tetrahedron. Fractions in [0,1] run from the first vertex of the edge to the
// second.
struct InsidePiece {
    Index tetrahedron;
    double enter, leave;                      // lambda_1 < lambda_2
    std::array<double, 4> at_enter, at_leave; // barycentric coordinates of both ends: none below 0, sum 1

    friend bool operator==(const InsidePiece&, const InsidePiece&) = default;
};

// A maximal interval of an edge inside the body.
struct InsideChain {
    Index edge;                     // position in the given list of edges
    double enter, leave;            // 0: the edge begins inside; 1: it ends inside
    Index first_piece, piece_count; // each piece begins where the previous one ends, to the last bit

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

// The given edges of a (lower vertex first) in b; by default the boundary edges. `zone` belongs to b and covers all
// places where edges of a are to be found. If a and b are the same body, an edge is not tested against the tetrahedra
// at its ends.
[[nodiscard]] SegmentsInTets segments_in_tets(const TetBody& a, std::span<const Edge> edges, const TetBody& b,
                                              const TetZone& zone);
[[nodiscard]] SegmentsInTets segments_in_tets(const TetBody& a, const TetBody& b);

// ---- Overlapping tetrahedra of two bodies.
// Method: a voxel hash of the tetrahedra near the other body, then exact overlap tests of eight pairs at a time
// (tetrahedron_tetrahedron.h). Closed: touching counts. Inverted tetrahedra are tested as solids, flat ones as the
// quadrangles or triangles that they are. Cost: O(tetrahedra) to find the contact zone, then about 0.1 us per pair of
// boxes. The same bytes for any number of threads.

// Pairs {tetrahedron of a, tetrahedron of b}, each once, sorted.
[[nodiscard]] std::vector<IdPair> overlapping_tetrahedra(const TetBody& a, const TetBody& b);
// The same with zones of both that were built for this step, of the intersection of their bounds.
[[nodiscard]] std::vector<IdPair> overlapping_tetrahedra(const TetBody& a, const TetZone& zone_a, const TetBody& b,
                                                         const TetZone& zone_b);

// ---- Vertices of one body inside another, with the tetrahedron that contains them.
// Marchal, Aubert & Chaillou 2004, section 5.1. Containment is exact and closed, for any orientation; a flat
// tetrahedron contains nothing. A point on a shared face, edge or vertex, or in overlapping tetrahedra, is assigned
// once, to the lowest number. Cost: about 1 us per point near the other body. The same bytes for any number of threads.

struct PointInTet {
    Index vertex;      // of the intruding body
    Index tetrahedron; // of the body that contains it
    std::array<double, 4>
        barycentric; // weights of the corners of the tetrahedron: none below 0, sum 1, accurate to 1e-12

    friend bool operator==(const PointInTet&, const PointInTet&) = default;
};

struct PointsInTetsOptions {
    bool boundary_only = false; // test only vertices on the boundary of the intruding body
};

// Vertices of a in b, ascending. `zone` belongs to b and covers all places where vertices of a are to be found. If a
// and b are the same body, a tetrahedron does not contain its own corners.
[[nodiscard]] std::vector<PointInTet> points_in_tets(const TetBody& a, const TetBody& b, const TetZone& zone,
                                                     const PointsInTetsOptions& options = {});
[[nodiscard]] std::vector<PointInTet> points_in_tets(const TetBody& a, const TetBody& b,
                                                     const PointsInTetsOptions& options = {});

// Interpolates values at the nodes of b (depths, for example) at the point. Exact for linear values.
[[nodiscard]] inline double interpolated(const TetBody& b, const PointInTet& point,
                                         std::span<const double> node_values) {
    const Tetrahedron& t = b.topology.tetrahedra()[point.tetrahedron];
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += point.barycentric[k] * node_values[t[k]];
    return sum;
}

// Barycentric coordinates of a point in a tetrahedron that is not flat; outside, some are below 0. Their sum is 1.
[[nodiscard]] std::array<double, 4> barycentric_coordinates(const std::array<Vec3, 4>& tetrahedron, const Vec3& point);

struct TetCollisionOptions {
    bool pairs = true; // not needed by the other results
    bool points = true;
    bool segments = true;
    bool boundary_points_only = false;
};

struct TetCollision {
    std::vector<IdPair> pairs;              // {tetrahedron of a, tetrahedron of b}
    std::vector<PointInTet> a_in_b, b_in_a; // vertices of one in tetrahedra of the other
    SegmentsInTets edges_of_a, edges_of_b;  // boundary edges of one in the other

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

// The nodes of `holder` whose depth a response needs, ascending: the corners of the tetrahedra that contain points or
// chains.
[[nodiscard]] std::vector<Index> nodes_in_contact(const TetBody& holder, std::span<const PointInTet> points,
                                                  const SegmentsInTets& segments);

} // namespace fathom::tet
