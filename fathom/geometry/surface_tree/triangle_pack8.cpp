// Turns triangles into packs, and says how badly conditioned they are.
#include <fathom/geometry/surface_tree/triangle_pack8.h>

#include <fathom/base/interval.h>

#include <cmath>

namespace fathom {

namespace {

struct LocalTriangle {
    Vec3 corner, edge_1, edge_2;
    double condition, reach;
    double dropped = 0; // height of a triangle that stands as its longest edge
};

// Longest edge opposite to corner 0.
std::array<Vec3, 3> turned(const std::array<Vec3, 3>& c) {
    const double opposite[3] = {(c[2] - c[1]).squaredNorm(), (c[0] - c[2]).squaredNorm(), (c[1] - c[0]).squaredNorm()};
    const std::size_t k =
        opposite[1] > opposite[0] ? (opposite[2] > opposite[1] ? 2u : 1u) : (opposite[2] > opposite[0] ? 2u : 0u);
    return {c[k], c[(k + 1) % 3], c[(k + 2) % 3]};
}

LocalTriangle local_triangle(const BvhFrame& frame, const std::array<Vec3, 3>& world) {
    const std::array<Vec3, 3> c = turned(world);
    const Vec3 edge_1 = (c[1] - c[0]) * frame.scale, edge_2 = (c[2] - c[0]) * frame.scale;
    const double longest = ((c[2] - c[1]) * frame.scale).norm();
    const double doubled_area = edge_1.cross(edge_2).norm();
    const double height = longest > 0 ? doubled_area / longest : 0.0; // the smallest
    const double condition = edge_1.norm() * edge_2.norm() / doubled_area;
    // A thin triangle may stand as its longest edge: then its distance is wrong by its height, but by nothing else.
    const double thin_condition = 1 + height * 0x1p16;
    if (thin_condition < condition || longest < 0x1p-20 || !(doubled_area > 0))
        return {frame.to_local(c[1]), (c[2] - c[1]) * frame.scale,     Vec3::Zero(),
                thin_condition,       longest * (1 + height * 0x1p19), height};
    return {frame.to_local(c[0]), edge_1, edge_2, condition, longest};
}

void set_lane(float (&rows)[3][8], std::size_t lane, const Vec3& value) {
    for (int axis = 0; axis < 3; ++axis) rows[axis][lane] = static_cast<float>(value[axis]);
}

} // namespace

TrianglePack pack_of(const BvhFrame& frame, std::span<const std::array<Vec3, 3>> corners, Index first) {
    TrianglePack pack;
    double condition = 1, reach = 0, height = 0;
    for (std::size_t lane = 0; lane < 8; ++lane) {
        LocalTriangle triangle;
        if (lane < corners.size()) {
            triangle = local_triangle(frame, corners[lane]);
            condition = std::max(condition, triangle.condition);
            reach = std::max(reach, triangle.reach);
            height = std::max(height, triangle.dropped);
        } else {
            triangle.corner = triangle.edge_1 = triangle.edge_2 =
                Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
        }
        set_lane(pack.corner, lane, triangle.corner);
        set_lane(pack.edge_1, lane, triangle.edge_1);
        set_lane(pack.edge_2, lane, triangle.edge_2);
    }
    pack.condition = float_up(condition);
    pack.reach = float_up(reach);
    pack.height = float_up(height);
    pack.first = first;
    pack.count = static_cast<Index>(corners.size());
    return pack;
}

} // namespace fathom
