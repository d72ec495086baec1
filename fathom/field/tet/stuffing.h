// Tetrahedral mesh of the inside of a field, with guaranteed dihedral angles between 10.6 and 164.4 degrees.
// Method: isosurface stuffing (Labelle & Shewchuk, SIGGRAPH 2007): a body-centred cubic lattice, its edges cut where
// the field changes sign, lattice points too close to a cut moved onto it, and a table of 81 stencils. Where the result
// would touch itself in a point or an edge only, it is separated by a millionth of a cell or loses the few tetrahedra
// that touch. Not for: sharp edges (cut off by up to a cell), walls thinner than about two cells (holes, listed in the
// report). Cost: O(cells near the surface) field evaluations, O(cells inside) memory: 12 tetrahedra and some 250 bytes
// per cell. In parallel; the same bytes for any number of threads.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/field.h>
#include <fathom/geometry/mesh/tet_mesh.h>

#include <array>
#include <cstddef>

namespace fathom {

struct StuffingOptions {
    int resolution = 32; // cells along the longest side of the field's bounds
    double cell = 0;     // if above 0, the cell size (m) instead
    // If above 0, the approximate number of tetrahedra instead: found in a few trials, within some 5 %.
    std::size_t tetrahedra = 0;
    Box box{};                      // if not empty, only its inside is filled; required for unbounded fields
    bool measure = true;            // fill in the second half of the report; about doubles the cost
    std::size_t limit = 50'000'000; // maximum number of tetrahedra; Error{too_large} before more are made
    Progress* progress = nullptr;
};

struct StuffingReport {
    double cell = 0; // cell size of the lattice (m); its short edges are 0.866 of that
    std::size_t tetrahedra = 0;
    std::size_t vertices = 0;
    std::size_t boundary_triangles = 0;
    std::size_t parts = 0;     // pieces that share no vertex
    double smallest_angle = 0; // dihedral, over all tetrahedra (degrees)
    double largest_angle = 0;
    double volume = 0;                  // of the tetrahedra (m^3)
    std::size_t split_vertices = 0;     // vertices where parts touched in a point or edge: duplicated and separated
    std::size_t dropped_tetrahedra = 0; // removed for the same reason, where duplication does not help

    // With `measure` only.
    // Lattice edges that the surface crosses more than once (features finer than the lattice), by a few samples each.
    std::size_t hidden_edges = 0;
    double field_volume = 0;       // volume of the field's inside (m^3), estimated by samples
    double field_volume_error = 0; // standard deviation of that estimate (m^3)
    // Largest distance of the boundary's vertices and triangle centres from the zero surface (m), by value over slope.
    double boundary_deviation = 0;
    // Largest distance of the zero surface, sampled twice as finely, from the boundary (m).
    double missed_deviation = 0;
};

// Guarantees: positive volumes, every inner face shared by two tetrahedra, every vertex used; the boundary is closed
// and wound outward, each of its edges has two triangles and each vertex one fan. Boundary vertices lie on the zero
// surface within 2e-6 cells, except where tetrahedra were dropped. Where the field is discontinuous (open meshes), they
// lie on the discontinuity. Throws Error: empty (nothing inside at this resolution), non_finite (the field returns
// NaN), invalid_argument (unbounded and no box, the inside extends past the bounds, options out of range), too_large,
// cancelled.
[[nodiscard]] TetMesh tetrahedralize(const Field& field, const StuffingOptions& options = {},
                                     StuffingReport* report = nullptr);

// The smallest and largest dihedral angle of a tetrahedron (degrees); 0 and 180 if it is flat.
struct AngleRange {
    double smallest = 180;
    double largest = 0;
};
[[nodiscard]] AngleRange dihedral_angles(const std::array<Vec3, 4>& corners);

} // namespace fathom
