// Writes OFF.
#include <fathom/geometry/io/writers.h>

#include <fmt/format.h>

#include <iterator>

namespace fathom {

std::string written_off(const TriangleMesh& mesh) {
    std::string text = fmt::format("OFF\n{} {} 0\n", mesh.vertices.size(), mesh.triangles.size());
    const auto out = std::back_inserter(text);
    for (const Vec3& v : mesh.vertices) fmt::format_to(out, "{} {} {}\n", v.x(), v.y(), v.z());
    for (const Triangle& t : mesh.triangles) fmt::format_to(out, "3 {} {} {}\n", t[0], t[1], t[2]);
    return text;
}

} // namespace fathom
