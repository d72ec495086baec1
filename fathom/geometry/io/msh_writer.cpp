// Writes gmsh 4.1 binary, one discrete volume, tags from 1.
#include <fathom/base/encode/output_buffer.h>
#include <fathom/geometry/io/writers.h>

namespace fathom {

namespace {

constexpr std::int32_t volume_dimension = 3, volume_tag = 1, not_parametric = 0, four_node_tetrahedron = 4;

// How many blocks (one, or none of nothing), how many elements, their smallest and largest tag.
void counts(OutputBuffer& out, std::size_t count) {
    out.bytes<std::uint64_t>(count > 0 ? 1 : 0);
    out.bytes<std::uint64_t>(count);
    out.bytes<std::uint64_t>(count > 0 ? 1 : 0);
    out.bytes<std::uint64_t>(count);
}

void block(OutputBuffer& out, std::int32_t kind, std::size_t count) {
    out.bytes(volume_dimension);
    out.bytes(volume_tag);
    out.bytes(kind);
    out.bytes<std::uint64_t>(count);
}

void entities(OutputBuffer& out, const Box& box) {
    out.text("$Entities\n");
    for (const std::uint64_t count : {0u, 0u, 0u, 1u}) out.bytes(count); // points, curves, surfaces, volumes
    out.bytes(volume_tag);
    for (int k = 0; k < 3; ++k) out.bytes(box.lower[k]);
    for (int k = 0; k < 3; ++k) out.bytes(box.upper[k]);
    out.bytes<std::uint64_t>(0); // physical groups
    out.bytes<std::uint64_t>(0); // bounding surfaces
    out.text("\n$EndEntities\n");
}

void nodes(OutputBuffer& out, const std::vector<Vec3>& vertices) {
    out.text("$Nodes\n");
    counts(out, vertices.size());
    if (!vertices.empty()) block(out, not_parametric, vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) out.bytes<std::uint64_t>(i + 1);
    for (const Vec3& v : vertices)
        for (int k = 0; k < 3; ++k) out.bytes(v[k]);
    out.text("\n$EndNodes\n");
}

void elements(OutputBuffer& out, const std::vector<Tetrahedron>& tetrahedra) {
    out.text("$Elements\n");
    counts(out, tetrahedra.size());
    if (!tetrahedra.empty()) block(out, four_node_tetrahedron, tetrahedra.size());
    for (std::size_t i = 0; i < tetrahedra.size(); ++i) {
        out.bytes<std::uint64_t>(i + 1);
        for (const Index v : tetrahedra[i]) out.bytes<std::uint64_t>(std::uint64_t{v} + 1);
    }
    out.text("\n$EndElements\n");
}

} // namespace

std::string written_msh(const TetMesh& mesh) {
    OutputBuffer out;
    out.reserve(512 + mesh.vertices.size() * 32 + mesh.tetrahedra.size() * 40);
    out.text("$MeshFormat\n4.1 1 8\n");
    out.bytes<std::int32_t>(1); // tells the byte order
    out.text("\n$EndMeshFormat\n");
    if (!mesh.vertices.empty()) entities(out, bounds(mesh.vertices));
    nodes(out, mesh.vertices);
    elements(out, mesh.tetrahedra);
    return std::move(out).take();
}

} // namespace fathom
