// Do an axis-aligned box and a triangle meet?
#include <fathom/geometry/primitive/box_triangle.h>
#include <fathom/geometry/exact/predicates.h>

namespace fathom {

namespace {

using Corners = std::array<Vec3, 3>;

// The corner of the box that lies farthest along a direction with these signs.
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

// Seen along `axis`: does the line of the edge from p to q keep the box strictly on the side without the third corner?
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
    const Box common = intersection(box, bounds); // only this part can meet the triangle, and it is finite
    if (common.empty()) return false;
    if (plane_misses(common, triangle)) return false;
    for (std::size_t k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis)
            if (edge_separates(common, triangle[k], triangle[(k + 1) % 3], triangle[(k + 2) % 3], axis)) return false;
    return true;
}

} // namespace fathom
