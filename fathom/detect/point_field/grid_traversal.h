// The fast walk of segments over a grid, within its domain: when is the interpolated distance at most a
// level? Method: jumps through cubes of bricks that the map of the level proves free (level_map.h), then cell by cell
// through bricks that hold it, and the exact cubic (cell_roots.h) in cells that do. Positions are rounded to a few
// units in the last place of the largest coordinate; the tolerance of values is the Lipschitz bound times that, and
// never is contact missed. Thread-safe; nothing is allocated but by `out`.
#pragma once

#include <fathom/detect/point_field/empty_space_map.h>
#include <fathom/detect/point_field/interval_collectors.h>
#include <fathom/detect/result/result.h>

#include <span>
#include <vector>

namespace fathom {

// What is reported as contact is at most this much above the level (m), and less than the map's margin.
[[nodiscard]] double walk_slack(const GridData& data, const GridPath& path);

// First time in [path.begin, path.end], or no_contact.
[[nodiscard]] double walk_first(const GridData& data, const EmptySpaceMap& map, const GridPath& path);
// Every interval, ascending and apart, appended.
void walk_all(const GridData& data, const EmptySpaceMap& map, const GridPath& path, std::vector<ContactInterval>& out);

// Intervals of many segments in the order in which they were done; those of segment k are `count` from `first` on;
// no_index where it is not finite.
struct WalkIntervals {
    struct Place {
        Index first, count;
    };
    std::vector<ContactInterval> intervals;
    std::vector<Place> places;
};

// The same for many segments, on the calling thread, 128 in flight: jumps go eight at once, and what the cells need is
// on its way from memory before it is asked for. The same bits as one by one. Segments that are not finite have the
// time NaN.
void walk_first(const GridData& data, const EmptySpaceMap& map, std::span<const Segment> segments,
                std::span<double> times);
void walk_all(const GridData& data, const EmptySpaceMap& map, std::span<const Segment> segments, WalkIntervals& out);

} // namespace fathom
