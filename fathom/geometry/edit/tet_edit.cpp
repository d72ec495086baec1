// The data structure of an editable tetrahedral mesh, and its three edits.
#include <fathom/geometry/edit/tet_edit.h>

#include <fathom/base/error.h>
#include <fathom/base/sorted_edit.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace fathom {

namespace {

Place at_tet(Index t) { return {.element = "tetrahedron", .index = t}; }

std::size_t corner_of(const Tetrahedron& tet, Index vertex) {
    return static_cast<std::size_t>(std::find(tet.begin(), tet.end(), vertex) - tet.begin());
}

bool holds(const Tetrahedron& tet, Index vertex) { return corner_of(tet, vertex) < 4; }

void refuse_repeated_corners(const TetMesh& mesh) {
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
        Tetrahedron sorted = mesh.tetrahedra[t];
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
            throw Error(Cause::invalid_argument, "uses a vertex twice", at_tet(static_cast<Index>(t)));
    }
}

// Faces without a unique neighbour must be distinct; otherwise three tetrahedra share one.
void refuse_crowded_faces(const TetMesh& mesh, std::span<const std::array<Index, 4>> neighbours) {
    std::vector<std::pair<Triangle, Index>> single;
    for (Index t = 0; t < mesh.tetrahedra.size(); ++t) {
        std::array<Index, 4> sides = neighbours[t];
        std::sort(sides.begin(), sides.end());
        for (std::size_t k = 1; k < 4; ++k)
            if (sides[k] == sides[k - 1] && sides[k] != no_index)
                throw Error(Cause::invalid_argument, fmt::format("has the same corners as tetrahedron {}", sides[k]),
                            at_tet(t));
        for (std::size_t k = 0; k < 4; ++k) {
            if (neighbours[t][k] != no_index) continue;
            Triangle key{};
            std::copy_if(mesh.tetrahedra[t].begin(), mesh.tetrahedra[t].end(), key.begin(),
                         [&](Index v) { return v != mesh.tetrahedra[t][k]; });
            std::sort(key.begin(), key.end());
            single.emplace_back(key, t);
        }
    }
    std::sort(single.begin(), single.end());
    for (std::size_t i = 1; i < single.size(); ++i)
        if (single[i].first == single[i - 1].first)
            throw Error(Cause::invalid_argument, "shares a face with two or more other tetrahedra",
                        at_tet(single[i].second));
}

} // namespace

EditableTetMesh::EditableTetMesh(const TetMesh& mesh) {
    fathom::check(mesh);
    refuse_repeated_corners(mesh);
    neighbours_ = tetrahedron_neighbours(mesh.tetrahedra, mesh.vertices.size());
    refuse_crowded_faces(mesh, neighbours_);
    positions_ = mesh.vertices;
    tets_ = mesh.tetrahedra;
    tet_count_ = tets_.size();
    first_corner_.assign(positions_.size(), no_index);
    next_corner_.assign(tets_.size(), {no_index, no_index, no_index, no_index});
    boundary_place_ = next_corner_;
    scored_.assign(tets_.size(), 0);
    for (Index t = 0; t < tets_.size(); ++t)
        for (std::size_t k = 0; k < 4; ++k) {
            link_corner(t, k);
            if (neighbours_[t][k] == no_index) add_boundary(static_cast<Index>(4 * t + k));
        }
    for (Index v = static_cast<Index>(positions_.size()); v-- > 0;)
        has_vertex(v) ? void(++vertex_count_) : free_vertices_.push_back(v);
    boundary_events_.clear();
    for (Index v = 0; v < mesh.vertices.size(); ++v)
        if (has_vertex(v)) regroup(v);
}

Triangle EditableTetMesh::face_corners(Index face) const {
    const auto& f = tetrahedron_faces[face % 4];
    const Tetrahedron& t = tets_[face / 4];
    return {t[static_cast<std::size_t>(f[0])], t[static_cast<std::size_t>(f[1])], t[static_cast<std::size_t>(f[2])]};
}

Triangle EditableTetMesh::outward_face(Index face) const {
    Triangle t = face_corners(face);
    const auto [a, b, c, d] = corners(face / 4);
    if (orient3d(a, b, c, d) < 0) std::swap(t[1], t[2]);
    return t;
}

Index EditableTetMesh::opposite(Index face) const {
    const Index other = neighbour(face);
    if (other == no_index) return no_index;
    return 4 * other + static_cast<Index>(std::find(neighbours_[other].begin(), neighbours_[other].end(), face / 4) -
                                          neighbours_[other].begin());
}

std::vector<Index> EditableTetMesh::tets_round(Index vertex) const {
    std::vector<Index> star;
    if (!has_vertex(vertex)) return star;
    for (Index c = first_corner_[vertex]; c != no_index; c = next_corner_[c / 4][c % 4]) star.push_back(c / 4);
    std::sort(star.begin(), star.end());
    return star;
}

std::vector<Index> EditableTetMesh::tets_round(const Edge& edge) const {
    std::vector<Index> ring = tets_round(edge[0]);
    std::erase_if(ring, [&](Index t) { return !holds(tets_[t], edge[1]); });
    return ring;
}

std::vector<Index> EditableTetMesh::boundary_round(Index vertex) const {
    std::vector<Index> faces;
    for (const Index t : tets_round(vertex))
        for (std::size_t k = 0; k < 4; ++k)
            if (neighbours_[t][k] == no_index && tets_[t][k] != vertex) faces.push_back(static_cast<Index>(4 * t + k));
    return faces;
}

bool EditableTetMesh::is_boundary(const Edge& edge) const {
    const std::vector<Index> faces = boundary_round(edge[0]);
    return std::any_of(faces.begin(), faces.end(), [&](Index face) {
        const std::size_t place = corner_of(tets_[face / 4], edge[1]);
        return place < 4 && place != face % 4;
    });
}

TetParts EditableTetMesh::parts() const {
    DisjointSets sets(tets_.size());
    for (Index t = 0; t < tets_.size(); ++t)
        for (const Index other : neighbours_[t])
            if (has_tet(t) && other != no_index) sets.join(t, other);
    TetParts parts;
    parts.of_tet.assign(tets_.size(), no_index);
    for (Index t = 0; t < tets_.size(); ++t) {
        if (!has_tet(t)) continue;
        const Index lowest = sets.find(t);
        parts.of_tet[t] = lowest == t ? static_cast<Index>(parts.count++) : parts.of_tet[lowest];
    }
    return parts;
}

TetMesh EditableTetMesh::mesh() const {
    TetMesh plain{positions_, {}};
    plain.tetrahedra.reserve(tet_count_);
    std::copy_if(tets_.begin(), tets_.end(), std::back_inserter(plain.tetrahedra),
                 [](const Tetrahedron& t) { return t[0] != no_index; });
    return plain;
}

void EditableTetMesh::move(std::span<const Vec3> positions) {
    if (positions.size() != positions_.size())
        throw Error(Cause::count_mismatch,
                    fmt::format("expected {1} positions, got {0}", positions.size(), positions_.size()));
    fathom::check_vertices(positions, {});
    positions_.assign(positions.begin(), positions.end());
}

Index EditableTetMesh::add_vertex(const Vec3& position, const TetEdit::NewVertex& origin) {
    Index v = static_cast<Index>(positions_.size());
    if (free_vertices_.empty()) {
        if (positions_.size() + 1 >= no_index)
            throw Error(Cause::too_large, "the number of vertices exceeds the range of 32-bit indices");
        positions_.push_back(position);
        first_corner_.push_back(no_index);
    } else {
        v = free_vertices_.back();
        free_vertices_.pop_back();
        positions_[v] = position;
    }
    ++vertex_count_;
    pending_.new_vertices.push_back({v, origin.a, origin.b, origin.share});
    return v;
}

Index EditableTetMesh::add_tet(const Tetrahedron& corners, Index parent) {
    Index t = static_cast<Index>(tets_.size());
    if (free_tets_.empty()) {
        if (tets_.size() + 1 >= no_index / 4)
            throw Error(Cause::too_large, "the number of tetrahedron faces exceeds the range of 32-bit indices");
        tets_.push_back(corners);
        next_corner_.push_back({no_index, no_index, no_index, no_index});
        neighbours_.push_back(next_corner_.back());
        boundary_place_.push_back(next_corner_.back());
        scored_.push_back(0);
    } else {
        t = free_tets_.back();
        free_tets_.pop_back();
        tets_[t] = corners;
    }
    ++tet_count_;
    for (std::size_t k = 0; k < 4; ++k) link_corner(t, k);
    pending_.new_tets.push_back({t, parent});
    return t;
}

void EditableTetMesh::link_corner(Index t, std::size_t k) {
    next_corner_[t][k] = std::exchange(first_corner_[tets_[t][k]], static_cast<Index>(4 * t + k));
}

void EditableTetMesh::unlink_corner(Index t, std::size_t k) {
    const auto corner = static_cast<Index>(4 * t + k);
    Index* link = &first_corner_[tets_[t][k]];
    while (*link != corner) link = &next_corner_[*link / 4][*link % 4];
    *link = std::exchange(next_corner_[t][k], no_index);
}

void EditableTetMesh::replace_corner(Index t, std::size_t k, Index vertex) {
    unlink_corner(t, k);
    tets_[t][k] = vertex;
    link_corner(t, k);
    pending_.changed_tets.push_back(t);
}

void EditableTetMesh::add_boundary(Index face) {
    boundary_place_[face / 4][face % 4] = static_cast<Index>(boundary_.size());
    boundary_.push_back(face);
    boundary_events_.push_back({face, true});
}

void EditableTetMesh::remove_boundary(Index face) {
    const Index place = std::exchange(boundary_place_[face / 4][face % 4], no_index);
    const Index last = boundary_.back();
    boundary_.pop_back();
    if (last != face) {
        boundary_[place] = last;
        boundary_place_[last / 4][last % 4] = place;
    }
    boundary_events_.push_back({face, false});
}

// Makes the face boundary on one side.
void EditableTetMesh::open(Index face) {
    neighbours_[face / 4][face % 4] = no_index;
    unscore(face);
    add_boundary(face);
}

// Opens the scored faces of the star whose corners are no longer equal on both sides.
void EditableTetMesh::open_parted(std::span<const Index> star) {
    for (const Index t : star)
        for (Index face = 4 * t; face < 4 * t + 4; ++face) {
            if (!is_scored(face)) continue;
            const Index back = opposite(face);
            const Triangle corners = face_corners(face);
            if (std::all_of(corners.begin(), corners.end(), [&](Index v) { return holds(tets_[back / 4], v); }))
                continue;
            open(face);
            open(back);
        }
}

// The group of each tetrahedron of the star, identified by the position of its first member in the star.
std::vector<Index> EditableTetMesh::groups_round(Index vertex, std::span<const Index> star) const {
    DisjointSets sets(star.size());
    for (Index i = 0; i < star.size(); ++i)
        for (std::size_t k = 0; k < 4; ++k) {
            const Index other = neighbours_[star[i]][k];
            if (tets_[star[i]][k] == vertex || other == no_index || is_scored(static_cast<Index>(4 * star[i] + k)))
                continue;
            sets.join(i, static_cast<Index>(std::lower_bound(star.begin(), star.end(), other) - star.begin()));
        }
    std::vector<Index> groups(star.size());
    for (Index i = 0; i < star.size(); ++i) groups[i] = sets.find(i);
    return groups;
}

// Creates twins of the vertex for all groups around it except the first, and returns them; a vertex without tetrahedra
// is removed.
std::vector<Index> EditableTetMesh::regroup(Index vertex) {
    const std::vector<Index> star = tets_round(vertex);
    if (star.empty()) {
        --vertex_count_;
        pending_.removed_vertices.push_back(vertex);
        return {};
    }
    const std::vector<Index> groups = groups_round(vertex, star);
    std::vector<Index> named(star.size(), no_index), twins;
    named[0] = vertex;
    for (std::size_t i = 0; i < star.size(); ++i) {
        if (groups[i] == 0) continue;
        if (groups[i] == i)
            twins.push_back(named[i] = add_vertex(Vec3(positions_[vertex]), {no_index, vertex, vertex, 0}));
        replace_corner(star[i], corner_of(tets_[star[i]], vertex), named[groups[i]]);
    }
    if (!twins.empty()) open_parted(star);
    return twins;
}

void EditableTetMesh::require_tet(Index t) const {
    if (t >= tets_.size())
        throw Error(Cause::index_out_of_range, fmt::format("does not exist, there are {}", tets_.size()), at_tet(t));
    if (!has_tet(t)) throw Error(Cause::invalid_argument, "is not in use", at_tet(t));
}

// One tetrahedron of the ring of an edge, and the index of its half at b.
struct EditableTetMesh::Halves {
    Index first, second;
    Index a, b, middle;
    std::span<const Index> ring, seconds;
};

void EditableTetMesh::halve(const Halves& h) {
    const Index t = h.first, n = h.second;
    const std::size_t at_a = corner_of(tets_[t], h.a), at_b = corner_of(tets_[t], h.b);
    const auto face = [](Index tet, std::size_t k) { return static_cast<Index>(4 * tet + k); };
    for (std::size_t k = 0; k < 4; ++k) {
        const Index other = neighbours_[t][k];
        const bool scored = is_scored(face(t, k));
        if (scored && k != at_b) score(face(n, k));
        if (k == at_b) { // the side at a is kept; the second half is adjacent to the first there
            neighbours_[n][k] = t;
        } else if (k == at_a) {
            unscore(face(t, k));
            neighbours_[n][k] = other;
            neighbours_[t][k] = n;
            if (other != no_index)
                std::replace(neighbours_[other].begin(), neighbours_[other].end(), t, n);
            else
                remove_boundary(face(t, k)), add_boundary(face(n, k));
        } else if (other != no_index) {
            neighbours_[n][k] = h.seconds[static_cast<std::size_t>(
                std::lower_bound(h.ring.begin(), h.ring.end(), other) - h.ring.begin())];
        } else {
            neighbours_[n][k] = no_index;
            remove_boundary(face(t, k)), add_boundary(face(t, k)), add_boundary(face(n, k));
        }
    }
    replace_corner(t, at_b, h.middle);
}

std::vector<Index> EditableTetMesh::split_edge(Index a, Index b, double share) {
    const std::vector<Index> ring = a == b ? std::vector<Index>{} : tets_round(Edge{a, b});
    if (ring.empty()) throw Error(Cause::invalid_argument, fmt::format("no edge joins vertices {} and {}", a, b));
    if (!(share > 0 && share < 1))
        throw Error(Cause::invalid_argument, fmt::format("{} is not in (0,1)", share), {.element = "share"});
    const Index middle = add_vertex((1 - share) * positions_[a] + share * positions_[b], {no_index, a, b, share});
    std::vector<Index> seconds;
    for (const Index t : ring) {
        Tetrahedron second = tets_[t];
        second[corner_of(second, a)] = middle;
        seconds.push_back(add_tet(second, t));
    }
    for (std::size_t i = 0; i < ring.size(); ++i) halve({ring[i], seconds[i], a, b, middle, ring, seconds});
    std::vector<Index> middles = regroup(middle);
    middles.insert(middles.begin(), middle);
    return middles;
}

void EditableTetMesh::separate(std::span<const Index> faces) {
    for (const Index face : faces) require_tet(face / 4);
    std::vector<Index> touched;
    for (const Index face : faces) {
        if (neighbour(face) == no_index) continue;
        const Triangle corners = face_corners(face);
        touched.insert(touched.end(), corners.begin(), corners.end());
        score(face);
        score(opposite(face));
    }
    sort_unique(touched);
    for (const Index v : touched) regroup(v);
}

void EditableTetMesh::remove(std::span<const Index> tets) {
    for (const Index t : tets) require_tet(t);
    std::vector<Index> gone(tets.begin(), tets.end()), touched;
    sort_unique(gone);
    for (const Index t : gone) {
        for (std::size_t k = 0; k < 4; ++k) {
            const auto face = static_cast<Index>(4 * t + k);
            neighbour(face) == no_index ? remove_boundary(face) : open(opposite(face));
            touched.push_back(tets_[t][k]);
            unlink_corner(t, k);
        }
        neighbours_[t].fill(no_index);
        tets_[t].fill(no_index);
        scored_[t] = 0;
        --tet_count_;
        pending_.removed_tets.push_back(t);
    }
    sort_unique(touched);
    for (const Index v : touched) regroup(v);
}

TetEdit EditableTetMesh::take_edit() {
    TetEdit edit = std::exchange(pending_, {});
    sort_unique(edit.changed_tets);
    std::vector<Index> made;
    for (const TetEdit::NewTet& n : edit.new_tets) made.push_back(n.tet);
    std::sort(made.begin(), made.end());
    std::erase_if(edit.changed_tets,
                  [&](Index t) { return !has_tet(t) || std::binary_search(made.begin(), made.end(), t); });
    sort_unique(edit.removed_tets);
    sort_unique(edit.removed_vertices);
    // The first event of a face determines whether it was boundary before.
    std::stable_sort(boundary_events_.begin(), boundary_events_.end(),
                     [](const BoundaryEvent& x, const BoundaryEvent& y) { return x.face < y.face; });
    for (std::size_t i = 0; i < boundary_events_.size(); ++i) {
        const auto [face, added] = boundary_events_[i];
        if (i > 0 && boundary_events_[i - 1].face == face) continue;
        if (!added) edit.removed_boundary.push_back(face);
        if (boundary_place_[face / 4][face % 4] != no_index) edit.new_boundary.push_back(face);
    }
    boundary_events_.clear();
    free_tets_.insert(free_tets_.end(), edit.removed_tets.begin(), edit.removed_tets.end());
    free_vertices_.insert(free_vertices_.end(), edit.removed_vertices.begin(), edit.removed_vertices.end());
    return edit;
}

} // namespace fathom
