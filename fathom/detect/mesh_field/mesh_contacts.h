// Contacts of a triangle mesh with a field: the triangles that penetrate the body of the field, with points and depths.
// Method: Macklin et al. 2020 (local optimization for robust signed distance field collision): on each triangle that
// may touch, the field is minimized by descent from the best of its centre and corners. Candidates are found with the
// bounding-sphere tree of the triangles, one field evaluation a sphere (clearance_radius.h). Descent may end in a local
// minimum; therefore `prove` subdivides triangles that were not found to touch until the bounding spheres of their
// pieces decide.
// Only the surface of the mesh is tested. A mesh completely inside the field's body is found; a field's body completely
// inside the mesh is not: test a point of each of its components with SurfaceTree::contains(), or use collide() for two
// solids.
// Cost: about 50 field evaluations if disjoint, then about ten for each triangle in contact. const and thread-safe.
// When not to use it: for two fields (field_field.h), or if points suffice (shell_sweep.h).
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/detect/trees/triangle_sphere_tree.h>
#include <fathom/field/field.h>

#include <vector>

namespace fathom::mesh_field {

// any: the first triangle that is found to touch. deepest: the point of the mesh where the field is smallest, also if
// they are disjoint. contacts: all triangles that touch.
enum class MeshGoal { any, deepest, contacts };

struct MeshContactOptions {
    MeshGoal goal = MeshGoal::contacts;
    double margin = 0;    // triangles closer than this count as touching (m)
    bool prove = true;    // false: triangles on which descent finds no contact stay undecided
    double tolerance = 0; // pieces of triangles smaller than this are not subdivided (m); 0: 1e-6 of the mesh size
    std::size_t max_evaluations = 1'000'000; // limit on field evaluations for proofs; open triangles stay undecided
    std::size_t max_contacts = 10'000;       // the deepest are kept
};

struct MeshContact {
    Index triangle = no_index;
    Vec3 barycentric = Vec3::Zero(); // barycentric coordinates of `point`: not negative, sum 1
    Vec3 point = Vec3::Zero();       // point of the triangle with the smallest field value found (m, world)
    Vec3 normal = Vec3::Zero();      // unit, from the mesh (A) to the field's body (B): against the gradient (world)
    double depth = 0; // penetration depth: minus the field at `point`; with a margin, down to -margin (m)
};

struct MeshContactResult {
    // disjoint: every triangle is proven to stay above the margin. overlapping: a point at or below the margin was
    // found.
    Status status = Status::disjoint;
    // Deepest first, then by triangle: one for each triangle that was found to touch. any: at most one. deepest:
    // exactly one, which touches only if they overlap; it is the minimum by descent over all triangles that the slope
    // of the field does not exclude.
    std::vector<MeshContact> contacts;
    bool more_contacts = false;  // more triangles touch than are listed
    double error_bound = 0;      // error of depths (m); infinity if the field is not a distance
    std::size_t evaluations = 0; // of the field
    std::size_t descents = 0;    // triangles on which the field was minimized
    // Triangles that were neither found to touch nor proven clear; 0 with `any` if one touches.
    std::size_t undecided = 0;
    Index open_triangle = no_index; // the first undecided triangle
};

// Runs in parallel if many triangles touch; the result is the same for any number of threads, and undecided if a pose
// is not finite. Throws Error{invalid_argument} for a margin that is not finite or a negative tolerance.
[[nodiscard]] MeshContactResult mesh_contacts(const TriangleSphereTree& mesh, const Pose& mesh_pose, const Field& field,
                                              const Pose& field_pose, const MeshContactOptions& options = {});

} // namespace fathom::mesh_field
