// When, over a step, do two deforming surfaces, or one with itself, first come into contact, and where?
// Every vertex moves evenly along a line (DeformingSurface::update(start, end)); a surface that was updated without a
// start stands still. All pairs of a vertex and a face and of two edges are asked (continuous_contact.h), so that
// nothing passes through anything, thin sheets included. Conservative: no contact is missed, none comes before the time
// given; near misses within the tolerance may be hits. Contact of surfaces alone: a body that is inside another over
// the whole step, or features that share a vertex, are not asked about. Cost: 0.1 to 2 us for each pair of features
// whose paths have overlapping boxes. Parallel; the same for any number of threads.
#pragma once

#include <fathom/detect/deformable/surface_contacts.h>
#include <fathom/geometry/primitive/continuous_contact.h>

namespace fathom {

enum class ImpactGoal {
    first, // the earliest contact alone: pairs that come later are cut short
    all    // every pair of features that comes into contact within the step
};

struct SurfaceSweepOptions {
    ImpactGoal goal = ImpactGoal::all;
    ContinuousContactOptions contact{}; // separation, tolerance, effort; only contacts up to its `latest` count
    std::size_t most = 10'000'000;      // impacts listed; the earliest are kept
};

struct SurfaceImpact {
    FeaturePair features{};
    TimeOfImpact impact{};
};

struct SurfaceSweep {
    // disjoint: proven to stay apart. overlapping: a hit. undecided: hits only where the refinements ran out.
    Verdict verdict = Verdict::disjoint;
    double time = 1;                    // fraction of the step before which nothing touches; `latest` without a hit
    std::vector<SurfaceImpact> impacts; // by time, then features; goal first: the earliest one
    bool more_contacts = false;         // there are more than `most`
    std::size_t tested = 0;             // pairs of features whose paths' boxes overlap
};

// Throws Error{invalid_argument} for a separation that is not finite.
void surface_sweep(const DeformingSurface& a, const DeformingSurface& b, const SurfaceSweepOptions& options,
                   SurfaceScratch& scratch, SurfaceSweep& result);
[[nodiscard]] SurfaceSweep surface_sweep(const DeformingSurface& a, const DeformingSurface& b,
                                         const SurfaceSweepOptions& options = {});
[[nodiscard]] SurfaceSweep surface_sweep(const DeformingSurface& surface, const SurfaceSweepOptions& options = {});

} // namespace fathom
