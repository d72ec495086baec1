// Fits the boxes and spheres of a body octree to its points. Every volume contains its points, rounding included.
#include <fathom/base/rounding.h>
#include <fathom/index/body_octree_build.h>

#include <cmath>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/index/body_octree_fit.cpp"
#include <hwy/foreach_target.h>

#include <fathom/index/body_octree_point-inl.h>
#include <fathom/index/bvh_visit-inl.h>

#include <hwy/cache_control.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

using Lanes4 = hn::CappedTag<float, 4>;
using Point = hn::Vec<Lanes4>;

// Transforms points into the frame, rounded to the nearest float.
struct ToFrame {
    alignas(32) double origin[4], scale[4];

    explicit ToFrame(const BvhFrame& frame)
        : origin{frame.origin.x(), frame.origin.y(), frame.origin.z(), 0}, scale{frame.scale, frame.scale, frame.scale,
                                                                                 0} {}

    HWY_INLINE void store(PointDoubles x, std::size_t part, float* to) const {
        const PointLanes d;
        const hn::Rebind<float, PointLanes> df;
        hn::Store(hn::DemoteTo(df, hn::Mul(hn::Sub(x, hn::Load(d, origin + part)), hn::Load(d, scale + part))), df,
                  to + part);
    }
};

// Four leaves in parallel, so that there are no dependencies between them and all end at once.
struct FourBoxes {
    PointDoubles low[4], high[4];

    HWY_INLINE void begin(const Vec3* points, const Index* ids, std::size_t part) {
        for (int i = 0; i < 4; ++i) low[i] = high[i] = load_point(points, ids[i], part);
    }
    // Points are scattered in memory: some of the next ones, and most of their neighbours, are prefetched.
    HWY_INLINE void extend(const Vec3* points, const Index* ids, const Index* end, std::size_t part) {
        for (; ids != end; ids += node_width) {
            hwy::Prefetch(points + *(ids - rounds_ahead));
            for (int i = 0; i < 4; ++i) {
                const PointDoubles x = load_point(points, ids[i], part);
                low[i] = hn::Min(low[i], x), high[i] = hn::Max(high[i], x);
            }
        }
    }
};

// Boxes of eight leaves, four floats per corner.
struct LeafBoxes {
    alignas(64) float lower[4 * node_width], upper[4 * node_width];
};

HWY_INLINE void fit_rounds(const BodyFit& fit, const ToFrame& to_frame, const Index* rounds, Index count,
                           LeafBoxes& boxes) {
    const Index* const end = rounds + count * node_width;
    for (int half = 0; half < node_width; half += 4)
        for (std::size_t part = 0; part < 4; part += point_step()) {
            FourBoxes four;
            four.begin(fit.starts, rounds + half, part);
            four.extend(fit.starts, rounds + node_width + half, end + half, part);
            if (fit.ends) four.extend(fit.ends, rounds + half, end + half, part);
            for (int i = 0; i < 4; ++i) {
                to_frame.store(four.low[i], part, boxes.lower + 4 * (half + i));
                to_frame.store(four.high[i], part, boxes.upper + 4 * (half + i));
            }
        }
}

HWY_INLINE bool is_leaf_word(std::uint32_t word) { return word != no_index && BvhNode::is_leaf(word); }

// The points of a long leaf beyond the rounds; mostly under a level cap.
HWY_INLINE void extend_long_leaf(const BodyFit& fit, const ToFrame& to_frame, Index leaf, float* lower, float* upper) {
    const BodyOctree::Piece piece = fit.leaf_points[leaf];
    for (Index k = max_rounds; k < piece.count; ++k)
        for (const Vec3* const points : {fit.starts, fit.ends}) {
            alignas(16) float at[4];
            for (std::size_t part = 0; points && part < 4; part += point_step())
                to_frame.store(load_point(points, fit.listed_points[piece.begin + k], part), part, at);
            for (int axis = 0; points && axis < 3; ++axis) {
                lower[axis] = std::min(lower[axis], at[axis]);
                upper[axis] = std::max(upper[axis], at[axis]);
            }
        }
}

// Transposes corners to axes.
HWY_INLINE void transpose_leaves(const float* corners, int lane, Floats (&axes)[3]) {
    const Lanes8 d;
#if HWY_MAX_BYTES >= 32
    (void)lane;
    const hn::RepartitionToWide<Lanes8> pairs;
    const auto row = [&](int k) HWY_ATTR { // loads as wide as the preceding stores do not stall
        return hn::Combine(d, hn::Load(Lanes4(), corners + 4 * (k + 4)), hn::Load(Lanes4(), corners + 4 * k));
    };
    const auto lower = [&](int k) HWY_ATTR { return hn::BitCast(pairs, hn::InterleaveLower(d, row(k), row(k + 1))); };
    const auto upper = [&](int k) HWY_ATTR { return hn::BitCast(pairs, hn::InterleaveUpper(d, row(k), row(k + 1))); };
    axes[0] = hn::BitCast(d, hn::InterleaveLower(pairs, lower(0), lower(2)));
    axes[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, lower(0), lower(2)));
    axes[2] = hn::BitCast(d, hn::InterleaveLower(pairs, upper(0), upper(2)));
#else
    Floats unused;
    hn::LoadInterleaved4(d, corners + 4 * lane, axes[0], axes[1], axes[2], unused);
#endif
}

// Outward rounding: the error of a coordinate f of a point is at most 2^-23 |f| (the change of frame and the cast), and
// that of each of two sums 2^-24 of the sum: 2^-22 |f| and 2^-21 of the margin cover all, and FLT_MIN covers underflow.
// Rounding is monotone, so boxes of primitives that were grown by the margin in double are inside too, because of the
// addition in margin_in(). Points outside the frame get no larger margin, because another frame must then be chosen:
// infinity stays infinity.
HWY_INLINE void store_leaves(const BodyFit& fit, const LeafBoxes& boxes, BvhNode& node) {
    const Lanes8 d;
    const Floats least = hn::Set(d, fit.margin * (1 + 0x1p-21f) + FLT_MIN);
    const auto slack = [&](Floats f) HWY_ATTR {
        return hn::Add(hn::Mul(hn::Min(hn::Abs(f), hn::Set(d, 1)), hn::Set(d, 0x1p-22f)), least);
    };
    for (int lane = 0; lane < node_width; lane += lane_step()) {
        Floats low[3], high[3];
        transpose_leaves(boxes.lower, lane, low);
        transpose_leaves(boxes.upper, lane, high);
        for (int axis = 0; axis < 3; ++axis) {
            hn::Store(hn::Sub(low[axis], slack(low[axis])), d, node.lower[axis] + lane);
            hn::Store(hn::Add(high[axis], slack(high[axis])), d, node.upper[axis] + lane);
        }
    }
}

HWY_INLINE void fit_leaves(const BodyFit& fit, const ToFrame& to_frame, const BodyOctree::Piece& piece, BvhNode& node) {
    LeafBoxes boxes;
    fit_rounds(fit, to_frame, fit.listed_rounds + piece.begin, piece.count, boxes);
    for (int slot = 0; piece.count == max_rounds && slot < node_width; ++slot)
        if (is_leaf_word(node.child[slot]))
            extend_long_leaf(fit, to_frame, node.child[slot] & ~BvhNode::leaf_bit, boxes.lower + 4 * slot,
                             boxes.upper + 4 * slot);
    store_leaves(fit, boxes, node);
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

HWY_INLINE bool holds_eight_leaves(const BvhNode& node) {
    const hn::RebindToSigned<Lanes8> d;
    const auto* const words = reinterpret_cast<const std::int32_t*>(node.child);
    for (int lane = 0; lane < node_width; lane += lane_step()) // no_index is -1, and a leaf word is smaller
        if (!hn::AllTrue(d, hn::Lt(hn::Load(d, words + lane), hn::Set(d, -1)))) return false;
    return true;
}

// Slots with inner nodes, and unused slots.
HWY_INLINE void fit_inner(const BodyFit& fit, BvhNode& node) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (int slot = 0; slot < node_width; ++slot) {
        const std::uint32_t child = node.child[slot];
        if (is_leaf_word(child)) continue;
        for (int axis = 0; axis < 3; ++axis) {
            node.lower[axis][slot] = child == no_index ? infinity : least(fit.nodes[child].lower[axis]);
            node.upper[axis][slot] = child == no_index ? -infinity : greatest(fit.nodes[child].upper[axis]);
        }
    }
}

// Centre of a sphere in the frame; the fourth component is zero.
struct alignas(16) Center {
    float at[4] = {0, 0, 0, 0};
};

// The largest squared distances from the centre to points of a leaf, four points at a time, separately per lane.
HWY_INLINE Point farthest(const ToFrame& to_frame, const Vec3* points, const Index* ids, Index count,
                          const Center& center, Point squared) {
    const Lanes4 d;
    const Point cx = hn::Set(d, center.at[0]), cy = hn::Set(d, center.at[1]), cz = hn::Set(d, center.at[2]);
    alignas(64) float four[16];
    for (Index k = 0; k < count; k += 4) {
        for (Index i = 0; i < 4; ++i)
            for (std::size_t part = 0; part < 4; part += point_step())
                to_frame.store(load_point(points, ids[k + i], part), part, four + 4 * i);
        for (std::size_t i = 0; i < 4; i += hn::Lanes(d)) {
            Point x, y, z, unused;
            hn::LoadInterleaved4(d, four + 4 * i, x, y, z, unused);
            x = hn::Sub(x, cx), y = hn::Sub(y, cy), z = hn::Sub(z, cz);
            squared = hn::Max(squared, hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z))));
        }
    }
    return squared;
}
HWY_INLINE Point farthest_of_leaf(const BodyFit& fit, std::uint32_t word, const Center& center, Point squared) {
    const ToFrame to_frame(fit.frame);
    const BodyOctree::Piece& piece = fit.leaf_points[word & ~BvhNode::leaf_bit];
    const Index* const ids = fit.listed_points + piece.begin;
    squared = farthest(to_frame, fit.starts, ids, piece.count, center, squared);
    return fit.ends ? farthest(to_frame, fit.ends, ids, piece.count, center, squared) : squared;
}
HWY_INLINE double root_of(Point squared) {
    return std::sqrt(static_cast<double>(hn::GetLane(hn::MaxOfLanes(Lanes4(), squared))));
}

HWY_INLINE bool holds_leaves_alone(const BvhNode& node) {
    for (int slot = 0; slot < node_width && node.child[slot] != no_index; ++slot)
        if (!BvhNode::is_leaf(node.child[slot])) return false;
    return true;
}

// Radius that encloses everything below a node: per child the smaller of the distances to the far side of its sphere
// and of its box.
HWY_INLINE double reach_of_children(const BvhNode& node, const SphereGroup& spheres, const Center& center) {
    double reach = 0;
    for (int slot = 0; slot < node_width && node.child[slot] != no_index; ++slot) {
        double to_sphere = 0, to_corner = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double c = static_cast<double>(center.at[axis]);
            const double off = static_cast<double>(spheres.center[axis][slot]) - c;
            const double side = std::max(c - static_cast<double>(node.lower[axis][slot]),
                                         static_cast<double>(node.upper[axis][slot]) - c);
            to_sphere += off * off;
            to_corner += side * side;
        }
        reach = std::max(
            reach, std::min(std::sqrt(to_sphere) + static_cast<double>(spheres.radius[slot]), std::sqrt(to_corner)));
    }
    return reach;
}

// Leaves, and nodes that contain only leaves, are fitted to their points; higher nodes to their children, because a
// pass over all points for every level would cost O(n log n).
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

// The centre is rounded first, and the radius belongs to the rounded centre, read back from memory. Coordinates of
// points lie in [-1, 1] with an error of at most 2^-24, so the error of a distance is 2^-23; differences, squares and
// sums add 2^-21 of the square, so 2^-22 of the root; the cast adds 2^-24 of the radius. 2^-21 of the radius and 2^-22
// cover all.
HWY_INLINE void fit_sphere(const BodyFit& fit, const BvhNode& node, SphereGroup& spheres, int slot) {
    Center center;
    double side = 0;
    for (int axis = 0; axis < 3; ++axis)
        side =
            std::max(side, static_cast<double>(node.upper[axis][slot]) - static_cast<double>(node.lower[axis][slot]));
    for (int axis = 0; axis < 3; ++axis) {
        const double low = static_cast<double>(node.lower[axis][slot]),
                     high = static_cast<double>(node.upper[axis][slot]);
        center.at[axis] = float_down(fit.rule == SphereRule::cube ? low + 0.5 * side : 0.5 * (low + high));
        spheres.center[axis][slot] = center.at[axis];
    }
    // Half the diagonal of the cube, and the displacement of its centre, which is at most 2^-23 per axis.
    const double reach =
        fit.rule == SphereRule::cube ? 0.8660254037844387 * side + 0x1p-21 : reach_below(fit, node.child[slot], center);
    spheres.radius[slot] = static_cast<float>(reach * (1 + 0x1p-21) + 0x1p-22);
}

HWY_INLINE void clear_sphere(SphereGroup& spheres, int slot) {
    for (auto& along : spheres.center) along[slot] = std::numeric_limits<float>::quiet_NaN();
    spheres.radius[slot] = 0;
}

HWY_INLINE void fit_spheres(const BodyFit& fit, const BvhNode& node, SphereGroup& spheres) {
    for (int slot = 0; slot < node_width; ++slot)
        if (node.child[slot] == no_index)
            clear_sphere(spheres, slot);
        else
            fit_sphere(fit, node, spheres, slot);
}

HWY_ATTR void fit_crown(const BodyFit& fit, BvhNode& node, SphereGroup* spheres) {
    fit_inner(fit, node);
    if (spheres) fit_spheres(fit, node, *spheres);
}

// Half the areas of the children's boxes, summed per slot: in the same order on every target.
struct AreaSums {
    alignas(64) double sums[node_width] = {};

    HWY_INLINE void add(const BvhNode& node) {
        const hn::Rebind<float, PointLanes> d;
        const PointLanes dd;
        for (std::size_t lane = 0; lane < node_width; lane += hn::Lanes(d)) {
            const auto side = [&](int axis) HWY_ATTR { // an unused slot has an inverted box, and no side
                return hn::Max(hn::Sub(hn::Load(d, node.upper[axis] + lane), hn::Load(d, node.lower[axis] + lane)),
                               hn::Zero(d));
            };
            const auto x = side(0), y = side(1), z = side(2);
            const auto area = hn::PromoteTo(dd, hn::Add(hn::Mul(x, hn::Add(y, z)), hn::Mul(y, z)));
            hn::Store(hn::Add(hn::Load(dd, sums + lane), area), dd, sums + lane);
        }
    }
    [[nodiscard]] double sum() const { return std::accumulate(std::begin(sums), std::end(sums), 0.0); }
};

HWY_ATTR double fit_range(const BodyFit& fit, std::size_t begin, std::size_t end) {
    const ToFrame to_frame(fit.frame);
    AreaSums areas;
    for (std::size_t k = end; k-- > begin;) {
        BvhNode& node = fit.nodes[k];
        if (fit.node_rounds[k].count > 0) fit_leaves(fit, to_frame, fit.node_rounds[k], node);
        if (!holds_eight_leaves(node)) fit_inner(fit, node);
        if (fit.spheres) fit_spheres(fit, node, fit.spheres[k]);
        areas.add(node);
    }
    return areas.sum();
}

HWY_ATTR bool is_sum_finite(const double* values, std::size_t count, double* copies) {
    const PointLanes d;
    const std::size_t step = hn::Lanes(d);
    PointDoubles sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    std::size_t k = 0;
    for (; k + 4 * step <= count; k += 4 * step)
        for (std::size_t i = 0; i < 4; ++i) {
            const PointDoubles x = hn::LoadU(d, values + k + i * step);
            if (copies) hn::StoreU(x, d, copies + k + i * step);
            sums[i] = hn::MulAdd(x, x, sums[i]);
        }
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))));
    for (; k < count; ++k) {
        sum += values[k] * values[k];
        if (copies) copies[k] = values[k];
    }
    return std::isfinite(sum);
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(fit_crown);
HWY_EXPORT(fit_range);
HWY_EXPORT(is_sum_finite);

bool are_tame(std::span<const Vec3> points, Vec3* copies) {
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    if (points.empty()) return true;
    return HWY_DYNAMIC_DISPATCH(is_sum_finite)(points.data()->data(), 3 * points.size(),
                                               copies ? copies->data() : nullptr);
}

float margin_in(const BvhFrame& frame, double margin) {
    if (margin == 0) return 0;
    const double reach = frame.origin.cwiseAbs().maxCoeff() + margin + 1 / frame.scale;
    return float_up((margin + rounding_error(4) * reach) * frame.scale);
}

double fit_nodes(const BodyFit& fit, std::size_t begin, std::size_t end) {
    return HWY_DYNAMIC_DISPATCH(fit_range)(fit, begin, end);
}

void fit_above(const BodyFit& fit, BvhNode& node, SphereGroup* spheres) {
    HWY_DYNAMIC_DISPATCH(fit_crown)(fit, node, spheres);
}

} // namespace fathom
#endif
