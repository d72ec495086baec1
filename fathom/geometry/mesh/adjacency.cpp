// Adjacency by one counting sort to the lowest vertex of each edge or face, then a small sort at each vertex.
#include <fathom/geometry/mesh/adjacency.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace fathom {

namespace {

constexpr std::size_t vertex_chunk = 4096;
constexpr std::size_t element_chunk = 8192;

void check_slots(std::size_t elements, std::size_t sides, const char* what) {
    if (elements >= no_index / sides) throw Error(Cause::too_large, what);
}

template <class Entry>
struct Buckets {
    std::vector<Index> offsets;
    std::vector<Entry> entries;

    [[nodiscard]] std::span<const Entry> operator[](std::size_t i) const {
        return std::span(entries).subspan(offsets[i], offsets[i + 1] - offsets[i]);
    }
};

// `visit(sink)` calls sink(bucket, entry) for every entry, with the same entries in each call. The order within a
// bucket is kept.
template <class Entry, class Visit>
Buckets<Entry> in_buckets(std::size_t bucket_count, Visit&& visit) {
    Buckets<Entry> buckets;
    buckets.offsets.assign(bucket_count + 1, 0);
    visit([&](Index bucket, const Entry&) { ++buckets.offsets[bucket + 1]; });
    std::partial_sum(buckets.offsets.begin(), buckets.offsets.end(), buckets.offsets.begin());
    buckets.entries.resize(buckets.offsets.back());
    std::vector<Index> next(buckets.offsets.begin(), buckets.offsets.end() - 1);
    visit([&](Index bucket, const Entry& entry) { buckets.entries[next[bucket]++] = entry; });
    return buckets;
}

template <class Entry>
void sort_each(Buckets<Entry>& buckets) {
    parallel_for(buckets.offsets.size() - 1, vertex_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            std::sort(buckets.entries.begin() + buckets.offsets[i], buckets.entries.begin() + buckets.offsets[i + 1]);
    });
}

// A side as the higher vertex of its edge (upper half) and its index (lower half): one comparison sorts by both.
using SideEntry = std::uint64_t;

Index higher_vertex(SideEntry entry) { return static_cast<Index>(entry >> 32); }
Index side_number(SideEntry entry) { return static_cast<Index>(entry); }

Buckets<SideEntry> sides_by_lower_vertex(std::span<const Triangle> triangles, std::size_t vertex_count) {
    auto buckets = in_buckets<SideEntry>(vertex_count, [&](auto&& sink) {
        for (std::size_t t = 0; t < triangles.size(); ++t) {
            if (names_a_vertex_twice(triangles[t])) continue;
            for (std::size_t k = 0; k < 3; ++k) {
                const auto [low, high] = std::minmax(triangles[t][k], triangles[t][(k + 1) % 3]);
                sink(low, SideEntry{high} << 32 | (3 * t + k));
            }
        }
    });
    sort_each(buckets);
    return buckets;
}

// Number of edges that start at the vertices before each chunk of vertices, and the total.
std::vector<Index> edges_before_chunks(const Buckets<SideEntry>& buckets, std::size_t vertex_count) {
    std::vector<Index> before((vertex_count + vertex_chunk - 1) / vertex_chunk + 1, 0);
    parallel_for(vertex_count, vertex_chunk, [&](std::size_t begin, std::size_t end) {
        Index count = 0;
        for (std::size_t v = begin; v < end; ++v) {
            const auto bucket = buckets[v];
            for (std::size_t i = 0; i < bucket.size(); ++i)
                if (i == 0 || higher_vertex(bucket[i]) != higher_vertex(bucket[i - 1])) ++count;
        }
        before[begin / vertex_chunk + 1] = count;
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    return before;
}

// One face of a tetrahedron: its two higher vertices and its index, 4 * tetrahedron + opposite corner.
struct FaceEntry {
    std::uint64_t higher_vertices;
    Index face;

    friend auto operator<=>(const FaceEntry&, const FaceEntry&) = default;
};

Buckets<FaceEntry> faces_by_lowest_vertex(std::span<const Tetrahedron> tetrahedra, std::size_t vertex_count) {
    auto buckets = in_buckets<FaceEntry>(vertex_count, [&](auto&& sink) {
        for (std::size_t t = 0; t < tetrahedra.size(); ++t) {
            Tetrahedron sorted = tetrahedra[t];
            std::sort(sorted.begin(), sorted.end());
            if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) continue;
            for (std::size_t k = 0; k < 4; ++k) {
                Triangle face{};
                std::copy_if(sorted.begin(), sorted.end(), face.begin(),
                             [&](Index v) { return v != tetrahedra[t][k]; });
                sink(face[0], FaceEntry{std::uint64_t{face[1]} << 32 | face[2], static_cast<Index>(4 * t + k)});
            }
        }
    });
    sort_each(buckets);
    return buckets;
}

} // namespace

Lists grouped(std::span<const Index> keys, std::size_t group_count) {
    auto buckets = in_buckets<Index>(group_count, [&](auto&& sink) {
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (keys[i] != no_index) sink(keys[i], static_cast<Index>(i));
    });
    return {std::move(buckets.offsets), std::move(buckets.entries)};
}

EdgeTable edge_table(std::span<const Triangle> triangles, std::size_t vertex_count) {
    check_slots(triangles.size(), 3, "the number of triangle sides exceeds the range of 32-bit indices");
    const auto buckets = sides_by_lower_vertex(triangles, vertex_count);
    const auto before = edges_before_chunks(buckets, vertex_count);

    EdgeTable table;
    table.edges.resize(before.back());
    table.sides.offsets.assign(before.back() + std::size_t{1}, 0);
    table.sides.items.resize(buckets.entries.size());
    table.of_triangle.assign(triangles.size(), {no_index, no_index, no_index});
    parallel_for(vertex_count, vertex_chunk, [&](std::size_t begin, std::size_t end) {
        Index edge = before[begin / vertex_chunk];
        for (std::size_t i = buckets.offsets[begin], v = begin; v < end; ++v) {
            for (const std::size_t first = i; i < buckets.offsets[v + 1]; ++i) {
                const Index high = higher_vertex(buckets.entries[i]), side = side_number(buckets.entries[i]);
                if (i == first || high != table.edges[edge - 1][1]) table.edges[edge++] = {static_cast<Index>(v), high};
                table.sides.items[i] = side;
                table.sides.offsets[edge] = static_cast<Index>(i + 1);
                table.of_triangle[side / 3][side % 3] = edge - 1;
            }
        }
    });
    return table;
}

std::vector<std::array<Index, 3>> triangle_neighbours(const EdgeTable& table) {
    std::vector<std::array<Index, 3>> neighbours(table.of_triangle.size(), {no_index, no_index, no_index});
    parallel_for(table.edges.size(), element_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t e = begin; e < end; ++e) {
            const auto sides = table.sides[e];
            if (sides.size() != 2) continue;
            neighbours[sides[0] / 3][sides[0] % 3] = sides[1] / 3;
            neighbours[sides[1] / 3][sides[1] % 3] = sides[0] / 3;
        }
    });
    return neighbours;
}

Lists vertex_triangles(std::span<const Triangle> triangles, std::size_t vertex_count) {
    check_slots(triangles.size(), 3, "the number of triangle corners exceeds the range of 32-bit indices");
    auto buckets = in_buckets<Index>(vertex_count, [&](auto&& sink) {
        for (std::size_t t = 0; t < triangles.size(); ++t) {
            if (names_a_vertex_twice(triangles[t])) continue;
            for (const Index v : triangles[t]) sink(v, static_cast<Index>(t));
        }
    });
    return {std::move(buckets.offsets), std::move(buckets.entries)};
}

std::vector<std::array<Index, 4>> tetrahedron_neighbours(std::span<const Tetrahedron> tetrahedra,
                                                         std::size_t vertex_count) {
    check_slots(tetrahedra.size(), 4, "the number of tetrahedron faces exceeds the range of 32-bit indices");
    const auto buckets = faces_by_lowest_vertex(tetrahedra, vertex_count);
    std::vector<std::array<Index, 4>> neighbours(tetrahedra.size(), {no_index, no_index, no_index, no_index});
    parallel_for(vertex_count, vertex_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            const auto faces = buckets[v];
            for (std::size_t i = 0, next = 0; i < faces.size(); i = next) {
                while (next < faces.size() && faces[next].higher_vertices == faces[i].higher_vertices) ++next;
                if (next - i != 2) continue;
                const Index a = faces[i].face, b = faces[i + 1].face;
                neighbours[a / 4][a % 4] = b / 4;
                neighbours[b / 4][b % 4] = a / 4;
            }
        }
    });
    return neighbours;
}

} // namespace fathom
