// Time of impact of two moving fields, by a search in space and time, with proof.
// Method: both bodies move on screws. The interior of one is subdivided into an octree. Each cell advances through time
// as far as one evaluation of the other's field, at the position of the cell in the middle of a time interval, proves
// it clear (conservative advancement). Near contact, two large spheres, each free of one body (transformed_field.h),
// clear cells as wide as the square root of the gap, so the proof costs O(log(1 / tolerance)) time intervals if the
// bodies are smooth or flat. Descent in space and Newton's method in time find the contact itself. Cells are processed
// by time, so nothing after the first contact is evaluated.
// Sharp edges cost more than smooth surfaces. Deterministic, one thread; thread-safe.
// When not to use it: for fields whose stated errors are large compared with the tolerance (coarse grids). Gaps below
// the error are then resolved cell by cell, and the evaluation limit may leave a large `error`.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/field.h>

namespace fathom::field_field {

struct FieldSweepOptions {
    double tolerance = 1e-6; // the search stops at this `error` (time)
    double level = 0;        // a point is in contact if both fields are at most this (m)
    double latest = 1;       // contacts after this time are ignored; a known contact time prunes the search
    std::size_t max_evaluations = 1'000'000; // limit on field evaluations
    // Proofs about the fields of the two bodies, if they are known already: they bound cells by planes, which resolves
    // contacts below the errors of fields. Null: not used.
    const ClearanceProof *proof_a = nullptr, *proof_b = nullptr;
};

struct FieldSweep {
    Status status = Status::disjoint; // overlapping: a common point was found; disjoint: proven up to `latest`
    double time = 1;                  // proven lower bound on the time of impact, also if undecided
    double error = 0;                 // overlapping: a common point was found at time + error
    Vec3 point = Vec3::Zero();        // the common point (m, world)
    Vec3 normal = Vec3::Zero();       // at the common point: unit, from A to B (world)
    // max_evaluations was reached, or the tolerance does not resolve a grazing contact: error may be larger than
    // requested.
    bool budget_exhausted = false;
    std::size_t evaluations = 0; // of either field
};

// If a pose is not finite, the result is undecided from time 0 on.
// Throws Error{invalid_argument} for options out of range, and if both fields are unbounded.
[[nodiscard]] FieldSweep field_sweep(const Field& a, const Motion& motion_a, const Field& b, const Motion& motion_b,
                                     const FieldSweepOptions& options = {});

} // namespace fathom::field_field
