// Room: index. The two passes of an update of a body octree: over the points, and over the nodes. Only its .cpp knows SIMD.
#pragma once

#include <fathom/index/body_octree.h>

namespace fathom {

// Brings points [begin, end) into the frame, point k to to[slots[k]], and copies them to copies[k] unless that is null. False
// where one is not finite, or farther than `limit` from the origin of the frame along an axis.
[[nodiscard]] bool place_points(const BvhFrame& frame, float limit, const Vec3* points, std::size_t begin, std::size_t end, const Index* slots,
                                FramePoint* to, Vec3* copies);

// The margin in units of the frame, rounded up; and what doubles may lose when they add it to a coordinate.
[[nodiscard]] float margin_in(const BvhFrame& frame, double margin);

struct BodyFit {
    float margin = 0; // as margin_in()
    const FramePoint* starts = nullptr;
    const FramePoint* ends = nullptr; // null when the points rest
    const BodyOctree::Piece* leaf_points = nullptr;
    const Index* listed_slots = nullptr; // each leaf's filled up to a multiple of four, with its first once more
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
