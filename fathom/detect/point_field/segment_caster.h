// A point that moves along a segment, against a field: when is its distance at most `level`?
// All such times, the first, or only whether (Xu & Barbic 2014, section 3). A ball of radius r is the level r: swept
// spheres. Grids: jumps over what the pyramid proves free, then all roots of the exact cubic in each cell that holds
// the level: no tolerance but rounding. Other fields: pieces of the segment are decided by clearance_radius() and
// range(), down to a tolerance.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/field.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace fathom {

struct CastOptions {
    double level = 0;        // m
    double tolerance = 1e-7; // of times, for fields without cells: pieces shorter than this are not cut further
    std::size_t max_evaluations = 20000; // look-ups for one segment, for the same; what is open then stays undecided
};

struct CastHit {
    Verdict verdict = Verdict::disjoint;
    double time = 1; // overlapping: the first contact is in [time, time + error]; undecided: none is before this
    double error = 0;

    friend bool operator==(const CastHit&, const CastHit&) = default;
};

// Intervals of many segments: those of segment k are intervals[begin[k]] to intervals[begin[k + 1] - 1], ascending and
// apart. Kept from call to call, so that these vectors need not grow again.
struct CastIntervals {
    std::vector<ContactInterval> intervals;
    std::vector<std::size_t> begin;

    [[nodiscard]] std::span<const ContactInterval> of(std::size_t segment) const {
        return std::span(intervals).subspan(begin[segment], begin[segment + 1] - begin[segment]);
    }
};

// Prepared once for a field and a level, then asked many times. const calls are thread-safe. Single ones allocate
// nothing but in the vectors they append to, batches what a few thousand segments at a time work with. A segment that
// is not finite is undecided over [0,1]. Segments without length are points.
class SegmentCaster {
public:
    // Keeps the field alive. Grids: O(bricks + stored cells) in parallel, about half a second of CPU at 1024 cells a
    // side. Throws Error{invalid_argument} for options that are not finite or out of range.
    explicit SegmentCaster(FieldPtr field, const CastOptions& options = {});
    ~SegmentCaster();
    SegmentCaster(SegmentCaster&&) noexcept;
    SegmentCaster& operator=(SegmentCaster&&) noexcept;

    [[nodiscard]] CastHit first(const Segment& segment) const;
    [[nodiscard]] Verdict any(const Segment& segment) const;
    // Appended, ascending, apart. Returns the verdict: undecided where an interval is not proven and none is.
    Verdict all(const Segment& segment, std::vector<ContactInterval>& out) const;

    // Many at once, in parallel; answers in the order of the segments, the same bits as one by one.
    void first(std::span<const Segment> segments, std::span<CastHit> out) const;
    void all(std::span<const Segment> segments, CastIntervals& out) const;

    [[nodiscard]] const Field& field() const;
    [[nodiscard]] const CastOptions& options() const;
    [[nodiscard]] const ClearanceRadius& clearance_radius() const; // of the field and the level
    [[nodiscard]] std::size_t bytes() const;                       // of what was prepared

private:
    struct State;
    std::unique_ptr<const State> state_;
};

// A segment against any field: in which pieces of it is the distance at most the level?
// Method: one look-up in the middle of a piece clears the ball round it, free or inside (clearance_radius.h); what is
// left on either side is asked again, and where the balls are small beside the piece, range() is asked too. Complete
// down to options.tolerance. Not for GridField, whose cells can be solved exactly: SegmentCaster does. Cost: two or
// three look-ups for each halving of the tolerance at a crossing, about sqrt(radius of curvature / height) for a
// segment that grazes. Thread-safe; nothing is allocated but by `out`.

// `radius` is of this field and options.level; the options are taken as checked. What is meant: segment_caster.h.
[[nodiscard]] CastHit cast_first(const Field& field, const ClearanceRadius& radius, const Segment& segment,
                                 const CastOptions& options);

// Appends. The ends of proven intervals are true to three tolerances, outward; longer stretches in which nothing was
// proven are intervals of their own.
Verdict cast_all(const Field& field, const ClearanceRadius& radius, const Segment& segment, const CastOptions& options,
                 std::vector<ContactInterval>& out);

} // namespace fathom
