// Relaxation, edge collapse, edge flips and subdivision of closed triangle meshes.
#include <fathom/geometry/generate/surface_refine.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>

namespace fathom {

// ---- Tangential relaxation.

VertexRings vertex_rings(const TriangleMesh& mesh) {
    VertexRings rings;
    rings.start.assign(mesh.vertices.size() + 1, 0);
    for (const Triangle& t : mesh.triangles)
        for (const Index v : t) ++rings.start[v + 1];
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) rings.start[v + 1] += rings.start[v];
    rings.opposite.resize(3 * mesh.triangles.size());
    std::vector<std::uint32_t> next(rings.start.begin(), rings.start.end() - 1);
    for (const Triangle& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k) rings.opposite[next[t[k]]++] = {t[(k + 1) % 3], t[(k + 2) % 3]};
    return rings;
}

Vec3 relaxed_position(const TriangleMesh& mesh, const VertexRings& rings, std::size_t v, double step) {
    const Vec3& p = mesh.vertices[v];
    Vec3 middle = Vec3::Zero(), normal = Vec3::Zero();
    double weight = 0;
    for (const auto& [a, b] : rings.around(v)) {
        // Area-weighted centroids move vertices out of dense regions.
        const Vec3 out = area_vector({p, mesh.vertices[a], mesh.vertices[b]});
        const double area = std::sqrt(out.squaredNorm());
        middle += area * (mesh.vertices[a] + mesh.vertices[b] + p);
        normal += out;
        weight += 3 * area;
    }
    if (!(weight > 0)) return p;
    const Vec3 move = middle / weight - p;
    const double nn = normal.squaredNorm();
    return nn > 0 ? Vec3(p + step * (move - normal * (move.dot(normal) / nn))) : p;
}

bool keeps_facing(const TriangleMesh& mesh, const VertexRings& rings, std::size_t v, const Vec3& p) {
    for (const auto& [a, b] : rings.around(v)) {
        const Vec3 before = area_vector({mesh.vertices[v], mesh.vertices[a], mesh.vertices[b]});
        const Vec3 after = area_vector({p, mesh.vertices[a], mesh.vertices[b]});
        if (before.dot(after) <= 0.25 * std::sqrt(before.squaredNorm() * after.squaredNorm())) return false;
    }
    return true;
}

double sharpest_cosine(const std::array<Vec3, 3>& corners) {
    double sharpest = -1;
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 u = corners[(k + 1) % 3] - corners[k], v = corners[(k + 2) % 3] - corners[k];
        const double lengths = std::sqrt(u.squaredNorm() * v.squaredNorm());
        sharpest = std::max(sharpest, lengths > 0 ? u.dot(v) / lengths : 1.0);
    }
    return sharpest;
}

namespace {

// A mesh during edge collapse: the triangles around each vertex, and a counter that identifies stale queue entries.
class Collapser {
public:
    Collapser(const TriangleMesh& mesh, const CollapseOptions& options) : mesh_(mesh), options_(options) {
        around_.resize(mesh_.vertices.size());
        version_.assign(mesh_.vertices.size(), 0);
        size_.resize(mesh_.vertices.size());
        for (std::size_t v = 0; v < mesh_.vertices.size(); ++v) size_[v] = options_.size(mesh_.vertices[v]);
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
            for (const Index v : mesh_.triangles[t]) around_[v].push_back(static_cast<Index>(t));
        alive_ = mesh_.triangles.size();
    }

    TriangleMesh run() {
        for (Index v = 0; v < around_.size(); ++v) queue_edges(v, true);
        while (alive_ > options_.triangles && !queue_.empty()) {
            const Candidate c = queue_.top();
            queue_.pop();
            if (version_[c.a] == c.version_a && version_[c.b] == c.version_b) try_collapse(c.a, c.b);
        }
        return compacted();
    }

private:
    struct Candidate {
        double cost;
        Index a, b;
        Index version_a, version_b;
        bool
        operator<(const Candidate& o) const { // the top of the queue is the largest: lowest cost, then lowest indices
            return std::tie(o.cost, o.a, o.b) < std::tie(cost, a, b);
        }
    };

    [[nodiscard]] std::vector<Index> neighbours(Index v) const {
        std::vector<Index> found;
        for (const Index t : around_[v])
            for (const Index w : mesh_.triangles[t])
                if (w != v) found.push_back(w);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    void queue_edges(Index v, bool upward_only) {
        for (const Index w : neighbours(v)) {
            if (upward_only && w < v) continue;
            const Index a = std::min(v, w), b = std::max(v, w);
            const double length = std::sqrt((mesh_.vertices[a] - mesh_.vertices[b]).squaredNorm());
            queue_.push({length / (size_[a] + size_[b]), a, b, version_[a], version_[b]});
        }
    }

    // Link condition: the surface remains a manifold if the only common neighbours of a and b are the opposite corners
    // of the triangles of the edge.
    [[nodiscard]] bool link_allows(const std::vector<Index>& of_a, const std::vector<Index>& of_b) const {
        std::vector<Index> common;
        std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(common));
        if (common.size() != 2) return false;
        const std::size_t degree = of_a.size() + of_b.size() - 4;
        return degree >= 4 && degree <= 9 && around_[common[0]].size() > 4 && around_[common[1]].size() > 4;
    }

    // True if moving v to p flips no triangle around v, except for those that contain `other`.
    [[nodiscard]] bool faces_stay(Index v, Index other, const Vec3& p) const {
        for (const Index t : around_[v]) {
            const Triangle& triangle = mesh_.triangles[t];
            if (std::find(triangle.begin(), triangle.end(), other) != triangle.end()) continue;
            std::array<Vec3, 3> corners = mesh_.corners(t);
            const Vec3 before = area_vector(corners);
            for (std::size_t k = 0; k < 3; ++k)
                if (triangle[k] == v) corners[k] = p;
            const Vec3 after = area_vector(corners);
            if (before.dot(after) < 0.5 * std::sqrt(before.squaredNorm() * after.squaredNorm())) return false;
            if (sharpest_cosine(corners) > 0.99) return false;
        }
        return true;
    }

    void try_collapse(Index a, Index b) {
        const std::vector<Index> of_b = neighbours(b);
        if (!link_allows(neighbours(a), of_b)) return;
        const Vec3 p = options_.onto_surface(0.5 * (mesh_.vertices[a] + mesh_.vertices[b]));
        if (!faces_stay(a, b, p) || !faces_stay(b, a, p)) return;
        for (const Index t : around_[b]) {
            Triangle& triangle = mesh_.triangles[t];
            if (std::find(triangle.begin(), triangle.end(), a) != triangle.end()) {
                for (const Index v : triangle)
                    if (v != b) std::erase(around_[v], t);
                triangle = {no_index, no_index, no_index};
                --alive_;
            } else {
                std::replace(triangle.begin(), triangle.end(), b, a);
                around_[a].push_back(t);
            }
        }
        around_[b].clear();
        mesh_.vertices[a] = p;
        size_[a] = options_.size(p);
        ++version_[a];
        ++version_[b];
        queue_edges(a, false);
    }

    [[nodiscard]] TriangleMesh compacted() const {
        TriangleMesh result;
        std::vector<Index> number(mesh_.vertices.size(), no_index);
        for (const Triangle& t : mesh_.triangles) {
            if (t[0] == no_index) continue;
            for (const Index v : t)
                if (number[v] == no_index) {
                    number[v] = static_cast<Index>(result.vertices.size());
                    result.vertices.push_back(mesh_.vertices[v]);
                }
            result.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
        }
        return result;
    }

    TriangleMesh mesh_;
    const CollapseOptions& options_;
    std::vector<std::vector<Index>> around_;
    std::vector<Index> version_;
    std::vector<double> size_;
    std::size_t alive_ = 0;
    std::priority_queue<Candidate> queue_;
};

} // namespace

TriangleMesh collapsed(const TriangleMesh& mesh, const CollapseOptions& options) {
    return Collapser(mesh, options).run();
}

namespace {

// Half-edges sorted by their two ends, so that the two half-edges of an edge are adjacent.
struct SideOfEdge {
    Index low, high;
    Index triangle;
    bool operator<(const SideOfEdge& o) const {
        return std::tie(low, high, triangle) < std::tie(o.low, o.high, o.triangle);
    }
};

std::vector<SideOfEdge> sides_of_edges(const TriangleMesh& mesh) {
    std::vector<SideOfEdge> sides;
    sides.reserve(3 * mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const Index a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
            sides.push_back({std::min(a, b), std::max(a, b), static_cast<Index>(t)});
        }
    std::sort(sides.begin(), sides.end());
    return sides;
}

// The corner of the triangle that is neither a nor b; a and b are put in the order of the triangle.
Index apex(const Triangle& t, Index& a, Index& b) {
    for (std::size_t k = 0; k < 3; ++k)
        if (t[k] != a && t[k] != b) {
            a = t[(k + 1) % 3];
            b = t[(k + 2) % 3];
            return t[k];
        }
    return no_index;
}

bool flip_pays(const TriangleMesh& mesh, Index a, Index b, Index c, Index d) {
    const auto& v = mesh.vertices;
    const std::array<Vec3, 3> left = {v[a], v[b], v[c]}, right = {v[b], v[a], v[d]};
    const std::array<Vec3, 3> lower = {v[c], v[a], v[d]}, upper = {v[d], v[b], v[c]};
    const Vec3 out = area_vector(left) + area_vector(right);
    const auto faces = [&](const std::array<Vec3, 3>& corners) {
        const Vec3 n = area_vector(corners);
        return n.dot(out) > 0.8 * std::sqrt(n.squaredNorm() * out.squaredNorm());
    };
    if (!faces(lower) || !faces(upper)) return false;
    const double before = std::max(sharpest_cosine(left), sharpest_cosine(right));
    return std::max(sharpest_cosine(lower), sharpest_cosine(upper)) < before - 1e-3;
}

} // namespace

std::size_t flip_edges(TriangleMesh& mesh, int rounds) {
    std::size_t total = 0;
    for (int round = 0; round < rounds; ++round) {
        const std::vector<SideOfEdge> sides = sides_of_edges(mesh);
        std::vector<char> touched(mesh.triangles.size(), 0);
        std::set<std::pair<Index, Index>> added; // edges created in this pass; no edge may be created twice
        const auto exists = [&](Index a, Index b) {
            const SideOfEdge key{std::min(a, b), std::max(a, b), 0};
            const auto at = std::lower_bound(sides.begin(), sides.end(), key);
            if (at != sides.end() && at->low == key.low && at->high == key.high) return true;
            return added.contains({key.low, key.high});
        };
        for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
            if (sides[i].low != sides[i + 1].low || sides[i].high != sides[i + 1].high) continue;
            const Index s = sides[i].triangle, t = sides[i + 1].triangle;
            if (touched[s] || touched[t]) continue;
            Index a = sides[i].low, b = sides[i].high, b2 = b, a2 = a;
            const Index c = apex(mesh.triangles[s], a, b), d = apex(mesh.triangles[t], a2, b2);
            if (exists(c, d) || !flip_pays(mesh, a, b, c, d)) continue;
            mesh.triangles[s] = {c, a, d};
            mesh.triangles[t] = {d, b, c};
            touched[s] = touched[t] = 1;
            added.emplace(std::min(c, d), std::max(c, d));
        }
        total += added.size();
        if (added.empty()) break;
    }
    return total;
}

TriangleMesh split_four(const TriangleMesh& mesh) {
    // The midpoints of the edges, listed by the lower end of each edge.
    const std::size_t n = mesh.vertices.size();
    std::vector<Index> start(n + 1, 0);
    for (const Triangle& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k) ++start[std::min(t[k], t[(k + 1) % 3]) + 1];
    for (std::size_t v = 0; v < n; ++v) start[v + 1] += start[v];
    std::vector<std::pair<Index, Index>> listed(start[n]); // higher end, index of the midpoint
    std::vector<Index> filled(n, 0);
    TriangleMesh result;
    result.vertices.reserve(n + 3 * mesh.triangles.size() / 2);
    result.vertices = mesh.vertices;
    result.triangles.reserve(4 * mesh.triangles.size());
    const auto middle = [&](Index a, Index b) {
        if (a > b) std::swap(a, b);
        for (Index i = 0; i < filled[a]; ++i)
            if (listed[start[a] + i].first == b) return listed[start[a] + i].second;
        const Index fresh = static_cast<Index>(result.vertices.size());
        result.vertices.push_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
        listed[start[a] + filled[a]++] = {b, fresh};
        return fresh;
    };
    for (const Triangle& t : mesh.triangles) {
        const Index ab = middle(t[0], t[1]), bc = middle(t[1], t[2]), ca = middle(t[2], t[0]);
        for (const Triangle& part :
             {Triangle{t[0], ab, ca}, Triangle{ab, t[1], bc}, Triangle{ca, bc, t[2]}, Triangle{ab, bc, ca}})
            result.triangles.push_back(part);
    }
    return result;
}

} // namespace fathom
