// Volume, area, centre of mass and inertia of a body of uniform density.
// Exact up to rounding for a closed surface: sums of signed tetrahedra (Tonon 2004) from the middle of the bounds to
// each triangle, with compensated summation, so that bodies far from the origin keep their accuracy. O(n), parallel,
// the same result for any number of threads. Not for open surfaces: their volume depends on the reference point.
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
    double area = 0;   // m^2, of the surface
    double volume = 0; // m^3, signed
    double mass = 0;   // kg, signed
    // Centre of mass (m); of the area if there is no volume, of the bounds if there is no area either.
    Vec3 center = Vec3::Zero();
    Mat3 inertia = Mat3::Zero(); // kg m^2, about the centre, in the axes of the mesh's frame
};

[[nodiscard]] MassProperties mass_properties(const TriangleMesh& mesh, const MassOptions& options = {});

// From the signed volumes of the tetrahedra; the area is that of the faces that belong to only one tetrahedron.
[[nodiscard]] MassProperties mass_properties(const TetMesh& mesh, const MassOptions& options = {});

struct SurfaceMeasure {
    double area = 0;   // m^2
    double volume = 0; // m^3, signed; values below 1e-12 of area times size are rounding noise and set to 0
};

// For a subset of the triangles of a mesh; cheaper than all properties.
[[nodiscard]] SurfaceMeasure surface_measure(const TriangleMesh& mesh, std::span<const Index> triangles);

} // namespace fathom
