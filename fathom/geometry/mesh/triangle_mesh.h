// A triangle mesh as two arrays. It need not be closed, consistently wound or free of duplicates: see MeshReport. The
// volume is positive if triangles are counter-clockwise seen from outside.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/base/vec.h>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace fathom {

// Input checks shared by meshes of lines, triangles and tetrahedra.

// Throws Error{non_finite} naming the first vertex that is NaN or infinite, Error{too_large} for more than 2^32 - 2
// vertices.
void check_vertices(std::span<const Vec3> vertices, const std::string& file);

// Limits on the size of shapes (m). Beyond them, products of lengths overflow or vanish.
inline constexpr double max_coordinate = 1e15;         // largest magnitude of a coordinate
inline constexpr double min_extent = 1e-15;            // smallest extent, unless all vertices coincide
inline constexpr double min_relative_extent = 0x1p-44; // the same, relative to the largest magnitude of a coordinate

// Throws Error{too_large} naming the first vertex beyond max_coordinate, and Error{unsupported} if the extent of
// the vertices is too small, so that rounding determines the shape. O(n).
void check_size(std::span<const Vec3> vertices, const std::string& file = {});

// Throws Error{index_out_of_range} naming the first element with a corner that is not below `vertex_count`.
template <std::size_t N>
void check_elements(std::span<const std::array<Index, N>> elements, std::size_t vertex_count, const char* element,
                    const std::string& file);

extern template void check_elements<2>(std::span<const std::array<Index, 2>>, std::size_t, const char*,
                                       const std::string&);
extern template void check_elements<3>(std::span<const std::array<Index, 3>>, std::size_t, const char*,
                                       const std::string&);
extern template void check_elements<4>(std::span<const std::array<Index, 4>>, std::size_t, const char*,
                                       const std::string&);

using Triangle = std::array<Index, 3>; // vertex indices
using Edge = std::array<Index, 2>;     // vertex indices, the lower one first

struct TriangleMesh {
    std::vector<Vec3> vertices; // m
    std::vector<Triangle> triangles;

    [[nodiscard]] std::array<Vec3, 3> corners(std::size_t triangle) const {
        const Triangle& t = triangles[triangle];
        return {vertices[t[0]], vertices[t[1]], vertices[t[2]]};
    }
    [[nodiscard]] Box bounds(std::size_t triangle) const {
        Box box;
        for (const Vec3& corner : corners(triangle)) box.extend(corner);
        return box;
    }
    friend bool operator==(const TriangleMesh&, const TriangleMesh&) = default;
};

// Twice the area times the unit normal of a triangle.
[[nodiscard]] inline Vec3 area_vector(const std::array<Vec3, 3>& corners) {
    return (corners[1] - corners[0]).cross(corners[2] - corners[0]);
}

[[nodiscard]] Box bounds(std::span<const Vec3> points);

// Throws Error (non_finite, index_out_of_range, too_large) naming the first invalid vertex or triangle. O(n).
void check(const TriangleMesh& mesh, const std::string& file = {});

// The same surface with opposite winding.
[[nodiscard]] TriangleMesh flipped(TriangleMesh mesh);

// Appends `other` with shifted indices. Vertices are not merged.
void append(TriangleMesh& mesh, const TriangleMesh& other);

// Replaces every vertex p by map(p).
template <class Map>
[[nodiscard]] TriangleMesh mapped(TriangleMesh mesh, Map&& map) {
    for (Vec3& v : mesh.vertices) v = map(v);
    return mesh;
}

} // namespace fathom
