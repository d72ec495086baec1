// Any field into a grid: queries then cost nanoseconds, with a certified error.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/grid/grid_field.h>

namespace fathom {

struct BakeOptions {
    Box box{};                                 // what to cover; empty: the field's bounds, with a margin of 5 %
    int resolution = 128;                      // cells along the longest side of the box; rounded up to whole bricks
    double band = 3;                           // cells: as near to the surface as this, cells have all their samples
    bool dense = false;                        // store every brick
    GridStorage storage = GridStorage::code16; // fields that are no distance and too steep for codes are always float32
    std::size_t memory_limit = std::size_t{8} << 30; // bytes; Error{too_large} before anything larger is allocated
    Progress* progress = nullptr;
};

// Which bricks are stored is decided by the field's own range(), so none that holds surface is left out. The error
// bound of the result is the field's own, plus lipschitz * (sqrt(3)/2) * cell; baked_error.h certifies what it is
// against the field alone. Throws Error{invalid_argument, too_large, cancelled}. O(bricks + stored samples) queries, in
// parallel; the same bytes for any number of threads.
[[nodiscard]] GridField bake(const Field& field, const BakeOptions& options = {});

// The grid that covers `box` with `resolution` cells along its longest side, in whole bricks, centred on it.
[[nodiscard]] GridLayout covering_layout(const Box& box, int resolution);

// How far a grid is from the field it was baked from, certified: every cell near the surface is compared
// with range() of the field over it. For fields that are no proven distance (networks, free formulas) this is the error
// that bake() cannot state. The bound is of first order: about slope * cell where ranges are tight; where they are not,
// cells are halved. Cost: one range a cell, and eight for each piece that is halved. In parallel.

struct BakedErrorOptions {
    double band =
        2; // cells: values of the grid that are farther from 0 than this everywhere in a cell are not looked at
    double enough = 2; // cells (times 1 m/m): pieces whose bound is larger are halved
    int halvings = 2;  // of a cell, at most; 0 to 4
    Progress* progress = nullptr;
};

struct BakedError {
    double largest = 0;    // |grid - field| in every cell that was looked at (m); infinite where a range is
    std::size_t cells = 0; // that were
    // Cells of stored bricks that were passed by, where the field may have another sign than the grid for all that its
    // range says. Counted only where bricks are stored: 0 for all others is proven by bake() itself.
    std::size_t unsure = 0;
};

// Throws Error{invalid_argument, cancelled}.
[[nodiscard]] BakedError baked_error(const GridField& grid, const Field& field, const BakedErrorOptions& options = {});

} // namespace fathom
