// Room: index. The two passes of an update of a body octree: over the points, and over the nodes. Only its .cpp knows SIMD.
#pragma once

#include <fathom/index/body_octree.h>

namespace fathom {

// Copies points and looks at each once. An empty box where one is not finite.
[[nodiscard]] Box copy_points(std::span<const Vec3> from, Vec3* to);

struct BodyFit {
    BvhFrame frame;
    double margin = 0;
    const Vec3* starts = nullptr; // one more may be read after the last
    const Vec3* ends = nullptr;   // null when the points rest
    const BodyOctree::Piece* leaf_points = nullptr;
    const Index* listed_points = nullptr;
    SphereRule rule = SphereRule::points;
    BvhNode* nodes = nullptr;
    SphereGroup* spheres = nullptr; // null for boxes alone
};

// Fits nodes [begin, end), the last one first; what lies below them must have been fitted. Returns the sum of half the areas of
// the children's boxes, in the frame.
double fit_nodes(const BodyFit& fit, std::size_t begin, std::size_t end);
// The same for a node that lies elsewhere.
void fit_node(const BodyFit& fit, BvhNode& node, SphereGroup* spheres);

} // namespace fathom
