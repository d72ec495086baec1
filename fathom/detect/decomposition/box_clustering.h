// A cloud of points with normals into parts whose boxes are small together: what decomposition.h begins
// with. Method: ours, in place of the network of Yang & Chen 2021. Parts are cut where that saves or wastes most, by
// the plane across an axis of a fitted frame that leaves the least volume, until there are twice as many parts as asked
// for; then the two parts whose union wastes least are joined, again and again. Cuts that pay only later are so found;
// joins that pay are not missed. At last borders move: points go to the box they fit best, and neighbours are joined
// and cut anew, as long as the volume falls. Nothing is random. O(n log n) a cut, O(parts^2) fits for the joins: a few
// tenths of a second for 5000 points. The same for any thread count.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/base/primitives.h>
#include <fathom/field/field.h>

#include <span>
#include <vector>

namespace fathom {

// Cells that together certainly hold the inside of a field, {f <= 0}: what `range` cannot clear of an
// octree. Cells are cubes, so that a long shape is not sampled coarsely along its length. Level by level, in parallel;
// the same cells in the same order for any number of threads.

struct InsideCell {
    Box box;           // m, field's frame
    bool full = false; // all of it is inside
};

struct InsideCellOptions {
    double least_side = 0;           // cells this small are not cut (m); > 0
    std::size_t max_cells = 200'000; // nor is any where there are this many
};

// `settled(cell)`: need not be cut further. Called in order from one thread. Cells overlap only on their borders.
// Error{invalid_argument} for a field without finite bounds, or whose bounds are NaN.
[[nodiscard]] std::vector<InsideCell> inside_cells(const Field& field, const InsideCellOptions& options,
                                                   CallableRef<bool(const InsideCell&)> settled);

// The finest cell that is worth asking about: of a grid its own, else 1/128 of the longest side of the bounds (m).
[[nodiscard]] double natural_cell(const Field& field);

struct CloudPoint {
    Vec3 place = Vec3::Zero();  // m
    Vec3 normal = Vec3::Zero(); // unit on the surface, 0 inside
    double radius = 0;          // of a ball round it that is inside too (m)
    double volume = 0;          // of the inside that it stands for (m^3)
};

struct PartSearchOptions {
    int parts = 0;       // wanted; 0: as many as pay
    int max_parts = 32;  // where as many as pay
    double worth = 0.02; // one part more must lower the volume by this share
    double spacing = 0;  // boxes count as larger by this (m), since they stand for what lies between the points too
};

// Small boxes that together hold every ball. Fewer than asked for where boxes are full already; none without points.
[[nodiscard]] std::vector<OrientedBox> search_parts(std::span<const CloudPoint> cloud,
                                                    const PartSearchOptions& options);

} // namespace fathom
