// The shapes that the words of a scene stand for. For scene.cpp.
#pragma once

#include <fathom/simulate/scene/scene.h>

namespace fathom {

// Upright, of the wanted size, its centre of mass (of surfaces and of what is told to move: of the surface) in the
// origin. Mesh is TriangleMesh or TetMesh. Errors of files and shapes; Error{invalid_argument} where the body is of the
// other kind of mesh.
template <class Mesh>
[[nodiscard]] Mesh placed_mesh(const Scene& scene, const SceneBody& body);

// Of a formula, or of a network that is there.
[[nodiscard]] FieldPtr field_of(const Scene& scene, const SceneBody& body);
[[nodiscard]] FieldPtr ground_of(const Scene& scene);
[[nodiscard]] BodyShapePtr shape_of(const Scene& scene, const SceneBody& body, Progress* progress);
// A mesh of what is inside a field, for pictures and for methods of meshes; empty where that has no end.
[[nodiscard]] TriangleMesh mesh_of(const Field& field, int resolution);

} // namespace fathom
