// Writes the text form of Medit's .mesh in double precision, all references 0.
#include <fathom/base/encode/output_buffer.h>
#include <fathom/geometry/io/writers.h>

#include <fmt/format.h>

namespace fathom {

std::string written_medit(const TetMesh& mesh) {
    OutputBuffer out;
    out.text(fmt::format("MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", mesh.vertices.size()));
    for (const Vec3& v : mesh.vertices) {
        for (int k = 0; k < 3; ++k) {
            out.digits(v[k]);
            out.text(" ");
        }
        out.text("0\n");
    }
    out.text(fmt::format("Tetrahedra\n{}\n", mesh.tetrahedra.size()));
    for (const Tetrahedron& t : mesh.tetrahedra) {
        for (const Index v : t) {
            out.digits(std::uint64_t{v} + 1);
            out.text(" ");
        }
        out.text("0\n");
    }
    out.text("End\n");
    return std::move(out).take();
}

} // namespace fathom
