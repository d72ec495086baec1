// A triangle mesh against a field: which triangles reach into the body of the field, where, and how deep?
// Method: Macklin et al. 2020 (local optimisation for robust signed distance field collision): on each triangle that
// may touch, the field is made as small as a descent from the best of its centre and corners can. What may touch is
// found with balls over balls of triangles, one look-up each, that the field must clear (clearance_radius.h). The
// descent may end in a valley that is not the deepest; so `prove` cuts triangles that were not seen to touch until
// their balls decide. Only the surface of the mesh is asked. A mesh wholly inside the field's body is found; a field's
// body wholly inside the mesh is not: ask SurfaceTree::contains() for a point of each of its parts, or collide() for
// two solids. Not for two fields (collide.h), nor where points are enough (shell_sweep.h). Cost: some 50 look-ups to
// find free space, then about ten for each triangle in contact. const and thread-safe.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/detect/trees/triangle_sphere_tree.h>
#include <fathom/field/field.h>

#include <vector>

namespace fathom::mesh_field {

// any: the first triangle found to touch. deepest: the point of the mesh where the field is least, also when they are
// apart.
enum class MeshGoal { any, deepest, contacts };

struct MeshContactOptions {
    MeshGoal goal = MeshGoal::contacts;
    double margin = 0;    // triangles nearer than this count as touching (m)
    bool prove = true;    // false: what the descent does not find stays undecided
    double tolerance = 0; // pieces of triangles smaller than this are not cut further (m); 0: 1e-6 of the mesh
    std::size_t max_evaluations = 1'000'000; // look-ups for proofs; what is open then stays undecided
    std::size_t max_contacts = 10'000;       // the deepest are kept
};

struct MeshContact {
    Index triangle = no_index;
    Vec3 barycentric = Vec3::Zero(); // weights of the corners for `point`: none below 0, sum 1
    Vec3 point = Vec3::Zero();       // of the triangle, where the field is as small as was found (m, world)
    Vec3 normal = Vec3::Zero();      // unit, from the mesh (A) to the field's body (B): against the gradient (world)
    double depth = 0;                // minus the field there; with a margin, down to -margin (m)
};

struct MeshContactResult {
    // disjoint: every triangle is proven to stay above the margin. overlapping: a point at or below it was seen.
    Verdict verdict = Verdict::disjoint;
    // Deepest first, then by triangle: one of each triangle that was seen to touch. any: one at most. deepest: one,
    // which does not touch unless they overlap; it is the least by descent on every triangle that the slope of the
    // field does not rule out.
    std::vector<MeshContact> contacts;
    bool more_contacts = false;  // more triangles touch than are listed
    double error_bound = 0;      // |depth - truth|, of the field near its surface (m); infinite where it is no distance
    std::size_t evaluations = 0; // of the field
    std::size_t descents = 0;    // triangles on which the field was minimised
    std::size_t undecided =
        0; // triangles that were neither seen to touch nor proven clear; with `any`, none once one touches
    Index open_triangle = no_index; // the first of them
};

// In parallel where many triangles touch; the same result for any number of threads. Poses that are not finite:
// undecided. Throws Error{invalid_argument} for options that are not numbers, or negative where that means nothing.
[[nodiscard]] MeshContactResult mesh_contacts(const TriangleSphereTree& mesh, const Pose& mesh_pose, const Field& field,
                                              const Pose& field_pose, const MeshContactOptions& options = {});

} // namespace fathom::mesh_field
