// Viewer documents of static data: meshes, tetrahedra, fields, depth maps; and layers of trees, distances and contacts
// for any document. The amount of data is bounded: trees are truncated at a level, distances are sampled, surfaces of
// fields are meshed at a given resolution.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/base/progress.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/index/sphere_tree.h>
#include <fathom/show/viewer_document.h>
#include <fathom/simulate/record/recording.h>

namespace fathom {

// A body whose info lists its element counts.
[[nodiscard]] ViewerBody viewer_body(std::string name, const TriangleMesh& mesh, const Pose& pose = {});

// The surface of a field, contoured with `resolution` cells along its longest side, at most the resolution of a grid.
// Errors: as for contour().
[[nodiscard]] ViewerBody viewer_body(std::string name, const Field& field, int resolution,
                                     Progress* progress = nullptr);

// The info of the body is the result of mesh_report(). Errors: as for check(mesh).
[[nodiscard]] ViewerDocument mesh_document(const std::string& name, const TriangleMesh& mesh);

// The boundary, and the tetrahedra, which are visible if the body is cut open. Errors: as for check(mesh).
[[nodiscard]] ViewerDocument tet_document(const std::string& name, const TetMesh& mesh);

struct FieldViewOptions {
    int resolution = 128;           // contouring cells along the longest side, at most the resolution of a grid
    int samples = 65;               // distance samples along the longest side, at least 2
    std::size_t max_cells = 20'000; // of the tree
    bool tree = true;               // show the tree; building that of a neural field takes seconds
    Progress* progress = nullptr;
};
// The surface, the signed distances in a slightly larger box, and the tree that collide() searches: its cells and
// bounding spheres by level. An unbounded field (a half-space) is shown in a cube of two metres. Errors: as for
// contour().
[[nodiscard]] ViewerDocument field_document(const std::string& name, FieldPtr field,
                                            const FieldViewOptions& options = {});

// ---- Layers. `max_cells` limits the number of elements: levels are added from the root on while they fit; the root is
// always included.
[[nodiscard]] ViewerLayer cells_layer(const FieldSphereTree& solid, std::size_t max_cells = 20'000);
[[nodiscard]] ViewerLayer spheres_layer(const FieldSphereTree& solid, std::size_t max_cells = 20'000);
[[nodiscard]] ViewerLayer spheres_layer(const SphereTree& tree, std::size_t max_cells = 20'000);
// Error{invalid_argument} for fewer than 2 samples or an empty box.
[[nodiscard]] ViewerLayer distances_layer(const Field& field, const Box& box, int samples = 65);
[[nodiscard]] ViewerLayer contacts_layer(std::span<const Contact> contacts, Index body_a = 0, Index body_b = 1);
[[nodiscard]] ViewerLayer depth_layer(std::string name, const DepthMap& map); // as a height relief

// ---- Viewer documents of recorded simulations and of sweep queries.

// Document of a recording of any kind: rigid, deforming and breaking bodies, clouds, contacts, and curves of energies,
// contacts, penetration depth and computing time. The recording must outlive the document, since frames are read from
// it on request. An analytic body (the ground) is meshed within the extent of the other bodies. Values that are not
// finite, as in a diverged run, are drawn at 0, and the subtitle states the number of frames that contain any.
[[nodiscard]] ViewerDocument recording_document(const std::string& name, const Recording& recording);

// Two moving bodies and the result of their sweep query.
struct SweptView {
    ViewerBody a, b;
    // Shown as screw motions, since points on straight lines do not define rigid poses in between.
    Motion motion_a{}, motion_b{};
    std::vector<ContactInterval> intervals{}; // contact intervals, times in [0,1]
    std::optional<double> first_time{};       // time of impact; unset: no contact
    BodyContact first{};                      // first contact; its bodies are 0 (A) and 1 (B)
    Vec3 followed = Vec3::Zero(); // point whose path is drawn (m, in the frame of the body that moves farther)
    std::size_t frames = 121;     // at least 2; one more is added at the time of impact
};

// Both bodies move over time, the path of one point is drawn with its contact intervals coloured, and the first contact
// is marked in the frame at the time of impact.
[[nodiscard]] ViewerDocument sweep_document(const std::string& name, SweptView view);

} // namespace fathom
