// Distance of a surface (triangles or points) to a solid given by its field.
// Upper bound: the point of the surface where the field is smallest and the closest point of the solid, refined by
// alternating projection. Lower bound: a proof that the field stays above a level on the whole surface
// (mesh_contacts.h), which bounds the distance if the slope of the field is bounded. (If it is not,
// distance_lower_bound.h may give a better bound.)
// Cost: some hundred field evaluations. const and thread-safe. Unit: metres; results in the world frame.
#pragma once

#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/detect/trees/field_sphere_tree.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

namespace fathom::mesh_field {

struct MeshFieldDistance {
    // Bounds on the distance (m), up to the error of the field. Overlapping: upper is minus the depth of the deepest
    // point found, lower is -infinity.
    double lower = 0, upper = 0;
    Vec3 on_surface = Vec3::Zero(), on_solid = Vec3::Zero(); // witness points at distance `upper` (m, world)
    Vec3 normal = Vec3::Zero();                              // unit, from the surface to the solid
};

// `tree` contains the same triangles as `surface`. `tolerance`: requested difference of the bounds (m), positive.
[[nodiscard]] MeshFieldDistance mesh_field_distance(const TriangleSphereTree& surface, const SurfaceTree& tree,
                                                    const Pose& surface_pose, const FieldSphereTree& solid,
                                                    const Pose& solid_pose, double tolerance);

} // namespace fathom::mesh_field
