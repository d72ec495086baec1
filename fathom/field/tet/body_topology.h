// Room: field. What distances in a body of tetrahedra (or, in the plane, of triangles) need to know of its topology: who is whose
// neighbour, and which faces, edges and nodes bound it. Built once; positions may then change every step.
// Nodes are ranked along a space-filling curve through the first positions, so that a march over any mesh stays in the cache.
// Build O(n log n), about 1 us a tetrahedron. Immutable afterwards, so thread-safe.
#pragma once

#include <fathom/geometry/adjacency.h>

namespace fathom {

class BodyTopology {
public:
    // Throws Error as check(mesh) does. Elements that name a vertex twice are left out, as are, from distances, nodes of no element.
    // A face is on the boundary where it belongs to one tetrahedron; vertices are told apart by index, so a cut is boundary.
    explicit BodyTopology(const TetMesh& mesh);
    // A body in the plane: triangles, bounded by the edges of one triangle. A boundary edge {a, b} is kept as the face {a, b, b}.
    [[nodiscard]] static BodyTopology planar(const TriangleMesh& mesh);

    enum class Kind : std::uint8_t { inner, boundary, loose }; // loose: of no element

    [[nodiscard]] std::size_t node_count() const { return rank_.size(); }
    [[nodiscard]] Kind kind(Index node) const { return kind_[rank_[node]]; }
    [[nodiscard]] std::span<const Triangle> faces() const { return faces_; } // of the boundary, by node
    [[nodiscard]] std::span<const Index> rank() const { return rank_; }      // of each node along the curve
    [[nodiscard]] std::span<const Index> order() const { return order_; }    // node by rank
    [[nodiscard]] std::size_t memory_bytes() const;

    // ---- For the marches, all by rank. Boundary nodes have distance 0 for good, so that lists name inner nodes only.

    [[nodiscard]] std::span<const Kind> kinds() const { return kind_; }
    [[nodiscard]] std::span<const Index> inner_neighbours(Index node) const { return inner_neighbours_[node]; }
    // Boundary faces that touch a boundary neighbour of an inner node; none where it has no such neighbour.
    [[nodiscard]] std::span<const Index> first_faces(Index node) const { return first_faces_[node]; }
    [[nodiscard]] std::span<const Triangle> ranked_faces() const { return ranked_faces_; }
    [[nodiscard]] std::span<const Index> faces_round(Index node) const { return faces_round_[node]; }
    // Across side k of a face: another boundary face there, or no_index.
    [[nodiscard]] std::span<const std::array<Index, 3>> across() const { return across_; }

    // Boundary nodes in increasing rank, and the faces in their numbers: what a tree over the boundary is built of.
    [[nodiscard]] std::span<const Index> boundary_nodes() const { return boundary_nodes_; }
    [[nodiscard]] std::span<const Triangle> boundary_faces() const { return boundary_faces_; }

private:
    BodyTopology() = default;
    template <std::size_t N>
    void build(std::span<const Vec3> positions, std::span<const std::array<Index, N>> elements);
    void rank_nodes(std::span<const Vec3> positions);
    void number_boundary();
    void list_first_faces(const Lists& neighbours);

    std::vector<Index> rank_, order_, boundary_nodes_;
    std::vector<Kind> kind_;
    std::vector<Triangle> faces_, ranked_faces_, boundary_faces_;
    std::vector<std::array<Index, 3>> across_;
    Lists inner_neighbours_, first_faces_, faces_round_;
};

// The nodes of the chosen elements, each once, ascending. `nodes` is overwritten; O(chosen log chosen).
void nodes_of(std::span<const Tetrahedron> tetrahedra, std::span<const Index> chosen, std::vector<Index>& nodes);

} // namespace fathom
