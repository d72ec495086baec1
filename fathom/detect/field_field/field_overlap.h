// Intersection of two fields: cells inside both, cells on its border, bounds on its volume, or a proof that it is
// empty.
// Method: the interval octree of Liu et al. 2024, algorithm 1, for any two fields through `range`, each in its own
// pose. Bounding spheres of cells (clearance_radius.h) are tried first, because they are invariant under rotation. Two
// large spheres together (transformed_field.h) prove that smooth bodies with a tiny gap are disjoint, without cells as
// small as the gap. Analytic expressions are shortened to each cell.
// Cost: O(cells on the border of the intersection). Breadth-first search runs in parallel, with the same bytes for any
// number of threads. Thread-safe.
// When not to use it: for contacts in a simulation, field_field.h is faster.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/field.h>

#include <optional>
#include <vector>

namespace fathom::field_field {

enum class OverlapOrder {
    breadth_first, // level by level, in parallel
    best_first     // where a common point is most likely first
};

struct FieldOverlapOptions {
    int depth = 8;   // subdivisions of the region's longest side, 0 to 48
    double size = 0; // if > 0, instead of depth: largest side of the finest cells (m)
    OverlapOrder order = OverlapOrder::breadth_first;
    bool stop_at_first = false;              // stop at the first common point; volume and cells are then incomplete
    double level = 0;                        // a point is common if both fields are at most this (m)
    std::optional<Box> region{};             // search region (m, world); unset: the intersection of both bounds
    std::size_t max_evaluations = 4'000'000; // limit on field evaluations; open cells then stay on the border
    bool keep_cells = true;                  // false: only count the cells and their volume
    bool spheres = true, shorten = true;     // use bounding spheres and shortened tapes; false: for comparison
};

struct FieldOverlap {
    Status status = Status::disjoint;
    // Overlapping: a point where both fields, as evaluated, are at most the level (m, world).
    Vec3 witness = Vec3::Zero();
    // Frame of the cells: that of the body which makes the region smaller, or the world if a region is given.
    Pose frame;
    std::vector<Box> inside; // every point of these boxes is proven to be common (m, in `frame`)
    std::vector<Box> border; // these boxes contain all other common points of the region (m, in `frame`)
    std::size_t inside_count = 0, border_count = 0;
    Interval volume = 0;           // encloses the volume of the intersection in the region, rounding included (m^3)
    bool budget_exhausted = false; // max_evaluations was reached: some border cells are larger than requested
    std::size_t evaluations = 0;   // of either field: values, ranges, gradients
};

// If a pose is not finite or its coordinates overflow, the result is undecided, without cells, with a volume up to
// infinity.
// Throws Error{invalid_argument} for options out of range, and if neither the given region nor the intersection of the
// bounds is finite.
[[nodiscard]] FieldOverlap field_overlap(const Field& a, const Pose& pose_a, const Field& b, const Pose& pose_b,
                                         const FieldOverlapOptions& options = {});

} // namespace fathom::field_field
