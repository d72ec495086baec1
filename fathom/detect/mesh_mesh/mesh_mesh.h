// Two triangle meshes in two poses, as surfaces: which triangles cross, and how far apart are they?
// Method: floats choose the pairs of triangles that matter (detect/mesh_mesh/dual_bvh_traversal.h), exact tests and
// closest_points() decide them, on the corners of b as they are placed in a's frame (one rounding). Surfaces have no
// inside here: one wholly inside the other is apart from it. Any triangles will do: soups, points (a corner thrice),
// segments. Not for solids (collide.h, which also tells depth). A distance costs more the more pairs of triangles are
// nearly as near as the nearest. const and thread-safe; the same answer on every CPU. Metres; answers in the world.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <limits>

namespace fathom {

// Do they cross or touch, or come as near as the margin? Stops at the first pair that does. Poses must be finite:
// Error{non_finite}.
[[nodiscard]] bool meshes_cross(const SurfaceTree& a, const Pose& pose_a, const SurfaceTree& b, const Pose& pose_b,
                                double margin = 0);

struct MeshCrossings {
    std::vector<IdPair> pairs;  // triangle of a, triangle of b: cross or touch, or are within the margin; sorted
    bool more_contacts = false; // there are more
};
[[nodiscard]] MeshCrossings mesh_crossings(const SurfaceTree& a, const Pose& pose_a, const SurfaceTree& b,
                                           const Pose& pose_b, std::size_t most = 1'000'000, double margin = 0);

// A pair of triangles by their places in the trees, which bounds the distance from above at once.
struct MeshPairHint {
    Index place_a = no_index, place_b = no_index;
};

struct MeshDistance {
    double distance = std::numeric_limits<double>::infinity(); // 0 where they cross; infinity: not within the limit, or
                                                               // a mesh is empty
    Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();       // that far apart
    Index triangle_a = no_index, triangle_b = no_index;        // of pairs that are equally near, or cross, any one
    MeshPairHint hint{};                                       // for the same meshes in poses not far from these
};
// The least distance, where it is below `limit`: good to the precision of closest_points(). A hint changes the time,
// not the distance; one that names no triangles is passed over.
[[nodiscard]] MeshDistance mesh_distance(const SurfaceTree& a, const Pose& pose_a, const SurfaceTree& b,
                                         const Pose& pose_b, double limit = std::numeric_limits<double>::infinity(),
                                         const MeshPairHint& hint = {});

} // namespace fathom
