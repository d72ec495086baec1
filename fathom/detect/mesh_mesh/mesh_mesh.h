// Intersection and distance of two posed triangle meshes, taken as surfaces.
// Method: a dual traversal in float selects candidate pairs of triangles (detect/mesh_mesh/dual_bvh_traversal.h); exact
// tests and closest_points() decide them, on the corners of b transformed into a's frame (one rounding). Surfaces have
// no interior here: a surface wholly inside another one is disjoint from it. Any triangles are accepted: soups, points
// (one corner three times), segments. Not for solids (detect/field_field/field_field.h, which also computes the
// penetration depth). The cost of a distance query grows with the number of pairs of triangles that are nearly as close
// as the closest pair. const and thread-safe; the same result on every CPU. Metres; results are in the world frame.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <limits>

namespace fathom::mesh_mesh {

// Whether the surfaces cross, touch or come within the margin. Stops at the first such pair. Throws Error{non_finite}
// for a pose that is not finite.
[[nodiscard]] bool meshes_cross(const SurfaceTree& a, const Pose& pose_a, const SurfaceTree& b, const Pose& pose_b,
                                double margin = 0);

struct MeshCrossings {
    std::vector<IdPair> pairs;  // {triangle of a, triangle of b} that cross, touch or are within the margin; sorted
    bool more_contacts = false; // more pairs exist than are listed
};
[[nodiscard]] MeshCrossings mesh_crossings(const SurfaceTree& a, const Pose& pose_a, const SurfaceTree& b,
                                           const Pose& pose_b, std::size_t max_pairs = 1'000'000, double margin = 0);

// A pair of triangles by their places in the trees. Their distance is an immediate upper bound on the distance of the
// meshes.
struct MeshPairHint {
    Index place_a = no_index, place_b = no_index;
};

struct MeshDistance {
    // 0 where the meshes cross; infinity if they are not within the limit or if a mesh is empty (m)
    double distance = std::numeric_limits<double>::infinity();
    Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero(); // closest points (world)
    Index triangle_a = no_index,
          triangle_b = no_index; // closest triangles; any one pair among those equally close or crossing
    MeshPairHint hint{};         // for a later query of the same meshes in similar poses
};
// The minimum distance if it is below `limit`, to the precision of closest_points(). A hint changes the running time,
// not the distance; a hint that does not name valid triangles is ignored.
[[nodiscard]] MeshDistance mesh_distance(const SurfaceTree& a, const Pose& pose_a, const SurfaceTree& b,
                                         const Pose& pose_b, double limit = std::numeric_limits<double>::infinity(),
                                         const MeshPairHint& hint = {});

} // namespace fathom::mesh_mesh
