// When do two moving fields first touch? Found by search in space and time, with proof.
// Both bodies move on their true screws. One is cut into an octree of its inside; each cell advances through time as
// far as one look-up of the other's field, at the cell in the middle of a piece of time, proves it clear (conservative
// advancement). Near contact two large balls, one free of each body (posed_field.h), clear cells as wide as the square
// root of the gap, so the proof costs O(log(1 / tolerance)) pieces where the bodies are smooth or flat. A descent in
// space and Newton in time find the contact itself. Earliest first: nothing after the first contact is looked at. Not
// for fields with large stated errors beside the tolerance (coarse grids): what is below the error is bought cell by
// cell, and the budget may end it with a wide `error`. Sharp edges cost more than smooth skins. Deterministic, one
// thread; thread-safe.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/field.h>

namespace fathom::field_field {

struct FieldSweepOptions {
    double tolerance = 1e-6; // of time: `error` at which the search is content
    double level = 0;        // in contact are points where both fields are at most this (m)
    double latest = 1; // contacts after this time are not looked for: a time known from elsewhere prunes all later
    std::size_t max_evaluations = 1'000'000; // look-ups
};

struct FieldSweep {
    Verdict verdict = Verdict::disjoint; // overlapping: a common point was seen; disjoint: proven up to `latest`
    double time = 1;                     // no contact is before this, proven (undecided: as far as the proof came)
    double error = 0;                    // overlapping: a common point was seen at time + error
    Vec3 point = Vec3::Zero();           // that point (m, world)
    Vec3 normal = Vec3::Zero();          // unit, from A to B there (world)
    bool budget_exhausted =
        false; // the budget ended it, or a graze that the tolerance does not resolve: error may be larger
    std::size_t evaluations = 0; // of either field
};

// The `path` of the motions is not looked at. Poses that are not finite: undecided from time 0 on.
// Throws Error{invalid_argument} for options out of range, and where the bounds of both fields are infinite.
[[nodiscard]] FieldSweep field_sweep(const Field& a, const Motion& motion_a, const Field& b, const Motion& motion_b,
                                     const FieldSweepOptions& options = {});

} // namespace fathom::field_field
