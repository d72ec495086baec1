// Contact times of a point that moves along a segment in a field: the times at which its distance is at most `level`.
// Method: Xu & Barbic 2014, section 3, for all contact intervals, the first contact, or only the status. A sphere of
// radius r corresponds to level r. On grids, empty space is skipped by a map of free bricks, and all roots of the exact
// cubic are found in each cell that contains the level: accurate to rounding. For other fields, clearance_radius() and
// range() decide pieces of the segment, down to a tolerance.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/field.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace fathom {

class ClearanceRadius;

struct CastOptions {
    double level = 0;        // isosurface value (m)
    double tolerance = 1e-7; // fields other than grids: shorter pieces are not subdivided (time)
    // Fields other than grids: limit on evaluations for one segment; open pieces then stay undecided.
    std::size_t max_evaluations = 20000;
};

struct CastHit {
    Status status = Status::disjoint;
    // Lower bound on the time of the first contact. Overlapping: contact begins in [time, time + error].
    double time = 1;
    double error = 0;

    friend bool operator==(const CastHit&, const CastHit&) = default;
};

// Intervals of many segments: those of segment k are intervals[begin[k]] to intervals[begin[k + 1] - 1], ascending and
// disjoint. Keep the object between calls to avoid allocations.
struct CastIntervals {
    std::vector<ContactInterval> intervals;
    std::vector<std::size_t> begin;

    [[nodiscard]] std::span<const ContactInterval> of(std::size_t segment) const {
        return std::span(intervals).subspan(begin[segment], begin[segment + 1] - begin[segment]);
    }
};

// Built once for a field and a level, then used for many queries. const functions are thread-safe. A single query
// allocates only in the vector that it appends to; a batch allocates scratch memory for a few thousand segments. A
// segment that is not finite is undecided over [0, 1]. A segment of length 0 is a point.
class GridField;

class SegmentCaster {
public:
    // Keeps the field alive. Cost for grids: O(bricks + stored cells), in parallel, about half a second of CPU at 1024
    // cells a side. Throws Error{invalid_argument} for options that are not finite or out of range.
    explicit SegmentCaster(FieldPtr field, const CastOptions& options = {});
    ~SegmentCaster();
    SegmentCaster(SegmentCaster&&) noexcept;
    SegmentCaster& operator=(SegmentCaster&&) noexcept;

    [[nodiscard]] CastHit first(const Segment& segment) const;
    [[nodiscard]] Status any(const Segment& segment) const;
    // Appends the intervals, ascending and disjoint. Returns the status: undecided if there are intervals and none is
    // proven.
    Status all(const Segment& segment, std::vector<ContactInterval>& out) const;

    // Many segments in parallel. Results are in the order of the segments, with the same bits as single queries.
    void first(std::span<const Segment> segments, std::span<CastHit> out) const;
    void all(std::span<const Segment> segments, CastIntervals& out) const;

    [[nodiscard]] const Field& field() const;
    [[nodiscard]] const GridField* grid() const; // the field, if it is a grid
    [[nodiscard]] const CastOptions& options() const;
    [[nodiscard]] const ClearanceRadius& clearance_radius() const; // of the field and the level
    [[nodiscard]] std::size_t bytes() const;                       // of the data built for the queries

private:
    struct State;
    std::unique_ptr<const State> state_;
};

// ---- Contact intervals of a segment in any field.
// Method: one evaluation in the middle of a piece decides a sphere around it, free or inside (clearance_radius.h); the
// rest on either side is tested again. If the spheres are small compared with the piece, range() is evaluated too.
// Complete down to options.tolerance.
// Cost: two or three evaluations for each halving of the tolerance at a crossing, about sqrt(radius of curvature /
// height) for a grazing segment. Thread-safe; only `out` allocates.
// When not to use it: for a GridField, whose cells SegmentCaster solves exactly.

// `radius` belongs to this field and options.level. The options are not checked. The result is as that of
// SegmentCaster.
[[nodiscard]] CastHit cast_first(const Field& field, const ClearanceRadius& radius, const Segment& segment,
                                 const CastOptions& options);

// Appends to `out`. Proven intervals are accurate to three tolerances, rounded outward; longer undecided stretches are
// separate intervals.
Status cast_all(const Field& field, const ClearanceRadius& radius, const Segment& segment, const CastOptions& options,
                std::vector<ContactInterval>& out);

} // namespace fathom
