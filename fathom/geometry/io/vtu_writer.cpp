// Writes meshes as .vtu.
#include <fathom/base/error.h>
#include <fathom/geometry/io/vtu_file.h>
#include <fathom/geometry/io/writers.h>

#include <vector>

namespace fathom {

namespace {

template <std::size_t N>
std::string written(std::span<const Vec3> vertices, std::span<const std::array<Index, N>> elements, std::uint8_t type) {
    if (vertices.size() > INT32_MAX) throw Error(Cause::too_large, "more vertices than 32-bit indices can name");
    std::vector<std::int32_t> corners;
    corners.reserve(N * elements.size());
    for (const auto& element : elements)
        for (const Index v : element) corners.push_back(static_cast<std::int32_t>(v));
    VtuFile file;
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    file.add(VtuFile::Part::points, R"(type="Float64" Name="Points" NumberOfComponents="3")", vertices);
    file.add_cells(corners, N, type);
    return file.text(vertices.size(), elements.size());
}

} // namespace

std::string written_vtu(const TriangleMesh& mesh) { return written<3>(mesh.vertices, mesh.triangles, vtk_triangle); }
std::string written_vtu(const TetMesh& mesh) { return written<4>(mesh.vertices, mesh.tetrahedra, vtk_tetra); }

} // namespace fathom
