// Room: detect. Two triangle meshes in two poses, as surfaces: which triangles cross, and how far apart are they?
// Method: both trees of balls (mesh_contacts.h) at once, which do not mind turning; the larger ball is opened, the nearer first.
// Whether triangles cross is decided exactly, on the corners of b as they are placed in a's frame (one rounding). Surfaces have no
// inside here: one wholly inside the other is apart from it. Any triangles will do: soups, points (a corner thrice), segments.
// Not for solids (collide.h, which also tells depth). A distance costs more the more pairs of triangles are nearly as near as the nearest.
// const and thread-safe. Metres; answers in the world.
#pragma once

#include <fathom/detect/mesh_contacts.h>
#include <fathom/geometry/closest_point.h>
#include <fathom/index/bvh.h>

#include <limits>

namespace fathom {

// Poses must be finite: Error{non_finite}.
[[nodiscard]] bool meshes_cross(const ContactMesh& a, const Pose& pose_a, const ContactMesh& b, const Pose& pose_b);

struct MeshCrossings {
    std::vector<IdPair> pairs; // triangle of a, triangle of b: cross or touch, or are within the margin; sorted
    bool truncated = false;    // there are more
};
[[nodiscard]] MeshCrossings mesh_crossings(const ContactMesh& a, const Pose& pose_a, const ContactMesh& b, const Pose& pose_b,
                                           std::size_t most = 1'000'000, double margin = 0);

struct MeshDistance {
    double distance = std::numeric_limits<double>::infinity(); // 0 where they cross; infinity: not within the limit, or a mesh is empty
    Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();       // that far apart
    Index triangle_a = no_index, triangle_b = no_index;
};
// The least distance, where it is below `limit`: good to the precision of closest_points().
[[nodiscard]] MeshDistance mesh_distance(const ContactMesh& a, const Pose& pose_a, const ContactMesh& b, const Pose& pose_b,
                                         double limit = std::numeric_limits<double>::infinity());

} // namespace fathom
