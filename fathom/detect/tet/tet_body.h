// A tetrahedral body for collision detection: its topology (built once; it follows cuts and breaks) and its current
// vertex positions. Tetrahedra may be inverted or flat in the current shape. Metres, world frame.
#pragma once

#include <fathom/geometry/edit/tet_edit.h>
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>
#include <fathom/index/voxel_hash.h>

namespace fathom::tet {

class TetTopology {
public:
    // Throws Error as check(mesh) does. O(n log n).
    explicit TetTopology(const TetMesh& mesh);
    // Of the tetrahedra in use, as for mesh.mesh(). O(n log n).
    explicit TetTopology(const EditableTetMesh& mesh);
    // An open surface as a body without tetrahedra: all of it is boundary and nothing is inside.
    explicit TetTopology(const TriangleMesh& surface);

    // The parts that an edit touched, ascending. Edges and vertices may have joined the boundary, left it, or only have
    // other faces.
    struct Change {
        std::vector<Edge> edges;
        std::vector<Index> vertices;
    };
    // Follows the edits of the mesh from which this topology was built: `edit` contains all edits since then
    // (take_edit()). Every list is then in the order of a newly built topology. (Only the winding of boundary triangles
    // may differ: it is determined in the shape in which they appeared.) O(edit log n); lists in which items are
    // inserted or removed are copied from there on, about 1 ns per item. Throws Error{invalid_argument} if this was
    // built from a TetMesh.
    Change apply(const EditableTetMesh& mesh, const TetEdit& edit);

    [[nodiscard]] std::size_t vertex_count() const { return vertex_count_; }
    [[nodiscard]] std::span<const Tetrahedron> tetrahedra() const { return tetrahedra_; }
    [[nodiscard]] std::span<const Triangle> boundary() const { return boundary_; } // as returned by boundary(mesh)
    // Each edge once, the lower vertex first, sorted. A query visits an edge once, however many tetrahedra or triangles
    // share it.
    [[nodiscard]] std::span<const Edge> boundary_edges() const { return boundary_edges_; }
    [[nodiscard]] std::span<const Index> boundary_vertices() const { return boundary_vertices_; } // ascending
    // Vertices of tetrahedra, ascending.
    [[nodiscard]] std::span<const Index> used_vertices() const { return used_vertices_; }

private:
    struct Touched;
    void renew_tetrahedra(const EditableTetMesh& mesh, const Touched& touched);
    void renew_boundary(const EditableTetMesh& mesh, const Touched& touched);
    [[nodiscard]] std::size_t place_of(Index slot) const;
    void list_boundary();

    std::size_t vertex_count_;
    std::vector<Tetrahedron> tetrahedra_;
    std::vector<Triangle> boundary_;
    std::vector<Edge> boundary_edges_;
    std::vector<Index> boundary_vertices_, used_vertices_;
    // Numbers in the editable mesh, ascending: of tetrahedra_ and of the faces of boundary_.
    std::vector<Index> slots_, faces_;
    bool editable_ = false;
};

// All edges of the tetrahedra, each once, the lower vertex first, sorted. O(n log n).
[[nodiscard]] std::vector<Edge> tetrahedron_edges(std::span<const Tetrahedron> tetrahedra);

// A view: the vertices and the topology must outlive it.
struct TetBody {
    std::span<const Vec3> vertices; // current positions
    const TetTopology& topology;

    [[nodiscard]] TetrahedronSet set() const { return {vertices, topology.tetrahedra()}; }
    [[nodiscard]] bool is(const TetBody& other) const {
        return vertices.data() == other.vertices.data() && &topology == &other.topology;
    }
};

// Bounding box of all vertices that tetrahedra use. Throws Error: count_mismatch when the number of vertices differs
// from the topology's, non_finite naming the first bad vertex.
[[nodiscard]] Box bounds(const TetBody& body);

// The tetrahedra of a body that intersect a box, in a voxel hash, against which points, segments and other bodies are
// tested. Keep one for each body and update it every step: its memory is reused. O(tetrahedra), in parallel.
class TetZone {
public:
    TetZone() = default;
    explicit TetZone(const TetBody& body) { update(body, bounds(body)); }
    void update(const TetBody& body, const Box& where);

    [[nodiscard]] std::span<const Index> tetrahedra() const { return tetrahedra_; } // ascending
    [[nodiscard]] std::span<const Box> boxes() const { return boxes_; }             // boxes of these tetrahedra
    [[nodiscard]] const Box& reach() const { return reach_; }                       // bounding box of these
    [[nodiscard]] const VoxelHash& hash() const { return hash_; }                   // ids are positions in tetrahedra()

private:
    std::vector<Index> tetrahedra_;
    std::vector<Box> boxes_;
    Box reach_;
    VoxelHash hash_;
};

} // namespace fathom::tet
