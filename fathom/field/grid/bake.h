// Samples any field into a grid field, whose queries cost nanoseconds, with a certified error.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/grid/grid_field.h>

namespace fathom {

struct BakeOptions {
    Box box{};            // region to cover; if empty, the field's bounds with a margin of 5 %
    int resolution = 128; // cells along the longest side of the box; rounded up to whole bricks
    double band = 3;      // distance from the surface up to which cells have all their samples (cells)
    bool dense = false;   // store every brick
    // Fields that are not a distance and are too steep for codes are always stored as float32.
    GridStorage storage = GridStorage::code16;
    std::size_t memory_limit = std::size_t{8} << 30; // bytes; Error{too_large} before a larger allocation
    Progress* progress = nullptr;
};

// The field's range() decides which bricks are stored, so no brick that contains surface is left out. The error bound
// of the result is the field's own, plus lipschitz * (sqrt(3)/2) * cell; baked_error() certifies the difference from
// the field itself. Throws Error{invalid_argument, too_large, cancelled}. Cost: O(bricks + stored samples) queries, in
// parallel; the same bytes for any number of threads.
[[nodiscard]] GridField bake(const Field& field, const BakeOptions& options = {});

// Layout of a grid that covers `box` with `resolution` cells along its longest side, in whole bricks, centred on it.
[[nodiscard]] GridLayout covering_layout(const Box& box, int resolution);

// ---- Certified difference between a grid and the field from which it was baked.
// Every cell near the surface is compared with range() of the field over it. For fields without a proven distance
// (neural fields, free expressions) this is the error that bake() cannot state. The bound is of first order: about
// slope * cell if ranges are tight; otherwise cells are halved. Cost: one range per cell, and eight for each piece that
// is halved. In parallel.

struct BakedErrorOptions {
    // Cells whose grid values are all farther from 0 than this are skipped (cells).
    double band = 2;
    // Pieces whose bound is larger than this are halved (cells, times 1 m/m).
    double tolerance = 2;
    int halvings = 2; // largest number of halvings of a cell, 0 to 4
    Progress* progress = nullptr;
};

struct BakedError {
    double largest = 0;    // upper bound on |grid - field| in all compared cells (m); infinite if a range is infinite
    std::size_t cells = 0; // compared cells
    // Skipped cells of stored bricks in which the field's range does not exclude a sign different from the grid's. Only
    // stored bricks are counted: for all others bake() proves that there are none.
    std::size_t unsure = 0;
};

// Throws Error{invalid_argument, cancelled}.
[[nodiscard]] BakedError baked_error(const GridField& grid, const Field& field, const BakedErrorOptions& options = {});

} // namespace fathom
