// Reading and writing of mesh files. Input is not trusted: an Error names the file, the line or element, and the
// reason; memory use stays within a small multiple of the file size; every repair is reported. Formats:
// docs/formats.md. Files compressed with gzip (.gz) are unpacked. The format is recognised by the content if possible,
// otherwise by the file name.
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

// Changes that the reader made to the data of the file.
struct ReadReport {
    std::string format;                 // "obj", "stl binary", "msh 4.1 ascii"
    std::size_t polygons = 0;           // faces with more than three corners that were triangulated
    std::size_t skipped_faces = 0;      // faces with fewer than three corners, lines and points
    std::size_t flipped_tetrahedra = 0; // reoriented to positive volume
    std::vector<std::string> notes;     // other remarks, a few at most, one sentence each
};

// A file contains a surface, a volume, or both (a gmsh file with boundary triangles). A missing part has no elements.
struct MeshFile {
    TriangleMesh surface; // triangles listed in the file; not the boundary of `volume`
    TetMesh volume;       // oriented
    ReadReport report;

    [[nodiscard]] bool has_volume() const { return !volume.tetrahedra.empty(); }
};

[[nodiscard]] MeshFile read_mesh(const std::filesystem::path& path);

// Reads a file from memory. `name` appears in messages, and its extension helps to recognise the format. (TetGen's
// .node and .ele are two files and can only be read by path.)
[[nodiscard]] MeshFile read_mesh(std::span<const std::byte> bytes, std::string_view name);

// Read one kind of mesh only. read_triangle_mesh() returns the surface, or the boundary of the volume if the file has
// no surface. read_tet_mesh() returns the volume; Error{empty} if there is none.
[[nodiscard]] TriangleMesh read_triangle_mesh(const std::filesystem::path& path);
[[nodiscard]] TetMesh read_tet_mesh(const std::filesystem::path& path);

// The file extension selects the format: .obj .stl .ply .off .glb .vtk .vtu for surfaces; .vtk .vtu .msh .mesh for
// volumes. Text formats contain the shortest decimal numbers that read back to the same value; STL and GLB store
// floats. Writing is atomic: a failed write leaves no partial file.
void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh);
void write_mesh(const std::filesystem::path& path, const TetMesh& mesh);

} // namespace fathom
