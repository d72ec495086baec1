// The cell types of VTK's files (vtkCellType.h), for legacy .vtk and for .vtu.
#pragma once

#include <fathom/geometry/io/cell_builder.h>

namespace fathom {

// What a type number becomes; CellKind::other for what is neither surface nor volume, polyhedra included.
[[nodiscard]] CellKind vtk_cell_kind(std::int64_t type);

// Adds the cell, its corners brought into the builder's order. False where `nodes` are too few for the type.
[[nodiscard]] bool add_vtk_cell(CellBuilder& cells, std::int64_t type, std::span<const Index> nodes);

} // namespace fathom
