// Room: detect. A tetrahedral body as collision sees it: what hangs together (built once, and again after a cut), and where its
// vertices are now. Tetrahedra may be inverted or flat in the current shape. Metres, world frame.
#pragma once

#include <fathom/geometry/adjacency.h>
#include <fathom/geometry/tetrahedron_batch.h>
#include <fathom/index/voxel_hash.h>

namespace fathom {

// Throws Error as check(mesh) does. O(n log n).
class TetTopology {
public:
    explicit TetTopology(const TetMesh& mesh);

    [[nodiscard]] std::size_t vertex_count() const { return vertex_count_; }
    [[nodiscard]] std::span<const Tetrahedron> tetrahedra() const { return tetrahedra_; }
    [[nodiscard]] std::span<const Triangle> boundary() const { return boundary_; } // as boundary(mesh) gives them
    // Each edge once, the lower vertex first, sorted. An edge answers once, however many tetrahedra or triangles share it.
    [[nodiscard]] std::span<const Edge> boundary_edges() const { return boundary_edges_; }
    [[nodiscard]] std::span<const Index> boundary_vertices() const { return boundary_vertices_; } // ascending
    [[nodiscard]] std::span<const Index> used_vertices() const { return used_vertices_; }         // those of a tetrahedron, ascending

private:
    std::size_t vertex_count_;
    std::vector<Tetrahedron> tetrahedra_;
    std::vector<Triangle> boundary_;
    std::vector<Edge> boundary_edges_;
    std::vector<Index> boundary_vertices_, used_vertices_;
};

// All edges of the tetrahedra, each once, the lower vertex first, sorted. O(n log n).
[[nodiscard]] std::vector<Edge> tetrahedron_edges(std::span<const Tetrahedron> tetrahedra);

// A view: vertices and topology must outlive it.
struct TetBody {
    std::span<const Vec3> vertices; // as they are now
    const TetTopology& topology;

    [[nodiscard]] TetrahedronSet set() const { return {vertices, topology.tetrahedra()}; }
    [[nodiscard]] bool is(const TetBody& other) const { return vertices.data() == other.vertices.data() && &topology == &other.topology; }
};

// Of all vertices that tetrahedra use. Throws Error: count_mismatch when there are not as many vertices as the topology names,
// non_finite naming the first bad vertex.
[[nodiscard]] Box bounds(const TetBody& body);

// The tetrahedra of a body that reach into a box, hashed: what points, segments and other bodies are asked against. Keep one for
// each body and step it: its memory is used again. O(tetrahedra), in parallel.
class TetZone {
public:
    TetZone() = default;
    explicit TetZone(const TetBody& body) { update(body, bounds(body)); }
    void update(const TetBody& body, const Box& where);

    [[nodiscard]] std::span<const Index> tetrahedra() const { return tetrahedra_; } // ascending
    [[nodiscard]] std::span<const Box> boxes() const { return boxes_; }             // theirs
    [[nodiscard]] const Box& reach() const { return reach_; }                       // the box round those
    [[nodiscard]] const VoxelHash& hash() const { return hash_; }                   // its ids are places in tetrahedra()

private:
    std::vector<Index> tetrahedra_;
    std::vector<Box> boxes_;
    Box reach_;
    VoxelHash hash_;
};

} // namespace fathom
