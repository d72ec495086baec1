// Room: detect. Tetrahedra against open surfaces, with a memory for sides.
#include <fathom/base/parallel.h>
#include <fathom/detect/tet/tissue_contacts.h>
#include <fathom/geometry/tetrahedron_triangle.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t chunk = 256;

std::vector<IdPair> meeting_pairs(const TetBody& body, const TetZone& zone, const TriangleMesh& tissue) {
    std::vector<Box> boxes(tissue.triangles.size());
    for (std::size_t k = 0; k < boxes.size(); ++k) boxes[k] = tissue.bounds(k);
    std::vector<IdPair> near;
    zone.hash().find_pairs(boxes, near);
    std::vector<std::uint8_t> meet(near.size());
    parallel_for(near.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            near[k] = {zone.tetrahedra()[near[k][1]], near[k][0]};
            meet[k] = tetrahedron_overlaps_triangle(body.set().corners(near[k][0]), tissue.corners(near[k][1]));
        }
    });
    std::vector<IdPair> pairs;
    for (std::size_t k = 0; k < near.size(); ++k)
        if (meet[k]) pairs.push_back(near[k]);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

} // namespace

int TissueContacts::side_before(const Tetrahedron& t, const Triangle& triangle) const {
    if (body_before_.empty() || tissue_before_.empty()) return 0;
    const Vec3 center = 0.25 * (body_before_[t[0]] + body_before_[t[1]] + body_before_[t[2]] + body_before_[t[3]]);
    const std::array<Vec3, 3> corners = {tissue_before_[triangle[0]], tissue_before_[triangle[1]], tissue_before_[triangle[2]]};
    const double height = area_vector(corners).dot(center - corners[0]);
    return height > 0 ? 1 : height < 0 ? -1 : 0;
}

int TissueContacts::kept_side(Index tetrahedron) const {
    const auto found = std::lower_bound(before_.begin(), before_.end(), tetrahedron,
                                        [](const TissueContact& c, Index t) { return c.tetrahedron < t; });
    return found != before_.end() && found->tetrahedron == tetrahedron ? found->side : 0;
}

void TissueContacts::update(const TetBody& body, const TriangleMesh& tissue) {
    const Box common = intersection(bounds(body), bounds(tissue.vertices));
    check(tissue);
    if (body_before_.size() != body.vertices.size() || tissue_before_.size() != tissue.vertices.size()) forget();
    std::vector<IdPair> pairs;
    if (!common.empty()) {
        zone_.update(body, common);
        pairs = meeting_pairs(body, zone_, tissue);
    }
    before_.swap(contacts_);
    contacts_.clear();
    for (const IdPair& pair : pairs) {
        const bool first = contacts_.empty() || contacts_.back().tetrahedron != pair[0];
        int side = first ? kept_side(pair[0]) : contacts_.back().side;
        if (side == 0) side = side_before(body.topology.tetrahedra()[pair[0]], tissue.triangles[pair[1]]);
        contacts_.push_back({pair[0], pair[1], side});
    }
    body_before_.assign(body.vertices.begin(), body.vertices.end());
    tissue_before_ = tissue.vertices;
}

void TissueContacts::forget() {
    contacts_.clear();
    before_.clear();
    body_before_.clear();
    tissue_before_.clear();
}

} // namespace fathom
