// Points of one deforming body in the leaves of the octree of another: the output of Madera et al. 2006.
// It is a baseline. The library finds vertices inside a body exactly (detect/deformable/inside_vertices.h).
#pragma once

#include <fathom/index/body_octree_pairs.h>

namespace fathom {

struct CollidingPoints {
    std::vector<Index> of_a, of_b; // sorted, each once
    std::size_t volume_tests = 0;
};

// For each pair of leaves found by overlapping_nodes(): the points of a's leaf inside b's volume (as given by box_of()
// or sphere_of(), including its margin; closed), and vice versa. In a swept step: the points whose box of start and end
// overlaps the volume.
[[nodiscard]] CollidingPoints colliding_points(const BodyOctree& a, const BodyOctree& b);

} // namespace fathom
