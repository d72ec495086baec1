// Two surfaces in two poses: which of their triangles may be near each other?
// Method: both wide trees are walked together, nearer boxes first. A box of one is placed in the frame of the other (in
// double) and met with eight at a time, as two turned boxes: gaps along the axes of both frames. Of triangles, one
// against eight: floats guess the nearest points, which bounds the distance from above, and project both triangles on
// the line between those and on the normals, which bounds it from below, however good the guess. Of the nearest, the
// line between the nearest points so far is one more direction along which leaves and boxes may be too far apart. So
// floats only rule out, with the error that is argued for in tree_pair.h, and no step is fused: the same visits on
// every CPU. const and thread-safe; allocates nothing.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

namespace fathom {

enum class PairsWanted {
    all,    // every pair within the limit, each handed over when it is found
    nearest // the nearest: pairs are handed over once floats have narrowed them down, and those that cannot be the
            // nearest are not
};

struct PairsQuery {
    PairsWanted wanted = PairsWanted::all;
    double limit = 0;        // m
    Vec3 way = Vec3::Zero(); // from a to b (a's frame, any length): of points that are as near as the limit, where some
                             // are known. Spares time alone
};

// visitor(place a, place b) for pairs of triangles that may be within the limit of each other, and perhaps some that
// are a little farther; places are positions of order(), as in SurfaceView::corners. It returns the new limit (the old
// one, or less); less than 0 stops, and the visit then returns false. The pose must be finite and its rotation unit.
bool visit_near_pairs(const SurfaceTree& a, const SurfaceTree& b, const Pose& b_in_a, const PairsQuery& query,
                      CallableRef<double(Index, Index)> visitor);

} // namespace fathom
