// Neighbours and boundary of a body, in the order of a space-filling curve.
#include <fathom/field/tet/body_topology.h>

#include <fathom/base/error.h>
#include <fathom/base/sorted_edit.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/index/space_order.h>

#include <algorithm>

namespace fathom {

namespace {

template <std::size_t N>
bool names_a_node_twice(const std::array<Index, N>& element) {
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t k = i + 1; k < N; ++k)
            if (element[i] == element[k]) return true;
    return false;
}

template <std::size_t N>
std::vector<std::array<Index, N>> sound_elements(std::span<const std::array<Index, N>> elements) {
    std::vector<std::array<Index, N>> sound;
    sound.reserve(elements.size());
    for (const auto& element : elements)
        if (!names_a_node_twice(element)) sound.push_back(element);
    return sound;
}

// Sides that belong to one triangle only, as faces with two equal corners.
std::vector<Triangle> border_of(std::span<const Triangle> triangles, std::size_t vertex_count) {
    const EdgeTable table = edge_table(triangles, vertex_count);
    std::vector<Triangle> border;
    for (std::size_t e = 0; e < table.edges.size(); ++e)
        if (table.sides[e].size() == 1) border.push_back({table.edges[e][0], table.edges[e][1], table.edges[e][1]});
    return border;
}

// The elements round every node, by rank.
template <std::size_t N>
Lists elements_round(std::span<const std::array<Index, N>> elements, std::span<const Index> rank) {
    std::vector<Index> keys(N * elements.size());
    for (std::size_t e = 0; e < elements.size(); ++e)
        for (std::size_t k = 0; k < N; ++k) keys[N * e + k] = rank[elements[e][k]];
    Lists lists = grouped(keys, rank.size());
    for (Index& item : lists.items) item /= static_cast<Index>(N);
    return lists;
}

// All nodes that share an element with each node, ascending, by rank.
template <std::size_t N>
Lists all_neighbours(std::span<const std::array<Index, N>> elements, std::span<const Index> rank) {
    const Lists round = elements_round<N>(elements, rank);
    Lists neighbours;
    std::vector<Index> last_seen(rank.size(), no_index);
    for (Index node = 0; node < rank.size(); ++node) {
        const std::size_t begin = neighbours.items.size();
        last_seen[node] = node;
        for (const Index element : round[node])
            for (const Index corner : elements[element])
                if (last_seen[rank[corner]] != node) {
                    last_seen[rank[corner]] = node;
                    neighbours.items.push_back(rank[corner]);
                }
        std::sort(neighbours.items.begin() + static_cast<std::ptrdiff_t>(begin), neighbours.items.end());
        neighbours.offsets.push_back(static_cast<Index>(neighbours.items.size()));
    }
    return neighbours;
}

// Keeps only the items that `keep` accepts.
template <class Keep>
Lists filtered(const Lists& lists, const Keep& keep) {
    Lists kept;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        for (const Index item : lists[i])
            if (keep(item)) kept.items.push_back(item);
        kept.offsets.push_back(static_cast<Index>(kept.items.size()));
    }
    return kept;
}

Lists faces_round_nodes(std::span<const Triangle> faces, std::size_t node_count) {
    std::vector<Index> keys(3 * faces.size());
    for (std::size_t f = 0; f < faces.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k)
            keys[3 * f + k] = k == 2 && faces[f][2] == faces[f][1] ? no_index : faces[f][k];
    Lists lists = grouped(keys, node_count);
    for (Index& item : lists.items) item /= 3;
    return lists;
}

// Faces across each side of each face. In the plane, the second side of a face {a, b, b} is at b and the third at a.
std::vector<std::array<Index, 3>> across_sides(std::span<const Triangle> faces, const Lists& faces_round) {
    std::vector<std::array<Index, 3>> across(faces.size(), {no_index, no_index, no_index});
    const EdgeTable table = edge_table(faces, faces_round.size());
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        const auto sides = table.sides[e];
        for (std::size_t k = 0; k < sides.size() && sides.size() > 1; ++k)
            across[sides[k] / 3][sides[k] % 3] = sides[(k + 1) % sides.size()] / 3;
    }
    for (Index f = 0; f < faces.size(); ++f) {
        if (faces[f][1] != faces[f][2]) continue;
        for (const std::size_t side : {1u, 2u})
            for (const Index other : faces_round[faces[f][2 - side]])
                if (other != f) across[f][side] = other;
    }
    return across;
}

} // namespace

BodyTopology::BodyTopology(const TetMesh& mesh) {
    check(mesh);
    const TetMesh sound{mesh.vertices, sound_elements<4>(mesh.tetrahedra)};
    faces_ = boundary(sound).triangles;
    build<4>(sound.vertices, sound.tetrahedra);
}

BodyTopology BodyTopology::planar(const TriangleMesh& mesh) {
    check(mesh);
    BodyTopology topology;
    const std::vector<Triangle> sound = sound_elements<3>(mesh.triangles);
    topology.faces_ = border_of(sound, mesh.vertices.size());
    topology.build<3>(mesh.vertices, sound);
    return topology;
}

template <std::size_t N>
void BodyTopology::build(std::span<const Vec3> positions, std::span<const std::array<Index, N>> elements) {
    rank_nodes(positions);
    kind_.assign(positions.size(), Kind::loose);
    for (const auto& element : elements)
        for (const Index node : element) kind_[rank_[node]] = Kind::inner;
    find_boundary();
    const Lists round = faces_round_nodes(ranked_faces_, positions.size());
    across_ = across_sides(ranked_faces_, round);
    faces_round_ = EditableLists(round);
    const Lists neighbours = all_neighbours<N>(elements, rank_);
    inner_neighbours_ = EditableLists(filtered(neighbours, [&](Index node) { return kind_[node] == Kind::inner; }));
    list_first_faces(neighbours);
}

void BodyTopology::rank_nodes(std::span<const Vec3> positions) {
    order_ = order_in_space(positions);
    rank_.resize(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) rank_[order_[k]] = static_cast<Index>(k);
}

void BodyTopology::find_boundary() {
    ranked_faces_ = faces_;
    for (Triangle& face : ranked_faces_)
        for (Index& node : face) {
            node = rank_[node];
            kind_[node] = Kind::boundary;
        }
    for (Index node = 0; node < kind_.size(); ++node)
        if (kind_[node] == Kind::boundary) boundary_nodes_.push_back(node);
}

std::vector<Index> BodyTopology::first_faces_of(std::span<const Index> neighbours) const {
    std::vector<Index> faces;
    for (const Index other : neighbours)
        if (kind_[other] == Kind::boundary)
            faces.insert(faces.end(), faces_round_[other].begin(), faces_round_[other].end());
    sort_unique(faces);
    return faces;
}

void BodyTopology::list_first_faces(const Lists& neighbours) {
    Lists lists;
    for (std::size_t node = 0; node < kind_.size(); ++node) {
        if (kind_[node] == Kind::inner) {
            const std::vector<Index> faces = first_faces_of(neighbours[node]);
            lists.items.insert(lists.items.end(), faces.begin(), faces.end());
        }
        lists.offsets.push_back(static_cast<Index>(lists.items.size()));
    }
    first_faces_ = EditableLists(std::move(lists));
}

std::size_t BodyTopology::memory_bytes() const {
    return (rank_.size() + order_.size() + boundary_nodes_.size()) * sizeof(Index) + kind_.size() +
           3 * faces_.size() * sizeof(Triangle) + (mesh_face_.size() + face_number_.size()) * sizeof(Index) +
           inner_neighbours_.memory_bytes() + first_faces_.memory_bytes() + faces_round_.memory_bytes();
}

void nodes_of(std::span<const Tetrahedron> tetrahedra, std::span<const Index> chosen, std::vector<Index>& nodes) {
    nodes.clear();
    for (const Index t : chosen) nodes.insert(nodes.end(), tetrahedra[t].begin(), tetrahedra[t].end());
    sort_unique(nodes);
}

// Incremental updates of neighbours and boundary after edits of the mesh: the lists round every touched node are
// rebuilt.

BodyTopology::BodyTopology(const EditableTetMesh& mesh) : BodyTopology(mesh.mesh()) {
    mesh_face_.assign(mesh.boundary().begin(), mesh.boundary().end());
    std::sort(mesh_face_.begin(), mesh_face_.end());
    face_number_.assign(4 * mesh.tet_slots(), no_index);
    for (std::size_t f = 0; f < mesh_face_.size(); ++f) face_number_[mesh_face_[f]] = static_cast<Index>(f);
    editable_ = true;
}

void BodyTopology::add_nodes(std::size_t count) {
    for (auto node = static_cast<Index>(rank_.size()); node < count; ++node) {
        rank_.push_back(node);
        order_.push_back(node);
    }
    kind_.resize(count, Kind::loose);
    for (EditableLists* lists : {&inner_neighbours_, &first_faces_, &faces_round_}) lists->resize(count);
}

// `touched` collects the nodes, by rank, whose lists may change.
void BodyTopology::set_face(Index number, Index face, const EditableTetMesh& mesh, std::vector<Index>& touched) {
    for (const Index node : ranked_faces_[number])
        if (node != no_index) touched.push_back(node);
    faces_[number] = mesh.outward_face(face);
    for (std::size_t k = 0; k < 3; ++k) touched.push_back(ranked_faces_[number][k] = rank_[faces_[number][k]]);
    mesh_face_[number] = face;
    face_number_[face] = number;
    last_faces_.push_back(number);
}

// The last face takes its place.
void BodyTopology::drop_face(Index number, std::vector<Index>& touched) {
    const auto last = static_cast<Index>(faces_.size() - 1);
    for (const Index f : {number, last})
        touched.insert(touched.end(), ranked_faces_[f].begin(), ranked_faces_[f].end());
    if (number != last) {
        faces_[number] = faces_[last];
        ranked_faces_[number] = ranked_faces_[last];
        mesh_face_[number] = mesh_face_[last];
        face_number_[mesh_face_[number]] = number;
        last_faces_.push_back(number);
    }
    faces_.pop_back();
    ranked_faces_.pop_back();
    mesh_face_.pop_back();
    across_.pop_back();
}

// Returns the nodes of all faces that were added, removed, renumbered or have other corners.
std::vector<Index> BodyTopology::renew_faces(const EditableTetMesh& mesh, const TetEdit& edit) {
    face_number_.resize(4 * mesh.tet_slots(), no_index);
    std::vector<Index> suspects = edit.removed_boundary, touched, come, gone;
    suspects.insert(suspects.end(), edit.new_boundary.begin(), edit.new_boundary.end());
    for (const Index t : edit.changed_tets)
        for (Index face = 4 * t; face < 4 * t + 4; ++face) suspects.push_back(face);
    sort_unique(suspects);
    last_faces_.clear();
    for (const Index face : suspects) {
        const bool is = mesh.has_tet(face / 4) && mesh.neighbour(face) == no_index;
        const Index number = face_number_[face];
        if (is && number != no_index) set_face(number, face, mesh, touched);
        if (is && number == no_index) come.push_back(face);
        if (!is && number != no_index) gone.push_back(number), face_number_[face] = no_index;
    }
    std::sort(gone.begin(), gone.end());
    std::size_t used = 0;
    for (const Index face : come) {
        if (used == gone.size()) {
            faces_.push_back({});
            ranked_faces_.push_back({no_index, no_index, no_index});
            mesh_face_.push_back(no_index);
            across_.push_back({no_index, no_index, no_index});
            set_face(static_cast<Index>(faces_.size() - 1), face, mesh, touched);
        } else {
            set_face(gone[used++], face, mesh, touched);
        }
    }
    // In descending order, so that no removed face is moved into a free place.
    for (std::size_t k = gone.size(); k-- > used;) drop_face(gone[k], touched);
    std::erase_if(last_faces_, [&](Index f) { return f >= faces_.size(); });
    sort_unique(last_faces_);
    return touched;
}

std::vector<Index> BodyTopology::neighbours_of(Index node, const EditableTetMesh& mesh) const {
    std::vector<Index> neighbours;
    for (const Index t : mesh.tets_round(order_[node]))
        for (const Index corner : mesh.tet(t))
            if (rank_[corner] != node) neighbours.push_back(rank_[corner]);
    sort_unique(neighbours);
    return neighbours;
}

void BodyTopology::renew_kind(Index node, const EditableTetMesh& mesh) {
    std::vector<Index> round;
    for (const Index face : mesh.boundary_round(order_[node])) round.push_back(face_number_[face]);
    std::sort(round.begin(), round.end());
    faces_round_.assign(node, round);
    kind_[node] = !mesh.has_vertex(order_[node]) ? Kind::loose : round.empty() ? Kind::inner : Kind::boundary;
}

void BodyTopology::renew_lists(Index node, const EditableTetMesh& mesh) {
    std::vector<Index> neighbours = neighbours_of(node, mesh);
    first_faces_.assign(node, kind_[node] == Kind::inner ? first_faces_of(neighbours) : std::vector<Index>{});
    std::erase_if(neighbours, [&](Index other) { return kind_[other] != Kind::inner; });
    inner_neighbours_.assign(node, neighbours);
}

// The next face round each side, by number, as in a new topology.
void BodyTopology::renew_across(Index face) {
    const Triangle& f = ranked_faces_[face];
    for (std::size_t k = 0; k < 3; ++k) {
        std::vector<Index> round;
        for (const Index other : faces_round_[f[k]])
            if (const Triangle& o = ranked_faces_[other]; std::find(o.begin(), o.end(), f[(k + 1) % 3]) != o.end())
                round.push_back(other);
        const auto own = std::find(round.begin(), round.end(), face);
        across_[face][k] = round.size() < 2 ? no_index : own + 1 == round.end() ? round.front() : *(own + 1);
    }
}

void BodyTopology::apply(const EditableTetMesh& mesh, const TetEdit& edit) {
    if (!editable_) throw Error(Cause::invalid_argument, "the topology was not made from an editable mesh");
    ++edits_;
    add_nodes(mesh.vertex_slots());
    std::vector<Index> touched = renew_faces(mesh, edit);
    const auto add_corners = [&](Index t) {
        if (mesh.has_tet(t))
            for (const Index node : mesh.tet(t)) touched.push_back(rank_[node]);
    };
    for (const Index t : edit.changed_tets) add_corners(t);
    for (const TetEdit::NewTet& t : edit.new_tets) add_corners(t.tet);
    for (const TetEdit::NewVertex& v : edit.new_vertices)
        touched.insert(touched.end(), {rank_[v.vertex], rank_[v.a], rank_[v.b]});
    for (const Index v : edit.removed_vertices) touched.push_back(rank_[v]);
    sort_unique(touched);
    for (const Index node : touched) renew_kind(node, mesh);
    std::vector<Index> round = touched, faces;
    for (const Index node : touched) {
        const std::vector<Index> neighbours = neighbours_of(node, mesh);
        round.insert(round.end(), neighbours.begin(), neighbours.end());
        faces.insert(faces.end(), faces_round_[node].begin(), faces_round_[node].end());
    }
    sort_unique(round);
    sort_unique(faces);
    for (const Index node : round) renew_lists(node, mesh);
    for (const Index face : faces) renew_across(face);
    renew_sorted<Index>(boundary_nodes_, touched, [&](Index node) { return kind_[node] == Kind::boundary; });
}

} // namespace fathom
