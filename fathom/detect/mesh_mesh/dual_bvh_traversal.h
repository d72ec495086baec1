// Dual traversal of the bounding volume hierarchies of two posed surfaces, which visits pairs of triangles that may be
// near each other.
// Method: the two wide trees are traversed together, nearer boxes first. A box of one tree is transformed into the
// frame of the other (in double) and tested against eight boxes at a time as two oriented boxes: gaps along the axes of
// both frames. Triangles are tested one against eight: float arithmetic estimates the closest points, which gives an
// upper bound on the distance, and projects both triangles on the line between these points and on the normals, which
// gives a lower bound, whatever the quality of the estimate. When the nearest pair is wanted, the line between the
// closest points so far is one more direction that may separate leaves and boxes.
// Floats therefore only rule pairs out, with the error bound derived in relative_bvh_frame.h. No operation is fused, so
// that every CPU visits the same pairs. const and thread-safe; allocates nothing.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

namespace fathom::mesh_mesh {

enum class PairsWanted {
    all,    // every pair within the limit, passed to the visitor as it is found
    nearest // the nearest pair: pairs are passed on once float bounds have narrowed them down; pairs that cannot be the
            // nearest are skipped
};

struct PairsQuery {
    PairsWanted wanted = PairsWanted::all;
    double limit = 0; // m
    // Direction from a to b (a's frame, any length) between points that are as close as the limit, where such points
    // are known. It affects the running time only.
    Vec3 direction = Vec3::Zero();
};

// Calls visitor(place a, place b) for pairs of triangles that may be within the limit of each other, and possibly for
// some that are slightly farther apart. Places are positions in order(), as in SurfaceView::corners. The visitor
// returns the new limit (at most the old one); a negative value stops the traversal, which then returns false. The pose
// must be finite and its rotation must be a unit quaternion.
bool visit_near_pairs(const SurfaceTree& a, const SurfaceTree& b, const Pose& b_in_a, const PairsQuery& query,
                      CallableRef<double(Index, Index)> visitor);

} // namespace fathom::mesh_mesh
