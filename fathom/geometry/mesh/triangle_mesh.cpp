// Checks and small edits of triangle meshes.
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom {

// Input checks shared by meshes of lines, triangles and tetrahedra.

namespace {

Place place_of(const std::string& file, const char* element, std::size_t index) {
    return {.file = file, .element = element, .index = static_cast<std::int64_t>(index)};
}

} // namespace

void check_vertices(std::span<const Vec3> vertices, const std::string& file) {
    if (vertices.size() >= no_index)
        throw Error(Cause::too_large, "the number of vertices exceeds the range of 32-bit indices", {.file = file});
    for (std::size_t i = 0; i < vertices.size(); ++i)
        if (!is_finite(vertices[i]))
            throw Error(Cause::non_finite, "not a finite position", place_of(file, "vertex", i));
}

void check_size(std::span<const Vec3> vertices, const std::string& file) {
    double largest = 0;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const double magnitude = vertices[i].cwiseAbs().maxCoeff();
        if (!(magnitude <= max_coordinate))
            throw Error(
                Cause::too_large,
                fmt::format("a coordinate of {:.3g} m exceeds the limit of {:.0e} m", magnitude, max_coordinate),
                place_of(file, "vertex", i));
        largest = std::max(largest, magnitude);
    }
    const Box box = bounds(vertices);
    const double extent = box.empty() ? 0 : box.size().maxCoeff();
    const double least = std::max(min_extent, min_relative_extent * largest);
    if (extent > 0 && extent < least)
        throw Error(Cause::unsupported,
                    fmt::format("the extent of {:.3g} m is below {:.3g} m, so that rounding determines the shape",
                                extent, least),
                    {.file = file});
}

template <std::size_t N>
void check_elements(std::span<const std::array<Index, N>> elements, std::size_t vertex_count, const char* element,
                    const std::string& file) {
    if (elements.size() >= no_index)
        throw Error(Cause::too_large, fmt::format("the number of {}s exceeds the range of 32-bit indices", element),
                    {.file = file});
    for (std::size_t i = 0; i < elements.size(); ++i)
        for (const Index v : elements[i])
            if (v >= vertex_count)
                throw Error(Cause::index_out_of_range,
                            fmt::format("refers to vertex {}, but there are {}", v, vertex_count),
                            place_of(file, element, i));
}

template void check_elements<2>(std::span<const std::array<Index, 2>>, std::size_t, const char*, const std::string&);
template void check_elements<3>(std::span<const std::array<Index, 3>>, std::size_t, const char*, const std::string&);
template void check_elements<4>(std::span<const std::array<Index, 4>>, std::size_t, const char*, const std::string&);

Box bounds(std::span<const Vec3> points) {
    Box box;
    for (const Vec3& p : points) box.extend(p);
    return box;
}

void check(const TriangleMesh& mesh, const std::string& file) {
    check_vertices(mesh.vertices, file);
    check_elements<3>(mesh.triangles, mesh.vertices.size(), "triangle", file);
}

TriangleMesh flipped(TriangleMesh mesh) {
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
    const std::size_t shift = mesh.vertices.size();
    if (shift + other.vertices.size() >= no_index)
        throw Error(Cause::too_large, "the number of vertices exceeds the range of 32-bit indices");
    mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
    mesh.triangles.reserve(mesh.triangles.size() + other.triangles.size());
    const Index offset = static_cast<Index>(shift);
    for (const Triangle& t : other.triangles) mesh.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
}

} // namespace fathom
