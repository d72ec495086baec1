// Room: index. Fits the boxes and spheres of a body octree to its points. Every volume holds its points whatever was rounded.
#include <fathom/index/body_octree_fit.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/index/body_octree_fit.cpp"
#include <hwy/foreach_target.h>

#include <fathom/index/bvh_visit-inl.h>

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

// A point and the x of the next one, in as many steps as the target needs.
using Lanes4 = hn::CappedTag<double, 4>;
using Doubles = hn::Vec<Lanes4>;

HWY_INLINE std::size_t double_step() { return hn::Lanes(Lanes4()); }

struct Extent {
    alignas(32) double lower[4], upper[4];
};

// Two points at a time, because a minimum waits four cycles for the one before it.
HWY_INLINE void extend(const double* points, const Index* ids, Index count, std::size_t part, Doubles& lower, Doubles& upper) {
    const Lanes4 d;
    Doubles low = lower, high = upper;
    Index k = 0;
    for (; k + 2 <= count; k += 2) {
        const Doubles p = hn::LoadU(d, points + 3 * std::size_t{ids[k]} + part), q = hn::LoadU(d, points + 3 * std::size_t{ids[k + 1]} + part);
        lower = hn::Min(lower, p), upper = hn::Max(upper, p);
        low = hn::Min(low, q), high = hn::Max(high, q);
    }
    if (k < count) {
        const Doubles p = hn::LoadU(d, points + 3 * std::size_t{ids[k]} + part);
        lower = hn::Min(lower, p), upper = hn::Max(upper, p);
    }
    lower = hn::Min(lower, low), upper = hn::Max(upper, high);
}

// The box of a leaf, as floats of the frame. The fourth lane means nothing.
// Outward: v = (x - origin) * scale is off by at most 2^-52 |v|, the cast to float f by 2^-24 |v|, and the last sum by 2^-24 of
// itself, all below 2^-22 |f|; FLT_MIN covers whatever underflows. The margin is added to x as Box::grown() adds it, and
// rounding is monotone, so the box holds the grown boxes of all primitives too.
HWY_INLINE void fit_leaf(const BodyFit& fit, Index leaf, float* lower, float* upper) {
    const Lanes4 d;
    const hn::Rebind<float, Lanes4> df;
    const BodyOctree::Piece piece = fit.leaf_points[leaf];
    const Index* const ids = fit.listed_points + piece.begin;
    const double* const starts = fit.starts->data();
    alignas(32) const double origin[4] = {fit.frame.origin.x(), fit.frame.origin.y(), fit.frame.origin.z(), 0};
    for (std::size_t part = 0; part < 4; part += double_step()) {
        Doubles low = hn::LoadU(d, starts + 3 * std::size_t{ids[0]} + part), high = low;
        extend(starts, ids, piece.count, part, low, high);
        if (fit.ends) extend(fit.ends->data(), ids, piece.count, part, low, high);
        const auto local = [&](Doubles x) HWY_ATTR {
            return hn::DemoteTo(df, hn::Mul(hn::Sub(x, hn::Load(d, origin + part)), hn::Set(d, fit.frame.scale)));
        };
        const auto slack = [&](hn::Vec<decltype(df)> f) HWY_ATTR {
            return hn::Add(hn::Mul(hn::Abs(f), hn::Set(df, 0x1p-22f)), hn::Set(df, FLT_MIN));
        };
        const auto f = local(hn::Sub(low, hn::Set(d, fit.margin))), g = local(hn::Add(high, hn::Set(d, fit.margin)));
        hn::StoreU(hn::Sub(f, slack(f)), df, lower + part);
        hn::StoreU(hn::Add(g, slack(g)), df, upper + part);
    }
}

HWY_INLINE float least(const float* values) {
    const Lanes8 d;
    Floats all = hn::Load(d, values);
    for (int lane = lane_step(); lane < node_width; lane += lane_step()) all = hn::Min(all, hn::Load(d, values + lane));
    return hn::GetLane(hn::MinOfLanes(d, all));
}
HWY_INLINE float greatest(const float* values) {
    const Lanes8 d;
    Floats all = hn::Load(d, values);
    for (int lane = lane_step(); lane < node_width; lane += lane_step()) all = hn::Max(all, hn::Load(d, values + lane));
    return hn::GetLane(hn::MaxOfLanes(d, all));
}

HWY_INLINE void fit_box(const BodyFit& fit, BvhNode& node, int slot) {
    alignas(16) float lower[4], upper[4];
    const std::uint32_t child = node.child[slot];
    if (child == no_index) {
        std::fill(lower, lower + 3, std::numeric_limits<float>::infinity());
        std::fill(upper, upper + 3, -std::numeric_limits<float>::infinity());
    } else if (BvhNode::is_leaf(child)) {
        fit_leaf(fit, child & ~BvhNode::leaf_bit, lower, upper);
    } else {
        const BvhNode& below = fit.nodes[child];
        for (int axis = 0; axis < 3; ++axis) lower[axis] = least(below.lower[axis]), upper[axis] = greatest(below.upper[axis]);
    }
    for (int axis = 0; axis < 3; ++axis) node.lower[axis][slot] = lower[axis], node.upper[axis][slot] = upper[axis];
}

// Where a sphere is to be: its centre, as doubles of the frame.
struct Center {
    double at[3];
};

// The largest squared distance from the centre to a point of a list, in the frame.
HWY_INLINE double farthest(const BodyFit& fit, const Vec3* points, const BodyOctree::Piece& piece, const Center& center, double squared) {
    const double ox = fit.frame.origin.x(), oy = fit.frame.origin.y(), oz = fit.frame.origin.z(), scale = fit.frame.scale;
    for (Index k = 0; k < piece.count; ++k) {
        const double* const p = points[fit.listed_points[piece.begin + k]].data();
        const double x = (p[0] - ox) * scale - center.at[0], y = (p[1] - oy) * scale - center.at[1], z = (p[2] - oz) * scale - center.at[2];
        const double here = x * x + y * y + z * z;
        squared = here > squared ? here : squared;
    }
    return squared;
}
HWY_INLINE double farthest_of_leaf(const BodyFit& fit, std::uint32_t word, const Center& center, double squared) {
    const BodyOctree::Piece& piece = fit.leaf_points[word & ~BvhNode::leaf_bit];
    squared = farthest(fit, fit.starts, piece, center, squared);
    return fit.ends ? farthest(fit, fit.ends, piece, center, squared) : squared;
}

HWY_INLINE bool holds_leaves_alone(const BvhNode& node) {
    for (int slot = 0; slot < node_width && node.child[slot] != no_index; ++slot)
        if (!BvhNode::is_leaf(node.child[slot])) return false;
    return true;
}

// What holds everything below a node: the lesser of how far its children's spheres reach, and of how far their boxes do.
HWY_INLINE double reach_of_children(const BvhNode& node, const SphereGroup& spheres, const Center& center) {
    double reach = 0;
    for (int slot = 0; slot < node_width && node.child[slot] != no_index; ++slot) {
        double to_sphere = 0, to_corner = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double c = center.at[axis];
            const double off = static_cast<double>(spheres.center[axis][slot]) - c;
            const double side = std::max(c - static_cast<double>(node.lower[axis][slot]), static_cast<double>(node.upper[axis][slot]) - c);
            to_sphere += off * off;
            to_corner += side * side;
        }
        reach = std::max(reach, std::min(std::sqrt(to_sphere) + static_cast<double>(spheres.radius[slot]), std::sqrt(to_corner)));
    }
    return reach;
}

// Leaves, and nodes of nothing but leaves, are fitted from their points; what lies higher from its children, because a pass over
// all points for every level would cost O(n log n).
HWY_INLINE double reach_below(const BodyFit& fit, std::uint32_t word, const Center& center) {
    const double margin = fit.margin * fit.frame.scale;
    if (BvhNode::is_leaf(word)) return std::sqrt(farthest_of_leaf(fit, word, center, 0)) + margin;
    const BvhNode& below = fit.nodes[word];
    const double by_children = reach_of_children(below, fit.spheres[word], center);
    if (!holds_leaves_alone(below)) return by_children;
    double squared = 0;
    for (int slot = 0; slot < node_width && below.child[slot] != no_index; ++slot)
        squared = farthest_of_leaf(fit, below.child[slot], center, squared);
    return std::min(by_children, std::sqrt(squared) + margin);
}

// The centre is rounded first, and the radius is that of the rounded one, read back from where it is stored. Coordinates of the
// frame lie in [-1, 1], off by at most 2^-52: distances are off by less than 2^-50 and roots by 2^-52 of themselves. The cast to
// float is off by 2^-24 of the radius; 2^-22 of it, and 2^-40, cover all.
HWY_INLINE void fit_sphere(const BodyFit& fit, const BvhNode& node, SphereGroup& spheres, int slot) {
    Center center;
    double side = 0;
    for (int axis = 0; axis < 3; ++axis)
        side = std::max(side, static_cast<double>(node.upper[axis][slot]) - static_cast<double>(node.lower[axis][slot]));
    for (int axis = 0; axis < 3; ++axis) {
        const double low = static_cast<double>(node.lower[axis][slot]), high = static_cast<double>(node.upper[axis][slot]);
        spheres.center[axis][slot] = float_down(fit.rule == SphereRule::cube ? low + 0.5 * side : 0.5 * (low + high));
        center.at[axis] = static_cast<double>(spheres.center[axis][slot]);
    }
    double reach = 0;
    if (fit.rule == SphereRule::points) {
        reach = reach_below(fit, node.child[slot], center);
    } else {
        // Half the diagonal of the cube, and what its centre was moved by.
        reach = 0.8660254037844387 * side + 0x1p-22 * (side + std::abs(center.at[0]) + std::abs(center.at[1]) + std::abs(center.at[2]));
    }
    spheres.radius[slot] = static_cast<float>(reach * (1 + 0x1p-22) + 0x1p-40);
}

HWY_INLINE void clear_sphere(SphereGroup& spheres, int slot) {
    for (int axis = 0; axis < 3; ++axis) spheres.center[axis][slot] = std::numeric_limits<float>::quiet_NaN();
    spheres.radius[slot] = 0;
}

HWY_ATTR void fit_one(const BodyFit& fit, BvhNode& node, SphereGroup* spheres) {
    for (int slot = 0; slot < node_width; ++slot) fit_box(fit, node, slot);
    for (int slot = 0; spheres && slot < node_width; ++slot)
        if (node.child[slot] == no_index) clear_sphere(*spheres, slot);
        else fit_sphere(fit, node, *spheres, slot);
}

HWY_INLINE double child_areas(const BvhNode& node) {
    const Lanes8 d;
    alignas(64) float areas[node_width];
    for (int lane = 0; lane < node_width; lane += lane_step()) {
        Floats size[3];
        for (int axis = 0; axis < 3; ++axis) // an unused slot is inside-out, and has none
            size[axis] = hn::Max(hn::Sub(hn::Load(d, node.upper[axis] + lane), hn::Load(d, node.lower[axis] + lane)), hn::Zero(d));
        hn::Store(hn::Add(hn::Mul(size[0], hn::Add(size[1], size[2])), hn::Mul(size[1], size[2])), d, areas + lane);
    }
    double sum = 0;
    for (const float area : areas) sum += static_cast<double>(area);
    return sum;
}

HWY_ATTR double fit_range(const BodyFit& fit, std::size_t begin, std::size_t end) {
    double areas = 0;
    for (std::size_t k = end; k-- > begin;) {
        fit_one(fit, fit.nodes[k], fit.spheres ? fit.spheres + k : nullptr);
        areas += child_areas(fit.nodes[k]);
    }
    return areas;
}

// Pieces that stay in the first cache between the copy and the look. Zero times what is not finite is not a number.
HWY_ATTR Box copy_range(const Vec3* from, std::size_t count, Vec3* to) {
    constexpr std::size_t piece = 256;
    const Lanes4 d;
    Extent extent;
    bool finite = true;
    for (std::size_t part = 0; part < 4; part += double_step()) {
        hn::Store(hn::Set(d, HUGE_VAL), d, extent.lower + part);
        hn::Store(hn::Set(d, -HUGE_VAL), d, extent.upper + part);
    }
    for (std::size_t begin = 0; begin < count; begin += piece) {
        const std::size_t here = std::min(piece, count - begin);
        std::memcpy(static_cast<void*>(to + begin), static_cast<const void*>(from + begin), here * sizeof(Vec3));
        const double* const values = to[begin].data();
        for (std::size_t part = 0; part < 3; part += double_step()) {
            Doubles low = hn::Load(d, extent.lower + part), high = hn::Load(d, extent.upper + part), bad = hn::Zero(d);
            const std::size_t last = here - 1; // read by itself: after it lies what is not yet copied
            for (std::size_t k = 0; k < last; ++k) {
                const Doubles p = hn::LoadU(d, values + 3 * k + part);
                low = hn::Min(low, p), high = hn::Max(high, p);
                bad = hn::MulAdd(p, hn::Zero(d), bad);
            }
            alignas(32) double tail[4] = {values[3 * last], values[3 * last + 1], values[3 * last + 2], 0};
            const Doubles p = hn::Load(d, tail + part);
            low = hn::Min(low, p), high = hn::Max(high, p);
            bad = hn::MulAdd(p, hn::Zero(d), bad);
            hn::Store(low, d, extent.lower + part);
            hn::Store(high, d, extent.upper + part);
            finite = finite && hn::AllTrue(d, hn::Eq(bad, hn::Zero(d)));
        }
    }
    if (!finite) return {};
    return {Vec3(extent.lower[0], extent.lower[1], extent.lower[2]), Vec3(extent.upper[0], extent.upper[1], extent.upper[2])};
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(fit_one);
HWY_EXPORT(fit_range);
HWY_EXPORT(copy_range);

Box copy_points(std::span<const Vec3> from, Vec3* to) { return HWY_DYNAMIC_DISPATCH(copy_range)(from.data(), from.size(), to); }

double fit_nodes(const BodyFit& fit, std::size_t begin, std::size_t end) { return HWY_DYNAMIC_DISPATCH(fit_range)(fit, begin, end); }

void fit_node(const BodyFit& fit, BvhNode& node, SphereGroup* spheres) { HWY_DYNAMIC_DISPATCH(fit_one)(fit, node, spheres); }

} // namespace fathom
#endif
