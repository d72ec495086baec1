// Shapes of the bodies of a scene. For scene.cpp.
#pragma once

#include <fathom/simulate/scene/scene.h>

namespace fathom {

// Upright, scaled to its size, with its centre of mass (for surfaces and scripted bodies: that of the surface) at the
// origin. Mesh is TriangleMesh or TetMesh. Throws the errors of files and shapes; Error{invalid_argument} if the body
// has the other kind of mesh.
template <class Mesh>
[[nodiscard]] Mesh placed_mesh(const Scene& scene, const SceneBody& body);

// Of an analytic expression, or of a neural network file that exists.
[[nodiscard]] FieldPtr field_of(const Scene& scene, const SceneBody& body);
[[nodiscard]] BodyShapePtr shape_of(const Scene& scene, const SceneBody& body, Progress* progress);
// A mesh of the interior of a field, for pictures and for mesh methods; empty if the interior is unbounded.
[[nodiscard]] TriangleMesh mesh_of(const Field& field, int resolution);

} // namespace fathom
