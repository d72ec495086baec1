// Clusters a cloud of points with normals into parts whose bounding boxes have a small total volume: the first step of
// decomposition.h.
// Method: our own, in place of the neural network of Yang & Chen 2021. Parts are split where that saves most volume or
// where a box wastes most, by the plane across an axis of a fitted frame that leaves the least volume, until there are
// twice as many parts as requested; then the two parts whose union wastes least are merged, repeatedly. This finds
// splits that pay only after later splits, and misses no merge that pays. Finally borders move: points go to the box
// that they fit best, and neighbours are merged and split again, as long as the volume decreases. Nothing is random.
// Cost: O(n log n) per split, O(parts^2) fits for the merges: a few tenths of a second for 5000 points. The same result
// for any thread count.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/base/primitives.h>
#include <fathom/field/field.h>

#include <span>
#include <vector>

namespace fathom {

// ---- Cells that are proven to cover the interior {f <= 0} of a field: the cells of an octree that `range` cannot rule
// out. Cells are cubes, so that a long shape is not sampled coarsely along its length. Built level by level, in
// parallel; the same cells in the same order for any number of threads.

struct InsideCell {
    Box box;           // m, field's frame
    bool full = false; // all of it is inside
};

struct InsideCellOptions {
    double min_side = 0;             // cells of this side are not split (m); > 0
    std::size_t max_cells = 200'000; // splitting stops at this number
};

// `settled(cell)` returns true if the cell need not be split further; it is called in order from one thread. Cells
// overlap only on their borders. Throws Error{invalid_argument} for a field without finite bounds or with NaN bounds.
[[nodiscard]] std::vector<InsideCell> inside_cells(const Field& field, const InsideCellOptions& options,
                                                   CallableRef<bool(const InsideCell&)> settled);

// The finest useful cell size (m): a grid's own cell, else 1/128 of the longest side of the bounds.
[[nodiscard]] double natural_cell(const Field& field);

struct CloudPoint {
    Vec3 place = Vec3::Zero();  // m
    Vec3 normal = Vec3::Zero(); // unit on the surface, 0 in the interior
    double radius = 0;          // radius of a sphere around it that is inside too (m)
    double volume = 0;          // volume of the interior that it represents (m^3)
};

struct PartSearchOptions {
    int parts = 0;       // requested number; 0: as many as are worthwhile
    int max_parts = 32;  // limit if `parts` is 0
    double worth = 0.02; // one more part must reduce the volume by this fraction
    double spacing =
        0; // boxes are counted as larger by this (m), because they also stand for the region between the points
};

// Small boxes that together enclose every sphere. Fewer than requested if the boxes are full already; none without
// points.
[[nodiscard]] std::vector<OrientedBox> search_parts(std::span<const CloudPoint> cloud,
                                                    const PartSearchOptions& options);

} // namespace fathom
