// Adjacency of meshes: edges, neighbours, triangles around a vertex; and disjoint sets. Computed on demand, never
// stored in a mesh. Vertices are identified by index: those at equal positions are not joined (weld.h and components.h
// do that). An element that uses a vertex twice has no sides and no neighbours. Indices must be in range (check()). O(n
// log k) for k elements around a vertex; parallel; the same result for any number of threads.
#pragma once

#include <fathom/base/vec.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace fathom {

// Disjoint sets (union-find; Tarjan 1975, with path halving). One object per thread.
// A set is identified by its lowest element, so that results do not depend on the order of joining.
class DisjointSets {
public:
    DisjointSets() = default;
    explicit DisjointSets(std::size_t element_count) { reset(element_count); }

    // Makes every element a set of its own.
    void reset(std::size_t element_count) {
        parent_.resize(element_count);
        std::iota(parent_.begin(), parent_.end(), Index{0});
        count_ = element_count;
    }

    [[nodiscard]] Index find(Index element) {
        while (parent_[element] != element) element = parent_[element] = parent_[parent_[element]];
        return element;
    }

    void join(Index a, Index b) {
        a = find(a);
        b = find(b);
        if (a == b) return;
        if (b < a) std::swap(a, b);
        parent_[b] = a;
        --count_;
    }

    [[nodiscard]] std::size_t count() const { return count_; } // number of sets

private:
    std::vector<Index> parent_;
    std::size_t count_ = 0;
};

// Many short lists in two arrays: list i is items[offsets[i]], ..., items[offsets[i + 1] - 1].
struct Lists {
    std::vector<Index> offsets = {0};
    std::vector<Index> items;

    [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
    [[nodiscard]] std::span<const Index> operator[](std::size_t i) const {
        return std::span(items).subspan(offsets[i], offsets[i + 1] - offsets[i]);
    }
};

// List g contains every i with keys[i] == g, increasing; entries with keys[i] == no_index are in no list.
[[nodiscard]] Lists grouped(std::span<const Index> keys, std::size_t group_count);

// Side k of a triangle runs from its corner k to corner (k + 1) % 3; side k of triangle t has the index 3 t + k.
struct EdgeTable {
    std::vector<Edge> edges;                       // each once, sorted
    Lists sides;                                   // per edge: the sides that lie on it, increasing
    std::vector<std::array<Index, 3>> of_triangle; // the edge of each side; no_index if the triangle has none
};

[[nodiscard]] inline bool names_a_vertex_twice(const Triangle& t) {
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

[[nodiscard]] EdgeTable edge_table(std::span<const Triangle> triangles, std::size_t vertex_count);

// Whether a side runs from the lower vertex of its edge to the higher one.
[[nodiscard]] inline bool runs_along_edge(std::span<const Triangle> triangles, Index side) {
    const Triangle& t = triangles[side / 3];
    return t[side % 3] < t[(side + 1) % 3];
}

// The other triangle at each side; no_index if there is none or more than one.
[[nodiscard]] std::vector<std::array<Index, 3>> triangle_neighbours(const EdgeTable& table);

// The triangles around every vertex, increasing.
[[nodiscard]] Lists vertex_triangles(std::span<const Triangle> triangles, std::size_t vertex_count);

// The other tetrahedron at each face (face k is opposite to corner k); no_index if there is none or more than one.
[[nodiscard]] std::vector<std::array<Index, 4>> tetrahedron_neighbours(std::span<const Tetrahedron> tetrahedra,
                                                                       std::size_t vertex_count);

} // namespace fathom
