// Sides of triangles before and after.
#include <fathom/detect/query/point_mesh_crossing.h>

#include <fathom/base/relative_motion.h>
#include <fathom/detect/mesh_mesh/mesh_mesh.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/exact/predicates.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t most_candidates = 1000;

// The chord's point in the plane is in the triangle, and farther from its edges than any point of the path is from
// there.
bool passes_inside(const Vec3& before, const Vec3& after, const std::array<Vec3, 3>& c, double bend) {
    const int side = orient3d(c[0], c[1], c[2], before);
    if (side * orient3d(c[0], c[1], c[2], after) >= 0) return false;
    const double way = (after - before).norm() + bend;
    const Vec3 at = closest_point(before, c).point;
    for (std::size_t k = 0; k < 3; ++k)
        if (std::sqrt(closest_point(at, Segment{c[k], c[(k + 1) % 3]}).squared_distance) <= 2 * way) return false;
    return (at - before).norm() <= way; // else the plane is crossed beside the triangle
}

} // namespace

bool points_cross(const Shape& points, const Motion& motion_points, const Shape& surface, const Motion& motion_surface,
                  double start, double end) {
    const RelativeMotion seen(motion_points, motion_surface, Path::screw);
    const Mover mover_points(motion_points), mover_surface(motion_surface);
    const double middle = 0.5 * (start + end);
    const double turning = screw_between(motion_points.start, motion_points.end).angle +
                           screw_between(motion_surface.start, motion_surface.end).angle;
    const double way =
        (seen.over(points.bounds().center(), start, end).speed + turning * points.radius()) * (end - start);
    const double rounding =
        1e-14 * (mover_points.pose(middle).translation.norm() + mover_surface.pose(middle).translation.norm() +
                 points.radius() + surface.radius());
    const MeshCrossings near = mesh_crossings(points.tree(), mover_points.pose(middle), surface.tree(),
                                              mover_surface.pose(middle), most_candidates, way + rounding);
    return std::any_of(near.pairs.begin(), near.pairs.end(), [&](const IdPair& pair) {
        const Vec3 p = points.mesh().corners(pair[0])[0];
        return passes_inside(seen.at(p, start), seen.at(p, end), surface.mesh().corners(pair[1]),
                             seen.over(p, start, end).bend + rounding);
    });
}

} // namespace fathom
