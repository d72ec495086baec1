// Room: geometry. Writes .vtu: appended raw data packed by zlib, 64-bit headers, little-endian.
// Blocks are packed in parallel; the bytes do not depend on the number of threads.
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/format/output_buffer.h>
#include <fathom/geometry/format/writers.h>
#include <fathom/geometry/format/zlib_bytes.h>

#include <fmt/format.h>

#include <span>

namespace fathom {

namespace {

constexpr std::uint8_t vtk_triangle = 5, vtk_tetra = 10;
constexpr std::size_t block_size = 1u << 18;

// An array as it lies in the appended section: number and size of blocks, packed sizes, packed blocks.
std::string packed(std::string_view bytes) {
    const std::size_t blocks = (bytes.size() + block_size - 1) / block_size;
    std::vector<std::string> pieces(blocks);
    parallel_tasks(blocks, [&](std::size_t k) { pieces[k] = deflated(bytes.substr(k * block_size, block_size)); });
    OutputBuffer out;
    out.bytes<std::uint64_t>(blocks);
    out.bytes<std::uint64_t>(block_size);
    out.bytes<std::uint64_t>(bytes.size() % block_size);
    for (const std::string& piece : pieces) out.bytes<std::uint64_t>(piece.size());
    for (const std::string& piece : pieces) out.text(piece);
    return std::move(out).take();
}

std::string packed_points(std::span<const Vec3> vertices) {
    OutputBuffer out;
    out.reserve(24 * vertices.size());
    for (const Vec3& v : vertices)
        for (int k = 0; k < 3; ++k) out.bytes(v[k]);
    return packed(out.view());
}

template <std::size_t N>
std::string packed_connectivity(std::span<const std::array<Index, N>> elements) {
    OutputBuffer out;
    out.reserve(4 * N * elements.size());
    for (const auto& element : elements)
        for (const Index v : element) out.bytes(static_cast<std::int32_t>(v));
    return packed(out.view());
}

std::string packed_offsets(std::size_t count, std::size_t corners) {
    OutputBuffer out;
    out.reserve(8 * count);
    for (std::size_t i = 1; i <= count; ++i) out.bytes(static_cast<std::int64_t>(i * corners));
    return packed(out.view());
}

// The tags of an array, and its data behind those of the arrays before.
void declare(std::string& tags, std::string& appended, std::string_view attributes, const std::string& data) {
    tags += fmt::format("        <DataArray {} format=\"appended\" offset=\"{}\"/>\n", attributes, appended.size());
    appended += data;
}

template <std::size_t N>
std::string written(std::span<const Vec3> vertices, std::span<const std::array<Index, N>> elements, std::uint8_t type) {
    if (vertices.size() > INT32_MAX) throw Error(Cause::too_large, "more vertices than 32-bit indices can name");
    std::string points, cells, appended;
    declare(points, appended, R"(type="Float64" Name="Points" NumberOfComponents="3")", packed_points(vertices));
    declare(cells, appended, R"(type="Int32" Name="connectivity")", packed_connectivity<N>(elements));
    declare(cells, appended, R"(type="Int64" Name="offsets")", packed_offsets(elements.size(), N));
    declare(cells, appended, R"(type="UInt8" Name="types")",
            packed(std::string(elements.size(), static_cast<char>(type))));
    std::string file = fmt::format(R"(<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">
  <UnstructuredGrid>
    <Piece NumberOfPoints="{}" NumberOfCells="{}">
      <Points>
{}      </Points>
      <Cells>
{}      </Cells>
    </Piece>
  </UnstructuredGrid>
  <AppendedData encoding="raw">
   _)",
                                   vertices.size(), elements.size(), points, cells);
    file += appended;
    file += "\n  </AppendedData>\n</VTKFile>\n";
    return file;
}

} // namespace

std::string written_vtu(const TriangleMesh& mesh) { return written<3>(mesh.vertices, mesh.triangles, vtk_triangle); }
std::string written_vtu(const TetMesh& mesh) { return written<4>(mesh.vertices, mesh.tetrahedra, vtk_tetra); }

} // namespace fathom
