// What two fields have in common: cells inside both, cells on the border, bounds on the volume; or proof
// of none. Method: the interval octree of Liu et al. 2024, algorithm 1, for any two fields through `range`, each in its
// own pose. Balls round cells (clearance_radius.h) come first, because they do not mind turning; two balls together
// (posed_field.h) prove that smooth bodies a hair apart are apart, without cells as small as the hair. Formulas are cut
// down on the way. Not for contacts in a simulation (collide.h is faster): this answers where, how much, and whether at
// all, with proof. O(cells on the border of the common part); breadth first in parallel, the same bytes for any number
// of threads. Thread-safe.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/field.h>

#include <optional>
#include <vector>

namespace fathom::field_field {

enum class OverlapOrder {
    breadth_first, // level by level, in parallel
    best_first     // where a common point is most likely
};

struct FieldOverlapOptions {
    int depth = 8;   // halvings of the region's longest side, 0 to 48
    double size = 0; // instead of depth, where > 0: sides of the finest cells are at most this (m)
    OverlapOrder order = OverlapOrder::breadth_first;
    bool stop_at_first = false;              // at the first common point; volume and cells are then those known so far
    double level = 0;                        // common are points where both fields are at most this (m)
    std::optional<Box> region{};             // where to look (m, world); unset: where the bounds of both fields meet
    std::size_t max_evaluations = 4'000'000; // look-ups; cells that are open then stay on the border
    bool keep_cells = true;                  // false: only count them and their volume
    bool balls = true, shorten = true;       // false: for comparison
};

struct FieldOverlap {
    Verdict verdict = Verdict::disjoint;
    Vec3 common =
        Vec3::Zero(); // overlapping: a point where both fields, as they answer, are at most the level (m, world)
    Pose frame; // of the cells: a body's, whichever makes the region smaller, or the world where a region is given
    std::vector<Box> inside; // every point of these is common, proven (m, in `frame`)
    std::vector<Box> border; // all other common points of the region are in these
    std::size_t inside_count = 0, border_count = 0;
    Interval volume = 0;           // of what is common, in the region (m^3): encloses the truth, rounding included
    bool budget_exhausted = false; // the budget ended it: some border cells are larger than asked
    std::size_t evaluations = 0;   // of either field: values, ranges, gradients
};

// Poses that are not finite, or too far out for the numbers: undecided, without cells, volume up to infinity.
// Throws Error{invalid_argument} for options out of range, and where neither a finite region is given nor the bounds
// meet in one.
[[nodiscard]] FieldOverlap field_overlap(const Field& a, const Pose& pose_a, const Field& b, const Pose& pose_b,
                                         const FieldOverlapOptions& options = {});

} // namespace fathom::field_field
