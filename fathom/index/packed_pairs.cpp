// Traversal of the packed tree: a group of eight is traversed once and collects the groups it may overlap; then each of
// its boxes is compared with the collected groups, eight at a time.
#include <fathom/index/packed_tree.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/index/packed_pairs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>
#include <limits>

#ifndef FATHOM_INDEX_PACKED_PAIRS_ONCE
#define FATHOM_INDEX_PACKED_PAIRS_ONCE
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

// The groups that a group may overlap: their boxes and their numbers. There is always space for a full vector after the
// last.
struct Candidates {
    std::vector<float> lower[3], upper[3];
    std::vector<Index> number;
    std::size_t count = 0;

    void make_room() {
        if (count + BoxGroup::width <= number.size()) return;
        const std::size_t size = 2 * number.size() + 1024;
        for (int axis = 0; axis < 3; ++axis) lower[axis].resize(size), upper[axis].resize(size);
        number.resize(size);
    }
};

} // namespace fathom
#endif

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Eight = hn::CappedTag<float, 8>;

// One box, broadcast to every lane.
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

// Mask of the lanes that overlap the box; lower[axis] and upper[axis] point to the bounds of the lanes.
HWY_INLINE auto overlap(const float* const lower[3], const float* const upper[3], const OneBox& box) {
    const Eight d;
    auto all = hn::And(hn::Le(hn::LoadU(d, lower[0]), box.upper[0]), hn::Le(box.lower[0], hn::LoadU(d, upper[0])));
    for (int axis = 1; axis < 3; ++axis)
        all = hn::And(all, hn::And(hn::Le(hn::LoadU(d, lower[axis]), box.upper[axis]),
                                   hn::Le(box.lower[axis], hn::LoadU(d, upper[axis]))));
    return all;
}
HWY_INLINE auto overlap(const BoxGroup& group, std::size_t lane, const OneBox& box) {
    const float* const lower[3] = {group.lower[0] + lane, group.lower[1] + lane, group.lower[2] + lane};
    const float* const upper[3] = {group.upper[0] + lane, group.upper[1] + lane, group.upper[2] + lane};
    return overlap(lower, upper, box);
}
// Mask of the lanes with a bound equal to the opposite bound of the box.
HWY_INLINE auto bounds_meet(const BoxGroup& group, std::size_t lane, const OneBox& box) {
    const Eight d;
    auto any = hn::Or(hn::Eq(hn::Load(d, group.lower[0] + lane), box.upper[0]),
                      hn::Eq(box.lower[0], hn::Load(d, group.upper[0] + lane)));
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
    for (std::size_t lane = 0; lane < BoxGroup::width; lane += hn::Lanes(d))
        found |= bits_of(overlap(group, lane, box)) << lane;
    return found;
}

// Bit mask of the lanes at or after position `first`, of eight that begin at `begin`.
HWY_INLINE std::uint32_t lanes_from(std::size_t first, std::size_t begin) {
    if (first <= begin) return 0xffu;
    return first - begin < BoxGroup::width ? (0xffu << (first - begin)) & 0xffu : 0u;
}

// Indices that move the lanes with set bits to the front; the lanes after them are undefined.
HWY_INLINE auto lanes_in_front(std::uint32_t bits) {
    const hn::RebindToUnsigned<Eight> du;
    return hn::PromoteTo(du, hn::LoadU(hn::Rebind<std::uint8_t, decltype(du)>(), lane_table.lanes[bits]));
}
template <class D, class Values, class Lanes>
HWY_INLINE void store_lanes(D d, Values values, Lanes lanes, hn::TFromD<D>* to) {
    hn::StoreU(hn::TableLookupLanes(values, hn::IndicesFromVec(d, lanes)), d, to);
}

struct Walk {
    const PackedView& tree;
    FoundPairs& found;
    Candidates near{};
    std::vector<Index> groups{}; // groups that one box may overlap
    std::size_t comparisons = 0;

    HWY_ATTR void note(std::size_t node, std::uint32_t lanes) {
        const Eight d;
        const hn::RebindToUnsigned<Eight> du;
        const BoxGroup& group = tree.levels[1][node];
        for (std::size_t lane = 0; lane < BoxGroup::width; lane += hn::Lanes(d)) {
            near.make_room();
            const std::uint32_t bits = (lanes >> lane) & ((1u << hn::Lanes(d)) - 1);
            const auto front = lanes_in_front(bits);
            for (int axis = 0; axis < 3; ++axis) {
                store_lanes(d, hn::Load(d, group.lower[axis] + lane), front, near.lower[axis].data() + near.count);
                store_lanes(d, hn::Load(d, group.upper[axis] + lane), front, near.upper[axis].data() + near.count);
            }
            store_lanes(du, hn::Iota(du, static_cast<std::uint32_t>(8 * node + lane)), front,
                        near.number.data() + near.count);
            near.count += static_cast<std::size_t>(std::popcount(bits));
        }
    }

    // Collects the groups after `group` that overlap its box.
    HWY_ATTR void collect_groups(std::size_t group) {
        struct Entry {
            std::size_t level, node;
        };
        Entry stack[8 * 16]; // 2^32 boxes give eleven levels
        std::size_t height = 0;
        stack[height++] = {tree.levels.size() - 1, 0};
        const OneBox box(tree.levels[1][group / 8], group % 8);
        near.count = 0;
        while (height > 0) {
            const auto [level, node] = stack[--height];
            // The ancestor of the first group to consider; earlier groups have already been compared with this one.
            const std::size_t first = (group + 1) >> (3 * (level - 1));
            std::uint32_t lanes = overlapping_lanes(tree.levels[level][node], box) & lanes_from(first, 8 * node);
            if (level == 1) {
                note(node, lanes);
                continue;
            }
            for (; lanes; lanes &= lanes - 1)
                stack[height++] = {level - 1, 8 * node + static_cast<std::size_t>(std::countr_zero(lanes))};
        }
        near.make_room();
        hn::StoreU(hn::Set(Eight(), std::numeric_limits<float>::infinity()), Eight(),
                   near.lower[0].data() + near.count);
    }

    // The collected groups that overlap one box.
    HWY_ATTR std::size_t list_groups(const OneBox& box) {
        const hn::RebindToUnsigned<Eight> du;
        std::size_t count = 0;
        if (groups.size() < near.number.size()) groups.resize(near.number.size());
        Index* const list = groups.data();
        const float* lower[3] = {near.lower[0].data(), near.lower[1].data(), near.lower[2].data()};
        const float* upper[3] = {near.upper[0].data(), near.upper[1].data(), near.upper[2].data()};
        const Index* const number = near.number.data();
        for (std::size_t k = 0; k < near.count; k += hn::Lanes(du)) {
            const float* const low[3] = {lower[0] + k, lower[1] + k, lower[2] + k};
            const float* const high[3] = {upper[0] + k, upper[1] + k, upper[2] + k};
            const std::uint32_t bits = bits_of(overlap(low, high, box));
            store_lanes(du, hn::LoadU(du, number + k), lanes_in_front(bits), list + count);
            count += static_cast<std::size_t>(std::popcount(bits));
        }
        return count;
    }

    // Equal floats: decided in double.
    HWY_NOINLINE HWY_ATTR std::uint32_t refined(std::uint32_t lanes, Index id, const Index* others) const {
        std::uint32_t kept = 0;
        for (; lanes; lanes &= lanes - 1)
            if (tree.boxes[id].overlaps(tree.boxes[others[std::countr_zero(lanes)]])) kept |= lanes & (~lanes + 1);
        return kept;
    }

    // Stores the pairs of the box with the allowed lanes of a group, and returns their number.
    HWY_INLINE std::size_t compare(Index id, const OneBox& box, const BoxGroup& group, const Index* ids,
                                   std::uint32_t allowed, Index* first, Index* second) const {
        const Eight d;
        const hn::RebindToUnsigned<Eight> du;
        const auto self = hn::Set(du, id);
        std::size_t count = 0;
        for (std::size_t lane = 0; lane < BoxGroup::width; lane += hn::Lanes(d)) {
            const auto mask = overlap(group, lane, box);
            std::uint32_t bits = bits_of(mask) & (allowed >> lane);
            if (HWY_UNLIKELY(bits & bits_of(hn::And(mask, bounds_meet(group, lane, box)))))
                bits = refined(bits, id, ids + lane);
            const auto others = hn::LoadU(du, ids + lane);
            const auto front = lanes_in_front(bits);
            store_lanes(du, hn::Min(self, others), front, first + count);
            store_lanes(du, hn::Max(self, others), front, second + count);
            count += static_cast<std::size_t>(std::popcount(bits));
        }
        return count;
    }

    HWY_ATTR void compare_group(std::size_t group) {
        const BoxGroup* const all = tree.levels[0].data();
        const Index* const ids = tree.order.data();
        for (std::size_t lane = 0; lane < BoxGroup::width; ++lane) {
            const Index id = ids[8 * group + lane];
            if (id == no_index) return;
            const OneBox box(all[group], lane);
            const std::size_t count = list_groups(box);
            comparisons += count + near.count / 8 + 1;
            found.make_room(BoxGroup::width * (count + 2));
            Index *const first = found.first.data() + found.count, *const second = found.second.data() + found.count;
            std::size_t n = compare(id, box, all[group], ids + 8 * group, lanes_from(lane + 1, 0), first, second);
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t other = groups[k];
                n += compare(id, box, all[other], ids + 8 * other, 0xffu, first + n, second + n);
            }
            found.count += n;
        }
    }
};

HWY_ATTR std::size_t find_group_pairs(const PackedView& tree, std::size_t begin, std::size_t end, FoundPairs& found) {
    found.count = 0;
    Walk walk{tree, found};
    for (std::size_t group = begin; group < end; ++group) {
        walk.collect_groups(group);
        walk.compare_group(group);
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
