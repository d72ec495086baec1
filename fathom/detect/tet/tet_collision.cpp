// A whole step of two tetrahedral bodies.
#include <fathom/detect/tet/tet_collision.h>

namespace fathom {

TetCollision TetCollider::collide(const TetBody& a, const TetBody& b) {
    TetCollision found;
    const Box common = intersection(bounds(a), bounds(b));
    if (common.empty()) return found;
    zone_a_.update(a, common);
    zone_b_.update(b, common);
    if (options_.pairs) found.pairs = overlapping_tetrahedra(a, zone_a_, b, zone_b_);
    if (options_.points) {
        const PointsInTetsOptions which{.boundary_only = options_.boundary_points_only};
        found.a_in_b = points_in_tets(a, b, zone_b_, which);
        found.b_in_a = points_in_tets(b, a, zone_a_, which);
    }
    if (options_.segments) {
        found.edges_of_a = segments_in_tets(a, a.topology.boundary_edges(), b, zone_b_);
        found.edges_of_b = segments_in_tets(b, b.topology.boundary_edges(), a, zone_a_);
    }
    return found;
}

std::vector<Index> nodes_in_contact(const TetBody& holder, std::span<const PointInTet> points,
                                    const SegmentsInTets& segments) {
    std::vector<std::uint8_t> asked(holder.topology.vertex_count(), 0);
    const auto ask = [&](Index tetrahedron) {
        for (const Index v : holder.topology.tetrahedra()[tetrahedron]) asked[v] = 1;
    };
    for (const PointInTet& point : points) ask(point.tetrahedron);
    for (const InsidePiece& piece : segments.pieces) ask(piece.tetrahedron);
    std::vector<Index> nodes;
    for (std::size_t v = 0; v < asked.size(); ++v)
        if (asked[v]) nodes.push_back(static_cast<Index>(v));
    return nodes;
}

} // namespace fathom
