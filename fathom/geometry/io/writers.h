// One writer a format; write_mesh() picks, and puts the bytes into the file at once.
#pragma once

#include <fathom/geometry/io/mesh_file.h>

#include <string>

namespace fathom {

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
