// How neighbours and boundary of a body follow the edits of its mesh: all round what was touched is listed
// anew.
#include <fathom/base/error.h>
#include <fathom/base/sorted_edit.h>
#include <fathom/field/tet/body_topology.h>

#include <algorithm>

namespace fathom {

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

// `touched` are nodes by rank whose lists may be other ones.
void BodyTopology::set_face(Index number, Index face, const EditableTetMesh& mesh, std::vector<Index>& touched) {
    for (const Index node : ranked_faces_[number])
        if (node != no_index) touched.push_back(node);
    faces_[number] = mesh.outward_face(face);
    for (std::size_t k = 0; k < 3; ++k) touched.push_back(ranked_faces_[number][k] = rank_[faces_[number][k]]);
    mesh_face_[number] = face;
    face_number_[face] = number;
    last_faces_.push_back(number);
}

// The last one takes its place.
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

// Returns the nodes of all faces that came, left, moved or have other corners.
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
    for (std::size_t k = gone.size(); k-- > used;)
        drop_face(gone[k], touched); // from the last on, so that none that goes takes a place
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

// The next face round each side, by number, as a new topology has it.
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
    if (!editable_) throw Error(Cause::invalid_argument, "the topology is of a mesh that is not edited");
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
