// Topology of a tetrahedral body, and the tetrahedra that intersect a box.
#include <fathom/detect/tet/tet_body.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/sorted_edit.h>

#include <algorithm>

namespace fathom::tet {

namespace {

constexpr std::size_t body_chunk = 2048;

Box box_of(const TetBody& body, const Tetrahedron& t) {
    const Vec3 &a = body.vertices[t[0]], &b = body.vertices[t[1]], &c = body.vertices[t[2]], &d = body.vertices[t[3]];
    return {a.cwiseMin(b).cwiseMin(c.cwiseMin(d)), a.cwiseMax(b).cwiseMax(c.cwiseMax(d))};
}

} // namespace

TetTopology::TetTopology(const TetMesh& mesh) : vertex_count_(mesh.vertices.size()), tetrahedra_(mesh.tetrahedra) {
    check(mesh);
    boundary_ = fathom::boundary(mesh).triangles;
    list_boundary();
    for (const Tetrahedron& t : tetrahedra_) used_vertices_.insert(used_vertices_.end(), t.begin(), t.end());
    sort_unique(used_vertices_);
}

TetTopology::TetTopology(const TriangleMesh& surface)
    : vertex_count_(surface.vertices.size()), boundary_(surface.triangles) {
    check(surface);
    list_boundary();
    used_vertices_ = boundary_vertices_;
}

void TetTopology::list_boundary() {
    boundary_edges_ = edge_table(boundary_, vertex_count_).edges;
    for (const Triangle& t : boundary_) boundary_vertices_.insert(boundary_vertices_.end(), t.begin(), t.end());
    sort_unique(boundary_vertices_);
}

TetTopology::TetTopology(const EditableTetMesh& mesh) : TetTopology(mesh.mesh()) {
    for (Index t = 0; t < mesh.tet_slots(); ++t)
        if (mesh.has_tet(t)) slots_.push_back(t);
    faces_.assign(mesh.boundary().begin(), mesh.boundary().end());
    std::sort(faces_.begin(), faces_.end());
    editable_ = true;
}

// Items that an edit may have changed; ascending, each once. Tetrahedra and faces by their numbers in the mesh.
struct TetTopology::Touched {
    std::vector<Index> tets, faces, vertices, boundary_vertices;
    std::vector<Edge> boundary_edges;
    bool moves = false; // tetrahedra are added or removed

    void add_face(Index face, const Triangle& t) {
        faces.push_back(face);
        boundary_vertices.insert(boundary_vertices.end(), t.begin(), t.end());
        for (std::size_t k = 0; k < 3; ++k)
            boundary_edges.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    }
    void sort() {
        for (auto* list : {&tets, &faces, &vertices, &boundary_vertices}) sort_unique(*list);
        sort_unique(boundary_edges);
    }
};

std::size_t TetTopology::place_of(Index slot) const {
    return static_cast<std::size_t>(std::lower_bound(slots_.begin(), slots_.end(), slot) - slots_.begin());
}

TetTopology::Change TetTopology::apply(const EditableTetMesh& mesh, const TetEdit& edit) {
    if (!editable_) throw Error(Cause::invalid_argument, "the topology was not built from an editable mesh");
    Touched touched;
    touched.tets = edit.changed_tets;
    touched.tets.insert(touched.tets.end(), edit.removed_tets.begin(), edit.removed_tets.end());
    for (const TetEdit::NewTet& t : edit.new_tets) touched.tets.push_back(t.tet);
    touched.moves = touched.tets.size() != edit.changed_tets.size();
    const auto add_corners = [&](const Tetrahedron& t) {
        touched.vertices.insert(touched.vertices.end(), t.begin(), t.end());
    };
    std::vector<Index> faces = edit.removed_boundary;
    faces.insert(faces.end(), edit.new_boundary.begin(), edit.new_boundary.end());
    for (const Index t : touched.tets) {
        if (const std::size_t place = place_of(t); place < slots_.size() && slots_[place] == t)
            add_corners(tetrahedra_[place]);
        if (mesh.has_tet(t)) add_corners(mesh.tet(t));
        for (Index face = 4 * t; face < 4 * t + 4; ++face) faces.push_back(face);
    }
    sort_unique(faces);
    for (const Index face : faces) {
        const auto known = std::lower_bound(faces_.begin(), faces_.end(), face);
        if (known != faces_.end() && *known == face)
            touched.add_face(face, boundary_[static_cast<std::size_t>(known - faces_.begin())]);
        if (mesh.has_tet(face / 4) && mesh.neighbour(face) == no_index) touched.add_face(face, mesh.face_corners(face));
    }
    touched.sort();
    vertex_count_ = mesh.vertex_slots();
    renew_tetrahedra(mesh, touched);
    renew_boundary(mesh, touched);
    return {std::move(touched.boundary_edges), std::move(touched.boundary_vertices)};
}

void TetTopology::renew_tetrahedra(const EditableTetMesh& mesh, const Touched& touched) {
    renew_sorted<Index>(used_vertices_, touched.vertices, [&](Index v) { return mesh.has_vertex(v); });
    if (!touched.moves) {
        for (const Index t : touched.tets) tetrahedra_[place_of(t)] = mesh.tet(t);
        return;
    }
    const std::size_t from = place_of(touched.tets.front());
    renew_sorted<Index>(slots_, touched.tets, [&](Index t) { return mesh.has_tet(t); });
    tetrahedra_.resize(slots_.size());
    for (std::size_t k = from; k < slots_.size(); ++k) tetrahedra_[k] = mesh.tet(slots_[k]);
}

void TetTopology::renew_boundary(const EditableTetMesh& mesh, const Touched& touched) {
    renew_sorted<Index>(boundary_vertices_, touched.boundary_vertices,
                        [&](Index v) { return !mesh.boundary_round(v).empty(); });
    renew_sorted<Edge>(boundary_edges_, touched.boundary_edges, [&](const Edge& e) { return mesh.is_boundary(e); });
    const std::vector<Index> old_faces = faces_;
    renew_sorted<Index>(faces_, touched.faces,
                        [&](Index face) { return mesh.has_tet(face / 4) && mesh.neighbour(face) == no_index; });
    std::vector<Triangle> triangles(faces_.size());
    std::size_t old = 0, next = 0;
    for (std::size_t k = 0; k < faces_.size(); ++k) {
        while (old < old_faces.size() && old_faces[old] < faces_[k]) ++old;
        while (next < touched.faces.size() && touched.faces[next] < faces_[k]) ++next;
        const bool changed = next < touched.faces.size() && touched.faces[next] == faces_[k];
        triangles[k] = changed ? mesh.outward_face(faces_[k]) : boundary_[old];
    }
    boundary_ = std::move(triangles);
}

std::vector<Edge> tetrahedron_edges(std::span<const Tetrahedron> tetrahedra) {
    std::vector<Edge> edges;
    for (const Tetrahedron& t : tetrahedra)
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j)
                if (t[i] != t[j]) edges.push_back({std::min(t[i], t[j]), std::max(t[i], t[j])});
    sort_unique(edges);
    return edges;
}

Box bounds(const TetBody& body) {
    if (body.vertices.size() != body.topology.vertex_count())
        throw Error(Cause::count_mismatch, "the number of vertices differs from that of the topology");
    Box all;
    for (const Index v : body.topology.used_vertices()) {
        if (!is_finite(body.vertices[v]))
            throw Error(Cause::non_finite, "coordinate is not finite", {.element = "vertex", .index = v});
        all.extend(body.vertices[v]);
    }
    return all;
}

void TetZone::update(const TetBody& body, const Box& where) {
    const std::span<const Tetrahedron> all = body.topology.tetrahedra();
    struct Part {
        std::vector<Index> tetrahedra;
        std::vector<Box> boxes;
    };
    std::vector<Part> parts((all.size() + body_chunk - 1) / body_chunk);
    parallel_tasks(parts.size(), [&](std::size_t k) {
        for (std::size_t t = k * body_chunk; t < std::min(all.size(), (k + 1) * body_chunk); ++t) {
            const Box box = box_of(body, all[t]);
            if (!box.overlaps(where)) continue;
            parts[k].tetrahedra.push_back(static_cast<Index>(t));
            parts[k].boxes.push_back(box);
        }
    });
    tetrahedra_.clear();
    boxes_.clear();
    for (const Part& part : parts) {
        tetrahedra_.insert(tetrahedra_.end(), part.tetrahedra.begin(), part.tetrahedra.end());
        boxes_.insert(boxes_.end(), part.boxes.begin(), part.boxes.end());
    }
    reach_ = {};
    for (const Box& box : boxes_) reach_.extend(box);
    hash_.update(boxes_);
}

} // namespace fathom::tet
