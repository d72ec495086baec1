// The enums that are available in Python, with the names of their members.
#pragma once

#include "choices.h"

#include <fathom/base/error.h>
#include <fathom/base/motion.h>
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/grid/grid_csg.h>
#include <fathom/field/height/height_field.h>
#include <fathom/field/mesh/mesh_sign.h>
#include <fathom/field/neural/network.h>
#include <fathom/field/tet/tet_interpolant.h>
#include <fathom/index/broad_phase.h>

FATHOM_PYTHON_CHOICES(Cause, "cannot_open", "cannot_write", "unknown_format", "unsupported", "truncated", "malformed",
                      "count_mismatch", "index_out_of_range", "non_finite", "empty", "too_large", "invalid_argument",
                      "import_failed", "cancelled")
FATHOM_PYTHON_CHOICES(Status, "disjoint", "overlapping", "undecided")
FATHOM_PYTHON_CHOICES(ShapeKind, "analytic", "convex", "grid", "neural", "other_field", "closed_mesh", "open_mesh",
                      "point_shell", "tetrahedra", "height_field", "half_space", "compound")
FATHOM_PYTHON_CHOICES(MeshInside, "automatic", "closed", "open")
FATHOM_PYTHON_CHOICES(MeshInterior, "closed", "sealed", "capped", "sheet")
FATHOM_PYTHON_CHOICES(Method, "automatic", "closed_form", "convex", "field_field", "octree", "mesh_field",
                      "point_field", "mesh_mesh", "tetrahedra", "depth_maps", "dual_gradient",
                      "conservative_advancement", "compound")
FATHOM_PYTHON_CHOICES(CollideGoal, "status", "contacts", "separation")
FATHOM_PYTHON_CHOICES(Separates, "unknown", "found", "proven")
FATHOM_PYTHON_CHOICES(Question, "collide", "distance", "sweep_first", "sweep_all")
FATHOM_PYTHON_CHOICES(SweepGoal, "any", "first", "all")
FATHOM_PYTHON_CHOICES(Path, "straight", "screw")
FATHOM_PYTHON_CHOICES(BroadMethod, "automatic", "brute_force", "packed_tree")
FATHOM_PYTHON_CHOICES(DistanceKind, "exact", "exact_outside", "exact_inside", "lower_bound", "not_a_distance")
FATHOM_PYTHON_CHOICES(SignMethod, "automatic", "pseudo_normal", "parity", "winding", "wrap", "thickness")
FATHOM_PYTHON_CHOICES(GridStorage, "float32", "code16")
FATHOM_PYTHON_CHOICES(Combination, "unite", "intersect", "subtract")
FATHOM_PYTHON_CHOICES(Activation, "none", "relu", "elu", "tanh", "sine", "softplus")
FATHOM_PYTHON_CHOICES(SolidSide, "below", "above")
FATHOM_PYTHON_CHOICES(DepthMethod, "exact", "closest_feature", "closest_point")
FATHOM_PYTHON_CHOICES(DefectHandling, "none", "paper", "samples")

namespace fathom::python {

[[nodiscard]] inline py::dict known_choices() {
    return all_choices<Cause, Status, Separates, ShapeKind, MeshInside, MeshInterior, Method, CollideGoal, Question,
                       SweepGoal, Path, BroadMethod, DistanceKind, SignMethod, GridStorage, Combination, Activation,
                       SolidSide, DepthMethod, DefectHandling>();
}

} // namespace fathom::python
