// Reading and writing meshes. Every byte is taken for hostile: an Error names file, line or element and
// reason; memory stays within a small multiple of the file's size; nothing is repaired in silence.
// Formats: docs/formats.md. `.gz` of any is unpacked. The content decides the format where it can, else the name.
#pragma once

#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// What the reader did beyond copying numbers.
struct ReadReport {
    std::string format;                 // "obj", "stl binary", "msh 4.1 ascii"
    std::size_t polygons = 0;           // faces of more than three corners that were cut into triangles
    std::size_t skipped_faces = 0;      // faces of fewer than three corners, lines and points
    std::size_t flipped_tetrahedra = 0; // turned to positive volume
    std::vector<std::string> notes;     // anything else worth knowing, one sentence each, at most a few
};

// A file holds a surface, a volume, or both (a gmsh file with boundary triangles). An absent one has no elements.
struct MeshFile {
    TriangleMesh surface; // triangles stated in the file; not the boundary of `volume`
    TetMesh volume;       // oriented
    ReadReport report;

    [[nodiscard]] bool has_volume() const { return !volume.tetrahedra.empty(); }
};

[[nodiscard]] MeshFile read_mesh(const std::filesystem::path& path);

// The same from memory; `name` serves the messages and, by its ending, the choice of format. (TetGen's .node and .ele
// are two files and are read by path only.)
[[nodiscard]] MeshFile read_mesh(std::span<const std::byte> bytes, std::string_view name);

// One kind only: the surface, or the boundary of the volume where the file has no surface; the volume, or Error{empty}.
[[nodiscard]] TriangleMesh read_triangle_mesh(const std::filesystem::path& path);
[[nodiscard]] TetMesh read_tet_mesh(const std::filesystem::path& path);

// The ending of the name decides the format: .obj .stl .ply .off .glb .vtk .vtu for surfaces; .vtk .vtu .msh .mesh for
// volumes. Text formats write the shortest digits that read back the same; STL and GLB store float. Atomic: a failed
// write leaves no half file.
void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh);
void write_mesh(const std::filesystem::path& path, const TetMesh& mesh);

} // namespace fathom
