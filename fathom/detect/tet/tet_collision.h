// A whole step of two tetrahedral bodies: the pairs, points and segments in contact, found together, so
// that the zones of contact are made once. Thread rule: one caller a collider; inside in parallel, the same bytes for
// any number of threads. Cost: O(tetrahedra) at about 15 ns each, then what is in contact; bodies whose bounds are
// apart cost their bounds alone.
#pragma once

#include <fathom/detect/tet/points_in_tets.h>
#include <fathom/detect/tet/segments_in_tets.h>
#include <fathom/detect/tet/tet_pairs.h>

namespace fathom {

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
