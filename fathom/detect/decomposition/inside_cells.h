// Cells that together certainly hold the inside of a field, {f <= 0}: what `range` cannot clear of an
// octree. Cells are cubes, so that a long shape is not sampled coarsely along its length. Level by level, in parallel;
// the same cells in the same order for any number of threads.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/field/field.h>

#include <vector>

namespace fathom {

struct InsideCell {
    Box box;           // m, field's frame
    bool full = false; // all of it is inside
};

struct InsideCellOptions {
    double least_side = 0;            // cells this small are not cut (m); > 0
    std::size_t most_cells = 200'000; // nor is any where there are this many
};

// `settled(cell)`: need not be cut further. Called in order from one thread. Cells overlap only on their borders.
// Error{invalid_argument} for a field without finite bounds, or whose bounds are NaN.
[[nodiscard]] std::vector<InsideCell> inside_cells(const Field& field, const InsideCellOptions& options,
                                                   CallableRef<bool(const InsideCell&)> settled);

// The finest cell that is worth asking about: of a grid its own, else 1/128 of the longest side of the bounds (m).
[[nodiscard]] double natural_cell(const Field& field);

} // namespace fathom
