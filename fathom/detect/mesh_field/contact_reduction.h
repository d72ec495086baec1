// Few contacts of meshes in fields, well spread: the deepest of all, then each as far as may be from
// those before it. What mesh_contacts.h lists for every triangle that touches is found here for those alone that are
// taken, at a tenth of the cost or less where many touch. Method: balls over balls of triangles, best first. What one
// look-up proves of a ball ("nowhere deeper than", "all of it touches", "none of it does") holds for what is in it, so
// that most triangles are never asked. Of a mesh, each look-up also tells the nearest point c of its surface, and no
// point q is deeper than |q - c|: a bound that follows the slope. Then farthest points (Gonzalez 1985), each good to a
// stated share. Not for all the triangles that touch (mesh_contacts.h). Cost: some 100 to 300 look-ups for the deepest,
// then about 20 for each further contact. const and thread-safe.
#pragma once

#include <fathom/detect/mesh_field/mesh_contacts.h>

#include <span>

namespace fathom::mesh_field {

// The surface of one body in the solid of another. All must outlive the call.
struct MeshInField {
    const TriangleSphereTree* mesh;
    Pose mesh_pose;
    const Field* field;
    Pose field_pose;
};

struct ReductionOptions {
    double margin = 0;                       // triangles nearer than this count as touching (m)
    std::size_t max_contacts = 16;           // 0 is taken for 1
    std::size_t max_evaluations = 1'000'000; // look-ups for proofs (mesh_contacts.h)
};

struct ReducedContact {
    std::size_t side = 0; // which of the meshes
    MeshContact at{};     // what mesh_contacts() lists for this triangle, or deeper
};

struct ReductionResult {
    // disjoint: every triangle is proven to stay above the margin. overlapping: a point at or below it was seen.
    Verdict verdict = Verdict::disjoint;
    // In the order in which they were taken. The first is the deepest that descent on every triangle of every side
    // finds. Each further one is at least `spread_share` times as far from all before it as any other contact of a
    // triangle whose middle or corner touches; the points meant are those on the triangles. Of contacts that share a
    // point one is listed, unless there is room for all.
    std::vector<ReducedContact> contacts{};
    bool more_contacts = false;  // more triangles touch than are listed
    std::size_t evaluations = 0; // of the fields
    std::size_t descents = 0;    // triangles on which a field was minimised
    std::size_t undecided =
        0; // triangles neither seen to touch nor proven clear, where that was asked: not once there are enough contacts
};

inline constexpr double spread_share = 0.5; // with more, more triangles must be asked that touch in part

// The same result for any number of threads. Poses that are not finite: undecided. Throws Error{invalid_argument} for a
// margin that is not finite.
[[nodiscard]] ReductionResult reduce_contacts(std::span<const MeshInField> sides, const ReductionOptions& options = {});

} // namespace fathom::mesh_field
