// Conservative advancement: contact times of two moving objects from distance queries at single times.
// Method: the distance changes no faster than `speed`, so a distance at time t excludes contact in an interval around
// t, and a depth proves contact in one. Open intervals are probed in their middle, earliest first, until they are
// shorter than the tolerance. "disjoint" is proven if the distances of the probes are.
// Cost: twenty to fifty probes for a contact with a normal velocity. A grazing contact costs up to max_evaluations,
// less if the probes state their uncertainty. Deterministic; one thread.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/base/motion.h>
#include <fathom/base/vec.h>
#include <fathom/detect/query/shape.h>
#include <fathom/detect/result/result.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace fathom {

struct TimeProbe {
    bool touching = false;
    double gap = 0; // proven lower bound on the distance (m); 0 or less: nothing is known
    // If touching: the shapes are proven to remain in contact after any relative motion shorter than this (m).
    double contact_distance = 0;
    // Uncertainty: `gap` may be below the true distance by this much (m). If it dominates the gap, probes at times much
    // closer than uncertainty / speed give no new information.
    double uncertainty = 0;
};

struct AdvancementOptions {
    // Bound on the rate of change of the distance or depth (m per unit of time). Infinity: a probe says nothing about
    // other times.
    double speed = 0;
    bool all = false;              // find all contact intervals, not only the first contact
    double tolerance = 1e-6;       // of contact times (time)
    double resolution = 1.0 / 512; // all: separations shorter than this between two contact times may be missed (time)
    std::size_t max_evaluations = 600; // limit on probes
    // Returns whether contact is proven within a short interval at whose ends there is none. It is called for intervals
    // that would stay open. Empty: never proven.
    std::function<bool(double start, double end)> certain{};
};

struct AdvancementResult {
    Status status = Status::disjoint;
    double time = 1;  // lower bound on the time of impact
    double error = 0; // overlapping: contact was found at time + error, or is proven to occur before that
    std::vector<ContactInterval> intervals{}; // all: there is no contact outside them; ascending and disjoint
    bool budget_exhausted = false;            // max_evaluations was reached
    std::size_t probes = 0;
};

// Calls probe(t) for times t in [0, 1].
[[nodiscard]] AdvancementResult conservative_advancement(CallableRef<TimeProbe(double)> probe,
                                                         const AdvancementOptions& options = {});

// ---- Proof that a moving point passes through a surface within a short time interval.
// A point is on an open surface only for an instant, so sampling in time cannot detect it. Contact is proven if the
// point is on different sides of a triangle at the two ends of the interval and its path between them stays over the
// interior of that triangle. Points that pass an edge at a distance smaller than their displacement are not decided;
// use a shorter interval.
// Cost: a traversal of both trees, and a few orientation tests. const and thread-safe.

// `points` is a point shell, `surface` a mesh; both move on screws.
[[nodiscard]] bool points_cross(const Shape& points, const Motion& motion_points, const Shape& surface,
                                const Motion& motion_surface, double start, double end);

} // namespace fathom
