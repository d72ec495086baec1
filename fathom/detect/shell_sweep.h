// Room: detect. A shell of points against a field while both move: which points enter, when, and when do they leave?
// (Xu & Barbic 2014, sections 3 and 3.3.) Spheres nested over the points are tested level by level; a node that nothing can
// reach in this step is dropped after one look-up of the field, and only points pay for intervals.
// Straight paths are the paper's: each point on its chord, seen from the field. Screw paths are what rigid bodies do; they are
// cut until a piece bends by less than a tolerance, so a spinning body cannot slip through.
#pragma once

#include <fathom/base/motion.h>
#include <fathom/detect/segment_caster.h>
#include <fathom/index/sphere_tree.h>

#include <span>
#include <vector>

namespace fathom {

enum class SweepGoal { any, first, all };

struct SweepOptions {
    SweepGoal goal = SweepGoal::all;
    Path path = Path::straight;  // of both bodies; the `path` of the motions is not looked at
    double bend = 0;             // m, of one piece of a screw path; 0: a thousandth of a cell, or 1e-6 of the shell's size
    bool tree = true;            // false: point by point, for comparison
};

struct PointContact {
    Index point = no_index;
    ContactInterval time;

    friend bool operator==(const PointContact&, const PointContact&) = default;
};

struct SweepHit {
    Verdict verdict = Verdict::disjoint; // undecided: some point may touch, none was seen to
    double time = 1;                     // no contact is before this; overlapping: the first is in [time, time + error]
    double error = 0;
    Index point = no_index;
    Vec3 position = Vec3::Zero();        // of the point then (m, world)
    Vec3 normal = Vec3::Zero();          // unit, out of the shell's body into the field's: against the field's gradient (world)
    Box cell;                            // of the grid, in the field's frame; empty for other fields
};

struct SweepResult {
    SweepHit first;
    std::vector<PointContact> contacts;  // by point, then by time; SweepGoal::all only
    double error_bound = 0;              // of the path: no point strays farther than this from where it was tested (m)
    std::size_t look_ups = 0;            // of the field, for nodes of the tree
    std::size_t points_tested = 0;       // that paid for intervals
};

// The points of a body in its own frame with their tree.
struct SweepShell {
    std::vector<Vec3> points;
    SphereTree tree;

    explicit SweepShell(std::vector<Vec3> points);
};

// `shell` moves by `shell_motion`, the field by `field_motion`; level and field are the caster's. The result is filled anew and
// its vectors reused. In parallel where there is much to do; the same result for any number of threads.
void sweep(const SweepShell& shell, const Motion& shell_motion, const SegmentCaster& caster, const Motion& field_motion,
           SweepResult& out, const SweepOptions& options = {});

} // namespace fathom
