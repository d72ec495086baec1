// Opening of edges, and splitting of vertices whose triangles are no longer connected.
#include <fathom/geometry/edit/surface_edit.h>

#include <fathom/base/sorted_edit.h>

#include <fathom/base/error.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace fathom {

namespace {

[[noreturn]] void fail(const char* rule, const char* element, std::size_t index) {
    throw Error(Cause::malformed, rule, {.element = element, .index = static_cast<std::int64_t>(index)});
}

} // namespace

EditableSurface::EditableSurface(const TriangleMesh& mesh) : mesh_(mesh), round_(mesh.vertices.size()) {
    fathom::check(mesh);
    const auto refuse = [](const char* reason, std::size_t t) {
        throw Error(Cause::invalid_argument, reason, {.element = "triangle", .index = static_cast<std::int64_t>(t)});
    };
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        if (names_a_vertex_twice(mesh.triangles[t])) refuse("uses a vertex twice", t);
        for (const Index v : mesh.triangles[t]) round_[v].push_back(static_cast<Index>(t));
    }
    opposite_.assign(3 * mesh.triangles.size(), no_index);
    scored_.assign(opposite_.size(), 0);
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        const auto sides = table.sides[e];
        if (sides.size() > 2) refuse("is one of three or more triangles at an edge", sides[2] / 3);
        if (sides.size() == 2) opposite_[sides[0]] = sides[1], opposite_[sides[1]] = sides[0];
    }
    for (Index v = 0; v < mesh.vertices.size(); ++v) part(v);
}

Edge EditableSurface::ends(Index side) const {
    const Triangle& t = mesh_.triangles[side / 3];
    const auto [low, high] = std::minmax(t[side % 3], t[(side + 1) % 3]);
    return {low, high};
}

std::vector<Index> EditableSurface::border() const {
    std::vector<Index> sides;
    for (Index side = 0; side < opposite_.size(); ++side)
        if (opposite_[side] == no_index) sides.push_back(side);
    return sides;
}

SurfaceParts EditableSurface::parts() const {
    DisjointSets sets(mesh_.triangles.size());
    for (Index side = 0; side < opposite_.size(); ++side)
        if (opposite_[side] != no_index) sets.join(side / 3, opposite_[side] / 3);
    SurfaceParts parts{std::vector<Index>(mesh_.triangles.size()), 0};
    for (Index t = 0; t < mesh_.triangles.size(); ++t) // a set is identified by its lowest triangle, which comes first
        parts.of_triangle[t] = sets.find(t) == t ? static_cast<Index>(parts.count++) : parts.of_triangle[sets.find(t)];
    return parts;
}

void EditableSurface::move(std::span<const Vec3> positions) {
    if (positions.size() != mesh_.vertices.size())
        throw Error(Cause::count_mismatch,
                    fmt::format("expected {1} positions, got {0}", positions.size(), mesh_.vertices.size()));
    check_vertices(positions, {});
    mesh_.vertices.assign(positions.begin(), positions.end());
}

// For each triangle around a vertex, in their order: the position of the first triangle it is connected with.
std::vector<Index> EditableSurface::groups_round(Index vertex) const {
    const std::vector<Index>& star = round_[vertex];
    DisjointSets sets(star.size());
    for (Index i = 0; i < star.size(); ++i)
        for (Index k = 0; k < 3; ++k) {
            const Index side = 3 * star[i] + k, other = opposite_[side];
            const Edge edge = ends(side);
            if (other == no_index || scored_[side] || (edge[0] != vertex && edge[1] != vertex)) continue;
            const auto found = std::lower_bound(star.begin(), star.end(), other / 3);
            sets.join(i, static_cast<Index>(found - star.begin()));
        }
    std::vector<Index> groups(star.size());
    for (Index i = 0; i < star.size(); ++i) groups[i] = sets.find(i);
    return groups;
}

void EditableSurface::part(Index vertex) {
    const std::vector<Index> groups = groups_round(vertex), star = round_[vertex];
    for (Index first = 1; first < star.size(); ++first) {
        if (groups[first] != first) continue;
        std::vector<Index> members;
        for (std::size_t i = first; i < star.size(); ++i)
            if (groups[i] == first) members.push_back(star[i]);
        give_twin(vertex, members);
    }
    for (const Index t : star) open_parted(t);
}

void EditableSurface::give_twin(Index vertex, std::span<const Index> triangles) {
    const auto twin = static_cast<Index>(mesh_.vertices.size());
    const Vec3 place = mesh_.vertices[vertex];
    mesh_.vertices.push_back(place);
    round_.emplace_back(triangles.begin(), triangles.end());
    std::erase_if(round_[vertex], [&](Index t) { return std::binary_search(triangles.begin(), triangles.end(), t); });
    for (const Index t : triangles) {
        std::replace(mesh_.triangles[t].begin(), mesh_.triangles[t].end(), vertex, twin);
        pending_.changed_triangles.push_back(t);
    }
    const bool young = !pending_.twins.empty() && vertex >= pending_.twins.front().vertex;
    pending_.twins.push_back({twin, young ? pending_.twins[vertex - pending_.twins.front().vertex].origin : vertex});
}

void EditableSurface::open_parted(Index triangle) {
    for (Index k = 0; k < 3; ++k) {
        const Index side = 3 * triangle + k, other = opposite_[side];
        if (other == no_index || ends(side) == ends(other)) continue;
        opposite_[side] = opposite_[other] = no_index;
        scored_[side] = scored_[other] = 0;
        pending_.opened.insert(pending_.opened.end(), {side, other});
    }
}

void EditableSurface::separate(std::span<const Index> sides) {
    std::vector<Index> vertices;
    for (const Index side : sides)
        if (side >= opposite_.size())
            throw Error(Cause::index_out_of_range, fmt::format("does not exist, there are {}", opposite_.size()),
                        {.element = "side", .index = side});
    for (const Index side : sides) {
        if (opposite_[side] == no_index) continue;
        scored_[side] = scored_[opposite_[side]] = 1;
        const Edge edge = ends(side);
        vertices.insert(vertices.end(), edge.begin(), edge.end());
    }
    sort_unique(vertices);
    for (const Index v : vertices) part(v);
}

SurfaceTear EditableSurface::take_edit() {
    sort_unique(pending_.changed_triangles);
    sort_unique(pending_.opened);
    return std::exchange(pending_, {});
}

void EditableSurface::check() const {
    fathom::check(mesh_);
    const EdgeTable table = edge_table(mesh_.triangles, mesh_.vertices.size());
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        const auto sides = table.sides[e];
        if (sides.size() > 2) fail("an edge has more than two triangles", "edge", e);
        const bool inner = sides.size() == 2;
        if (opposite_[sides[0]] != (inner ? sides[1] : no_index)) fail("has a wrong opposite side", "side", sides[0]);
        if (inner && opposite_[sides[1]] != sides[0]) fail("has a wrong opposite side", "side", sides[1]);
        if (inner ? scored_[sides[0]] != scored_[sides[1]] : scored_[sides[0]] != 0)
            fail("is scored on one side only", "edge", e);
    }
    const Lists round = vertex_triangles(mesh_.triangles, mesh_.vertices.size());
    for (Index v = 0; v < mesh_.vertices.size(); ++v) {
        if (!std::equal(round[v].begin(), round[v].end(), round_[v].begin(), round_[v].end()))
            fail("has a wrong list of triangles", "vertex", v);
        const std::vector<Index> groups = groups_round(v);
        if (std::any_of(groups.begin(), groups.end(), [](Index g) { return g != 0; }))
            fail("joins triangles that are not connected around it", "vertex", v);
    }
}

} // namespace fathom
