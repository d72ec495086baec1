// Contacts of tetrahedra with open surfaces, with a record of the sides.
#include <fathom/detect/tet/membrane_contacts.h>

#include <fathom/base/parallel.h>
#include <fathom/geometry/primitive/triangle_overlap.h>

#include <algorithm>

namespace fathom::tet {

namespace {

constexpr std::size_t contact_chunk = 256;

std::vector<IdPair> overlapping_pairs(const TetBody& body, const TetZone& zone, const TriangleMesh& membrane) {
    std::vector<Box> boxes(membrane.triangles.size());
    for (std::size_t k = 0; k < boxes.size(); ++k) boxes[k] = membrane.bounds(k);
    std::vector<IdPair> near;
    zone.hash().find_pairs(boxes, near);
    std::vector<std::uint8_t> overlaps(near.size());
    parallel_for(near.size(), contact_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            near[k] = {zone.tetrahedra()[near[k][1]], near[k][0]};
            overlaps[k] = tetrahedron_overlaps_triangle(body.set().corners(near[k][0]), membrane.corners(near[k][1]));
        }
    });
    std::vector<IdPair> pairs;
    for (std::size_t k = 0; k < near.size(); ++k)
        if (overlaps[k]) pairs.push_back(near[k]);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// The first contact of a tetrahedron, or null.
const MembraneContact* contact_of(std::span<const MembraneContact> contacts, Index tetrahedron) {
    const auto found = std::lower_bound(contacts.begin(), contacts.end(), tetrahedron,
                                        [](const MembraneContact& c, Index t) { return c.tetrahedron < t; });
    return found != contacts.end() && found->tetrahedron == tetrahedron ? &*found : nullptr;
}

int side_before(const Tetrahedron& t, const Triangle& triangle, const PositionsBefore& before) {
    if (before.body.empty() || before.membrane.empty()) return 0;
    const Vec3 center = 0.25 * (before.body[t[0]] + before.body[t[1]] + before.body[t[2]] + before.body[t[3]]);
    const std::array<Vec3, 3> corners = {before.membrane[triangle[0]], before.membrane[triangle[1]],
                                         before.membrane[triangle[2]]};
    const double height = area_vector(corners).dot(center - corners[0]);
    return height > 0 ? 1 : height < 0 ? -1 : 0;
}

} // namespace

int MembraneContacts::side(Index tetrahedron) const {
    const MembraneContact* contact = contact_of(contacts_, tetrahedron);
    return contact ? contact->side : 0;
}

void add_new_vertices(std::vector<Vec3>& positions, std::span<const TetEdit::NewVertex> vertices) {
    for (const TetEdit::NewVertex& v : vertices) {
        if (v.vertex >= positions.size()) positions.resize(std::size_t{v.vertex} + 1, Vec3::Zero());
        positions[v.vertex] = (1 - v.share) * Vec3(positions.at(v.a)) + v.share * Vec3(positions.at(v.b));
    }
}

void MembraneContacts::update(const TetBody& body, const TriangleMesh& membrane, const PositionsBefore& positions) {
    const Box common = intersection(bounds(body), fathom::bounds(membrane.vertices));
    check(membrane);
    const bool known =
        positions.body.size() == body.vertices.size() && positions.membrane.size() == membrane.vertices.size();
    const PositionsBefore before = known ? positions : PositionsBefore{};
    std::vector<IdPair> pairs;
    if (!common.empty()) {
        zone_.update(body, common);
        pairs = overlapping_pairs(body, zone_, membrane);
    }
    before_.clear();
    if (known) before_.swap(contacts_);
    contacts_.clear();
    for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
        while (end < pairs.size() && pairs[end][0] == pairs[begin][0]) ++end;
        const Tetrahedron& corners = body.topology.tetrahedra()[pairs[begin][0]];
        // A tetrahedron that was in contact before keeps its side, even if it is unknown; otherwise the first triangle
        // with a definite side decides.
        const MembraneContact* contact = contact_of(before_, pairs[begin][0]);
        int side = contact ? contact->side : 0;
        for (std::size_t k = begin; k < end && side == 0 && !contact; ++k)
            side = side_before(corners, membrane.triangles[pairs[k][1]], before);
        for (std::size_t k = begin; k < end; ++k) contacts_.push_back({pairs[k][0], pairs[k][1], side});
    }
}

} // namespace fathom::tet
