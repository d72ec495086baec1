// Triangle surface that can be torn in place: edges are opened, and the triangles separate along them.
// Indices are stable: triangles and vertices keep theirs, and new vertices (twins of vertices that were split) are
// appended. Each edit reports its changes, so that springs and trees can be updated without a rebuild. For tetrahedra
// see tet_edit.h.
// Invariants: an edge belongs to one or two triangles, and the triangles of a vertex are connected through unscored
// edges around it. So no two parts are connected by a single point only. The geometry is irrelevant: triangles may be
// degenerate or folded. Not for surfaces that only move (TriangleMesh is smaller). Queries are const and thread-safe;
// edits are neither.
#pragma once

#include <fathom/geometry/mesh/adjacency.h>

namespace fathom {

struct SurfaceTear {
    struct Twin {
        // The twin has the position of its origin, which existed before the edit.
        Index vertex = no_index, origin = no_index;
    };
    std::vector<Twin> twins;              // in order of creation: ascending
    std::vector<Index> changed_triangles; // triangles with replaced corners; ascending
    std::vector<Index> opened;            // sides that became boundary, ascending; both sides of an edge

    [[nodiscard]] bool empty() const { return twins.empty(); }
};

struct SurfaceParts {
    std::vector<Index> of_triangle; // parts are numbered by their lowest triangle
    std::size_t count = 0;
};

class EditableSurface {
public:
    EditableSurface() = default;
    // Indices as in `mesh`. A vertex whose triangles are not connected around it gets twins; take_edit() reports them.
    // Throws as check(mesh) does, and Error{invalid_argument} naming a triangle that uses a vertex twice or that lies
    // at an edge of three or more triangles.
    explicit EditableSurface(const TriangleMesh& mesh);

    [[nodiscard]] const TriangleMesh& mesh() const { return mesh_; } // vertices without triangles remain
    // Side k of triangle t has the index 3 t + k (see adjacency.h). Returns the same edge as a side of the other
    // triangle; no_index at the boundary.
    [[nodiscard]] Index opposite(Index side) const { return opposite_[side]; }
    [[nodiscard]] bool is_scored(Index side) const { return scored_[side] != 0; } // see separate()
    [[nodiscard]] Edge ends(Index side) const;
    [[nodiscard]] std::span<const Index> triangles_round(Index vertex) const { return round_[vertex]; } // ascending
    [[nodiscard]] std::vector<Index> border() const; // boundary sides, ascending; O(n)
    [[nodiscard]] SurfaceParts parts() const;        // connected by edges; O(n)

    // Sets the positions of all vertices. Throws Error (count_mismatch, non_finite). O(n).
    void move(std::span<const Vec3> positions);
    // Opens interior edges, each given by one of its sides: groups of triangles that are no longer connected around a
    // vertex get twins of it. The group of the lowest triangle keeps the vertex. An edge neither of whose ends can be
    // split (for example the first one inside a sheet) is only scored: it opens as soon as adjacent edges allow an end
    // to be split. Boundary sides are ignored. Throws Error{index_out_of_range} before anything changes. O(triangles
    // around the ends).
    void separate(std::span<const Index> sides);
    // The changes since the last call.
    [[nodiscard]] SurfaceTear take_edit();

    // Consistency check for tests: throws Error{malformed} naming the first violated invariant. Derives everything from
    // the corners alone. O(n log n).
    void check() const;

private:
    void part(Index vertex);
    void give_twin(Index vertex, std::span<const Index> triangles);
    void open_parted(Index triangle);
    [[nodiscard]] std::vector<Index> groups_round(Index vertex) const;

    TriangleMesh mesh_;
    std::vector<Index> opposite_;           // per side
    std::vector<char> scored_;              // per side
    std::vector<std::vector<Index>> round_; // per vertex
    SurfaceTear pending_;
};

} // namespace fathom
