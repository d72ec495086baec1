// Where the dual gradient search begins (Liu et al. 2024, section 4.2): points in what two boxes share,
// and points in the protrusions of a field. What the paper sets by hand (depth of the octree, distance n, boundary
// value) comes from the sizes of the boxes, or from the field. Not a proof: more points miss less, and never certainly
// nothing. Metres; thread-safe.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/field/field.h>

#include <vector>

namespace fathom {

struct CommonPointOptions {
    int depth =
        0; // halvings of the common region, 1 to 8; 0: until cells are half as thick as the thinner box, at most 5
    std::size_t most = 64; // no deeper level is begun past this many points, and of more, so many stay; at least 1
};

// Centres of the octree cells in both boxes, in order: the paper's algorithm 1 on the distances of two boxes, and of
// the cells left at the last level those whose centre is in both. One point at least wherever boxes_overlap(), none
// elsewhere. The boxes may be in any one frame, in which the points are too. Throws Error{invalid_argument} for options
// out of range.
void common_points(const OrientedBox& a, const OrientedBox& b, std::vector<Vec3>& out,
                   const CommonPointOptions& options = {});

// The signed distance to a box over all points of an axis box: encloses, and is exact where the box is not turned.
[[nodiscard]] Interval box_distance_range(const OrientedBox& box, const Box& over);

struct ProtrusionOptions {
    double spacing = 0; // of the lattice of candidates (m); 0: a grid's cell, else 1/128 of the bounds, or coarser for
                        // `max_candidates`
    double reach = 0;   // the paper's n (m); 0: four spacings
    std::size_t max_candidates = 2'000'000; // lattice points near the surface
};

struct ProtrusionPoints {
    std::vector<Vec3> points; // m, field's frame: all inside, no two nearer than `reach`
    double spacing = 0;       // as chosen
    double reach = 0;
    double boundary = 0; // the value that points are below, and four of six neighbours above
};

// Points below the boundary value with at least four of the six points at distance n above it; of those nearer to each
// other than n, one stays: the one with most neighbours outside, and of these the deepest. With the n chosen here,
// every protrusion that is no blunter than a ball of radius n^2 / (2 spacing) = 8 spacings holds a lattice point that
// qualifies (the rule reaches n^2 / (2r) deep into a ball of radius r). The boundary value is minus the field's error
// near its surface, so that points are inside for certain; points whose value is below it by more than lipschitz * n
// cannot qualify and are not asked about. Error{invalid_argument} for a field without finite bounds, options out of
// range. In parallel; the same for any thread count.
[[nodiscard]] ProtrusionPoints protrusion_points(const Field& field, const ProtrusionOptions& options = {});

} // namespace fathom
