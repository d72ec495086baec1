// Nodes of one wide tree as boxes in the frame of another, for simultaneous traversals of two trees.
// Include it only from a file that Highway's foreach_target compiles.
#if defined(FATHOM_INDEX_BVH_PLACED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_INDEX_BVH_PLACED_INL_H
#undef FATHOM_INDEX_BVH_PLACED_INL_H
#else
#define FATHOM_INDEX_BVH_PLACED_INL_H
#endif

#include <fathom/index/bvh_visit-inl.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

// The nodes of a tree, transformed to the frame of another.
struct PlacedNodes {
    std::span<const BvhNode> nodes;
    Placement placement;

    HWY_ATTR const BvhNode& operator()(std::uint32_t index, BvhNode& scratch) const {
        const Lanes8 d;
        const BvhNode& node = nodes[index];
        const Floats ratio = hn::Set(d, placement.ratio);
        const auto place = [&](const float* from, float shift, float sign, float* to) HWY_ATTR {
            const Floats x = hn::MulAdd(hn::Load(d, from), ratio, hn::Set(d, shift));
            // The relative error of the sum is at most 2^-24; the error of the product is underflow. Infinities of
            // unused slots remain infinite.
            const Floats margin = hn::MulAdd(hn::Abs(x), hn::Set(d, 0x1p-22f), hn::Set(d, FLT_MIN));
            hn::Store(hn::MulAdd(margin, hn::Set(d, sign), x), d, to);
        };
        for (int axis = 0; axis < 3; ++axis)
            for (int lane = 0; lane < node_width; lane += lane_step()) {
                place(node.lower[axis] + lane, placement.shift_lower[axis], -1.0f, scratch.lower[axis] + lane);
                place(node.upper[axis] + lane, placement.shift_upper[axis], 1.0f, scratch.upper[axis] + lane);
            }
        for (int slot = 0; slot < node_width; ++slot) {
            scratch.child[slot] = node.child[slot];
            if (node.child[slot] == no_index) // infinity minus an infinite margin is NaN
                scratch.lower[0][slot] = FLT_MAX, scratch.upper[0][slot] = -FLT_MAX;
        }
        return scratch;
    }
};

HWY_INLINE LocalBox child_box(const BvhNode& node, int slot) {
    LocalBox box;
    for (int axis = 0; axis < 3; ++axis) {
        box.lower[axis] = node.lower[axis][slot];
        box.upper[axis] = node.upper[axis][slot];
    }
    return box;
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
