// Writes Wavefront OBJ.
#include <fathom/geometry/io/writers.h>

#include <fmt/format.h>

#include <iterator>

namespace fathom {

std::string written_obj(const TriangleMesh& mesh) {
    std::string text = "# Fathom\n";
    const auto out = std::back_inserter(text);
    for (const Vec3& v : mesh.vertices) fmt::format_to(out, "v {} {} {}\n", v.x(), v.y(), v.z());
    for (const Triangle& t : mesh.triangles)
        fmt::format_to(out, "f {} {} {}\n", std::uint64_t{t[0]} + 1, std::uint64_t{t[1]} + 1, std::uint64_t{t[2]} + 1);
    return text;
}

} // namespace fathom
