// A surface of triangles that can be torn in place: edges are opened, and triangles part along them.
// Numbers are stable: triangles and vertices keep theirs, and new vertices (twins, where a vertex has parted) come
// after all others. Each edit says what it changed, so that springs and trees follow without being built again. The
// same for tetrahedra: tet_edit.h. Always true: an edge is in one or two triangles, and the triangles of a vertex hang
// together through unscored edges round it. So no two pieces hang on a mere point. Shape plays no part: triangles may
// be flat or folded. Not for: surfaces that only move (TriangleMesh is smaller). Queries are const and thread-safe;
// edits are neither.
#pragma once

#include <fathom/geometry/mesh/adjacency.h>

namespace fathom {

struct SurfaceTear {
    struct Twin {
        Index vertex = no_index, origin = no_index; // lies where the origin does, which is older than the edit
    };
    std::vector<Twin> twins;              // in the order made: ascending
    std::vector<Index> changed_triangles; // have other corners; ascending
    std::vector<Index> opened;            // sides that have become border, ascending; both sides of an edge

    [[nodiscard]] bool empty() const { return twins.empty(); }
};

struct SurfaceParts {
    std::vector<Index> of_triangle; // parts are numbered by their lowest triangle
    std::size_t count = 0;
};

class EditableSurface {
public:
    EditableSurface() = default;
    // Numbers as in `mesh`. Where triangles share a vertex but do not hang together there, it gets twins: take_edit()
    // tells. Throws as check(mesh), Error{invalid_argument} naming a triangle with a corner twice, or one at an edge of
    // three or more.
    explicit EditableSurface(const TriangleMesh& mesh);

    [[nodiscard]] const TriangleMesh& mesh() const { return mesh_; } // vertices of no triangle stay
    // Side k of triangle t is numbered 3 t + k (adjacency.h). The same edge as a side of the other triangle; no_index
    // at the border.
    [[nodiscard]] Index opposite(Index side) const { return opposite_[side]; }
    [[nodiscard]] bool is_scored(Index side) const { return scored_[side] != 0; } // see separate()
    [[nodiscard]] Edge ends(Index side) const;
    [[nodiscard]] std::span<const Index> triangles_round(Index vertex) const { return round_[vertex]; } // ascending
    [[nodiscard]] std::vector<Index> border() const; // sides, ascending; O(n)
    [[nodiscard]] SurfaceParts parts() const;        // joined by edges; O(n)

    // New places for all vertices; Error{count_mismatch}, {non_finite}. O(n).
    void move(std::span<const Vec3> positions);
    // Opens inner edges, each named by one of its sides: what does not hang together round a vertex any more gets twins
    // of it. The group of the lowest triangle keeps the vertex. An edge neither of whose ends can part (the first one
    // inside a sheet, say) is only scored: it opens as soon as edges beside it let an end part. Border sides are passed
    // over. Error{index_out_of_range} before anything changes. O(triangles round the ends).
    void separate(std::span<const Index> sides);
    // What has changed since the last call.
    [[nodiscard]] SurfaceTear take_edit();

    // For tests and after doubtful edits: throws Error{malformed} naming the first rule that is broken. Finds
    // everything anew from the corners alone. O(n log n).
    void check() const;

private:
    void part(Index vertex);
    void give_twin(Index vertex, std::span<const Index> triangles);
    void open_parted(Index triangle);
    [[nodiscard]] std::vector<Index> groups_round(Index vertex) const;

    TriangleMesh mesh_;
    std::vector<Index> opposite_;           // by side
    std::vector<char> scored_;              // by side
    std::vector<std::vector<Index>> round_; // by vertex
    SurfaceTear pending_;
};

} // namespace fathom
