// Isosurface of a field as a closed triangle mesh.
// Method: dual marching cubes (Nielson 2004): one vertex for each sheet of the surface in a cell, one quadrilateral for
// each lattice edge that the surface crosses. Ambiguous faces are resolved by the asymptotic decider (Nielson & Hamann
// 1991). If a sheet passes twice through a face, the plain method leaves four triangles at one edge; here the two arcs
// on that face get their own vertices. So every edge has exactly two triangles and every vertex one fan, for any
// samples. The triangles are better shaped than those of marching cubes and marching tetrahedra. Not for sharp edges
// finer than a cell (they become rounded).
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

namespace fathom {

struct ContourOptions {
    // Isosurface value (m): a positive level grows the shape by a sphere of that radius, a negative one shrinks it.
    double level = 0;
    // Smallest difference of samples from the level, and smallest distance of vertices from lattice planes (cells). It
    // keeps triangles from degenerating.
    double nudge = 1e-3;
    Progress* progress = nullptr;
};

// The mesh is closed and wound outward (towards larger values), and vertices are shared. Vertices are on the level of
// the interpolated field within twice the nudge and the rounding of samples, as long as the domain surrounds the level;
// where the level leaves the domain, the surface is open, half a cell short of the border. If nothing is at the level,
// the mesh is empty. The mesh has the resolution of the samples also where only brick corners are stored. Only bricks
// that the pyramid cannot exclude are visited. Parallel; the same bytes for any number of threads. Throws
// Error{invalid_argument, too_large, cancelled}.
[[nodiscard]] TriangleMesh contour(const GridField& field, const ContourOptions& options = {});

// Isosurface of any field, sampled on a lattice with `resolution` cells along the longest side of `box` (rounded up to
// whole bricks, centred on it). range() excludes regions without surface, so the cost is proportional to the surface.
[[nodiscard]] TriangleMesh contour(const Field& field, const Box& box, int resolution,
                                   const ContourOptions& options = {});

} // namespace fathom
