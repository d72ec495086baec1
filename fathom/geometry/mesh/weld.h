// Merging vertices that lie on one spot, as an explicit step that tells what it did.
// With a tolerance, vertices are taken in order: each joins the nearest vertex kept so far within the tolerance, or is
// kept. So chains do not creep: nothing moves further than the tolerance, and vertices that are left lie further apart
// than it. O(n) expected. The same result on every run.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cstddef>
#include <span>
#include <vector>

namespace fathom {

struct WeldOptions {
    double tolerance = 0;           // m; 0 merges only equal positions. At least 2^-48 of the largest coordinate, or 0
    bool drop_collapsed = true;     // triangles that name a vertex twice
    bool drop_duplicates = false;   // triangles whose three vertices, in any order, an earlier one has
    bool drop_unreferenced = false; // vertices that no triangle uses
};

struct Welded {
    TriangleMesh mesh;
    std::vector<Index> vertex_map;       // old vertex -> new; no_index for a dropped one
    std::vector<Index> source_triangles; // new triangle -> old
    std::size_t merged_vertices = 0;     // that joined another one
    std::size_t collapsed_triangles = 0; // that name a vertex twice now, and did not before
    std::size_t duplicate_triangles = 0; // whose vertices an earlier triangle has; collapsed ones are not counted
    double largest_move = 0;             // m, at most the tolerance
};

// Throws Error: non_finite or index_out_of_range for a bad mesh, invalid_argument for a bad tolerance.
[[nodiscard]] Welded weld(const TriangleMesh& mesh, const WeldOptions& options = {});

// The mesh without the vertices that no triangle uses; the others keep their order. O(n).
[[nodiscard]] TriangleMesh without_unreferenced_vertices(const TriangleMesh& mesh);

// For each point the lowest index of a point at exactly the same position; -0.0 is 0.0, and NaN equals the same NaN.
[[nodiscard]] std::vector<Index> equal_positions(std::span<const Vec3> points);

// Triangles whose three vertices, in any order, an earlier triangle has; increasing. Triangles that name a vertex twice
// are neither duplicates nor originals.
struct EdgeTable;
[[nodiscard]] std::vector<Index> duplicate_triangles(std::span<const Triangle> triangles, const EdgeTable& table);

} // namespace fathom
