// Viewer documents of static data: meshes, tetrahedra, fields, depth maps; and layers of trees, distances and contacts
// for any document. The amount of data is bounded: trees are truncated at a level, distances are sampled, surfaces of
// fields are meshed at a given resolution.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/index/sphere_tree.h>
#include <fathom/show/viewer_document.h>

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

// Depth maps as height reliefs.
[[nodiscard]] ViewerDocument depth_document(const std::string& name, std::span<const DepthMap> maps);

// ---- Layers. `max_cells` limits the number of elements: levels are added from the root on while they fit; the root is
// always included.
[[nodiscard]] ViewerLayer cells_layer(const FieldSphereTree& solid, std::size_t max_cells = 20'000);
[[nodiscard]] ViewerLayer spheres_layer(const FieldSphereTree& solid, std::size_t max_cells = 20'000);
[[nodiscard]] ViewerLayer spheres_layer(const SphereTree& tree, std::size_t max_cells = 20'000);
// Error{invalid_argument} for fewer than 2 samples or an empty box.
[[nodiscard]] ViewerLayer distances_layer(const Field& field, const Box& box, int samples = 65);
[[nodiscard]] ViewerLayer contacts_layer(std::span<const Contact> contacts, Index body_a = 0, Index body_b = 1);
[[nodiscard]] ViewerLayer depth_layer(std::string name, const DepthMap& map);

} // namespace fathom
