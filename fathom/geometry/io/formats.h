// Readers and writers of the mesh formats, one of each per format.
// read_mesh() selects a reader. Readers take uncompressed bytes, do not trust them, and throw Error.
// write_mesh() selects a writer and writes the returned bytes to the file atomically.
#pragma once

#include <fathom/base/encode/text_scanner.h>
#include <fathom/geometry/io/mesh_file.h>

#include <string>

namespace fathom {

[[nodiscard]] MeshFile read_obj(const Source& source);
[[nodiscard]] MeshFile read_stl(const Source& source);  // text or binary; equal positions become one vertex
[[nodiscard]] MeshFile read_ply(const Source& source);  // text, both byte orders
[[nodiscard]] MeshFile read_off(const Source& source);  // OFF, COFF, NOFF, STOFF
[[nodiscard]] MeshFile read_gltf(const Source& source); // .glb and self-contained .gltf
[[nodiscard]] MeshFile read_msh(const Source& source);  // gmsh 1, 2.2, 4.1; text and binary
[[nodiscard]] MeshFile read_vtk(const Source& source);  // legacy, text and binary
[[nodiscard]] MeshFile read_vtu(const Source& source);  // XML: inline text and base64, appended raw and base64, zlib
[[nodiscard]] MeshFile read_tetgen(const Source& nodes, const Source& elements);
[[nodiscard]] MeshFile read_medit(const Source& source); // .mesh

// Reads any other format that assimp supports, in a child process with limited memory and time. `extension` includes
// the dot, for example ".dae".
[[nodiscard]] MeshFile read_through_assimp(const Source& source, std::string_view extension);

[[nodiscard]] std::string written_obj(const TriangleMesh& mesh);
[[nodiscard]] std::string written_stl(const TriangleMesh& mesh); // binary
[[nodiscard]] std::string written_ply(const TriangleMesh& mesh); // binary little-endian, double
[[nodiscard]] std::string written_off(const TriangleMesh& mesh);
[[nodiscard]] std::string written_glb(const TriangleMesh& mesh);
[[nodiscard]] std::string written_vtk(const TriangleMesh& mesh); // legacy binary
[[nodiscard]] std::string written_vtu(const TriangleMesh& mesh); // appended, zlib
[[nodiscard]] std::string written_vtk(const TetMesh& mesh);
[[nodiscard]] std::string written_vtu(const TetMesh& mesh);
[[nodiscard]] std::string written_msh(const TetMesh& mesh);   // gmsh 4.1 binary
[[nodiscard]] std::string written_medit(const TetMesh& mesh); // text

} // namespace fathom
