// Overlap tests of a triangle with an axis-aligned box and with a tetrahedron.
#include <fathom/geometry/primitive/triangle_overlap.h>

#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

#include <algorithm>

namespace fathom {

namespace {

using Corners = std::array<Vec3, 3>;

// The corner of the box that is farthest along a direction with these signs.
Vec3 farthest_corner(const Box& box, const std::array<int, 3>& sign) {
    return {sign[0] > 0 ? box.upper[0] : box.lower[0], sign[1] > 0 ? box.upper[1] : box.lower[1],
            sign[2] > 0 ? box.upper[2] : box.lower[2]};
}

bool plane_misses(const Box& box, const Corners& t) {
    std::array<int, 3> normal;
    for (int k = 0; k < 3; ++k) normal[static_cast<std::size_t>(k)] = orient2d(t[0], t[1], t[2], k);
    const PlaneSide side(t[0], t[1], t[2]);
    if (side(farthest_corner(box, normal)) < 0) return true;
    return side(farthest_corner(box, {-normal[0], -normal[1], -normal[2]})) > 0;
}

// In the projection along `axis`: whether the line of the edge from p to q has the box strictly on the side opposite to
// the third corner.
bool edge_separates(const Box& box, const Vec3& p, const Vec3& q, const Vec3& third, int axis) {
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    const int inner = orient2d(p, q, third, axis);
    // Of the rectangle's corners, those farthest to the left and to the right of the line.
    Vec3 left = box.lower;
    Vec3 right = box.lower;
    (q[j] < p[j] ? left : right)[i] = box.upper[i];
    (q[i] > p[i] ? left : right)[j] = box.upper[j];
    if (inner >= 0 && orient2d(p, q, left, axis) < 0) return true;
    return inner <= 0 && orient2d(p, q, right, axis) > 0;
}

} // namespace

bool box_overlaps_triangle(const Box& box, const std::array<Vec3, 3>& triangle) {
    Box bounds;
    for (const Vec3& corner : triangle) bounds.extend(corner);
    const Box common = intersection(box, bounds); // only this part can overlap the triangle, and it is finite
    if (common.empty()) return false;
    if (plane_misses(common, triangle)) return false;
    for (std::size_t k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis)
            if (edge_separates(common, triangle[k], triangle[(k + 1) % 3], triangle[(k + 2) % 3], axis)) return false;
    return true;
}

// Overlap of a tetrahedron and a triangle.

namespace {

std::array<Vec3, 3> tet_face(const std::array<Vec3, 4>& t, std::size_t k) {
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
        const auto corners = tet_face(tetrahedron, k);
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
        if (triangles_overlap(tet_face(tetrahedron, k), triangle)) return true;
    return false;
}

} // namespace fathom
