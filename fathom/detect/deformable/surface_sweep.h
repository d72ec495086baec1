// Time and place of the first contact of two deforming surfaces, or of one with itself, over a step. Every vertex moves
// uniformly along a line (DeformingSurface::update(start, end)); a surface that was updated without a start is
// stationary. All pairs of a vertex and a face and all pairs of edges are tested (continuous_contact.h), so that
// nothing passes through anything, thin sheets included.
// Conservative: no contact is missed and none occurs before the reported time; near misses within the tolerance may be
// reported as hits. Contacts are those of the surfaces: a body that is inside another during the whole step, and
// features that share a vertex, are not tested. Cost: 0.1 to 2 us for each pair of features whose paths have
// overlapping boxes. Parallel; the same result for any number of threads.
#pragma once

#include <fathom/detect/deformable/surface_contacts.h>
#include <fathom/geometry/primitive/continuous_contact.h>

namespace fathom::deformable {

enum class ImpactGoal {
    first, // only the earliest contact: tests of later pairs end early
    all    // every pair of features that comes into contact within the step
};

struct SurfaceSweepOptions {
    ImpactGoal goal = ImpactGoal::all;
    ContinuousContactOptions
        contact{}; // separation, tolerance, number of refinements; only contacts up to its `latest` count
    std::size_t max_impacts = 10'000'000; // listed impacts; the earliest are kept
};

struct SurfaceImpact {
    FeaturePair features{};
    TimeOfImpact impact{};
};

struct SurfaceSweep {
    // disjoint: proven to stay apart. overlapping: a hit. undecided: all hits are pairs whose refinements ran out.
    Status status = Status::disjoint;
    double time = 1;                    // fraction of the step before which nothing touches; `latest` without a hit
    std::vector<SurfaceImpact> impacts; // by time, then features; goal first: the earliest one
    bool more_contacts = false;         // more impacts exist than `max_impacts`
    std::size_t tested = 0;             // pairs of features whose paths have overlapping boxes
};

// Throws Error{invalid_argument} for a separation that is not finite.
void surface_sweep(const DeformingSurface& a, const DeformingSurface& b, const SurfaceSweepOptions& options,
                   SurfaceScratch& scratch, SurfaceSweep& result);
[[nodiscard]] SurfaceSweep surface_sweep(const DeformingSurface& a, const DeformingSurface& b,
                                         const SurfaceSweepOptions& options = {});
[[nodiscard]] SurfaceSweep surface_sweep(const DeformingSurface& surface, const SurfaceSweepOptions& options = {});

} // namespace fathom::deformable
