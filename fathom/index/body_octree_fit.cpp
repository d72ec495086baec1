// Room: index. Fits the boxes and spheres of a body octree to its points. Every volume holds its points whatever was rounded.
#include <fathom/index/body_octree_fit.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/index/body_octree_fit.cpp"
#include <hwy/foreach_target.h>

#include <fathom/index/bvh_visit-inl.h>


HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

// A point, in as many steps as the target needs.
using Lanes4 = hn::CappedTag<float, 4>;
using Point = hn::Vec<Lanes4>;

HWY_INLINE std::size_t point_step() { return hn::Lanes(Lanes4()); }

// Four points at a time and no remainder: leaves differ little in size, so the loop mostly ends as it did before.
HWY_INLINE void extend(const FramePoint* points, const Index* slots, Index count, std::size_t part, Point& lower, Point& upper) {
    const Lanes4 d;
    const auto at = [&](Index k) HWY_ATTR { return hn::Load(d, points[slots[k]].at + part); };
    for (Index k = 0; k < count; k += 4) {
        const Point a = at(k), b = at(k + 1), c = at(k + 2), e = at(k + 3);
        lower = hn::Min(lower, hn::Min(hn::Min(a, b), hn::Min(c, e)));
        upper = hn::Max(upper, hn::Max(hn::Max(a, b), hn::Max(c, e)));
    }
}

HWY_INLINE void fit_leaf(const BodyFit& fit, Index leaf, float* lower, float* upper) {
    const Lanes4 d;
    const BodyOctree::Piece piece = fit.leaf_points[leaf];
    const Index* const slots = fit.listed_slots + piece.begin;
    for (std::size_t part = 0; part < 4; part += point_step()) {
        Point low = hn::Load(d, fit.starts[slots[0]].at + part), high = low;
        extend(fit.starts, slots, piece.count, part, low, high);
        if (fit.ends) extend(fit.ends, slots, piece.count, part, low, high);
        hn::Store(low, d, lower + part);
        hn::Store(high, d, upper + part);
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

// Outward: a coordinate f of a point is off by at most 2^-23 |f| (the change of frame and the cast), and each of two sums by 2^-24
// of itself: 2^-22 (|f| + margin) covers all, and FLT_MIN whatever underflows. Rounding is monotone, so that the boxes of
// primitives that doubles have grown by the margin are inside too, by what margin_in() adds.
// Four lanes, not eight: loads as wide as the stores just before them need not wait.
HWY_INLINE void store_leaves(const BodyFit& fit, const float* lower, const float* upper, BvhNode& node) {
    const Lanes4 d;
    const Point margin = hn::Set(d, fit.margin);
    const auto slack = [&](Point f) HWY_ATTR {
        return hn::Add(margin, hn::Add(hn::Mul(hn::Add(hn::Abs(f), margin), hn::Set(d, 0x1p-22f)), hn::Set(d, FLT_MIN)));
    };
    for (std::size_t lane = 0; lane < node_width; lane += point_step()) {
        Point low[4], high[4];
        hn::LoadInterleaved4(d, lower + 4 * lane, low[0], low[1], low[2], low[3]);
        hn::LoadInterleaved4(d, upper + 4 * lane, high[0], high[1], high[2], high[3]);
        for (int axis = 0; axis < 3; ++axis) {
            hn::Store(hn::Sub(low[axis], slack(low[axis])), d, node.lower[axis] + lane);
            hn::Store(hn::Add(high[axis], slack(high[axis])), d, node.upper[axis] + lane);
        }
    }
}

HWY_INLINE void fit_boxes(const BodyFit& fit, BvhNode& node) {
    alignas(64) float lower[4 * node_width], upper[4 * node_width];
    int leaves = 0;
    for (int slot = 0; slot < node_width; ++slot)
        if (BvhNode::is_leaf(node.child[slot]) && node.child[slot] != no_index) {
            fit_leaf(fit, node.child[slot] & ~BvhNode::leaf_bit, lower + 4 * slot, upper + 4 * slot);
            ++leaves;
        } else {
            std::fill_n(lower + 4 * slot, 4, 0.0f), std::fill_n(upper + 4 * slot, 4, 0.0f);
        }
    if (leaves > 0) store_leaves(fit, lower, upper, node);
    if (leaves == node_width) return;
    for (int slot = 0; slot < node_width; ++slot) {
        const std::uint32_t child = node.child[slot];
        if (child != no_index && BvhNode::is_leaf(child)) continue;
        for (int axis = 0; axis < 3; ++axis) {
            node.lower[axis][slot] = child == no_index ? std::numeric_limits<float>::infinity() : least(fit.nodes[child].lower[axis]);
            node.upper[axis][slot] = child == no_index ? -std::numeric_limits<float>::infinity() : greatest(fit.nodes[child].upper[axis]);
        }
    }
}

// Where a sphere is to be, in the frame; the fourth is zero.
struct alignas(16) Center {
    float at[4] = {0, 0, 0, 0};
};

// The largest squared distances from the centre to points of a leaf, four points at a time, each lane for itself.
HWY_INLINE Point farthest(const FramePoint* points, const Index* slots, Index count, const Center& center, Point squared) {
    const Lanes4 d;
    const Point cx = hn::Set(d, center.at[0]), cy = hn::Set(d, center.at[1]), cz = hn::Set(d, center.at[2]);
    alignas(64) float four[16];
    for (Index k = 0; k < count; k += 4) {
        for (Index i = 0; i < 4; ++i)
            for (std::size_t part = 0; part < 4; part += point_step())
                hn::Store(hn::Load(d, points[slots[k + i]].at + part), d, four + 4 * i + part);
        for (std::size_t i = 0; i < 4; i += point_step()) {
            Point x, y, z, zero;
            hn::LoadInterleaved4(d, four + 4 * i, x, y, z, zero);
            x = hn::Sub(x, cx), y = hn::Sub(y, cy), z = hn::Sub(z, cz);
            squared = hn::Max(squared, hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z))));
        }
    }
    return squared;
}
HWY_INLINE Point farthest_of_leaf(const BodyFit& fit, std::uint32_t word, const Center& center, Point squared) {
    const BodyOctree::Piece& piece = fit.leaf_points[word & ~BvhNode::leaf_bit];
    const Index* const slots = fit.listed_slots + piece.begin;
    squared = farthest(fit.starts, slots, piece.count, center, squared);
    return fit.ends ? farthest(fit.ends, slots, piece.count, center, squared) : squared;
}
HWY_INLINE double root_of(Point squared) { return std::sqrt(static_cast<double>(hn::GetLane(hn::MaxOfLanes(Lanes4(), squared)))); }

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
            const double c = static_cast<double>(center.at[axis]);
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
    const double margin = static_cast<double>(fit.margin);
    Point squared = hn::Zero(Lanes4());
    if (BvhNode::is_leaf(word)) return root_of(farthest_of_leaf(fit, word, center, squared)) + margin;
    const BvhNode& below = fit.nodes[word];
    const double by_children = reach_of_children(below, fit.spheres[word], center);
    if (!holds_leaves_alone(below)) return by_children;
    for (int slot = 0; slot < node_width && below.child[slot] != no_index; ++slot)
        squared = farthest_of_leaf(fit, below.child[slot], center, squared);
    return std::min(by_children, root_of(squared) + margin);
}

// The centre is rounded first, and the radius is that of the rounded one, read back from where it is stored. Coordinates of
// points lie in [-1, 1] and are off by 2^-24 at most, so a distance is by 2^-23; differences, squares and sums by 2^-21 of the
// square, so the root by 2^-22 of itself; the cast by 2^-24 of the radius. 2^-21 of the radius and 2^-22 cover all.
HWY_INLINE void fit_sphere(const BodyFit& fit, const BvhNode& node, SphereGroup& spheres, int slot) {
    Center center;
    double side = 0;
    for (int axis = 0; axis < 3; ++axis)
        side = std::max(side, static_cast<double>(node.upper[axis][slot]) - static_cast<double>(node.lower[axis][slot]));
    for (int axis = 0; axis < 3; ++axis) {
        const double low = static_cast<double>(node.lower[axis][slot]), high = static_cast<double>(node.upper[axis][slot]);
        center.at[axis] = float_down(fit.rule == SphereRule::cube ? low + 0.5 * side : 0.5 * (low + high));
        spheres.center[axis][slot] = center.at[axis];
    }
    // Half the diagonal of the cube, and what its centre was moved by, which is at most 2^-23 an axis.
    const double reach = fit.rule == SphereRule::cube ? 0.8660254037844387 * side + 0x1p-21 : reach_below(fit, node.child[slot], center);
    spheres.radius[slot] = static_cast<float>(reach * (1 + 0x1p-21) + 0x1p-22);
}

HWY_INLINE void clear_sphere(SphereGroup& spheres, int slot) {
    for (int axis = 0; axis < 3; ++axis) spheres.center[axis][slot] = std::numeric_limits<float>::quiet_NaN();
    spheres.radius[slot] = 0;
}

HWY_ATTR void fit_one(const BodyFit& fit, BvhNode& node, SphereGroup* spheres) {
    fit_boxes(fit, node);
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

// Four doubles a point: itself and the x of the next, which the scale of zero leaves out. The last point is read by itself.
HWY_ATTR bool place_range(const BvhFrame& frame, float limit, const Vec3* points, std::size_t begin, std::size_t end, const Index* slots,
                          FramePoint* to, Vec3* copies) {
    const hn::CappedTag<double, 4> d;
    const hn::Rebind<float, decltype(d)> df;
    alignas(32) const double origin[4] = {frame.origin.x(), frame.origin.y(), frame.origin.z(), 0};
    alignas(32) const double scale[4] = {frame.scale, frame.scale, frame.scale, 0};
    alignas(32) const double last[4] = {points[end - 1].x(), points[end - 1].y(), points[end - 1].z(), 0};
    bool all_near = true;
    for (std::size_t part = 0; part < 4; part += hn::Lanes(d)) {
        const auto o = hn::Load(d, origin + part), s = hn::Load(d, scale + part);
        const auto most = hn::Set(df, limit);
        auto far = hn::Lt(most, hn::Zero(df));
        const auto place = [&](std::size_t k, const auto x) HWY_ATTR {
            const auto f = hn::DemoteTo(df, hn::Mul(hn::Sub(x, o), s));
            hn::StoreU(f, df, to[slots[k]].at + part);
            far = hn::Or(far, hn::Not(hn::Le(hn::Abs(f), most))); // also where it is not a number
        };
        for (std::size_t k = begin; k + 1 < end; ++k) {
            const auto x = hn::LoadU(d, points[k].data() + part);
            if (copies) hn::StoreU(x, d, copies[k].data() + part);
            place(k, x);
        }
        place(end - 1, hn::Load(d, last + part));
        all_near = all_near && hn::AllFalse(df, far);
    }
    if (copies) copies[end - 1] = points[end - 1];
    return all_near;
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(fit_one);
HWY_EXPORT(fit_range);
HWY_EXPORT(place_range);

bool place_points(const BvhFrame& frame, float limit, const Vec3* points, std::size_t begin, std::size_t end, const Index* slots, FramePoint* to,
                  Vec3* copies) {
    return HWY_DYNAMIC_DISPATCH(place_range)(frame, limit, points, begin, end, slots, to, copies);
}

float margin_in(const BvhFrame& frame, double margin) {
    if (margin == 0) return 0;
    const double reach = frame.origin.cwiseAbs().maxCoeff() + margin + 1 / frame.scale;
    return float_up((margin + 0x1p-51 * reach) * frame.scale);
}

double fit_nodes(const BodyFit& fit, std::size_t begin, std::size_t end) { return HWY_DYNAMIC_DISPATCH(fit_range)(fit, begin, end); }

void fit_node(const BodyFit& fit, BvhNode& node, SphereGroup* spheres) { HWY_DYNAMIC_DISPATCH(fit_one)(fit, node, spheres); }

} // namespace fathom
#endif
