// Finds the pinches of a tetrahedral mesh and separates them, in rounds, until none are left.
#include <fathom/field/tet/stuffing_lattice.h>

#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/adjacency.h>

#include <algorithm>
#include <unordered_map>

namespace fathom {

namespace {

struct Pinches {
    std::vector<Edge> edges;     // with more than two boundary triangles
    std::vector<Index> vertices; // with more than one fan, but without such an edge
};

// Number of triangles in the fan of the vertex that contains `start`.
std::size_t fan_size(const std::vector<Triangle>& triangles, const std::vector<std::array<Index, 3>>& across,
                     Index vertex, Index start) {
    std::size_t count = 0;
    Index t = start;
    do {
        const Triangle& c = triangles[t];
        const auto corner = static_cast<std::size_t>(std::find(c.begin(), c.end(), vertex) - c.begin());
        t = across[t][corner];
        ++count;
    } while (t != start && t != no_index && count <= triangles.size());
    return count;
}

Pinches find_pinches(const TriangleMesh& skin) {
    const EdgeTable table = edge_table(skin.triangles, skin.vertices.size());
    const auto across = triangle_neighbours(table);
    const Lists round = vertex_triangles(skin.triangles, skin.vertices.size());
    Pinches result;
    std::vector<char> excused(skin.vertices.size(), 0);
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        if (table.sides[e].size() <= 2) continue;
        result.edges.push_back(table.edges[e]);
        for (const Index v : table.edges[e]) excused[v] = 1;
    }
    std::vector<char> bad(skin.vertices.size(), 0);
    parallel_for(bad.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v)
            bad[v] = !excused[v] && !round[v].empty() &&
                     fan_size(skin.triangles, across, static_cast<Index>(v), round[v][0]) != round[v].size();
    });
    for (std::size_t v = 0; v < bad.size(); ++v)
        if (bad[v]) result.vertices.push_back(static_cast<Index>(v));
    return result;
}

bool holds(const Tetrahedron& t, Index v) { return std::find(t.begin(), t.end(), v) != t.end(); }

// The tetrahedra round some vertices of a mesh, and how they are connected there.
class Stars {
public:
    Stars(const TetMesh& mesh, const Pinches& pinches) : mesh_(mesh) {
        for (const Index v : pinches.vertices) stars_[v];
        for (const Edge& e : pinches.edges)
            for (const Index v : e) stars_[v];
        for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t)
            for (const Index v : mesh.tetrahedra[t])
                if (const auto star = stars_.find(v); star != stars_.end())
                    star->second.push_back(static_cast<Index>(t));
    }

    [[nodiscard]] const std::vector<Index>& operator[](Index v) const { return stars_.at(v); }

    // Groups of tetrahedra connected by faces that contain all given vertices; the largest first, then by lowest
    // tetrahedron.
    [[nodiscard]] std::vector<std::vector<Index>> groups(const std::vector<Index>& tets,
                                                         std::initializer_list<Index> held) const {
        std::vector<std::vector<Index>> result;
        std::vector<char> seen(tets.size(), 0);
        for (std::size_t first = 0; first < tets.size(); ++first) {
            if (seen[first]) continue;
            seen[first] = 1;
            std::vector<Index> group = {tets[first]};
            for (std::size_t n = 0; n < group.size(); ++n)
                for (std::size_t k = 0; k < tets.size(); ++k)
                    if (!seen[k] && share_face(group[n], tets[k], held)) {
                        seen[k] = 1;
                        group.push_back(tets[k]);
                    }
            result.push_back(std::move(group));
        }
        std::stable_sort(result.begin(), result.end(),
                         [](const auto& a, const auto& b) { return a.size() > b.size(); });
        return result;
    }

    [[nodiscard]] bool share_face(Index a, Index b, std::initializer_list<Index> held) const {
        const Tetrahedron &s = mesh_.tetrahedra[a], &t = mesh_.tetrahedra[b];
        for (const Index v : held)
            if (!holds(s, v) || !holds(t, v)) return false;
        return std::count_if(s.begin(), s.end(), [&](Index v) { return holds(t, v); }) == 3;
    }

private:
    const TetMesh& mesh_;
    std::unordered_map<Index, std::vector<Index>> stars_;
};

Index moved_copy(TetMesh& mesh, Index v, const std::vector<Index>& group, double gap) {
    Vec3 middle = Vec3::Zero();
    for (const Index t : group)
        for (const Index corner : mesh.tetrahedra[t]) middle += mesh.vertices[corner] - mesh.vertices[v];
    mesh.vertices.push_back(mesh.vertices[v] + gap * middle.normalized());
    return static_cast<Index>(mesh.vertices.size() - 1);
}

std::size_t split(TetMesh& mesh, const Stars& stars, Index v, double gap) {
    const auto groups = stars.groups(stars[v], {v});
    for (std::size_t g = 1; g < groups.size(); ++g) {
        const Index copy = moved_copy(mesh, v, groups[g], gap);
        for (const Index t : groups[g]) std::replace(mesh.tetrahedra[t].begin(), mesh.tetrahedra[t].end(), v, copy);
    }
    return groups.empty() ? 0 : groups.size() - 1;
}

std::size_t split_all(TetMesh& mesh, const Pinches& pinches, double gap) {
    const Stars stars(mesh, pinches);
    std::vector<Index> all = pinches.vertices;
    for (const Edge& e : pinches.edges) all.insert(all.end(), e.begin(), e.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::size_t count = 0;
    for (const Index v : all) count += split(mesh, stars, v, gap);
    return count;
}

// A face at the vertex of a star that belongs to one tetrahedron of the star only.
struct BareFace {
    Index a, b;        // its corners except the vertex
    std::size_t place; // index of its tetrahedron in the star
};

std::vector<BareFace> bare_faces(const TetMesh& mesh, const std::vector<Index>& star, Index v) {
    std::vector<BareFace> faces;
    for (std::size_t n = 0; n < star.size(); ++n) {
        std::array<Index, 3> far{};
        std::copy_if(mesh.tetrahedra[star[n]].begin(), mesh.tetrahedra[star[n]].end(), far.begin(),
                     [&](Index corner) { return corner != v; });
        for (std::size_t k = 0; k < 3; ++k) {
            const Index a = far[k], b = far[(k + 1) % 3];
            const bool shared = std::any_of(star.begin(), star.end(), [&](Index other) {
                return other != star[n] && holds(mesh.tetrahedra[other], a) && holds(mesh.tetrahedra[other], b);
            });
            if (!shared) faces.push_back({a, b, n});
        }
    }
    return faces;
}

// By face: whether it is connected to the first one, across edges at the vertex.
std::vector<char> first_sheet(const std::vector<BareFace>& faces) {
    std::vector<char> first(faces.size(), 0);
    std::vector<std::size_t> queue;
    if (!faces.empty()) queue.push_back(0);
    for (std::size_t n = 0; n < queue.size(); ++n) {
        const BareFace& f = faces[queue[n]];
        first[queue[n]] = 1;
        for (std::size_t k = 0; k < faces.size(); ++k) {
            const bool touch = faces[k].a == f.a || faces[k].a == f.b || faces[k].b == f.a || faces[k].b == f.b;
            if (touch && !first[k]) {
                first[k] = 1;
                queue.push_back(k);
            }
        }
    }
    return first;
}

// The shortest chain of tetrahedra from the first sheet at v to any other. Returns the whole star if there is no path:
// then it is not one group, and none of it is kept.
std::vector<Index> path_between_sheets(const TetMesh& mesh, const Stars& stars, Index v) {
    const std::vector<Index>& star = stars[v];
    const std::vector<BareFace> faces = bare_faces(mesh, star, v);
    const std::vector<char> first = first_sheet(faces);
    std::vector<std::size_t> from(star.size(), star.size()), queue;
    std::vector<char> goal(star.size(), 0);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const std::size_t place = faces[f].place;
        if (!first[f]) {
            goal[place] = 1;
        } else if (from[place] == star.size()) {
            from[place] = place;
            queue.push_back(place);
        }
    }
    for (std::size_t n = 0; n < queue.size(); ++n) {
        if (goal[queue[n]]) {
            std::vector<Index> path = {star[queue[n]]};
            for (std::size_t k = queue[n]; from[k] != k; k = from[k]) path.push_back(star[from[k]]);
            return path;
        }
        for (std::size_t k = 0; k < star.size(); ++k)
            if (from[k] == star.size() && stars.share_face(star[queue[n]], star[k], {v})) {
                from[k] = queue[n];
                queue.push_back(k);
            }
    }
    return star;
}

std::size_t drop_some(TetMesh& mesh, const Pinches& pinches, std::vector<char>& may_be_bare) {
    const Stars stars(mesh, pinches);
    std::vector<Index> dropped;
    for (const Edge& e : pinches.edges) {
        std::vector<Index> round;
        for (const Index t : stars[e[0]])
            if (holds(mesh.tetrahedra[t], e[1])) round.push_back(t);
        const auto groups = stars.groups(round, {e[0], e[1]});
        for (std::size_t g = 1; g < groups.size(); ++g)
            dropped.insert(dropped.end(), groups[g].begin(), groups[g].end());
    }
    if (pinches.edges.empty())
        for (const Index v : pinches.vertices) {
            const std::vector<Index> path = path_between_sheets(mesh, stars, v);
            dropped.insert(dropped.end(), path.begin(), path.end());
        }
    std::sort(dropped.begin(), dropped.end());
    dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
    for (const Index t : dropped)
        for (const Index v : mesh.tetrahedra[t]) may_be_bare[v] = 1;
    std::size_t kept = 0, next = 0;
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
        if (next < dropped.size() && dropped[next] == t)
            ++next;
        else
            mesh.tetrahedra[kept++] = mesh.tetrahedra[t];
    }
    mesh.tetrahedra.resize(kept);
    return dropped.size();
}

} // namespace

TriangleMesh marked_boundary(const TetMesh& mesh, const std::vector<char>& may_be_bare) {
    TetMesh outer{mesh.vertices, {}};
    for (const Tetrahedron& t : mesh.tetrahedra)
        if (may_be_bare[t[0]] + may_be_bare[t[1]] + may_be_bare[t[2]] + may_be_bare[t[3]] >= 3)
            outer.tetrahedra.push_back(t);
    TriangleMesh skin = boundary(outer);
    std::erase_if(skin.triangles,
                  [&](const Triangle& t) { return !(may_be_bare[t[0]] && may_be_bare[t[1]] && may_be_bare[t[2]]); });
    return skin;
}

PinchCounts part_pinches(TetMesh& mesh, std::vector<char>& may_be_bare, double gap) {
    PinchCounts counts;
    for (;;) {
        const Pinches pinches = find_pinches(marked_boundary(mesh, may_be_bare));
        if (pinches.edges.empty() && pinches.vertices.empty()) return counts;
        const std::size_t splits = split_all(mesh, pinches, gap);
        may_be_bare.resize(mesh.vertices.size(), 1);
        counts.split_vertices += splits;
        if (splits == 0) counts.dropped_tetrahedra += drop_some(mesh, pinches, may_be_bare);
    }
}

} // namespace fathom
