// Room: detect. What is known of a pair since it was asked last, so that it need not be asked again while its bodies hardly move.
// A pair that is apart is asked with its margin widened by a reserve. "Disjoint" then holds until some point of one has travelled that far as seen from
// the other: fields change by their slope times the way. Two that come and go cost one question more; all others fewer.
#pragma once

#include <fathom/detect/query.h>
#include <fathom/index/bvh.h>

namespace fathom {

struct PairMemory {
    IdPair pair{no_index, no_index};
    bool touching = false;
    double reserve = 0;      // they may travel less than this before they can touch (m); 0: nothing is known
    Pose pose_a{}, pose_b{}; // that it was proven for
    double steps_ahead = 4;  // travel of that many steps like the last is what the reserve is to cover
    int rest = 0;            // steps without asking for a reserve, after one was not to be had
};

// No point of one shape has travelled farther than this as seen from the other (m), rounding included; infinity where neither has an end.
[[nodiscard]] double relative_travel(const Shape& a, const Pose& a_before, const Pose& a_now, const Shape& b, const Pose& b_before, const Pose& b_now);

// How steep values change along a way, at most; infinity where nothing is known.
[[nodiscard]] double steepness(const Shape& shape);

// A pair is proven apart with its margin widened by `wide`: it stays so while it travels less than the answer. Values fall by no more than their slope
// times the way; without a margin only the bodies count, which are within twice their errors of where values would have them.
struct Reserve {
    double slope = 1;      // of both
    double error = 0;      // of both (m); infinity with a margin
    [[nodiscard]] double travel(double wide) const { return std::max(wide / slope, wide - error); }
    [[nodiscard]] double width(double travel) const { return std::min(travel * slope, travel + error); } // the least that gives this; infinity: none
};
[[nodiscard]] Reserve reserve_of(const Shape& a, const Shape& b, double margin);

// Are they proven to be farther apart than a margin? Asked with little effort, as collide() would: "no" means nothing.
[[nodiscard]] bool surely_apart(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin);

} // namespace fathom
