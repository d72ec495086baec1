// Overlapping tetrahedra of bodies.
#include <fathom/detect/tet/tet_pairs.h>

#include <algorithm>

namespace fathom {

std::vector<IdPair> overlapping_tetrahedra(const TetBody& a, const TetZone& zone_a, const TetBody& b,
                                           const TetZone& zone_b) {
    std::vector<IdPair> pairs;
    zone_b.hash().find_pairs(zone_a.boxes(), pairs);
    for (IdPair& pair : pairs) pair = {zone_a.tetrahedra()[pair[0]], zone_b.tetrahedra()[pair[1]]};
    return overlapping_tetrahedra(a.set(), b.set(), pairs);
}

std::vector<IdPair> overlapping_tetrahedra(const TetBody& a, const TetBody& b) {
    const Box common = intersection(bounds(a), bounds(b));
    if (common.empty()) return {};
    TetZone zone_a, zone_b;
    zone_a.update(a, common);
    zone_b.update(b, common);
    return overlapping_tetrahedra(a, zone_a, b, zone_b);
}

std::vector<IdPair> self_overlapping_tetrahedra(const TetBody& body) {
    const TetZone zone(body);
    std::vector<IdPair> pairs;
    PackedTree().find_pairs(zone.boxes(), pairs);
    const auto tetrahedra = body.topology.tetrahedra();
    std::erase_if(pairs, [&](const IdPair& pair) { return share_vertex(tetrahedra[pair[0]], tetrahedra[pair[1]]); });
    return overlapping_tetrahedra(body.set(), body.set(), pairs);
}

} // namespace fathom
