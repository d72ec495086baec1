// Checks whether all methods agree about a pair of shapes, with one another and with random points of both shapes.
// Each claim of a result is tested against the claims of the other methods and against the shapes: "disjoint" against
// every point of one shape that is inside the other, "overlapping" against its witness, bounds on a distance against
// one another and against points, times against poses before, at and after them; and both orders of the pair against
// each other. Results without a claim (undecided, not proven) contradict nothing and are counted.
#pragma once

#include <fathom/base/random.h>
#include <fathom/detect/query/query.h>

#include <string>
#include <vector>

namespace fathom {

struct RefereeOptions {
    std::size_t samples = 100; // points per shape
    std::size_t times = 12;    // sampled times of a motion
    bool distances = true;
    bool sweeps = true;
    bool sampling = true; // also run depth_maps and dual_gradient, which prepare shapes for every query: some ms
    bool slow = true;     // also run conservative advancement if a better method exists: seconds with neural fields
};

struct RefereeReport {
    std::size_t claims = 0;                        // tested claims
    std::size_t touching = 0, apart = 0, open = 0; // pairs, according to the first method
    std::size_t contacts_in_motion = 0;            // sweeps that found a contact
    std::size_t unproven = 0;                      // results without a claim
    double worst_bound_gap = 0; // largest gap between the bounds of a distance, as a fraction of the smaller shape
    std::vector<std::string> contradictions{};

    void add(const RefereeReport& other);
};

// Both orders, every applicable method. World frame, metres; the motion takes b from pose_b to pose_b_end.
[[nodiscard]] RefereeReport judge(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                  const Pose& pose_b_end, Random& random, const RefereeOptions& options = {});

} // namespace fathom
