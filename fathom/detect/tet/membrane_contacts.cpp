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

} // namespace

int MembraneContacts::side_before(const Tetrahedron& t, const Triangle& triangle) const {
    if (body_before_.empty() || membrane_before_.empty()) return 0;
    const Vec3 center = 0.25 * (body_before_[t[0]] + body_before_[t[1]] + body_before_[t[2]] + body_before_[t[3]]);
    const std::array<Vec3, 3> corners = {membrane_before_[triangle[0]], membrane_before_[triangle[1]],
                                         membrane_before_[triangle[2]]};
    const double height = area_vector(corners).dot(center - corners[0]);
    return height > 0 ? 1 : height < 0 ? -1 : 0;
}

// A tetrahedron that was in contact before keeps its side, even if it is unknown; otherwise the first triangle with a
// definite side decides.
int MembraneContacts::side_of(const Tetrahedron& corners, std::span<const IdPair> met,
                              const TriangleMesh& membrane) const {
    if (const MembraneContact* known = contact_of(before_, met.front()[0])) return known->side;
    int side = 0;
    for (std::size_t k = 0; k < met.size() && side == 0; ++k)
        side = side_before(corners, membrane.triangles[met[k][1]]);
    return side;
}

int MembraneContacts::side(Index tetrahedron) const {
    const MembraneContact* contact = contact_of(contacts_, tetrahedron);
    return contact ? contact->side : 0;
}

void MembraneContacts::follow_tear(std::span<const Index> origins) {
    if (membrane_before_.empty()) return;
    for (const Index v : origins) {
        const Vec3 before = membrane_before_.at(v);
        membrane_before_.push_back(before);
    }
}

void MembraneContacts::follow_break(std::span<const TetEdit::NewVertex> vertices) {
    if (body_before_.empty()) return;
    for (const TetEdit::NewVertex& v : vertices) {
        if (v.vertex >= body_before_.size()) body_before_.resize(std::size_t{v.vertex} + 1, Vec3::Zero());
        body_before_[v.vertex] = (1 - v.share) * Vec3(body_before_.at(v.a)) + v.share * Vec3(body_before_.at(v.b));
    }
}

void MembraneContacts::update(const TetBody& body, const TriangleMesh& membrane) {
    const Box common = intersection(bounds(body), fathom::bounds(membrane.vertices));
    check(membrane);
    if (body_before_.size() != body.vertices.size() || membrane_before_.size() != membrane.vertices.size()) forget();
    std::vector<IdPair> pairs;
    if (!common.empty()) {
        zone_.update(body, common);
        pairs = overlapping_pairs(body, zone_, membrane);
    }
    before_.swap(contacts_);
    contacts_.clear();
    for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
        while (end < pairs.size() && pairs[end][0] == pairs[begin][0]) ++end;
        const auto met = std::span(pairs).subspan(begin, end - begin);
        const int side = side_of(body.topology.tetrahedra()[met.front()[0]], met, membrane);
        for (const IdPair& pair : met) contacts_.push_back({pair[0], pair[1], side});
    }
    body_before_.assign(body.vertices.begin(), body.vertices.end());
    membrane_before_ = membrane.vertices;
}

void MembraneContacts::forget() {
    contacts_.clear();
    before_.clear();
    body_before_.clear();
    membrane_before_.clear();
}

} // namespace fathom::tet
