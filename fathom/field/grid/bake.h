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

} // namespace fathom
