// Documents of what stands still: meshes, tetrahedra, fields, depth maps; and layers of trees, distances
// and contacts for any document. What is sent is bounded: trees are cut at a level, distances are sampled, surfaces of
// fields are meshed at a stated resolution.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/index/sphere_tree.h>
#include <fathom/show/viewer_document.h>

namespace fathom {

// A body with its counts as info.
[[nodiscard]] ViewerBody viewer_body(std::string name, const TriangleMesh& mesh, const Pose& pose = {});

// The surface of a field, with so many cells along its longest side, at most those of a grid. Throws Error as contour()
// does.
[[nodiscard]] ViewerBody viewer_body(std::string name, const Field& field, int resolution,
                                     Progress* progress = nullptr);

// With what mesh_report() finds as info. Throws Error as check(mesh) does.
[[nodiscard]] ViewerDocument mesh_document(const std::string& name, const TriangleMesh& mesh);

// The boundary, and the tetrahedra to be seen when it is cut open. Throws Error as check(mesh) does.
[[nodiscard]] ViewerDocument tet_document(const std::string& name, const TetMesh& mesh);

struct FieldViewOptions {
    int resolution = 128;           // cells of the surface along the longest side, at most that of a grid
    int samples = 65;               // of the distances along the longest side, at least 2
    std::size_t max_cells = 20'000; // of the tree
    bool tree = true;               // building that of a network takes seconds
    Progress* progress = nullptr;
};
// The surface, its distances in a box somewhat larger than it, and the tree that collide() searches: its cells and
// balls by level. A field without end (a plane) is shown in a cube of two metres. Throws Error as contour() does.
[[nodiscard]] ViewerDocument field_document(const std::string& name, FieldPtr field,
                                            const FieldViewOptions& options = {});

// What the views saw, as reliefs.
[[nodiscard]] ViewerDocument depth_document(const std::string& name, std::span<const DepthMap> maps);

// Layers. `most` members: levels are added from the root on as long as they fit, the root in any case.
[[nodiscard]] ViewerLayer cells_layer(const FieldSphereTree& solid, std::size_t most = 20'000);
[[nodiscard]] ViewerLayer balls_layer(const FieldSphereTree& solid, std::size_t most = 20'000);
[[nodiscard]] ViewerLayer spheres_layer(const SphereTree& tree, std::size_t most = 20'000);
[[nodiscard]] ViewerLayer distances_layer(const Field& field, const Box& box,
                                          int samples = 65); // Error{invalid_argument} for fewer than 2 or an empty box
[[nodiscard]] ViewerLayer contacts_layer(std::span<const Contact> contacts, Index body_a = 0, Index body_b = 1);
[[nodiscard]] ViewerLayer depth_layer(std::string name, const DepthMap& map);

} // namespace fathom
