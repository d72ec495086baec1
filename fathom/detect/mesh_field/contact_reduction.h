// Contact reduction: a few contacts of meshes in fields, the deepest first, then each as far as possible from those
// before it.
// mesh_contacts.h evaluates every triangle that touches; this evaluates only the triangles that are selected, at a
// tenth of the cost or less if many touch.
// Method: branch and bound over the bounding-sphere tree of the triangles. A bound that one evaluation proves for a
// sphere (maximum depth, wholly touching, wholly clear) holds for all triangles in it, so most triangles are never
// evaluated. If the field is that of a mesh, each evaluation also gives the closest surface point c, and no point q is
// deeper than |q - c|, a bound that follows the slope. Further contacts are selected by farthest-point sampling
// (Gonzalez 1985), each within a stated factor of the farthest.
// Cost: 100 to 300 field evaluations for the deepest contact, about 20 for each further one. const and thread-safe.
// When not to use it: if all touching triangles are needed (mesh_contacts.h).
#pragma once

#include <fathom/detect/mesh_field/mesh_contacts.h>

#include <span>

namespace fathom::mesh_field {

// The surface of one body in the field of another. The objects must outlive the call.
struct MeshInField {
    const TriangleSphereTree* mesh;
    Pose mesh_pose;
    const Field* field;
    Pose field_pose;
};

struct ReductionOptions {
    double margin = 0;                       // triangles closer than this count as touching (m)
    std::size_t max_contacts = 16;           // 0 means 1
    std::size_t max_evaluations = 1'000'000; // limit on field evaluations for proofs (mesh_contacts.h)
};

struct ReducedContact {
    std::size_t side = 0; // index of the mesh in `sides`
    MeshContact at{};     // the contact that mesh_contacts() finds for this triangle, or a deeper one
};

struct ReductionResult {
    // disjoint: every triangle is proven to stay above the margin. overlapping: a point at or below the margin was
    // found.
    Status status = Status::disjoint;
    // In the order of selection. The first is the deepest that descent on every triangle of every side finds. Each
    // further one is at least `spread_share` times as far from all earlier ones as any other contact of a triangle
    // whose centre or corner touches; distances are between the points on the triangles. Of contacts that share a point
    // only one is listed, unless max_contacts allows all.
    std::vector<ReducedContact> contacts{};
    bool more_contacts = false;  // more triangles touch than are listed
    std::size_t evaluations = 0; // of the fields
    std::size_t descents = 0;    // triangles on which a field was minimized
    // Triangles that were examined and neither found to touch nor proven clear. Triangles are no longer examined once
    // there are enough contacts.
    std::size_t undecided = 0;
};

// A larger value requires the evaluation of more triangles that touch in part.
inline constexpr double spread_share = 0.5;

// The result is the same for any number of threads, and undecided if a pose is not finite. Throws
// Error{invalid_argument} for a margin that is not finite.
[[nodiscard]] ReductionResult reduce_contacts(std::span<const MeshInField> sides, const ReductionOptions& options = {});

} // namespace fathom::mesh_field
