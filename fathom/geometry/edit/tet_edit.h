// A tetrahedral mesh that can be edited in place: edges split, faces opened, tetrahedra taken out.
// Numbers are stable: an edit gives new numbers to what is new and leaves all others; numbers set free by one edit are
// used again by the next. Neighbours across faces, the tetrahedra round a vertex and the boundary are kept up to date,
// and each edit says what it changed, so that springs, fields and trees follow without being built again. Always true:
// a face is in one or two tetrahedra, and the tetrahedra of a vertex hang together through unscored faces round it. (So
// no two pieces hang on a mere point or edge. Round one edge there may still be several fans: where a crack is pinched,
// and both ends of the edge hang together otherwise.) Shape plays no part: tetrahedra may be flat or inverted.
// Not for: meshes that only move (TetMesh is smaller). Queries are const and thread-safe; edits are neither.
#pragma once

#include <fathom/geometry/mesh/adjacency.h>

namespace fathom {

// A face is numbered 4 tetrahedron + the corner that it lacks (see tetrahedron_faces).
struct TetEdit {
    // At (1 - share) a + share b. The twin of a vertex that was split has b == a and share 0.
    struct NewVertex {
        Index vertex = no_index, a = no_index, b = no_index;
        double share = 0;
    };
    struct NewTet {
        Index tet = no_index, parent = no_index; // lies within what the parent was
    };
    std::vector<NewVertex> new_vertices; // in the order made: a and b may be new ones before
    std::vector<NewTet> new_tets;        // the same
    std::vector<Index> changed_tets;     // were there before, are still, and have other corners; ascending
    std::vector<Index> removed_tets;     // ascending
    std::vector<Index> removed_vertices; // belong to no tetrahedron any more; ascending
    // Ascending. Where the corners of a boundary face moved along an edge, it is in both lists; a face in neither may
    // name a twin instead of its vertex, if its tetrahedron is a changed one.
    std::vector<Index> new_boundary, removed_boundary;

    [[nodiscard]] bool empty() const {
        return new_vertices.empty() && new_tets.empty() && changed_tets.empty() && removed_tets.empty() &&
               new_boundary.empty();
    }
};

struct TetParts {
    std::vector<Index> of_tet; // no_index for numbers not in use; parts are numbered by their lowest tetrahedron
    std::size_t count = 0;
};

class EditableTetMesh {
public:
    EditableTetMesh() = default;
    // Numbers as in `mesh`. Where tetrahedra share a vertex but do not hang together there, it gets twins: take_edit()
    // tells. Throws as check(mesh), Error{invalid_argument} naming a tetrahedron with a corner twice, or a face of
    // three or more tetrahedra, or two tetrahedra of the same corners. O(n log k) for k tetrahedra round a vertex.
    explicit EditableTetMesh(const TetMesh& mesh);

    // Numbers run up to the slots; those not in use have no tetrahedron, or no corners.
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
    [[nodiscard]] Index neighbour(Index face) const {
        return neighbours_[face / 4][face % 4];
    }                                               // no_index at the boundary
    [[nodiscard]] Index opposite(Index face) const; // the same face of the neighbour
    [[nodiscard]] bool is_scored(Index face) const { return scored_[face / 4] >> face % 4 & 1; } // see separate()
    [[nodiscard]] Triangle face_corners(Index face) const;                      // outward of a positive tetrahedron
    [[nodiscard]] std::span<const Index> boundary() const { return boundary_; } // faces, in no order, each once
    [[nodiscard]] Triangle outward_face(Index face) const; // of the tetrahedron as it is, as boundary() winds it
    [[nodiscard]] std::vector<Index> tets_round(Index vertex) const;     // ascending; O(them)
    [[nodiscard]] std::vector<Index> tets_round(const Edge& edge) const; // ascending; O(those round an end)
    [[nodiscard]] std::vector<Index>
    boundary_round(Index vertex) const;                     // boundary faces, ascending; O(tetrahedra there)
    [[nodiscard]] bool is_boundary(const Edge& edge) const; // of such a face; O(those round an end)
    [[nodiscard]] TetParts parts() const;                   // joined by faces; O(n)
    // All vertex slots, so that numbers agree; the tetrahedra in use, ascending.
    [[nodiscard]] TetMesh mesh() const;

    // New places for all slots; Error{count_mismatch}, {non_finite}. O(n).
    void move(std::span<const Vec3> positions);

    // Edits. Arguments are checked before anything changes (Error{invalid_argument}, {index_out_of_range}). Each takes
    // time in proportion to the tetrahedra round the vertices it touches. A new vertex on an edge of the mesh, and
    // every tetrahedron there halved: the half at a keeps the number. share in (0,1). Returns one vertex for each fan
    // of tetrahedra round the edge: more than one where the edge was pinched between cracks.
    std::vector<Index> split_edge(Index a, Index b, double share);
    // Opens inner faces: what does not hang together round a vertex any more gets twins of it. The group of the lowest
    // tetrahedron keeps the vertex. A face none of whose corners can part (the first one inside a body, say) is only
    // scored: it has a neighbour still, and opens as soon as faces beside it let a corner part. Boundary faces are
    // passed over.
    void separate(std::span<const Index> faces);
    // Takes tetrahedra out, and the vertices that are left without.
    void remove(std::span<const Index> tets);

    // What has changed since the last call.
    [[nodiscard]] TetEdit take_edit();

    // For tests and after doubtful edits: throws Error{malformed} naming the first rule that is broken. Finds
    // everything anew from the corners alone. O(n log n).
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
    std::vector<Index> first_corner_; // of each vertex: the head of its list of corners, 4 t + k
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

// The inner faces between tetrahedra that `apart` tells apart, each once (the number on its lower tetrahedron),
// ascending.
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
