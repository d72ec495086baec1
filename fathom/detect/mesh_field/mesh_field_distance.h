// How far is a surface (triangles or points) from a solid that is known by its field?
// From above: the point of the surface where the field is least and the solid's surface next to it, drawn together in
// turns. From below: the field is proven to stay above a level on all of the surface (mesh_contacts.h), which tells a
// distance where the field's slope is bounded. (Where it is not, distance_lower_bound.h may know more.) Cost: some
// hundred look-ups. const and thread-safe. Metres; answers in the world.
#pragma once

#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/detect/trees/field_sphere_tree.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

namespace fathom::mesh_field {

struct MeshFieldDistance {
    // Apart: between these; of a field that is nearly a distance, but for its error. Overlapping: upper is minus the
    // depth of the deepest point found, lower is -infinity.
    double lower = 0, upper = 0;
    Vec3 on_surface = Vec3::Zero(), on_solid = Vec3::Zero(); // that far apart
    Vec3 normal = Vec3::Zero();                              // unit, from the surface to the solid
};

// `tree` is of the same triangles. `tolerance`: wanted between the bounds (m), above 0.
[[nodiscard]] MeshFieldDistance mesh_field_distance(const TriangleSphereTree& surface, const SurfaceTree& tree,
                                                    const Pose& surface_pose, const FieldSphereTree& solid,
                                                    const Pose& solid_pose, double tolerance);

} // namespace fathom::mesh_field
