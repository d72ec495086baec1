// The surface of a field at a level, as a closed mesh of triangles.
// Method: dual marching cubes (Nielson 2004): one vertex for each sheet of the surface in a cell, one quadrilateral for
// each lattice edge that the surface crosses. Ambiguous faces are settled by the asymptotic decider (Nielson & Hamann
// 1991). Where a sheet passes twice through a face, which leaves four triangles at one edge in the plain method, the
// two arcs on that face get vertices of their own; so every edge has exactly two triangles and every vertex one fan,
// whatever the samples. Chosen over marching cubes and tetrahedra for the shape of its triangles. Not for: sharp edges
// finer than a cell (they come out rounded).
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

namespace fathom {

struct ContourOptions {
    double level = 0; // of the surface (m): a positive one is the shape grown by a ball, a negative one shrunk
    double nudge =
        1e-3; // keeps triangles from vanishing (cells): samples come no nearer to the level, vertices to lattice planes
    Progress* progress = nullptr;
};

// Closed, wound outward (towards larger values), vertices shared and on the level of the interpolated field within
// twice the nudge and the rounding of samples, as long as the domain surrounds the level; where the level leaves the
// domain, the surface is open, half a cell short of the border. Nothing at the level: an empty mesh. The mesh has the
// resolution of the samples also where only corners of bricks are stored. Only bricks that the pyramid cannot rule out
// are visited. Parallel; the same bytes for any number of threads. Throws Error{invalid_argument, too_large,
// cancelled}.
[[nodiscard]] TriangleMesh contour(const GridField& field, const ContourOptions& options = {});

// Of any field, sampled on a lattice with `resolution` cells along the longest side of `box` (rounded up to whole
// bricks, centred on it). range() rules out what holds no surface, so the cost goes with the surface.
[[nodiscard]] TriangleMesh contour(const Field& field, const Box& box, int resolution,
                                   const ContourOptions& options = {});

} // namespace fathom
