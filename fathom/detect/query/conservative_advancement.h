// When are two things in contact, known only how far apart they are at any one time? (Conservative
// advancement.) While they approach no faster than `speed`, a gap at time t clears the times round it, as a depth fills
// them; what stays open is asked in its middle, earliest first, until it is shorter than the tolerance. So a "no" is as
// good as the gaps that were told. Deterministic; one thread. Cost: some twenty to fifty probes for a contact that
// comes at a speed; a graze costs up to the budget, less where probes say how blurred they are.
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
    double gap = 0;  // they are at least this far apart, proven (m); 0 or less: nothing is known
    double hold = 0; // touching: they still do after any motion shorter than this, proven (m)
    double blur = 0; // how far `gap` may be below the true one (m): where that is most of it, times much nearer than
                     // blur / speed are not told apart
};

struct AdvancementOptions {
    double speed = 0; // bound on how fast the gap, or the depth, can change (m a unit of time); infinity: only the
                      // probed times are known
    bool all = false; // every interval, not only the first contact
    double tolerance = 1e-6;       // of time
    double resolution = 1.0 / 512; // of time, all: between two times of contact nearer than this no gap is looked for
    std::size_t max_evaluations = 600; // probes
    // Whether contact is certain within a short piece of time at whose ends there is none; asked of what would stay
    // open. None: never.
    std::function<bool(double start, double end)> certain{};
};

struct AdvancementResult {
    Verdict verdict = Verdict::disjoint;
    double time = 1;  // no contact is before this
    double error = 0; // overlapping: contact was seen at time + error, or is certain before that
    std::vector<ContactInterval> intervals{}; // all: what is outside of them is clear; ascending, apart
    bool budget_exhausted = false;            // the budget ended it
    std::size_t probes = 0;
};

// probe(t) for t in [0,1].
[[nodiscard]] AdvancementResult conservative_advancement(CallableRef<TimeProbe(double)> probe,
                                                         const AdvancementOptions& options = {});

// Does a moving point certainly pass through a surface within a short piece of time?
// A point is on a sheet for no time at all: no look at any one time sees it there. It is proven to be there between two
// times at which it is on either side of a triangle, where all of its path between lies over the inside of that
// triangle. Points that pass nearer to an edge than they move stay open: ask a shorter piece. Cost: a walk over both
// trees, and some tests of sides. const and thread-safe.

// A point shell and a mesh, both on their screws; the path of the motions is not looked at.
[[nodiscard]] bool points_cross(const Shape& points, const Motion& motion_points, const Shape& surface,
                                const Motion& motion_surface, double start, double end);

} // namespace fathom
