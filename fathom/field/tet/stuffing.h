// Tetrahedra that fill the inside of a field, with dihedral angles between 10.6 and 164.4 degrees, always.
// Method: isosurface stuffing (Labelle & Shewchuk, SIGGRAPH 2007): a body-centred cubic lattice, its edges cut where
// the field changes sign, lattice points too close to a cut moved onto it, and a table of 81 stencils. Where the result
// would touch itself in a point or an edge only, it is pulled apart by a millionth of a cell or loses the few
// tetrahedra that touch. Not for: sharp edges (cut off by up to a cell), walls thinner than about two cells (holes,
// told in the report). Cost: O(cells near the surface) queries of the field, O(cells inside) memory: 12 tetrahedra and
// some 250 bytes a cell. In parallel; the same bytes for any number of threads.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/field.h>
#include <fathom/geometry/mesh/tet_mesh.h>

#include <array>
#include <cstddef>

namespace fathom {

struct StuffingOptions {
    int resolution = 32;            // cells along the longest side of the field's bounds
    double cell = 0;                // their size instead (m), where above 0
    std::size_t tetrahedra = 0;     // about so many instead, where above 0: found in a few trials, within some 5 %
    Box box{};                      // only what lies in it is filled, where not empty; needed by fields without bounds
    bool measure = true;            // fill in the second half of the report: costs about as much again
    std::size_t limit = 50'000'000; // tetrahedra; Error{too_large} before that many are made
    Progress* progress = nullptr;
};

struct StuffingReport {
    double cell = 0; // of the lattice (m); its short edges are 0.866 of that
    std::size_t tetrahedra = 0;
    std::size_t vertices = 0;
    std::size_t boundary_triangles = 0;
    std::size_t parts = 0;     // pieces that share no vertex
    double smallest_angle = 0; // dihedral, over all tetrahedra (degrees)
    double largest_angle = 0;
    double volume = 0;                  // of the tetrahedra (m^3)
    std::size_t split_vertices = 0;     // where parts touched in a point or edge: doubled, and pulled apart
    std::size_t dropped_tetrahedra = 0; // for the same reason, where no doubling helps

    // With `measure` only.
    std::size_t hidden_edges = 0;  // lattice edges that the surface crosses more than once, by a few samples each:
                                   // features finer than the lattice
    double field_volume = 0;       // of the field's inside (m^3), estimated by samples
    double field_volume_error = 0; // standard deviation of that estimate (m^3)
    double boundary_deviation = 0; // largest distance of the boundary's vertices and triangle centres from the zero
                                   // surface (m), by value over slope
    double missed_deviation = 0; // largest distance of the zero surface, sampled twice as finely, from the boundary (m)
};

// Positive volumes, every inner face shared by two tetrahedra, every vertex used; the boundary is closed, wound
// outward, each of its edges has two triangles and each vertex one fan. Boundary vertices lie on the zero surface
// within 2e-6 cells, but where tetrahedra were dropped. Where the field jumps (open meshes), they lie on the jump.
// Throws Error: empty (nothing inside at this resolution), non_finite (the field answers NaN), invalid_argument (no
// bounds and no box, the inside reaches past the bounds, options out of range), too_large, cancelled.
[[nodiscard]] TetMesh tetrahedralize(const Field& field, const StuffingOptions& options = {},
                                     StuffingReport* report = nullptr);

// The smallest and largest dihedral angle of a tetrahedron (degrees); 0 and 180 where it is flat.
struct AngleRange {
    double smallest = 180;
    double largest = 0;
};
[[nodiscard]] AngleRange dihedral_angles(const std::array<Vec3, 4>& corners);

} // namespace fathom
