// Tetrahedral mesh that can be edited in place: edges are split, faces opened, tetrahedra removed.
// Indices are stable: an edit assigns new indices to new elements and keeps all others; indices freed by one edit are
// reused by the next. Neighbours across faces, the tetrahedra around a vertex and the boundary are kept up to date, and
// each edit reports its changes, so that springs, fields and trees can be updated without a rebuild.
// Invariants: a face belongs to one or two tetrahedra, and the tetrahedra of a vertex are connected through unscored
// faces around it. (So no two parts are connected by a single point or edge only. There may still be several fans
// around one edge: where a crack is pinched, and both ends of the edge are connected otherwise.) The geometry is
// irrelevant: tetrahedra may be flat or inverted. Not for meshes that only move (TetMesh is smaller). Queries are const
// and thread-safe; edits are neither.
#pragma once

#include <fathom/geometry/mesh/adjacency.h>

namespace fathom {

// Changes of the mesh. The index of a face is 4 * tetrahedron + the corner opposite to it (see tetrahedron_faces).
struct TetEdit {
    // Position (1 - share) a + share b. The twin of a split vertex has b == a and share 0.
    struct NewVertex {
        Index vertex = no_index, a = no_index, b = no_index;
        double share = 0;
    };
    struct NewTet {
        Index tet = no_index, parent = no_index; // lies within the former volume of the parent
    };
    std::vector<NewVertex> new_vertices; // in order of creation: a and b may be earlier new vertices
    std::vector<NewTet> new_tets;        // in order of creation
    std::vector<Index> changed_tets;     // existed before, still exist, with replaced corners; ascending
    std::vector<Index> removed_tets;     // ascending
    std::vector<Index> removed_vertices; // no longer belong to a tetrahedron; ascending
    // Ascending. A boundary face whose corners moved along an edge is in both lists. A face in neither list may have a
    // twin instead of its vertex, if its tetrahedron is in changed_tets.
    std::vector<Index> new_boundary, removed_boundary;

    [[nodiscard]] bool empty() const {
        return new_vertices.empty() && new_tets.empty() && changed_tets.empty() && removed_tets.empty() &&
               new_boundary.empty();
    }
};

struct TetParts {
    std::vector<Index> of_tet; // no_index for unused slots; parts are numbered by their lowest tetrahedron
    std::size_t count = 0;
};

class EditableTetMesh {
public:
    EditableTetMesh() = default;
    // Indices as in `mesh`. A vertex whose tetrahedra are not connected around it gets twins; take_edit() reports them.
    // Throws as check(mesh) does, and Error{invalid_argument} naming a tetrahedron that uses a vertex twice, a face of
    // three or more tetrahedra, or two tetrahedra with the same corners. O(n log k) for k tetrahedra around a vertex.
    explicit EditableTetMesh(const TetMesh& mesh);

    // Indices are below the number of slots; an unused slot has no tetrahedron, or no corners.
    [[nodiscard]] std::size_t vertex_slots() const { return positions_.size(); }
    [[nodiscard]] std::size_t tet_slots() const { return tets_.size(); }
    [[nodiscard]] std::size_t vertex_count() const { return vertex_count_; }
    [[nodiscard]] std::size_t tet_count() const { return tet_count_; }
    [[nodiscard]] bool has_vertex(Index v) const { return v < first_corner_.size() && first_corner_[v] != no_index; }
    [[nodiscard]] bool has_tet(Index t) const { return t < tets_.size() && tets_[t][0] != no_index; }

    [[nodiscard]] std::span<const Vec3> positions() const { return positions_; } // m
    [[nodiscard]] const Tetrahedron& tet(Index t) const { return tets_[t]; }
    [[nodiscard]] std::array<Vec3, 4> corners(Index t) const {
        const Tetrahedron& c = tets_[t];
        return {positions_[c[0]], positions_[c[1]], positions_[c[2]], positions_[c[3]]};
    }
    // The tetrahedron across a face; no_index at the boundary.
    [[nodiscard]] Index neighbour(Index face) const { return neighbours_[face / 4][face % 4]; }
    [[nodiscard]] Index opposite(Index face) const; // the same face as a face of the neighbour
    [[nodiscard]] bool is_scored(Index face) const { return scored_[face / 4] >> face % 4 & 1; } // see separate()
    [[nodiscard]] Triangle face_corners(Index face) const; // winding: outward for a tetrahedron of positive volume
    [[nodiscard]] std::span<const Index> boundary() const { return boundary_; } // faces, unordered, each once
    // Winding: outward for the actual orientation of the tetrahedron, as in boundary().
    [[nodiscard]] Triangle outward_face(Index face) const;
    [[nodiscard]] std::vector<Index> tets_round(Index vertex) const;     // ascending; O(number found)
    [[nodiscard]] std::vector<Index> tets_round(const Edge& edge) const; // ascending; O(tetrahedra around an end)
    // Boundary faces, ascending; O(tetrahedra around the vertex).
    [[nodiscard]] std::vector<Index> boundary_round(Index vertex) const;
    [[nodiscard]] bool is_boundary(const Edge& edge) const; // edge of a boundary face; O(tetrahedra around an end)
    [[nodiscard]] TetParts parts() const;                   // connected by faces; O(n)
    // All vertex slots, so that vertex indices agree, and the tetrahedra in use, ascending.
    [[nodiscard]] TetMesh mesh() const;

    // Sets the positions of all slots. Throws Error (count_mismatch, non_finite). O(n).
    void move(std::span<const Vec3> positions);

    // Edits. Arguments are checked before anything changes (Error{invalid_argument}, {index_out_of_range}). The cost is
    // proportional to the number of tetrahedra around the vertices involved.
    //
    // Inserts a vertex on an edge and halves every tetrahedron at the edge: the half at a keeps the index. share in
    // (0,1). Returns one vertex for each fan of tetrahedra around the edge: more than one if the edge was pinched
    // between cracks.
    std::vector<Index> split_edge(Index a, Index b, double share);
    // Opens interior faces: groups of tetrahedra that are no longer connected around a vertex get twins of it. The
    // group of the lowest tetrahedron keeps the vertex. A face none of whose corners can be split (for example the
    // first one inside a body) is only scored: it still has a neighbour, and opens as soon as adjacent faces allow a
    // corner to be split. Boundary faces are ignored.
    void separate(std::span<const Index> faces);
    // Removes tetrahedra, and vertices that are left without tetrahedra.
    void remove(std::span<const Index> tets);

    // The changes since the last call.
    [[nodiscard]] TetEdit take_edit();

    // Consistency check for tests: throws Error{malformed} naming the first violated invariant. Derives everything from
    // the corners alone. O(n log n).
    void check() const;

private:
    struct Halves;
    Index add_vertex(const Vec3& position, const TetEdit::NewVertex& origin);
    Index add_tet(const Tetrahedron& corners, Index parent);
    void link_corner(Index t, std::size_t k);
    void unlink_corner(Index t, std::size_t k);
    void replace_corner(Index t, std::size_t k, Index vertex);
    void add_boundary(Index face);
    void remove_boundary(Index face);
    void open(Index face);
    void open_parted(std::span<const Index> star);
    void score(Index face) { scored_[face / 4] = static_cast<std::uint8_t>(scored_[face / 4] | 1u << face % 4); }
    void unscore(Index face) { scored_[face / 4] = static_cast<std::uint8_t>(scored_[face / 4] & ~(1u << face % 4)); }
    std::vector<Index> regroup(Index vertex);
    void halve(const Halves& halves);
    [[nodiscard]] std::vector<Index> groups_round(Index vertex, std::span<const Index> star) const;
    void require_tet(Index t) const;
    void check_lists() const;
    void check_links() const;
    void check_vertices() const;
    [[noreturn]] static void fail(const char* rule, const char* element, Index index);

    std::vector<Vec3> positions_;
    std::vector<Index> first_corner_; // per vertex: head of the list of its corners, 4 t + k
    std::vector<Tetrahedron> tets_;
    std::vector<std::array<Index, 4>> next_corner_, neighbours_, boundary_place_;
    std::vector<std::uint8_t> scored_; // bit k: face k
    std::vector<Index> boundary_, free_vertices_, free_tets_;
    std::size_t vertex_count_ = 0, tet_count_ = 0;

    struct BoundaryEvent {
        Index face;
        bool added;
    };
    TetEdit pending_;
    std::vector<BoundaryEvent> boundary_events_;
};

// The interior faces between tetrahedra t and u for which `apart(t, u)` holds, each once (as a face of the lower
// tetrahedron), ascending.
template <class Apart>
[[nodiscard]] std::vector<Index> faces_between(const EditableTetMesh& mesh, const Apart& apart) {
    std::vector<Index> faces;
    for (Index t = 0; t < mesh.tet_slots(); ++t)
        for (Index k = 0; mesh.has_tet(t) && k < 4; ++k) {
            const Index other = mesh.neighbour(4 * t + k);
            if (other != no_index && t < other && apart(t, other)) faces.push_back(4 * t + k);
        }
    return faces;
}

} // namespace fathom
