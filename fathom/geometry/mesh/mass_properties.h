// Volume, area, centre and inertia of a body of even density.
// Exact up to rounding for a closed surface: sums of signed tetrahedra (Tonon 2004) from the middle of the bounds to
// each triangle, with compensation, so that bodies far from the origin keep their digits. O(n), parallel, the same
// result for any number of threads. Not for open surfaces: their volume depends on where one starts to measure.
#pragma once

#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <span>

namespace fathom {

struct MassOptions {
    double density = 1; // kg/m^3
};

// An inside-out surface has negative volume, mass and inertia, and the same centre.
struct MassProperties {
    double area = 0;             // m^2, of the surface
    double volume = 0;           // m^3, signed
    double mass = 0;             // kg, signed
    Vec3 center = Vec3::Zero();  // m; of the area where there is no volume, of the bounds where there is no area either
    Mat3 inertia = Mat3::Zero(); // kg m^2, about the center, axes of the mesh's frame
};

[[nodiscard]] MassProperties mass_properties(const TriangleMesh& mesh, const MassOptions& options = {});

// From the tetrahedra, each with its sign; the area is that of the faces that belong to one tetrahedron only.
[[nodiscard]] MassProperties mass_properties(const TetMesh& mesh, const MassOptions& options = {});

struct SurfaceMeasure {
    double area = 0;   // m^2
    double volume = 0; // m^3, signed; rounding noise (below 1e-12 of area times size) counts as 0
};

// Of some triangles of a mesh only; cheaper than all properties.
[[nodiscard]] SurfaceMeasure surface_measure(const TriangleMesh& mesh, std::span<const Index> triangles);

} // namespace fathom
