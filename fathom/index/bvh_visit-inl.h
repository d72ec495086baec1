// Traversals of the wide tree, compiled once per SIMD target with an inlined leaf functor.
// Include it only from a file that Highway's foreach_target compiles. Every test is conservative: a box is skipped only
// if its float bounds, including the rounding of the test itself, prove that it is irrelevant.
#if defined(FATHOM_INDEX_BVH_VISIT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_INDEX_BVH_VISIT_INL_H
#undef FATHOM_INDEX_BVH_VISIT_INL_H
#else
#define FATHOM_INDEX_BVH_VISIT_INL_H
#endif

#include <fathom/index/bvh.h>

#include <hwy/highway.h>

#include <bit>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Eight lanes, in as many steps as the target needs.
using Lanes8 = hn::CappedTag<float, 8>;
using Floats = hn::Vec<Lanes8>;
inline constexpr int node_width = BvhNode::width;

template <class Mask>
HWY_INLINE std::uint32_t mask_bits(Mask mask, int first_lane) {
    alignas(8) std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(Lanes8(), mask, bytes);
    return static_cast<std::uint32_t>(bytes[0]) << first_lane;
}

HWY_INLINE int lane_step() { return static_cast<int>(hn::Lanes(Lanes8())); }

HWY_INLINE int lowest_bit(std::uint32_t mask) { return std::countr_zero(mask); }

// Squared distances of the eight child boxes, and the bit mask of those not above `limit`.
HWY_INLINE std::uint32_t nearer_children(const BvhNode& node, const LocalPoint& point, float limit, float* squared) {
    const Lanes8 d;
    std::uint32_t found = 0;
    for (int lane = 0; lane < node_width; lane += lane_step()) {
        Floats sum = hn::Zero(d);
        for (int axis = 0; axis < 3; ++axis) {
            const Floats below = hn::Sub(hn::Load(d, node.lower[axis] + lane), hn::Set(d, point.upper[axis]));
            const Floats above = hn::Sub(hn::Set(d, point.lower[axis]), hn::Load(d, node.upper[axis] + lane));
            const Floats gap = hn::Max(hn::Max(below, above), hn::Zero(d));
            sum = hn::MulAdd(gap, gap, sum);
        }
        hn::Store(sum, d, squared + lane);
        found |= mask_bits(hn::Le(sum, hn::Set(d, limit)), lane);
    }
    return found;
}

// Entry parameters of the eight child boxes, and the bit mask of those that the ray intersects in [0, t_max].
HWY_INLINE std::uint32_t pierced_children(const BvhNode& node, const LocalRay& ray, float t_max, float* entry) {
    const Lanes8 d;
    std::uint32_t found = 0;
    for (int lane = 0; lane < node_width; lane += lane_step()) {
        Floats near = hn::Zero(d), far = hn::Set(d, t_max);
        for (int axis = 0; axis < 3; ++axis) {
            const float* const first = (ray.backward[axis] ? node.upper : node.lower)[axis];
            const float* const last = (ray.backward[axis] ? node.lower : node.upper)[axis];
            const Floats inverse = hn::Set(d, ray.inverse[axis]);
            near =
                hn::Max(near, hn::Mul(hn::Sub(hn::Load(d, first + lane), hn::Set(d, ray.near_origin[axis])), inverse));
            far = hn::Min(far, hn::Mul(hn::Sub(hn::Load(d, last + lane), hn::Set(d, ray.far_origin[axis])), inverse));
        }
        hn::Store(near, d, entry + lane);
        found |= mask_bits(hn::Le(near, hn::Mul(far, hn::Set(d, LocalRay::slack))), lane);
    }
    return found;
}

// Bit mask of the child boxes that overlap a box of the same frame.
HWY_INLINE std::uint32_t overlapping_children(const BvhNode& node, const LocalBox& box) {
    const Lanes8 d;
    std::uint32_t found = 0;
    for (int lane = 0; lane < node_width; lane += lane_step()) {
        auto overlap = hn::And(hn::Le(hn::Load(d, node.lower[0] + lane), hn::Set(d, box.upper[0])),
                               hn::Ge(hn::Load(d, node.upper[0] + lane), hn::Set(d, box.lower[0])));
        for (int axis = 1; axis < 3; ++axis) {
            overlap = hn::And(overlap, hn::Le(hn::Load(d, node.lower[axis] + lane), hn::Set(d, box.upper[axis])));
            overlap = hn::And(overlap, hn::Ge(hn::Load(d, node.upper[axis] + lane), hn::Set(d, box.lower[axis])));
        }
        found |= mask_bits(overlap, lane);
    }
    return found;
}

// Stack entry: the bits of a non-negative float, which sort like the float, above a child word.
using Waiting = std::uint64_t;
HWY_INLINE Waiting waiting(float key, std::uint32_t child) {
    return (static_cast<Waiting>(std::bit_cast<std::uint32_t>(key)) << 32) | child;
}
HWY_INLINE float key_of(Waiting entry) { return std::bit_cast<float>(static_cast<std::uint32_t>(entry >> 32)); }

// Pushes the found children onto the stack, the one with the smallest key on top.
HWY_INLINE Waiting* push_sorted(Waiting* top, const BvhNode& node, const float* key, std::uint32_t found) {
    Waiting* const base = top;
    for (; found; found &= found - 1) {
        const int lane = lowest_bit(found);
        const Waiting entry = waiting(key[lane], node.child[lane]);
        Waiting* place = top++;
        for (; place > base && place[-1] < entry; --place) *place = place[-1];
        *place = entry;
    }
    return top;
}

// Near-to-far visit with a limit that the leaf functor lowers: leaf(number) is called for each leaf whose key may be
// within leaf.limit(). Test(node, limit, keys) returns the keys and the bit mask of the children within the limit.
template <class Test, class Leaf>
HWY_INLINE void visit_sorted(std::span<const BvhNode> nodes, const Test& test, Leaf& leaf) {
    if (nodes.empty()) return;
    Waiting stack[stack_size];
    alignas(64) float keys[node_width];
    Waiting* top = push_sorted(stack, nodes[0], keys, test(nodes[0], leaf.limit(), keys));
    while (top != stack) {
        const Waiting entry = *--top;
        if (key_of(entry) > leaf.limit()) continue;
        const std::uint32_t child = static_cast<std::uint32_t>(entry);
        if (BvhNode::is_leaf(child)) {
            leaf(child & ~BvhNode::leaf_bit);
        } else {
            const BvhNode& node = nodes[child];
            top = push_sorted(top, node, keys, test(node, leaf.limit(), keys));
        }
    }
}

// leaf.limit() is a squared distance in the frame of the tree, from LocalPoint::limit.
template <class Tree, class Leaf>
HWY_INLINE void visit_near_to_far(const Tree& tree, const LocalPoint& point, Leaf& leaf) {
    const auto test = [&](const BvhNode& node, float limit, float* keys)
                          HWY_ATTR { return nearer_children(node, point, limit, keys); };
    visit_sorted(tree.nodes(), test, leaf);
}

// leaf.limit() is a parameter of the local ray, from LocalRay::limit.
template <class Tree, class Leaf>
HWY_INLINE void visit_near_to_far(const Tree& tree, const LocalRay& ray, Leaf& leaf) {
    const auto test = [&](const BvhNode& node, float limit, float* keys)
                          HWY_ATTR { return pierced_children(node, ray, limit, keys); };
    visit_sorted(tree.nodes(), test, leaf);
}

// Leaf functor of the sorted visits for callers without SIMD code: the visitor returns a new limit in the units of the
// query.
template <class Tree, class Query>
struct LimitLeaf {
    const Tree& tree;
    const Query& query;
    CallableRef<double(Index)> visitor;
    float local_limit;
    bool stopped = false;

    HWY_ATTR float limit() const { return local_limit; }
    HWY_ATTR void operator()(std::uint32_t leaf) {
        for (const Index id : tree.leaf(leaf)) {
            const double answer = visitor(id);
            stopped = !(answer >= 0);
            local_limit = stopped ? -1.0f : std::min(local_limit, query.limit(answer));
            if (stopped) return;
        }
    }
};

template <class Tree, class Query>
HWY_INLINE bool visit_limited(const Tree& tree, const Query& query, double limit, CallableRef<double(Index)> visitor) {
    LimitLeaf<Tree, Query> leaf{tree, query, visitor, query.limit(limit)};
    visit_near_to_far(tree, query, leaf);
    return !leaf.stopped;
}

// The nodes of a tree without a transform. Another source may fill the scratch node and return it.
struct PlainNodes {
    std::span<const BvhNode> nodes;
    HWY_ATTR const BvhNode& operator()(std::uint32_t index, BvhNode& /*scratch*/) const { return nodes[index]; }
};

// Calls leaf(number) -> bool for every leaf below node `root` that overlaps the box; false stops.
template <class Nodes, class Leaf>
HWY_INLINE bool visit_overlapping(const Nodes& nodes, std::uint32_t root, const LocalBox& box, Leaf& leaf) {
    std::uint32_t stack[stack_size];
    BvhNode scratch;
    std::uint32_t* top = stack;
    *top++ = root;
    while (top != stack) {
        const BvhNode& node = nodes(*--top, scratch);
        for (std::uint32_t found = overlapping_children(node, box); found; found &= found - 1) {
            const std::uint32_t child = node.child[lowest_bit(found)];
            if (!BvhNode::is_leaf(child))
                *top++ = child;
            else if (!leaf(child & ~BvhNode::leaf_bit))
                return false;
        }
    }
    return true;
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
