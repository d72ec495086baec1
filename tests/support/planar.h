// Planar meshes in z = 0 whose triangles face +z: discs, cuts through discs and rectangles (make_cloth), and torn
// versions of both as a membrane simulation produces them (after Marchal et al. 2004, figure 8).
// As in generate.h, arguments are checked, lengths are in metres, and the bytes are the same on every platform.
#pragma once

#include <fathom/base/error.h>
#include <fathom/base/primitives.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/generate/parts.h>
#include <fathom/geometry/mesh/adjacency.h>

#include <fmt/format.h>

#include <span>

namespace fathom::testing {

struct DiscOptions {
    double radius = 1;
    std::size_t nodes = 486; // at least 7, met exactly; rings around the centre with edges of about equal length
};
[[nodiscard]] TriangleMesh make_disc(const DiscOptions& options = {});

// Separates neighbouring triangles if the segment between their centroids crosses a blade (projected along z). A vertex
// on the cut is duplicated, with one copy for each group of triangles around it that are still connected; positions do
// not change. O(n blades).
[[nodiscard]] TriangleMesh cut_open(const TriangleMesh& mesh, std::span<const Segment> blades);

// Torn sheets with exactly `nodes` nodes after the cuts; at least 100. Error{invalid_argument} if no mesh has that
// many. Not convex; three components, one of them slit; about 2 m wide.
[[nodiscard]] TriangleMesh make_torn_disc(std::size_t nodes = 486);
[[nodiscard]] TriangleMesh make_torn_rectangle(std::size_t nodes = 1000);

namespace planar {

// Number of nodes of each ring: six more than the previous ring, with the remainder distributed evenly.
inline std::vector<std::size_t> ring_counts(std::size_t nodes) {
    std::size_t rings = 1;
    while (1 + 3 * (rings + 1) * (rings + 2) <= nodes) ++rings;
    const std::size_t extra = nodes - 1 - 3 * rings * (rings + 1);
    std::vector<std::size_t> counts(rings);
    for (std::size_t k = 0; k < rings; ++k) counts[k] = 6 * (k + 1) + (k + 1) * extra / rings - k * extra / rings;
    return counts;
}

// Adds the band between two rings, each given by its first node and its number of nodes; a ring of one node is the
// centre.
inline void add_band(std::vector<Triangle>& triangles, Index inner, std::size_t inner_count, Index outer,
                     std::size_t outer_count) {
    const auto on_inner = [&](std::size_t k) { return inner + static_cast<Index>(k % inner_count); };
    const auto on_outer = [&](std::size_t k) { return outer + static_cast<Index>(k % outer_count); };
    const std::size_t inner_steps = inner_count == 1 ? 0 : inner_count;
    for (std::size_t i = 0, j = 0; i < inner_steps || j < outer_count;) {
        const bool step_outer = i == inner_steps || (j < outer_count && (j + 1) * inner_steps <= (i + 1) * outer_count);
        if (step_outer) {
            triangles.push_back({on_inner(i), on_outer(j), on_outer(j + 1)});
            ++j;
        } else {
            triangles.push_back({on_inner(i), on_outer(j), on_inner(i + 1)});
            ++i;
        }
    }
}

inline Vec3 centroid(const TriangleMesh& mesh, std::size_t triangle) {
    const auto c = mesh.corners(triangle);
    return (c[0] + c[1] + c[2]) / 3;
}

inline bool cross(const Segment& a, const Segment& b) {
    const auto side = [](const Segment& s, const Vec3& p) { return orient2d(s.start, s.end, p, 2); };
    return side(a, b.start) != side(a, b.end) && side(b, a.start) != side(b, a.end);
}

// Compresses along y, then bends by a complex square, which preserves angles. Injective for |x|, |y| <= 2.
inline Vec3 bent(const Vec3& p) {
    const double x = p.x(), y = 0.8 * p.y();
    return {x + 0.12 * (x * x - y * y), y + 0.24 * x * y, 0};
}

// Moves the components apart, so that the cuts open.
inline void move_apart(TriangleMesh& mesh) {
    DisjointSets parts(mesh.vertices.size());
    for (const Triangle& t : mesh.triangles) parts.join(t[0], t[1]), parts.join(t[0], t[2]);
    std::vector<Vec3> sum(mesh.vertices.size(), Vec3::Zero());
    std::vector<double> count(mesh.vertices.size(), 0);
    for (Index v = 0; v < mesh.vertices.size(); ++v) sum[parts.find(v)] += mesh.vertices[v], ++count[parts.find(v)];
    for (Index v = 0; v < mesh.vertices.size(); ++v) {
        const Index part = parts.find(v);
        mesh.vertices[v] += 0.15 * sum[part] / count[part];
    }
}

// Lattices with exactly this number of nodes, and from 1 to 3 times as many columns as rows.
inline std::vector<TriangleMesh> rectangles_of(std::size_t nodes) {
    std::vector<TriangleMesh> found;
    for (std::size_t rows = 2; rows * rows <= nodes; ++rows) {
        const std::size_t columns = nodes / rows;
        if (columns * rows == nodes && columns <= 3 * rows)
            found.push_back(make_cloth({.size = {2, 1.25}, .cells = {columns - 1, rows - 1}}));
    }
    return found;
}

// Searches for a mesh that has exactly `nodes` nodes after the cuts, which add nodes. The last blade, a slit, is
// shortened until the number matches.
template <class Make>
TriangleMesh torn(std::size_t nodes, std::array<Segment, 3> blades, const Make& make) {
    check_count("nodes", nodes, 100, 1'000'000);
    const Vec3 deepest = blades[2].end;
    for (std::size_t before = nodes; before > nodes / 2; --before)
        for (const TriangleMesh& whole : make(before))
            for (int part = 16; part >= 8; --part) {
                blades[2].end = blades[2].start + part / 16.0 * (deepest - blades[2].start);
                TriangleMesh mesh = cut_open(whole, blades);
                if (mesh.vertices.size() != nodes) continue;
                move_apart(mesh);
                return mapped(std::move(mesh), bent);
            }
    throw Error(Cause::invalid_argument, fmt::format("no mesh has {} nodes after the cuts", nodes),
                {.element = "option nodes"});
}

} // namespace planar

inline TriangleMesh make_disc(const DiscOptions& options) {
    check_length("radius", options.radius);
    check_count("nodes", options.nodes, 7, max_generated_elements / 2);
    const std::vector<std::size_t> counts = planar::ring_counts(options.nodes);
    TriangleMesh mesh;
    mesh.vertices.reserve(options.nodes);
    mesh.vertices.push_back(Vec3::Zero());
    Index inner = 0;
    std::size_t inner_count = 1;
    for (std::size_t ring = 0; ring < counts.size(); ++ring) {
        const auto outer = static_cast<Index>(mesh.vertices.size());
        const double radius = options.radius * static_cast<double>(ring + 1) / static_cast<double>(counts.size());
        for (std::size_t k = 0; k < counts[ring]; ++k) {
            const Vec2 at = radius * unit_circle(k, counts[ring]);
            mesh.vertices.emplace_back(at.x(), at.y(), 0);
        }
        planar::add_band(mesh.triangles, inner, inner_count, outer, counts[ring]);
        inner = outer;
        inner_count = counts[ring];
    }
    return mesh;
}

inline TriangleMesh cut_open(const TriangleMesh& mesh, std::span<const Segment> blades) {
    check(mesh);
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    // Corner k of triangle t is 3 t + k; corners that share a vertex stay joined across every edge that no blade
    // crosses.
    DisjointSets corners(3 * mesh.triangles.size());
    const auto corner_at = [&](std::size_t triangle, Index vertex) {
        const Triangle& t = mesh.triangles[triangle];
        return static_cast<Index>(3 * triangle + (t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2));
    };
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        const auto sides = table.sides[e];
        for (std::size_t k = 1; k < sides.size(); ++k) {
            const std::size_t a = sides[k - 1] / 3, b = sides[k] / 3;
            const Segment way{planar::centroid(mesh, a), planar::centroid(mesh, b)};
            if (std::any_of(blades.begin(), blades.end(),
                            [&](const Segment& blade) { return planar::cross(way, blade); }))
                continue;
            for (const Index vertex : table.edges[e]) corners.join(corner_at(a, vertex), corner_at(b, vertex));
        }
    }
    TriangleMesh cut;
    std::vector<Index> vertex_of(3 * mesh.triangles.size(), no_index);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        Triangle triangle{};
        for (std::size_t k = 0; k < 3; ++k) {
            Index& vertex = vertex_of[corners.find(static_cast<Index>(3 * t + k))];
            if (vertex == no_index) {
                vertex = static_cast<Index>(cut.vertices.size());
                cut.vertices.push_back(mesh.vertices[mesh.triangles[t][k]]);
            }
            triangle[k] = vertex;
        }
        cut.triangles.push_back(triangle);
    }
    return cut;
}

inline TriangleMesh make_torn_disc(std::size_t nodes) {
    const std::array<Segment, 3> blades = {{{Vec3(-1.2, -0.35, 0), Vec3(1.2, -0.55, 0)}, // a complete cut
                                            {Vec3(0.52, -0.4, 0), Vec3(0.67, 1.2, 0)}, // a second cut of the upper part
                                            {Vec3(-1.2, 0.31, 0), Vec3(-0.12, 0.22, 0)}}}; // a slit
    return planar::torn(nodes, blades,
                        [](std::size_t count) { return std::array{make_disc({.radius = 1, .nodes = count})}; });
}

inline TriangleMesh make_torn_rectangle(std::size_t nodes) {
    const std::array<Segment, 3> blades = {{{Vec3(-0.36, -0.8, 0), Vec3(-0.36, 0.8, 0)},
                                            {Vec3(-1.2, 0.11, 0), Vec3(-0.3, 0.11, 0)},
                                            {Vec3(1.2, 0.12, 0), Vec3(0.21, 0.12, 0)}}};
    return planar::torn(nodes, blades, planar::rectangles_of);
}

} // namespace fathom::testing
