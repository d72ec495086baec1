// Room: detect. What hangs together in a tetrahedral body, and which part of it lies in a box.
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/tet/tet_body.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t chunk = 2048;

template <class T>
void sort_and_thin(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

Box box_of(const TetBody& body, const Tetrahedron& t) {
    const Vec3 &a = body.vertices[t[0]], &b = body.vertices[t[1]], &c = body.vertices[t[2]], &d = body.vertices[t[3]];
    return {a.cwiseMin(b).cwiseMin(c.cwiseMin(d)), a.cwiseMax(b).cwiseMax(c.cwiseMax(d))};
}

} // namespace

TetTopology::TetTopology(const TetMesh& mesh) : vertex_count_(mesh.vertices.size()), tetrahedra_(mesh.tetrahedra) {
    check(mesh);
    boundary_ = fathom::boundary(mesh).triangles;
    boundary_edges_ = edge_table(boundary_, vertex_count_).edges;
    for (const Triangle& t : boundary_) boundary_vertices_.insert(boundary_vertices_.end(), t.begin(), t.end());
    for (const Tetrahedron& t : tetrahedra_) used_vertices_.insert(used_vertices_.end(), t.begin(), t.end());
    sort_and_thin(boundary_vertices_);
    sort_and_thin(used_vertices_);
}

std::vector<Edge> tetrahedron_edges(std::span<const Tetrahedron> tetrahedra) {
    std::vector<Edge> edges;
    for (const Tetrahedron& t : tetrahedra)
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j)
                if (t[i] != t[j]) edges.push_back({std::min(t[i], t[j]), std::max(t[i], t[j])});
    sort_and_thin(edges);
    return edges;
}

Box bounds(const TetBody& body) {
    if (body.vertices.size() != body.topology.vertex_count())
        throw Error(Cause::count_mismatch, "the body does not have as many vertices as its topology");
    Box all;
    for (const Index v : body.topology.used_vertices()) {
        if (!is_finite(body.vertices[v])) throw Error(Cause::non_finite, "a coordinate is not finite", {.element = "vertex", .index = v});
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
    std::vector<Part> parts((all.size() + chunk - 1) / chunk);
    parallel_tasks(parts.size(), [&](std::size_t k) {
        for (std::size_t t = k * chunk; t < std::min(all.size(), (k + 1) * chunk); ++t) {
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

} // namespace fathom
