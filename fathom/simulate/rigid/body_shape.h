// What a rigid body is made of: points to touch with, a field to be touched, and how its mass lies.
// Made once and shared by equal bodies; immutable and thread-safe.
#pragma once

#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <memory>
#include <vector>

namespace fathom {

struct BodyShape {
    std::unique_ptr<const SweepShell> shell;     // null: has no points, and touches nothing by itself
    std::vector<Vec3> normals;                   // of the points: unit, outward
    std::unique_ptr<const SegmentCaster> caster; // of the field at level 0; null: nothing can touch it
    TriangleMesh mesh;                           // for pictures; empty for formulas
    double area = 0;                             // m^2
    double volume = 0;                           // m^3
    Vec3 center = Vec3::Zero();                  // of mass, in the frame of points and field (m)
    Mat3 inertia = Mat3::Zero();                 // about the centre, for a density of 1 kg/m^3 (m^5)
    double reach = 0; // nothing of the body is farther from its centre (m); infinity where unbounded

    [[nodiscard]] std::size_t point_count() const { return shell ? shell->points.size() : 0; }
};
using BodyShapePtr = std::shared_ptr<const BodyShape>;

struct BodyShapeOptions {
    GridOptions grid{.resolution = 96};
    std::size_t points = 0; // of the shell, spread evenly; 0: the vertices
    bool cached = false;    // keep the grid in the field cache (cached_grid.h)
};

// Throws Error as build_grid() and the shells do; Error{invalid_argument} where the mesh encloses no positive volume.
[[nodiscard]] BodyShapePtr make_body_shape(TriangleMesh mesh, const BodyShapeOptions& options = {});

// For bodies that never move: a field alone, such as the ground.
[[nodiscard]] BodyShapePtr make_field_shape(FieldPtr field);

} // namespace fathom
