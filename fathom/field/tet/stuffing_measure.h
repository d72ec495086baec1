// How good a stuffed mesh is, and what of the field it misses.
#pragma once

#include <fathom/field/tet/stuffing.h>
#include <fathom/field/tet/stuffing_lattice.h>
#include <fathom/field/tet/stuffing_pinches.h>

namespace fathom {

// `boundary` of the mesh, with all its vertices.
[[nodiscard]] StuffingReport measured(const Field& field, const StuffingLattice& lattice, const TetMesh& mesh,
                                      const TriangleMesh& boundary, const PinchCounts& pinches,
                                      const StuffingOptions& options);

} // namespace fathom
