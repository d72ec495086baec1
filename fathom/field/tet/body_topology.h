// What distances in a body of tetrahedra (or, in the plane, of triangles) need to know of its topology:
// who is whose neighbour, and which faces, edges and nodes bound it. Built once; positions may then change every step,
// and cuts and breaks are followed. Nodes are ranked along a space-filling curve through the first positions, so that a
// march over any mesh stays in the cache. New nodes have the next ranks. Build O(n log n), about 1 us a tetrahedron.
// Thread-safe, but for apply(): the one who owns it applies edits while nobody reads.
#pragma once

#include <fathom/geometry/edit/tet_edit.h>
#include <fathom/geometry/mesh/adjacency.h>

#include <algorithm>

namespace fathom {

// Many short lists in one array (as Lists), of which some may be replaced: what does not fit in its old
// place goes to the end. Lists that are never replaced lie in order, so reading stays in the cache. Memory: at most
// about twice what the lists need.

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

    void resize(std::size_t count) { places_.resize(count); } // new ones are empty
    // O(items), amortised. The items must not lie in here.
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
    std::size_t lost_ = 0; // items that belong to no list any more
};

class BodyTopology {
public:
    // Throws Error as check(mesh) does. Elements that name a vertex twice are left out, as are, from distances, nodes
    // of no element. A face is on the boundary where it belongs to one tetrahedron; vertices are told apart by index,
    // so a cut is boundary.
    explicit BodyTopology(const TetMesh& mesh);
    // Of the tetrahedra in use of a mesh that will be edited, as of mesh.mesh().
    explicit BodyTopology(const EditableTetMesh& mesh);
    // Follows an edit of that mesh. Ranks stay; a face keeps its number unless it leaves: new ones then take its
    // number, or the last one does. Else all is as in a new topology of the mesh. O(edit log n) and a pass over the
    // boundary nodes. Error{invalid_argument} where this was not made of an EditableTetMesh.
    void apply(const EditableTetMesh& mesh, const TetEdit& edit);
    [[nodiscard]] std::size_t edits() const { return edits_; } // how many it has followed
    [[nodiscard]] std::span<const Index> last_faces() const {
        return last_faces_;
    } // numbers that mean other faces since the last one, ascending

    // A body in the plane: triangles, bounded by the edges of one triangle. A boundary edge {a, b} is kept as the face
    // {a, b, b}.
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

    [[nodiscard]] std::span<const Index> boundary_nodes() const { return boundary_nodes_; } // increasing

private:
    BodyTopology() = default;
    template <std::size_t N>
    void build(std::span<const Vec3> positions, std::span<const std::array<Index, N>> elements);
    void rank_nodes(std::span<const Vec3> positions);
    void find_boundary();
    [[nodiscard]] std::vector<Index> first_faces_of(std::span<const Index> neighbours) const;
    void list_first_faces(const Lists& neighbours);

    // Following an edit.
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
    std::vector<Index> mesh_face_;   // of each face: its number in the editable mesh
    std::vector<Index> face_number_; // of each face of the editable mesh: its number here, or no_index
    std::vector<Index> last_faces_;
    std::size_t edits_ = 0;
    bool editable_ = false;
};

// The nodes of the chosen elements, each once, ascending. `nodes` is overwritten; O(chosen log chosen).
void nodes_of(std::span<const Tetrahedron> tetrahedra, std::span<const Index> chosen, std::vector<Index>& nodes);

} // namespace fathom
