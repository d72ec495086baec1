// What is known of a pair since it was asked last, so that it need not be asked again while its bodies
// hardly move. Of a pair that is found apart, a bound below on its distance is looked for with little effort
// (least_gap.h). It cannot touch before some point of one body has travelled that far as seen from the other.
#pragma once

#include <fathom/detect/query/shape.h>
#include <fathom/index/bvh.h>

namespace fathom {

struct PairMemory {
    IdPair pair{no_index, no_index};
    bool touching = false;
    double reserve = 0;      // they may travel less than this before they can touch (m); 0: nothing is known
    Pose pose_a{}, pose_b{}; // that it was proven for
    int rest = 0;            // steps without looking for a reserve, after one was not to be had
};

// No point of one shape has travelled farther than this as seen from the other (m), rounding included; infinity where
// neither has an end.
[[nodiscard]] double relative_travel(const Shape& a, const Pose& a_before, const Pose& a_now, const Shape& b,
                                     const Pose& b_before, const Pose& b_now);

// Values of the shape are distances all over its outside, so that a margin is one of distance too.
[[nodiscard]] bool measures_distance(const Shape& shape);

} // namespace fathom
