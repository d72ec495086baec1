// A segment against any field: in which pieces of it is the distance at most the level?
// Method: one look-up in the middle of a piece clears the ball round it, free or inside (free_radius.h); what is left
// on either side is asked again, and where the balls are small beside the piece, range() is asked too. Complete down to
// options.tolerance. Not for GridField, whose cells can be solved exactly: SegmentCaster does.
// Cost: two or three look-ups for each halving of the tolerance at a crossing, about sqrt(radius of curvature / height)
// for a segment that grazes. Thread-safe; nothing is allocated but by `out`.
#pragma once

#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/detect/point_field/segment_caster.h>

namespace fathom {

// `radius` is of this field and options.level; the options are taken as checked. What is meant: segment_caster.h.
[[nodiscard]] CastHit cast_first(const Field& field, const FreeRadius& radius, const Segment& segment,
                                 const CastOptions& options);

// Appends. The ends of proven intervals are true to three tolerances, outward; longer stretches in which nothing was
// proven are intervals of their own.
Verdict cast_all(const Field& field, const FreeRadius& radius, const Segment& segment, const CastOptions& options,
                 std::vector<ContactInterval>& out);

} // namespace fathom
