// Do a tetrahedron and a triangle meet?
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/primitive/tetrahedron_triangle.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

#include <algorithm>

namespace fathom {

namespace {

std::array<Vec3, 3> face(const std::array<Vec3, 4>& t, std::size_t k) {
    const auto& f = tetrahedron_faces[k];
    const auto at = [&](std::size_t i) -> const Vec3& { return t[static_cast<std::size_t>(f[i])]; };
    return {at(0), at(1), at(2)};
}

template <std::size_t N>
bool all_beyond(const PlaneSide& plane, const std::array<Vec3, N>& points, int side) {
    return std::all_of(points.begin(), points.end(), [&](const Vec3& p) { return plane(p) * side > 0; });
}

} // namespace

bool tetrahedron_overlaps_triangle(const std::array<Vec3, 4>& tetrahedron, const std::array<Vec3, 3>& triangle) {
    const PlaneSide sheet(triangle[0], triangle[1], triangle[2]);
    if (all_beyond(sheet, tetrahedron, 1) || all_beyond(sheet, tetrahedron, -1)) return false;
    const int volume = orient3d(tetrahedron[0], tetrahedron[1], tetrahedron[2], tetrahedron[3]);
    std::array<bool, 3> inside = {volume != 0, volume != 0, volume != 0};
    for (std::size_t k = 0; k < 4 && volume != 0; ++k) {
        const auto corners = face(tetrahedron, k);
        const PlaneSide plane(corners[0], corners[1], corners[2]);
        int beyond = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const bool out = plane(triangle[i]) * volume > 0;
            beyond += out;
            inside[i] = inside[i] && !out;
        }
        if (beyond == 3) return false;
    }
    if (inside[0] || inside[1] || inside[2]) return true;
    for (std::size_t k = 0; k < 4; ++k)
        if (triangles_overlap(face(tetrahedron, k), triangle)) return true;
    return false;
}

} // namespace fathom
