// Room: index. The walk of the packed tree: a group of eight goes down once and notes whom it may meet; then each of its boxes
// is compared with what was noted, eight at a time.
#include <fathom/index/packed_pairs.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/index/packed_pairs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

#ifndef FATHOM_INDEX_PACKED_PAIRS_ONCE_
#define FATHOM_INDEX_PACKED_PAIRS_ONCE_
namespace fathom {

// For each set of lanes, their numbers in order.
struct LaneTable {
    alignas(64) std::uint8_t lanes[256][8] = {};

    constexpr LaneTable() {
        for (unsigned bits = 0; bits < 256; ++bits)
            for (std::uint8_t lane = 0, next = 0; lane < 8; ++lane)
                if ((bits >> lane) & 1u) lanes[bits][next++] = lane;
    }
};
inline constexpr LaneTable lane_table;

struct GroupsToMeet {
    std::uint32_t node; // of level 1
    std::uint32_t lanes;
};

} // namespace fathom
#endif

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Eight = hn::CappedTag<float, 8>;

// One box, in every lane.
struct OneBox {
    hn::Vec<Eight> lower[3], upper[3];

    HWY_ATTR OneBox(const BoxGroup& group, std::size_t lane) {
        const Eight d;
        for (int axis = 0; axis < 3; ++axis) {
            lower[axis] = hn::Set(d, group.lower[axis][lane]);
            upper[axis] = hn::Set(d, group.upper[axis][lane]);
        }
    }
};

// Which of the lanes from `lane` on overlap the box. By order: closed, or open (no two bounds equal).
HWY_INLINE auto overlap(const BoxGroup& group, std::size_t lane, const OneBox& box) {
    const Eight d;
    auto all = hn::And(hn::Le(hn::Load(d, group.lower[0] + lane), box.upper[0]), hn::Le(box.lower[0], hn::Load(d, group.upper[0] + lane)));
    for (int axis = 1; axis < 3; ++axis)
        all = hn::And(all, hn::And(hn::Le(hn::Load(d, group.lower[axis] + lane), box.upper[axis]),
                                   hn::Le(box.lower[axis], hn::Load(d, group.upper[axis] + lane))));
    return all;
}
HWY_INLINE auto bounds_meet(const BoxGroup& group, std::size_t lane, const OneBox& box) {
    const Eight d;
    auto any = hn::Or(hn::Eq(hn::Load(d, group.lower[0] + lane), box.upper[0]), hn::Eq(box.lower[0], hn::Load(d, group.upper[0] + lane)));
    for (int axis = 1; axis < 3; ++axis)
        any = hn::Or(any, hn::Or(hn::Eq(hn::Load(d, group.lower[axis] + lane), box.upper[axis]),
                                 hn::Eq(box.lower[axis], hn::Load(d, group.upper[axis] + lane))));
    return any;
}

template <class Mask>
HWY_INLINE std::uint32_t bits_of(Mask mask) {
    alignas(8) std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(Eight(), mask, bytes);
    return bytes[0];
}

HWY_INLINE std::uint32_t overlapping_lanes(const BoxGroup& group, const OneBox& box) {
    const Eight d;
    std::uint32_t found = 0;
    for (std::size_t lane = 0; lane < BoxGroup::width; lane += hn::Lanes(d)) found |= bits_of(overlap(group, lane, box)) << lane;
    return found;
}

// Bits of the lanes that stand at or after `first`, of eight that begin at `begin`.
HWY_INLINE std::uint32_t lanes_from(std::size_t first, std::size_t begin) {
    if (first <= begin) return 0xffu;
    return first - begin < BoxGroup::width ? (0xffu << (first - begin)) & 0xffu : 0u;
}

// Stores the lanes whose bits are set side by side, and others after them. Returns how many are set.
template <class Numbers>
HWY_INLINE std::size_t store_lanes(Numbers numbers, std::uint32_t bits, Index* to) {
    const hn::RebindToUnsigned<Eight> du;
    const auto from = hn::PromoteTo(du, hn::LoadU(hn::Rebind<std::uint8_t, decltype(du)>(), lane_table.lanes[bits]));
    hn::StoreU(hn::TableLookupLanes(numbers, hn::IndicesFromVec(du, from)), du, to);
    return static_cast<std::size_t>(std::popcount(bits));
}

// Room for a full group after the last that counts, so that stores need no branch.
template <class T>
HWY_INLINE void make_room(std::vector<T>& list, std::size_t used) {
    if (list.size() < used + BoxGroup::width) list.resize(2 * list.size() + 1024);
}

struct Walk {
    const PackedView& tree;
    FoundPairs& found;
    std::vector<GroupsToMeet> meets{};
    std::vector<Index> groups{}; // that one box may meet
    std::size_t comparisons = 0;

    // Notes the groups after `group` that its box meets.
    HWY_ATTR void go_down(std::size_t group) {
        struct Entry {
            std::size_t level, node;
        };
        Entry stack[8 * 16]; // 2^32 boxes make eleven levels
        std::size_t height = 0;
        stack[height++] = {tree.levels.size() - 1, 0};
        const OneBox box(tree.levels[1][group / 8], group % 8);
        meets.clear();
        while (height > 0) {
            const auto [level, node] = stack[--height];
            // The ancestor of the first group that counts; whatever comes before it has met us already.
            const std::size_t first = (group + 1) >> (3 * (level - 1));
            std::uint32_t lanes = overlapping_lanes(tree.levels[level][node], box) & lanes_from(first, 8 * node);
            if (level == 1) {
                if (lanes) meets.push_back({static_cast<std::uint32_t>(node), lanes});
                continue;
            }
            for (; lanes; lanes &= lanes - 1)
                stack[height++] = {level - 1, 8 * node + static_cast<std::size_t>(std::countr_zero(lanes))};
        }
    }

    // Of the groups noted, those that one box meets.
    HWY_ATTR std::size_t list_groups(const OneBox& box) {
        const Eight d;
        const hn::RebindToUnsigned<Eight> du;
        std::size_t count = 0;
        for (const GroupsToMeet& m : meets) {
            make_room(groups, count);
            for (std::size_t lane = 0; lane < BoxGroup::width; lane += hn::Lanes(d)) {
                const std::uint32_t bits = bits_of(overlap(tree.levels[1][m.node], lane, box)) & (m.lanes >> lane);
                const auto number = hn::Iota(du, static_cast<std::uint32_t>(8 * m.node + lane));
                count += store_lanes(number, bits, groups.data() + count);
            }
        }
        return count;
    }

    // Equal floats: only the doubles know.
    HWY_NOINLINE HWY_ATTR std::uint32_t refined(std::uint32_t lanes, Index id, std::size_t group) const {
        std::uint32_t kept = 0;
        for (; lanes; lanes &= lanes - 1) {
            const Index other = tree.order[8 * group + static_cast<std::size_t>(std::countr_zero(lanes))];
            if (tree.boxes[id].overlaps(tree.boxes[other])) kept |= lanes & (~lanes + 1);
        }
        return kept;
    }

    HWY_ATTR void compare(Index id, const OneBox& box, std::size_t group, std::uint32_t allowed) {
        const Eight d;
        const hn::RebindToUnsigned<Eight> du;
        make_room(found.first, found.count);
        make_room(found.second, found.count);
        const auto self = hn::Set(du, id);
        for (std::size_t lane = 0; lane < BoxGroup::width; lane += hn::Lanes(d)) {
            const auto mask = overlap(tree.levels[0][group], lane, box);
            std::uint32_t bits = bits_of(mask) & (allowed >> lane);
            if (HWY_UNLIKELY(bits & bits_of(hn::And(mask, bounds_meet(tree.levels[0][group], lane, box)))))
                bits = refined(bits << lane, id, group) >> lane;
            const auto others = hn::LoadU(du, tree.order.data() + 8 * group + lane);
            store_lanes(hn::Min(self, others), bits, found.first.data() + found.count);
            found.count += store_lanes(hn::Max(self, others), bits, found.second.data() + found.count);
        }
    }

    HWY_ATTR void meet(std::size_t group) {
        for (std::size_t lane = 0; lane < BoxGroup::width; ++lane) {
            const Index id = tree.order[8 * group + lane];
            if (id == no_index) return;
            const OneBox box(tree.levels[0][group], lane);
            const std::size_t count = list_groups(box);
            comparisons += count + meets.size();
            compare(id, box, group, lanes_from(lane + 1, 0));
            for (std::size_t k = 0; k < count; ++k) compare(id, box, groups[k], 0xffu);
        }
    }
};

HWY_ATTR std::size_t find_group_pairs(const PackedView& tree, std::size_t begin, std::size_t end, FoundPairs& found) {
    found.count = 0;
    Walk walk{tree, found};
    for (std::size_t group = begin; group < end; ++group) {
        walk.go_down(group);
        walk.meet(group);
    }
    return walk.comparisons;
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(find_group_pairs);

std::size_t find_pairs(const PackedView& tree, std::size_t begin, std::size_t end, FoundPairs& found) {
    return HWY_DYNAMIC_DISPATCH(find_group_pairs)(tree, begin, end, found);
}

} // namespace fathom
#endif
