// Do all methods agree about a pair of shapes, and with points taken at random from both?
// What each answer claims is held against the claims of the others and against the shapes themselves: a "no" against
// every point of one that is found in the other, a "yes" against its witness, bounds on a distance against one another
// and against points, times against poses before, at and after them; and both orders against each other. Answers that
// claim nothing (undecided, not proven) contradict nothing and are counted.
#pragma once

#include <fathom/base/random.h>
#include <fathom/detect/query/query.h>

#include <string>
#include <vector>

namespace fathom {

struct RefereeOptions {
    std::size_t samples = 100; // points of each shape
    std::size_t times = 12;    // at which a motion is looked at
    bool distances = true;
    bool sweeps = true;
    bool depth_maps = true; // drawn anew for every query: some ms
    bool slow = true;       // advancement too where a better method is there: seconds with networks
};

struct RefereeReport {
    std::size_t claims = 0;                        // that were held against something
    std::size_t touching = 0, apart = 0, open = 0; // pairs, as the first method has it
    std::size_t contacts_in_motion = 0;            // sweeps that found one
    std::size_t unproven = 0;                      // answers that claim nothing
    double worst_bound_gap = 0;                    // between the bounds of a distance, in shares of the smaller shape
    std::vector<std::string> contradictions{};

    void add(const RefereeReport& other);
};

// Both orders, every method that fits. In world metres; a motion carries b away from pose_b to pose_b_end.
[[nodiscard]] RefereeReport judge(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                  const Pose& pose_b_end, Random& random, const RefereeOptions& options = {});

} // namespace fathom
