// Writes VTK's legacy binary format, version 3.0: every VTK since 2003 and meshio read it. Surfaces go
// out as unstructured grids of triangles too, because meshio does not read polygonal data.
#include <fathom/base/error.h>
#include <fathom/base/encode/output_buffer.h>
#include <fathom/geometry/io/writers.h>

#include <fmt/format.h>

#include <span>

namespace fathom {

namespace {

constexpr std::int32_t vtk_triangle = 5, vtk_tetra = 10;

template <std::size_t N>
std::string written(std::span<const Vec3> vertices, std::span<const std::array<Index, N>> elements, std::int32_t type) {
    if (vertices.size() > INT32_MAX)
        throw Error(Cause::too_large, "more vertices than the 32-bit indices of .vtk can name");
    OutputBuffer out(std::endian::big);
    out.reserve(256 + vertices.size() * sizeof(Vec3) + elements.size() * (N + 2) * sizeof type);
    out.text(fmt::format("# vtk DataFile Version 3.0\nfathom\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n",
                         vertices.size()));
    for (const Vec3& v : vertices)
        for (int k = 0; k < 3; ++k) out.bytes(v[k]);
    out.text(fmt::format("\nCELLS {} {}\n", elements.size(), (N + 1) * elements.size()));
    for (const auto& element : elements) {
        out.bytes(static_cast<std::int32_t>(N));
        for (const Index v : element) out.bytes(static_cast<std::int32_t>(v));
    }
    out.text(fmt::format("\nCELL_TYPES {}\n", elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) out.bytes(type);
    out.text("\n");
    return std::move(out).take();
}

} // namespace

std::string written_vtk(const TriangleMesh& mesh) { return written<3>(mesh.vertices, mesh.triangles, vtk_triangle); }
std::string written_vtk(const TetMesh& mesh) { return written<4>(mesh.vertices, mesh.tetrahedra, vtk_tetra); }

} // namespace fathom
