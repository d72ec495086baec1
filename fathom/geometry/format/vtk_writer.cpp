// Room: geometry. Writes VTK's legacy binary format, version 3.0: every VTK since 2003 and meshio read it.
#include <fathom/base/error.h>
#include <fathom/geometry/format/output_buffer.h>
#include <fathom/geometry/format/writers.h>

#include <fmt/format.h>

#include <span>

namespace fathom {

namespace {

constexpr std::int32_t vtk_tetra = 10;

void head(OutputBuffer& out, std::string_view dataset, std::span<const Vec3> vertices) {
    if (vertices.size() > INT32_MAX) throw Error(Cause::too_large, "more vertices than the 32-bit indices of .vtk can name");
    out.text(fmt::format("# vtk DataFile Version 3.0\nfathom\nBINARY\nDATASET {}\nPOINTS {} double\n", dataset, vertices.size()));
    for (const Vec3& v : vertices)
        for (int k = 0; k < 3; ++k) out.bytes(v[k]);
}

template <std::size_t N>
void cells(OutputBuffer& out, std::string_view keyword, std::span<const std::array<Index, N>> elements) {
    out.text(fmt::format("\n{} {} {}\n", keyword, elements.size(), (N + 1) * elements.size()));
    for (const auto& element : elements) {
        out.bytes(static_cast<std::int32_t>(N));
        for (const Index v : element) out.bytes(static_cast<std::int32_t>(v));
    }
}

} // namespace

std::string written_vtk(const TriangleMesh& mesh) {
    OutputBuffer out(std::endian::big);
    out.reserve(256 + mesh.vertices.size() * 24 + mesh.triangles.size() * 16);
    head(out, "POLYDATA", mesh.vertices);
    cells<3>(out, "POLYGONS", mesh.triangles);
    out.text("\n");
    return std::move(out).take();
}

std::string written_vtk(const TetMesh& mesh) {
    OutputBuffer out(std::endian::big);
    out.reserve(256 + mesh.vertices.size() * 24 + mesh.tetrahedra.size() * 24);
    head(out, "UNSTRUCTURED_GRID", mesh.vertices);
    cells<4>(out, "CELLS", mesh.tetrahedra);
    out.text(fmt::format("\nCELL_TYPES {}\n", mesh.tetrahedra.size()));
    for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) out.bytes(vtk_tetra);
    out.text("\n");
    return std::move(out).take();
}

} // namespace fathom
