// What a sweep works with, kept from call to call so that it need not grow again.
#pragma once

#include <fathom/detect/point_field/segment_caster.h>

#include <cstdint>
#include <vector>

namespace fathom {

struct PointContact {
    Index point = no_index;
    ContactInterval time;

    friend bool operator==(const PointContact&, const PointContact&) = default;
};

// A node of the tree, or with point_bit a point, that touches nothing before `start`.
struct SweepItem {
    double start = 0;
    double hop = 1; // how far ahead of the start to look next (time)
    Index id = 0;
    Index least = 0;         // smallest point below
    std::uint32_t steps = 0; // that it has taken

    static constexpr Index point_bit = 0x80000000u;
    [[nodiscard]] bool is_point() const { return (id & point_bit) != 0; }
    [[nodiscard]] Index index() const { return id & ~point_bit; }
};

// Of a chunk of points that pay for intervals.
struct SweepChunk {
    std::vector<Segment> segments;
    CastIntervals intervals;
    std::vector<PointContact> contacts;
};

struct SweepScratch {
    std::vector<SweepItem> items, next, fresh;
    std::vector<Vec3> positions;
    std::vector<double> values, speeds, radii, times; // of items
    std::vector<std::uint64_t> marked;                // a bit a point
    std::vector<Index> points;                        // the marked ones
    std::vector<SweepChunk> chunks;
};

} // namespace fathom
