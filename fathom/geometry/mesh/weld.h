// Merging of vertices at equal or nearby positions, as an explicit step with a report.
// With a tolerance, vertices are processed in order: each is merged into the nearest vertex kept so far within the
// tolerance, or is kept. Chains therefore do not accumulate: no vertex moves farther than the tolerance, and the
// remaining vertices are farther apart than it. O(n) expected. Deterministic.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cstddef>
#include <span>
#include <vector>

namespace fathom {

struct WeldOptions {
    // In metres; 0 merges only equal positions. Must be 0 or at least 2^-48 of the largest coordinate.
    double tolerance = 0;
    bool drop_collapsed = true;     // drop triangles that use a vertex twice
    bool drop_duplicates = false;   // drop triangles with the same three vertices, in any order, as an earlier one
    bool drop_unreferenced = false; // drop vertices that no triangle uses
};

struct Welded {
    TriangleMesh mesh;
    std::vector<Index> vertex_map;       // old vertex -> new vertex; no_index if dropped
    std::vector<Index> source_triangles; // new triangle -> old triangle
    std::size_t merged_vertices = 0;     // number of vertices merged into another
    std::size_t collapsed_triangles = 0; // number of triangles that use a vertex twice after the merge but not before
    std::size_t duplicate_triangles = 0; // same vertices as an earlier triangle; without collapsed ones
    double largest_move = 0;             // largest displacement (m), at most the tolerance
};

// Throws Error: non_finite or index_out_of_range for an invalid mesh, invalid_argument for an invalid tolerance.
[[nodiscard]] Welded weld(const TriangleMesh& mesh, const WeldOptions& options = {});

// The mesh without the vertices that no triangle uses; the others keep their order. O(n).
[[nodiscard]] TriangleMesh without_unreferenced_vertices(const TriangleMesh& mesh);

// For each point the lowest index of a point at exactly the same position; -0.0 equals 0.0, and NaN equals the same
// NaN.
[[nodiscard]] std::vector<Index> equal_positions(std::span<const Vec3> points);

// Triangles with the same three vertices, in any order, as an earlier triangle; increasing. Triangles that use a vertex
// twice are neither duplicates nor originals.
struct EdgeTable;
[[nodiscard]] std::vector<Index> duplicate_triangles(std::span<const Triangle> triangles, const EdgeTable& table);

} // namespace fathom
