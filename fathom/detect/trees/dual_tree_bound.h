// Pairs of parts of two shapes, the nearest first: how far are the shapes apart at least?
// The least gap of all pairs that are left is a bound on the distance, and opening the nearest pair raises it. Parts
// are apart by the gap of their balls, and by what is left between them along any direction: that of the nearest points
// known is the best for most. Cost: some 0.1 us a pair, and what PartTree::open() asks. One thread; deterministic. In
// the frame of the first shape (m).
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/trees/bounding_tree.h>

#include <vector>

namespace fathom {

class PartPairs {
public:
    struct Pair {
        double gap = 0; // at least (m)
        Index a = 0, b = 0;
    };

    // Neither tree is empty.
    PartPairs(PartTree& a, PartTree& b, const Pose& b_in_a);

    // No point of one shape is nearer to the other (m); infinity where nothing is left.
    [[nodiscard]] double bound() const { return std::min(open() ? heap_.front().gap : HUGE_VAL, aside_); }
    [[nodiscard]] bool open() const { return !heap_.empty(); }
    [[nodiscard]] const Pair& nearest() const { return heap_.front(); }
    [[nodiscard]] Vec3 center_a(Index part) const { return a_.ball(part).center; }
    [[nodiscard]] Vec3 center_b(Index part) const { return b_in_a_ * b_.ball(part).center; }

    // Puts pairs of smaller parts in place of the nearest; those that are `enough` apart are only remembered by the
    // bound, as is a pair of two last parts. `way`: unit, from a to b, or zero where none is known.
    void open_nearest(double enough, const Vec3& way);
    [[nodiscard]] std::size_t pairs_made() const { return made_; }

private:
    [[nodiscard]] double gap(Index a, Index b, double enough, const Vec3& way) const;

    PartTree &a_, &b_;
    Pose b_in_a_;
    Mat3 turn_; // of b in a's frame
    double slack_;
    std::vector<Pair> heap_;
    double aside_ = HUGE_VAL; // the least gap of pairs that are not opened
    std::size_t made_ = 1;
};

} // namespace fathom
