// Contact intervals of a moving point shell with a moving field.
// Method: Xu & Barbic 2014, sections 3 and 3.3. A bounding-sphere tree over the points is tested level by level. A node
// that cannot touch during the motion is dropped after one field evaluation; intervals are computed only for the
// remaining points. The test is conservative: on either path the points of a node stay within its radius of its centre,
// the centre stays within speed * time of its position at mid-time, and clearance_radius.h gives the radius in which
// the interpolated field stays above the level.
// Straight paths are those of the paper: each point moves on its chord in the field's frame, with the accuracy of
// SegmentCaster. Screw paths are those of rigid bodies: each point is followed on its true curve, so a rotating body
// cannot pass through.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/detect/result/result.h>
#include <fathom/index/sphere_tree.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fathom::point_field {

// ---- Scratch memory of a sweep, kept between calls to avoid allocations.

struct PointContact {
    Index point = no_index;
    ContactInterval time;

    friend bool operator==(const PointContact&, const PointContact&) = default;
};

// A node of the tree, or a point if point_bit is set, that has no contact before `start`.
struct SweepItem {
    double start = 0;
    double hop = 1; // length of the next interval to test, from `start` (time)
    Index id = 0;
    Index least = 0;         // smallest index of its points
    std::uint32_t steps = 0; // number of tests so far

    static constexpr Index point_bit = 0x80000000u;
    [[nodiscard]] bool is_point() const { return (id & point_bit) != 0; }
    [[nodiscard]] Index index() const { return id & ~point_bit; }
};

// Scratch memory for a chunk of points whose intervals are computed.
struct SweepChunk {
    std::vector<Segment> segments;
    CastIntervals intervals;
    std::vector<PointContact> contacts;
};

struct SweepScratch {
    std::vector<SweepItem> items, next, fresh;
    std::vector<Vec3> positions;
    std::vector<double> values, speeds, radii, times; // by item
    std::vector<std::uint64_t> marked;                // one bit for each point
    std::vector<Index> points;                        // the marked points
    std::vector<SweepChunk> chunks;
};

struct ShellSweepOptions {
    SweepGoal goal = SweepGoal::all;
    Path path = Path::straight; // of both bodies
    // Screws: accuracy of the ends of intervals, as a distance along the path (m). 0: a hundredth of a cell, or 1e-6 of
    // the shell's size.
    double bend = 0;
    double latest = 1; // any, first: contacts after this time are ignored
    bool tree = true;  // false: test every point without the tree, for comparison
};

struct ShellSweepHit {
    Status status = Status::disjoint; // undecided: some point may touch, but none was found to
    double time = 1; // lower bound on the time of impact; overlapping: contact begins in [time, time + error]
    double error = 0;
    // The smallest index of the points that touch first (screws: first up to `bend`). any: a point that touches.
    Index point = no_index;
    Vec3 position = Vec3::Zero(); // of the point at that time (m, world)
    Vec3 normal = Vec3::Zero();   // unit, from the shell's body to the field's: against the field's gradient (world)
    Box cell;                     // of the grid, in the field's frame (m); empty for other fields
};

struct ShellSweepResult {
    ShellSweepHit first;
    std::vector<PointContact> contacts; // sorted by point, then by time; SweepGoal::all only
    double error_bound = 0;             // error of the ends of intervals, as a distance (m); 0 on straight paths
    std::size_t evaluations = 0;        // of the field, for nodes of the tree and to exclude points
    std::size_t points_tested = 0;      // points whose intervals were computed
    SweepScratch scratch;
};

// The points of a body in its own frame, with their tree. Throws as SphereTree does.
struct SweepShell {
    std::shared_ptr<const void> owner; // of the points
    std::span<const Vec3> points;
    SphereTree tree;

    explicit SweepShell(std::vector<Vec3> given);
    // Shares points that `owner` keeps alive.
    SweepShell(std::shared_ptr<const void> owner_of_points, std::span<const Vec3> given);
};

// `shell` moves by `shell_motion`, the field by `field_motion`; level and field are those of the caster. `out` is
// overwritten, and its vectors are reused. Large sweeps with goal `all` run in parallel; the result is the same for any
// number of threads. If a pose is not finite, the result is undecided from time 0 on, without a point.
void sweep(const SweepShell& shell, const Motion& shell_motion, const SegmentCaster& caster, const Motion& field_motion,
           ShellSweepResult& out, const ShellSweepOptions& options = {});

} // namespace fathom::point_field
