// Exact questions about one triangle.
#include <fathom/geometry/primitive/flat_triangle.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <algorithm>

namespace fathom {

int projection_axis(const std::array<Vec3, 3>& triangle) {
    int largest = 0;
    area_vector(triangle).cwiseAbs().maxCoeff(&largest);
    for (int k = 0; k < 3; ++k) {
        const int axis = (largest + k) % 3;
        if (orient2d(triangle[0], triangle[1], triangle[2], axis) != 0) return axis;
    }
    return -1;
}

Segment spine(const std::array<Vec3, 3>& triangle) {
    const auto [first, last] = std::minmax_element(triangle.begin(), triangle.end(), precedes);
    return {*first, *last};
}

bool collinear(const Vec3& a, const Vec3& b, const Vec3& c) { return projection_axis({a, b, c}) < 0; }

bool contains_in_plane(const std::array<Vec3, 3>& triangle, const Vec3& p, int axis) {
    const int turn = orient2d(triangle[0], triangle[1], triangle[2], axis);
    for (std::size_t k = 0; k < 3; ++k)
        if (orient2d(triangle[k], triangle[(k + 1) % 3], p, axis) * turn < 0) return false;
    return true;
}

} // namespace fathom
