// Topology of a body of tetrahedra (or, in the plane, of triangles) for distance computations: neighbours of nodes, and
// the faces, edges and nodes of the boundary. Built once; positions may then change every step, and cuts and breaks are
// applied incrementally. Nodes are ranked along a space-filling curve through the first positions, so that a march over
// any mesh stays in the cache. New nodes get the next ranks. Build O(n log n), about 1 us per tetrahedron. Thread-safe,
// except for apply(): the owner must not apply edits while another thread reads.
#pragma once

#include <fathom/geometry/edit/tet_edit.h>
#include <fathom/geometry/mesh/adjacency.h>

#include <algorithm>

namespace fathom {

// Many short lists in one array (as Lists) that can be replaced individually: a list that does not fit in its old place
// moves to the end. Lists that are never replaced stay in order, so reading stays in the cache. Memory: at most about
// twice the size of the lists.

class EditableLists {
public:
    EditableLists() = default;
    explicit EditableLists(Lists lists) : items_(std::move(lists.items)) {
        for (std::size_t i = 0; i < lists.size(); ++i) {
            const Index size = lists.offsets[i + 1] - lists.offsets[i];
            places_.push_back({lists.offsets[i], size, size});
        }
    }

    [[nodiscard]] std::size_t size() const { return places_.size(); }
    [[nodiscard]] std::span<const Index> operator[](std::size_t i) const {
        return std::span(items_).subspan(places_[i].begin, places_[i].size);
    }
    [[nodiscard]] std::size_t memory_bytes() const {
        return places_.size() * sizeof(Place) + items_.size() * sizeof(Index);
    }

    void resize(std::size_t count) { places_.resize(count); } // new lists are empty
    // O(items), amortised. The items must not be stored in this object.
    void assign(std::size_t i, std::span<const Index> items) {
        Place& place = places_[i];
        if (items.size() > place.room) {
            lost_ += place.room;
            place.begin = static_cast<Index>(items_.size());
            place.room = static_cast<Index>(items.size());
            items_.resize(items_.size() + items.size());
        }
        place.size = static_cast<Index>(items.size());
        std::copy(items.begin(), items.end(), items_.begin() + place.begin);
        if (2 * lost_ > items_.size()) pack();
    }

private:
    struct Place {
        Index begin = 0, size = 0, room = 0;
    };
    void pack() {
        std::vector<Index> kept;
        for (Place& place : places_) {
            const auto begin = items_.begin() + place.begin;
            place.begin = static_cast<Index>(kept.size());
            kept.insert(kept.end(), begin, begin + place.size);
            place.room = place.size;
        }
        items_ = std::move(kept);
        lost_ = 0;
    }

    std::vector<Place> places_;
    std::vector<Index> items_;
    std::size_t lost_ = 0; // items that no longer belong to a list
};

class BodyTopology {
public:
    // Throws Error as check(mesh) does. Elements that name a vertex twice are ignored; nodes of no element have no
    // distance. A face is on the boundary if it belongs to one tetrahedron; vertices are distinguished by index, so a
    // cut is boundary.
    explicit BodyTopology(const TetMesh& mesh);
    // For the tetrahedra in use of a mesh that will be edited, as for mesh.mesh().
    explicit BodyTopology(const EditableTetMesh& mesh);
    // Applies an edit of that mesh. Ranks do not change; a face keeps its number unless it is removed: its number then
    // goes to a new face or to the last one. Otherwise the result equals a new topology of the mesh. O(edit log n) and
    // a pass over the boundary nodes. Throws Error{invalid_argument} if this object was not made from an
    // EditableTetMesh.
    void apply(const EditableTetMesh& mesh, const TetEdit& edit);
    [[nodiscard]] std::size_t edits() const { return edits_; } // number of edits applied
    // Numbers that denote other faces since the last edit, ascending.
    [[nodiscard]] std::span<const Index> last_faces() const { return last_faces_; }

    // A body in the plane: triangles, bounded by the edges that belong to one triangle. A boundary edge {a, b} is
    // stored as the face {a, b, b}.
    [[nodiscard]] static BodyTopology planar(const TriangleMesh& mesh);

    enum class Kind : std::uint8_t { inner, boundary, loose }; // loose: of no element

    [[nodiscard]] std::size_t node_count() const { return rank_.size(); }
    [[nodiscard]] Kind kind(Index node) const { return kind_[rank_[node]]; }
    [[nodiscard]] std::span<const Triangle> faces() const { return faces_; } // of the boundary, by node
    [[nodiscard]] std::span<const Index> rank() const { return rank_; }      // of each node along the curve
    [[nodiscard]] std::span<const Index> order() const { return order_; }    // node by rank
    [[nodiscard]] std::size_t memory_bytes() const;

    // ---- For the marches, all by rank. Boundary nodes always have distance 0, so the lists contain inner nodes only.

    [[nodiscard]] std::span<const Kind> kinds() const { return kind_; }
    [[nodiscard]] std::span<const Index> inner_neighbours(Index node) const { return inner_neighbours_[node]; }
    // Boundary faces that touch a boundary neighbour of an inner node; empty if it has no such neighbour.
    [[nodiscard]] std::span<const Index> first_faces(Index node) const { return first_faces_[node]; }
    [[nodiscard]] std::span<const Triangle> ranked_faces() const { return ranked_faces_; }
    [[nodiscard]] std::span<const Index> faces_round(Index node) const { return faces_round_[node]; }
    // For side k of a face: another boundary face at that side, or no_index.
    [[nodiscard]] std::span<const std::array<Index, 3>> across() const { return across_; }

    [[nodiscard]] std::span<const Index> boundary_nodes() const { return boundary_nodes_; } // ascending

private:
    BodyTopology() = default;
    template <std::size_t N>
    void build(std::span<const Vec3> positions, std::span<const std::array<Index, N>> elements);
    void rank_nodes(std::span<const Vec3> positions);
    void find_boundary();
    [[nodiscard]] std::vector<Index> first_faces_of(std::span<const Index> neighbours) const;
    void list_first_faces(const Lists& neighbours);

    // Incremental updates.
    void add_nodes(std::size_t count);
    [[nodiscard]] std::vector<Index> renew_faces(const EditableTetMesh& mesh, const TetEdit& edit);
    void set_face(Index number, Index face, const EditableTetMesh& mesh, std::vector<Index>& touched);
    void drop_face(Index number, std::vector<Index>& touched);
    [[nodiscard]] std::vector<Index> neighbours_of(Index node, const EditableTetMesh& mesh) const;
    void renew_kind(Index node, const EditableTetMesh& mesh);
    void renew_lists(Index node, const EditableTetMesh& mesh);
    void renew_across(Index face);

    std::vector<Index> rank_, order_, boundary_nodes_;
    std::vector<Kind> kind_;
    std::vector<Triangle> faces_, ranked_faces_;
    std::vector<std::array<Index, 3>> across_;
    EditableLists inner_neighbours_, first_faces_, faces_round_;
    std::vector<Index> mesh_face_;   // number in the editable mesh, by face
    std::vector<Index> face_number_; // number here, or no_index, by face of the editable mesh
    std::vector<Index> last_faces_;
    std::size_t edits_ = 0;
    bool editable_ = false;
};

// The nodes of the chosen elements, each once, ascending. `nodes` is overwritten; O(chosen log chosen).
void nodes_of(std::span<const Tetrahedron> tetrahedra, std::span<const Index> chosen, std::vector<Index>& nodes);

} // namespace fathom
