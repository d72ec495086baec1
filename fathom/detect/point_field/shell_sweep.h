// A shell of points against a field while both move: which points enter, when, and when do they leave?
// (Xu & Barbic 2014, sections 3 and 3.3.) Spheres nested over the points are tested level by level; a node that nothing
// can reach in this step is dropped after one look-up of the field, and only points pay for intervals. Why the test is
// safe: on either path the points of a node stay within its radius of its centre, and the centre within speed * time of
// where it is in the middle; clearance_radius.h tells how far the interpolated field stays above the level. Straight
// paths are the paper's: each point on its chord, seen from the field, as exact as SegmentCaster. Screw paths are what
// rigid bodies do; each point is followed on its true curve, so a spinning body cannot slip through.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/index/sphere_tree.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

// What a sweep works with, kept from call to call so that it need not grow again.

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

enum class SweepGoal { any, first, all };

struct ShellSweepOptions {
    SweepGoal goal = SweepGoal::all;
    Path path = Path::straight; // of both bodies; the `path` of the motions is not looked at
    double bend = 0;   // m, screws: ends of intervals are true to the time of this way; 0: a hundredth of a cell, or
                       // 1e-6 of the shell's size
    double latest = 1; // any, first: contacts after this time are not looked for
    bool tree = true;  // false: point by point, for comparison
};

struct ShellSweepHit {
    Verdict verdict = Verdict::disjoint; // undecided: some point may touch, none was seen to
    double time = 1;                     // no contact is before this; overlapping: the first is in [time, time + error]
    double error = 0;
    Index point =
        no_index; // the smallest of those that touch first (screws: first but for `bend`); any: one that touches
    Vec3 position = Vec3::Zero(); // of the point then (m, world)
    Vec3 normal = Vec3::Zero(); // unit, out of the shell's body into the field's: against the field's gradient (world)
    Box cell;                   // of the grid, in the field's frame; empty for other fields
};

struct ShellSweepResult {
    ShellSweepHit first;
    std::vector<PointContact> contacts; // by point, then by time; SweepGoal::all only
    double error_bound = 0;             // way that ends of intervals may be off by (m); 0 on straight paths
    std::size_t evaluations = 0;        // of the field, for nodes of the tree and to leave out points
    std::size_t points_tested = 0;      // that paid for intervals
    SweepScratch scratch;
};

// The points of a body in its own frame with their tree. Throws as SphereTree does.
struct SweepShell {
    std::vector<Vec3> points;
    SphereTree tree;

    explicit SweepShell(std::vector<Vec3> points);
};

// `shell` moves by `shell_motion`, the field by `field_motion`; level and field are the caster's. The result is filled
// anew and its vectors reused. In parallel where there is much to do (goal all); the same result for any number of
// threads. Poses that are not finite: undecided from time 0 on, without a point.
void sweep(const SweepShell& shell, const Motion& shell_motion, const SegmentCaster& caster, const Motion& field_motion,
           ShellSweepResult& out, const ShellSweepOptions& options = {});

// A ball that moves: its centre against a field whose level is the radius, CastOptions{.level = radius}.
[[nodiscard]] ShellSweepHit sweep_ball(const Vec3& center, const Motion& ball_motion, const SegmentCaster& caster,
                                       const Motion& field_motion, const ShellSweepOptions& options = {});

// Both roles of a pair: A's points in B's field, and B's in A's. What is null is left out.
struct SweepBody {
    const SweepShell* shell = nullptr;
    const SegmentCaster* caster = nullptr;
};
struct PairSweep {
    ShellSweepResult a_in_b, b_in_a; // normals of both from A to B
    ShellSweepHit first;             // the earlier; goal any or first: only the first role is complete past it
    bool point_of_a = true;          // which body the point of `first` belongs to
};
void sweep_pair(const SweepBody& a, const Motion& motion_a, const SweepBody& b, const Motion& motion_b, PairSweep& out,
                const ShellSweepOptions& options = {});

} // namespace fathom
