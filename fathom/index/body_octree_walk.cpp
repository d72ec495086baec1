// Traversal of two body octrees, one volume against eight per step, and comparison of the primitives of two leaves.
#include <fathom/index/body_octree_walk.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/index/body_octree_walk.cpp"
#include <hwy/foreach_target.h>

#include <fathom/index/body_octree_point-inl.h>
#include <fathom/index/bvh_placed-inl.h>

#include <cstring>

#ifndef FATHOM_INDEX_BODY_OCTREE_WALK_ONCE
#define FATHOM_INDEX_BODY_OCTREE_WALK_ONCE
namespace fathom {

struct LocalSphere {
    float center[3], radius;
};

template <class Volume>
Volume unpacked(const std::array<float, 6>& volume) {
    Volume result;
    std::memcpy(&result, volume.data(), sizeof(result));
    return result;
}
template <class Volume>
std::array<float, 6> packed(const Volume& volume) {
    std::array<float, 6> result{};
    std::memcpy(result.data(), &volume, sizeof(volume));
    return result;
}

} // namespace fathom
#endif

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

// Bit mask of the eight spheres that touch a sphere of the same frame. Differences, squares and sums have errors of
// 2^-24 each, at most eight of them: 2^-20 covers all.
HWY_INLINE std::uint32_t overlapping_children(const SphereGroup& group, const LocalSphere& sphere) {
    const Lanes8 d;
    std::uint32_t found = 0;
    for (int lane = 0; lane < node_width; lane += lane_step()) {
        Floats squared = hn::Zero(d);
        for (int axis = 0; axis < 3; ++axis) {
            const Floats off = hn::Sub(hn::Load(d, group.center[axis] + lane), hn::Set(d, sphere.center[axis]));
            squared = hn::MulAdd(off, off, squared);
        }
        const Floats reach = hn::Add(hn::Load(d, group.radius + lane), hn::Set(d, sphere.radius));
        const Floats limit = hn::MulAdd(hn::Mul(reach, reach), hn::Set(d, 1 + 0x1p-20f), hn::Set(d, FLT_MIN));
        found |= mask_bits(hn::Le(squared, limit), lane);
    }
    return found;
}

struct PlainSpheres {
    std::span<const SphereGroup> groups;
    HWY_ATTR const SphereGroup& operator()(std::uint32_t index, SphereGroup& /*scratch*/) const {
        return groups[index];
    }
};

// The spheres of a tree in the frame of another. The error of a centre is 2^-24 of the shift, of the product and of the
// sum, and the product is at most the sum plus the shift: 2^-22 of both, over the three axes, is added to the radius.
struct PlacedSpheres {
    std::span<const SphereGroup> groups;
    Placement placement;

    HWY_ATTR const SphereGroup& operator()(std::uint32_t index, SphereGroup& scratch) const {
        const Lanes8 d;
        const SphereGroup& group = groups[index];
        const Floats ratio = hn::Set(d, placement.ratio);
        for (int lane = 0; lane < node_width; lane += lane_step()) {
            Floats off = hn::Zero(d);
            for (int axis = 0; axis < 3; ++axis) {
                const Floats shift = hn::Set(d, placement.shift_lower[axis]);
                const Floats x = hn::MulAdd(hn::Load(d, group.center[axis] + lane), ratio, shift);
                hn::Store(x, d, scratch.center[axis] + lane);
                off = hn::Add(off, hn::Add(hn::Abs(x), hn::Abs(shift)));
            }
            const Floats radius =
                hn::MulAdd(hn::Load(d, group.radius + lane), ratio, hn::Mul(off, hn::Set(d, 0x1p-21f)));
            hn::Store(hn::MulAdd(radius, hn::Set(d, 1 + 0x1p-22f), hn::Set(d, 4 * FLT_MIN)), d, scratch.radius + lane);
        }
        return scratch;
    }
};

// Access to boxes and to spheres during a traversal.
struct BoxKind {
    using Group = BvhNode;
    using Volume = LocalBox;
    static HWY_INLINE Volume child(const Group& group, int slot) { return child_box(group, slot); }
    static PlainNodes plain(const BodyOctree& tree) { return {tree.nodes()}; }
    static PlacedNodes placed(const BodyOctree& large, const BodyOctree& small) {
        return {small.nodes(), Placement(large.frame(), small.frame())};
    }
    static const Group& crown(const BodyOctree& tree) { return tree.crown(); }
};
struct SphereKind {
    using Group = SphereGroup;
    using Volume = LocalSphere;
    static HWY_INLINE Volume child(const Group& group, int slot) {
        return {{group.center[0][slot], group.center[1][slot], group.center[2][slot]}, group.radius[slot]};
    }
    static PlainSpheres plain(const BodyOctree& tree) { return {tree.spheres()}; }
    static PlacedSpheres placed(const BodyOctree& large, const BodyOctree& small) {
        return {small.spheres(), Placement(large.frame(), small.frame())};
    }
    static const Group& crown(const BodyOctree& tree) { return tree.sphere_crown(); }
};

HWY_INLINE std::size_t used_children(const BvhNode& node) {
    const hn::RebindToUnsigned<Lanes8> d;
    std::size_t unused = 0;
    for (int lane = 0; lane < node_width; lane += lane_step())
        unused += hn::CountTrue(d, hn::Eq(hn::Load(d, node.child + lane), hn::Set(d, no_index)));
    return node_width - unused;
}

// One traversal: Kind selects the volumes, GroupsB transforms those of b into the frame of a.
template <class Kind, class GroupsB>
struct Descent {
    using Group = typename Kind::Group;
    using Volume = typename Kind::Volume;

    const BodyWalk& walk;
    decltype(Kind::plain(walk.a)) groups_a;
    GroupsB groups_b;
    NodeReport report;
    std::size_t tests = 0;

    // Bit mask of the children of `node`, whose volumes are in `group`, that overlap the volume.
    HWY_INLINE std::uint32_t overlapping_slots(const BvhNode& node, const Group& group, const Volume& volume) {
        tests += used_children(node);
        return overlapping_children(group, volume);
    }

    template <class Push>
    HWY_INLINE bool report_or_push(std::uint32_t a, std::uint32_t b, int level, const Volume& volume_a,
                                   const Volume& volume_b, const Push& push) {
        const bool leaf_a = BvhNode::is_leaf(a);
        if ((leaf_a && BvhNode::is_leaf(b)) || level == walk.level) return report(a, b);
        push(BodyWalkStep{a, b, level, packed(leaf_a ? volume_a : volume_b)});
        return true;
    }

    template <class Push>
    HWY_INLINE bool open_both(const BodyWalkStep& step, const Push& push) {
        Group scratch_a, scratch_b;
        const BvhNode &node_a = walk.a.nodes()[step.a], &node_b = walk.b.nodes()[step.b];
        const Group& group_a = groups_a(step.a, scratch_a);
        std::uint32_t found_a = overlapping_slots(node_a, group_a, unpacked<Volume>(step.volume));
        if (found_a == 0) return true;
        const Group& group_b = groups_b(step.b, scratch_b);
        for (; found_a; found_a &= found_a - 1) {
            const int i = lowest_bit(found_a);
            const Volume volume_a = Kind::child(group_a, i);
            for (std::uint32_t found_b = overlapping_slots(node_b, group_b, volume_a); found_b;
                 found_b &= found_b - 1) {
                const int j = lowest_bit(found_b);
                if (!report_or_push(node_a.child[i], node_b.child[j], step.level + 1, volume_a, Kind::child(group_b, j),
                                    push))
                    return false;
            }
        }
        return true;
    }

    // A leaf against the children of a node of the other tree.
    template <class Push>
    HWY_INLINE bool open_one(const BodyWalkStep& step, const Push& push) {
        Group scratch;
        const bool leaf_a = BvhNode::is_leaf(step.a);
        const BvhNode& node = leaf_a ? walk.b.nodes()[step.b] : walk.a.nodes()[step.a];
        const Group& group = leaf_a ? groups_b(step.b, scratch) : groups_a(step.a, scratch);
        const Volume volume = unpacked<Volume>(step.volume);
        for (std::uint32_t found = overlapping_slots(node, group, volume); found; found &= found - 1) {
            const std::uint32_t child = node.child[lowest_bit(found)];
            if (!report_or_push(leaf_a ? step.a : child, leaf_a ? child : step.b, step.level + 1, volume, volume, push))
                return false;
        }
        return true;
    }

    // The pairs inside one node: each child with itself, and with those after it.
    template <class Push>
    HWY_INLINE bool open_self(const BodyWalkStep& step, const Push& push) {
        Group scratch;
        const BvhNode& node = walk.a.nodes()[step.a];
        const Group& group = groups_a(step.a, scratch);
        for (int i = 0; i < node_width && node.child[i] != no_index; ++i) {
            const Volume volume = Kind::child(group, i);
            if (!report_or_push(node.child[i], node.child[i], step.level + 1, volume, volume, push)) return false;
            for (std::uint32_t found = overlapping_slots(node, group, volume) & (~1u << i); found; found &= found - 1) {
                const int j = lowest_bit(found);
                if (!report_or_push(node.child[i], node.child[j], step.level + 1, volume, Kind::child(group, j), push))
                    return false;
            }
        }
        return true;
    }

    template <class Push>
    HWY_INLINE bool open(const BodyWalkStep& step, const Push& push) {
        if (walk.self && step.a == step.b) return open_self(step, push);
        if (BvhNode::is_leaf(step.a) || BvhNode::is_leaf(step.b)) return open_one(step, push);
        return open_both(step, push);
    }

    HWY_INLINE bool run(const BodyWalkStep& from, std::vector<BodyWalkStep>* below) {
        if (below) return open(from, [&](const BodyWalkStep& step) HWY_ATTR { below->push_back(step); });
        BodyWalkStep stack[64 * (deepest_level + 1)];
        BodyWalkStep* top = stack;
        *top++ = from;
        while (top != stack) {
            const BodyWalkStep step = *--top;
            if (!open(step, [&](const BodyWalkStep& next) HWY_ATTR { *top++ = next; })) return false;
        }
        return true;
    }
};

template <class Kind>
HWY_INLINE bool run_kind(const BodyWalk& walk, const BodyWalkStep& from, NodeReport report,
                         std::vector<BodyWalkStep>* below, std::size_t& tests) {
    const auto run = [&](const auto& groups_b) HWY_ATTR {
        Descent<Kind, std::remove_cvref_t<decltype(groups_b)>> descent{walk, Kind::plain(walk.a), groups_b, report};
        const bool went_on = descent.run(from, below);
        tests += descent.tests;
        return went_on;
    };
    return &walk.a == &walk.b ? run(Kind::plain(walk.b)) : run(Kind::placed(walk.a, walk.b));
}

HWY_ATTR bool run_walk(const BodyWalk& walk, const BodyWalkStep& from, NodeReport report,
                       std::vector<BodyWalkStep>* below, std::size_t& tests) {
    return walk.spheres ? run_kind<SphereKind>(walk, from, report, below, tests)
                        : run_kind<BoxKind>(walk, from, report, below, tests);
}

template <class Kind, class Crown>
HWY_INLINE bool roots_overlap(const BodyWalk& walk, const Crown& crown_b, BodyWalkStep& first) {
    typename Kind::Group scratch;
    const typename Kind::Volume volume = Kind::child(crown_b(0, scratch), 0);
    first = {0, 0, 0, packed(volume)};
    return (overlapping_children(Kind::crown(walk.a), volume) & 1u) != 0;
}

HWY_ATTR bool find_first(const BodyWalk& walk, BodyWalkStep& first) {
    const Placement placement(walk.a.frame(), walk.b.frame());
    const BvhNode crown = walk.b.crown();
    const SphereGroup sphere_crown = walk.b.sphere_crown();
    if (walk.spheres) return roots_overlap<SphereKind>(walk, PlacedSpheres{{&sphere_crown, 1}, placement}, first);
    return roots_overlap<BoxKind>(walk, PlacedNodes{{&crown, 1}, placement}, first);
}

// The boxes of primitives. The fourth lane is zero in both corners, so it always overlaps.
using Lanes4 = PointLanes;
using Doubles = PointDoubles;

HWY_INLINE auto lanes_of_point(std::size_t part) {
    const Lanes4 d;
    return hn::FirstN(d, std::min<std::size_t>(3 > part ? 3 - part : 0, hn::Lanes(d)));
}

HWY_ATTR void fill_block(const BodyOctree& tree, const Index* ids, std::size_t count, PrimitiveBlock& block) {
    const Lanes4 d;
    const Vec3* const starts = tree.points().data();
    const Vec3* const ends = tree.ends().data();
    const std::size_t each = tree.corners_each();
    for (std::size_t k = 0; k < count; ++k) {
        const Index* const corners = tree.corners(ids[k]).data();
        block.ids[k] = ids[k];
        for (std::size_t part = 0; part < 4; part += hn::Lanes(d)) {
            Doubles low = load_point(starts, corners[0], part), high = low;
            const auto extend = [&](const Vec3* points, std::size_t first) HWY_ATTR {
                for (std::size_t c = first; c < each; ++c) {
                    const Doubles p = load_point(points, corners[c], part);
                    low = hn::Min(low, p), high = hn::Max(high, p);
                }
            };
            extend(starts, 1);
            if (ends != starts) extend(ends, 0);
            const auto used = lanes_of_point(part);
            hn::Store(hn::IfThenElseZero(used, hn::Sub(low, hn::Set(d, tree.margin()))), d, block.lower[k] + part);
            hn::Store(hn::IfThenElseZero(used, hn::Add(high, hn::Set(d, tree.margin()))), d, block.upper[k] + part);
        }
    }
    block.count = count;
    block.source = ids;
}

HWY_INLINE bool boxes_overlap(const double* lower_a, const double* upper_a, const double* lower_b,
                              const double* upper_b) {
    const Lanes4 d;
    for (std::size_t part = 0; part < 4; part += hn::Lanes(d))
        if (!hn::AllTrue(d, hn::And(hn::Le(hn::Load(d, lower_a + part), hn::Load(d, upper_b + part)),
                                    hn::Le(hn::Load(d, lower_b + part), hn::Load(d, upper_a + part)))))
            return false;
    return true;
}

// The bounding box of a block.
struct BlockHull {
    alignas(32) double lower[4], upper[4];

    HWY_ATTR explicit BlockHull(const PrimitiveBlock& block) {
        const Lanes4 d;
        for (std::size_t part = 0; part < 4; part += hn::Lanes(d)) {
            Doubles low = hn::Load(d, block.lower[0] + part), high = hn::Load(d, block.upper[0] + part);
            for (std::size_t k = 1; k < block.count; ++k) {
                low = hn::Min(low, hn::Load(d, block.lower[k] + part));
                high = hn::Max(high, hn::Load(d, block.upper[k] + part));
            }
            hn::Store(low, d, lower + part);
            hn::Store(high, d, upper + part);
        }
    }
};

// First selects the boxes of each block that overlap the hull of the other: few remain of two leaves that touch at a
// corner.
HWY_ATTR bool compare_blocks(const PrimitiveBlock& a, const PrimitiveBlock& b, bool same,
                             CallableRef<bool(Index, Index)> visitor) {
    const BlockHull hull_a(a), hull_b(b);
    std::uint8_t near_b[PrimitiveBlock::size];
    std::size_t count = 0;
    for (std::size_t j = 0; j < b.count; ++j)
        if (boxes_overlap(hull_a.lower, hull_a.upper, b.lower[j], b.upper[j]))
            near_b[count++] = static_cast<std::uint8_t>(j);
    if (count == 0) return true;
    for (std::size_t i = 0; i < a.count; ++i) {
        if (!boxes_overlap(a.lower[i], a.upper[i], hull_b.lower, hull_b.upper)) continue;
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t j = near_b[k];
            if (same && j <= i) continue;
            if (boxes_overlap(a.lower[i], a.upper[i], b.lower[j], b.upper[j]) && !visitor(a.ids[i], b.ids[j]))
                return false;
        }
    }
    return true;
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(run_walk);
HWY_EXPORT(find_first);
HWY_EXPORT(fill_block);
HWY_EXPORT(compare_blocks);

bool begin_walk(const BodyWalk& walk, BodyWalkStep& first) { return HWY_DYNAMIC_DISPATCH(find_first)(walk, first); }

bool walk_down(const BodyWalk& walk, const BodyWalkStep& from, NodeReport report, std::size_t& tests) {
    return HWY_DYNAMIC_DISPATCH(run_walk)(walk, from, report, nullptr, tests);
}

bool walk_step(const BodyWalk& walk, const BodyWalkStep& from, NodeReport report, std::vector<BodyWalkStep>& below,
               std::size_t& tests) {
    return HWY_DYNAMIC_DISPATCH(run_walk)(walk, from, report, &below, tests);
}

namespace {

std::span<const Index> piece(std::span<const Index> ids, std::size_t begin) {
    return ids.subspan(begin, std::min(PrimitiveBlock::size, ids.size() - begin));
}

void fill(const BodyOctree& tree, std::span<const Index> ids, PrimitiveBlock& block) {
    if (block.source != ids.data()) HWY_DYNAMIC_DISPATCH(fill_block)(tree, ids.data(), ids.size(), block);
}

} // namespace

bool LeafCompare::leaves(Index leaf_a, Index leaf_b) {
    const std::span<const Index> ids_a = a_.leaf(leaf_a), ids_b = b_.leaf(leaf_b);
    for (std::size_t i = 0; i < ids_a.size(); i += PrimitiveBlock::size) {
        fill(a_, piece(ids_a, i), block_a_);
        for (std::size_t j = 0; j < ids_b.size(); j += PrimitiveBlock::size) {
            fill(b_, piece(ids_b, j), block_b_);
            if (!HWY_DYNAMIC_DISPATCH(compare_blocks)(block_a_, block_b_, false, visitor_)) return false;
        }
    }
    return true;
}

bool LeafCompare::inside(Index leaf) {
    const std::span<const Index> ids = a_.leaf(leaf);
    for (std::size_t i = 0; i < ids.size(); i += PrimitiveBlock::size) {
        fill(a_, piece(ids, i), block_a_);
        for (std::size_t j = i; j < ids.size(); j += PrimitiveBlock::size) {
            fill(a_, piece(ids, j), block_b_);
            if (!HWY_DYNAMIC_DISPATCH(compare_blocks)(block_a_, block_b_, i == j, visitor_)) return false;
        }
    }
    return true;
}

} // namespace fathom
#endif
