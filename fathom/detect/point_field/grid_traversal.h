// Fast traversal of a grid along segments, within its domain: the times at which the interpolated distance is at most a
// level.
// Method: the traversal jumps through cubes of bricks that the empty-space map proves free (empty_space_map.h), visits
// the cells of bricks that contain the level, and solves the exact cubic (cell_roots.h) in cells that contain it.
// Positions are rounded to a few units in the last place of the largest coordinate. The tolerance of values is the
// Lipschitz bound times that error, and no contact is missed. Thread-safe; only `out` allocates.
#pragma once

#include <fathom/detect/point_field/empty_space_map.h>
#include <fathom/detect/point_field/interval_collectors.h>
#include <fathom/detect/result/result.h>

#include <span>
#include <vector>

namespace fathom::point_field {

// Points reported as contact are at most this much above the level (m); it is less than the map's margin.
[[nodiscard]] double walk_slack(const GridData& data, const GridPath& path);

// The first contact time in [path.begin, path.end], or no_contact.
[[nodiscard]] double walk_first(const GridData& data, const EmptySpaceMap& map, const GridPath& path);
// Appends all contact intervals, ascending and disjoint.
void walk_all(const GridData& data, const EmptySpaceMap& map, const GridPath& path, std::vector<ContactInterval>& out);

// Intervals of many segments, in the order of completion. Those of segment k are `count` intervals from index `first`
// on; `count` is no_index if the segment is not finite.
struct WalkIntervals {
    struct Place {
        Index first, count;
    };
    std::vector<ContactInterval> intervals;
    std::vector<Place> places;
};

// The same for many segments, on the calling thread, 128 at a time: eight jumps are computed at once, and cell data is
// prefetched. The results have the same bits as single queries. The time of a segment that is not finite is NaN.
void walk_first(const GridData& data, const EmptySpaceMap& map, std::span<const Segment> segments,
                std::span<double> times);
void walk_all(const GridData& data, const EmptySpaceMap& map, std::span<const Segment> segments, WalkIntervals& out);

} // namespace fathom::point_field
