// Topology of the zero surface of a trilinear function in one cell: the number of its sheets, and a point on each. Used
// by contour.cpp.
#pragma once

#include <fathom/field/grid/grid_field.h>

#include <array>
#include <cstdint>

namespace fathom {

// Corners are numbered as in GridCell. Edges: 4 * axis + j, where bit 0 of j is the position along the next axis and
// bit 1 along the one after. Faces: 2 * axis + side.
[[nodiscard]] constexpr int cell_edge(int axis, int j) { return 4 * axis + j; }

struct CellSheets {
    std::array<std::int8_t, 12> sheet_of{}; // sheet of each edge that the surface crosses; -1 for the others
    std::int8_t count = 0;                  // number of sheets
    std::uint8_t arcs = 0;                  // bit k: one sheet passes twice through the lower face along axis k

    [[nodiscard]] int vertex_count() const; // one per sheet, then two for each face in `arcs`
};

// Bits 0 to 7: the corner is inside (value < 0). Bits 8 to 13: the inside corners are connected across that face. The
// two cells at a face use the same four values and decide alike.
[[nodiscard]] std::uint16_t sheet_key(const std::array<double, 8>& values);

[[nodiscard]] const CellSheets& cell_sheets(std::uint16_t key);

// Index of the vertex of the arc that ends on `edge`, on the lower face along `normal`; -1 if there is none.
[[nodiscard]] int arc_vertex(std::uint16_t key, int normal, int edge);

// Position of vertex n on the zero surface, in [0,1]^3 from the lower to the upper corner. A sheet's vertex is near the
// centre of its crossings. Vertices of sheets keep a distance of `margin` from the faces of the cell, and arcs from
// each other, so that no two vertices coincide.
[[nodiscard]] Vec3 sheet_vertex(const GridCell& cell, std::uint16_t key, int n, double margin);

} // namespace fathom
