// A tetrahedral body as collision sees it: what hangs together (built once; it follows cuts and breaks),
// and where its vertices are now. Tetrahedra may be inverted or flat in the current shape. Metres, world frame.
#pragma once

#include <fathom/geometry/edit/tet_edit.h>
#include <fathom/geometry/primitive/tetrahedron_batch.h>
#include <fathom/index/voxel_hash.h>

namespace fathom {

class TetTopology {
public:
    // Throws Error as check(mesh) does. O(n log n).
    explicit TetTopology(const TetMesh& mesh);
    // Of the tetrahedra in use, as of mesh.mesh(). O(n log n).
    explicit TetTopology(const EditableTetMesh& mesh);
    // An open surface as a body without tetrahedra: all boundary, and nothing is in it.
    explicit TetTopology(const TriangleMesh& surface);

    // What an edit touched; ascending. Edges and vertices may have come to the boundary, left it, or only have other
    // faces.
    struct Change {
        std::vector<Edge> edges;
        std::vector<Index> vertices;
    };
    // Follows the edits of the mesh that this was made of: `edit` is all that it has taken (take_edit()) since. Every
    // list is then in the order that a new topology would have. (Only the winding of boundary triangles may differ: it
    // is judged in the shape in which they appeared.) O(edit log n); lists in which something comes or goes are copied
    // from there on, about 1 ns an item. Error{invalid_argument} where this was made of a TetMesh.
    Change apply(const EditableTetMesh& mesh, const TetEdit& edit);

    [[nodiscard]] std::size_t vertex_count() const { return vertex_count_; }
    [[nodiscard]] std::span<const Tetrahedron> tetrahedra() const { return tetrahedra_; }
    [[nodiscard]] std::span<const Triangle> boundary() const { return boundary_; } // as boundary(mesh) gives them
    // Each edge once, the lower vertex first, sorted. An edge answers once, however many tetrahedra or triangles share
    // it.
    [[nodiscard]] std::span<const Edge> boundary_edges() const { return boundary_edges_; }
    [[nodiscard]] std::span<const Index> boundary_vertices() const { return boundary_vertices_; } // ascending
    [[nodiscard]] std::span<const Index> used_vertices() const {
        return used_vertices_;
    } // those of a tetrahedron, ascending

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
    // Numbers in the editable mesh, ascending: of tetrahedra_, and of the faces of boundary_.
    std::vector<Index> slots_, faces_;
    bool editable_ = false;
};

// All edges of the tetrahedra, each once, the lower vertex first, sorted. O(n log n).
[[nodiscard]] std::vector<Edge> tetrahedron_edges(std::span<const Tetrahedron> tetrahedra);

// A view: vertices and topology must outlive it.
struct TetBody {
    std::span<const Vec3> vertices; // as they are now
    const TetTopology& topology;

    [[nodiscard]] TetrahedronSet set() const { return {vertices, topology.tetrahedra()}; }
    [[nodiscard]] bool is(const TetBody& other) const {
        return vertices.data() == other.vertices.data() && &topology == &other.topology;
    }
};

// Of all vertices that tetrahedra use. Throws Error: count_mismatch when there are not as many vertices as the topology
// names, non_finite naming the first bad vertex.
[[nodiscard]] Box bounds(const TetBody& body);

// The tetrahedra of a body that reach into a box, hashed: what points, segments and other bodies are asked against.
// Keep one for each body and step it: its memory is used again. O(tetrahedra), in parallel.
class TetZone {
public:
    TetZone() = default;
    explicit TetZone(const TetBody& body) { update(body, bounds(body)); }
    void update(const TetBody& body, const Box& where);

    [[nodiscard]] std::span<const Index> tetrahedra() const { return tetrahedra_; } // ascending
    [[nodiscard]] std::span<const Box> boxes() const { return boxes_; }             // theirs
    [[nodiscard]] const Box& reach() const { return reach_; }                       // the box round those
    [[nodiscard]] const VoxelHash& hash() const { return hash_; } // its ids are places in tetrahedra()

private:
    std::vector<Index> tetrahedra_;
    std::vector<Box> boxes_;
    Box reach_;
    VoxelHash hash_;
};

} // namespace fathom
