// Checks of the invariants of an editable tetrahedral mesh, derived from the corners of its tetrahedra alone.
#include <fathom/geometry/edit/tet_edit.h>

#include <fathom/base/error.h>

#include <algorithm>
#include <numeric>

namespace fathom {

namespace {

// Every face in use: sorted corners, and its index.
std::vector<std::pair<Triangle, Index>> faces_of(const EditableTetMesh& mesh) {
    std::vector<std::pair<Triangle, Index>> faces;
    faces.reserve(4 * mesh.tet_count());
    for (Index t = 0; t < mesh.tet_slots(); ++t)
        for (Index k = 0; mesh.has_tet(t) && k < 4; ++k) {
            Triangle key = mesh.face_corners(4 * t + k);
            std::sort(key.begin(), key.end());
            faces.emplace_back(key, 4 * t + k);
        }
    std::sort(faces.begin(), faces.end());
    return faces;
}

std::vector<Index> sorted(std::span<const Index> numbers) {
    std::vector<Index> copy(numbers.begin(), numbers.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

} // namespace

void EditableTetMesh::fail(const char* rule, const char* element, Index index) {
    throw Error(Cause::malformed, rule, {.element = element, .index = index});
}

// Index ranges, free lists and counts.
void EditableTetMesh::check_lists() const {
    std::size_t used = 0;
    for (Index t = 0; t < tets_.size(); ++t) {
        if (!has_tet(t)) continue;
        ++used;
        for (const Index v : tets_[t])
            if (v >= positions_.size()) fail("refers to a vertex that does not exist", "tetrahedron", t);
        Tetrahedron corners = tets_[t];
        std::sort(corners.begin(), corners.end());
        if (std::adjacent_find(corners.begin(), corners.end()) != corners.end())
            fail("uses a vertex twice", "tetrahedron", t);
    }
    if (used != tet_count_ || used + free_tets_.size() + pending_.removed_tets.size() != tets_.size())
        fail("the count of tetrahedra is wrong", "tetrahedron", no_index);
    for (const Index t : free_tets_)
        if (t >= tets_.size() || has_tet(t)) fail("is both in use and free", "tetrahedron", t);
    for (const Index v : free_vertices_)
        if (v >= positions_.size() || has_vertex(v)) fail("is both in use and free", "vertex", v);
    for (Index v = 0; v < positions_.size(); ++v)
        if (!positions_[v].allFinite()) fail("is not finite", "vertex", v);
}

// Neighbours are mutual and consistent with the corners; the boundary consists of the faces without neighbour.
void EditableTetMesh::check_links() const {
    const auto faces = faces_of(*this);
    std::vector<Index> single;
    for (std::size_t i = 0, next = 0; i < faces.size(); i = next) {
        while (next < faces.size() && faces[next].first == faces[i].first) ++next;
        const Index a = faces[i].second;
        if (next - i > 2) fail("shares a face with two or more other tetrahedra", "tetrahedron", a / 4);
        if (next - i == 1) single.push_back(a);
        const Index b = next - i == 2 ? faces[i + 1].second : no_index;
        if (neighbour(a) != (b == no_index ? no_index : b / 4)) fail("has a wrong neighbour", "face", a);
        if (b != no_index && neighbour(b) != a / 4) fail("has a wrong neighbour", "face", b);
        if (is_scored(a) != (b != no_index && is_scored(b))) fail("is scored on one side only", "face", a);
    }
    std::sort(single.begin(), single.end());
    if (sorted(boundary_) != single)
        fail("the boundary does not consist of the faces of only one tetrahedron", "face", no_index);
    for (Index i = 0; i < boundary_.size(); ++i)
        if (boundary_place_[boundary_[i] / 4][boundary_[i] % 4] != i)
            fail("has a wrong position in the boundary list", "face", boundary_[i]);
    std::vector<Tetrahedron> all;
    for (Index t = 0; t < tets_.size(); ++t) {
        if (!has_tet(t)) continue;
        all.push_back(tets_[t]);
        std::sort(all.back().begin(), all.back().end());
    }
    std::sort(all.begin(), all.end());
    if (std::adjacent_find(all.begin(), all.end()) != all.end())
        fail("two tetrahedra have the same corners", "tetrahedron", no_index);
}

// The lists of vertices contain every corner once, and the tetrahedra of a vertex are connected.
void EditableTetMesh::check_vertices() const {
    std::vector<std::vector<Index>> stars(positions_.size());
    for (Index t = 0; t < tets_.size(); ++t)
        for (std::size_t k = 0; has_tet(t) && k < 4; ++k) stars[tets_[t][k]].push_back(t);
    std::size_t used = 0;
    for (Index v = 0; v < positions_.size(); ++v) {
        if (tets_round(v) != stars[v]) fail("has a wrong list of tetrahedra", "vertex", v);
        if (stars[v].empty()) continue;
        ++used;
        const std::vector<Index> groups = groups_round(v, stars[v]);
        if (std::any_of(groups.begin(), groups.end(), [](Index g) { return g != 0; }))
            fail("joins tetrahedra that are not connected around it", "vertex", v);
    }
    if (used != vertex_count_ || used + free_vertices_.size() + pending_.removed_vertices.size() != positions_.size())
        fail("the count of vertices is wrong", "vertex", no_index);
}

void EditableTetMesh::check() const {
    check_lists();
    check_links();
    check_vertices();
}

} // namespace fathom
