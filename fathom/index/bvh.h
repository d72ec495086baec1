// Wide bounding volume hierarchy over boxes with ids: overlap, ray, nearest and pair queries.
// Method: binned surface-area splits (Wald 2007), collapsed into nodes with eight children by dynamic programming
// (Ylitie et al. 2017). A visit tests eight float boxes, rounded outward, in one SIMD step. Not for millions of points
// (a grid is faster). Build O(n log n), a visit O(log n + found). Visits are const, thread-safe and allocate nothing.
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/base/interval.h>
#include <fathom/base/primitives.h>
#include <fathom/index/bvh_build.h>

#include <array>
#include <cfloat>
#include <span>
#include <vector>

namespace fathom {

struct BvhOptions {
    // Maximum number of boxes per leaf, 1 to 64. Use 8 if you test your own primitives eight at a time.
    Index leaf_size = 1;
    // Keep the boxes in double (48 bytes per box). Without them a query returns all ids of every leaf that it touches.
    bool keep_boxes = true;
};

// Frame of the node boxes: local = (world - origin) * scale. The scale is a power of two that maps everything into [-1,
// 1], so that float precision suffices for scenes of any size and at any distance from the origin.
struct BvhFrame {
    Vec3 origin = Vec3::Zero();
    double scale = 1;

    [[nodiscard]] Vec3 to_local(const Vec3& world) const { return (world - origin) * scale; }
};

// Eight children. An unused slot has child == no_index and an inverted box, which fails every test.
struct alignas(64) BvhNode {
    static constexpr int width = 8;
    static constexpr std::uint32_t leaf_bit = 0x80000000u;

    float lower[3][width]; // [axis][child], in the frame of the tree, rounded outward
    float upper[3][width];
    std::uint32_t child[width]; // index of a node, or leaf_bit | leaf number

    [[nodiscard]] static bool is_leaf(std::uint32_t child_word) { return (child_word & leaf_bit) != 0; }
};

class Bvh {
public:
    Bvh() = default; // empty tree; every visit returns at once
    // Throws Error (non_finite, invalid_argument, too_large) naming the first box that is empty or not finite.
    // The same boxes give the same bytes for any number of threads.
    explicit Bvh(std::span<const Box> boxes, const BvhOptions& options = {});

    // Sets new boxes for the same ids and keeps the topology of the tree. O(n), in parallel. Visits remain correct for
    // any movement, but become slower as the tree decays. Must not run while another thread visits the tree.
    void refit(std::span<const Box> boxes);
    // Expected cost of a visit (sum of child areas over the area of the bounds) relative to that at the build: 1 after
    // a build. Above about 1.5 a rebuild pays.
    [[nodiscard]] double decay() const { return built_cost_ > 0 ? cost_ / built_cost_ : 1.0; }

    [[nodiscard]] std::size_t size() const { return order_.size(); }
    [[nodiscard]] bool empty() const { return order_.empty(); }
    [[nodiscard]] const Box& bounds() const { return bounds_; } // of all boxes, world

    // Calls visitor(id) for every id whose box overlaps `box` (closed, exact). The order is repeatable but unspecified.
    // The visitor returns false to stop; the visit then returns false.
    bool visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const;
    // Calls visitor(leaf) for every leaf whose box overlaps `box`, and possibly for some that miss by rounding. For
    // callers that store their own primitives in the order of the leaves.
    bool visit_overlapping_leaves(const Box& box, CallableRef<bool(std::uint32_t)> visitor) const;
    // Calls visitor(id) for every id whose box the ray intersects at a parameter in [0, t_max], approximately near to
    // far, and possibly for some that it misses by rounding. The visitor returns the new t_max (the old one, or a
    // smaller one after a hit); a value below 0 stops.
    bool visit_ray(const Ray& ray, double t_max, CallableRef<double(Index)> visitor) const;
    // Calls visitor(id) for every id whose box is within the radius of `point`, approximately near to far, and possibly
    // for some that miss by rounding. The visitor returns the new squared radius (the old one, or a smaller one); a
    // value below 0 stops.
    bool visit_nearest(const Vec3& point, double squared_radius, CallableRef<double(Index)> visitor) const;

    // The tree itself, for custom traversals. Nodes are stored level by level, node 0 is the root; leaf k holds the ids
    // order()[leaf_begin(k)] to order()[leaf_begin(k + 1) - 1], ascending.
    [[nodiscard]] const BvhFrame& frame() const { return frame_; }
    [[nodiscard]] std::span<const BvhNode> nodes() const { return nodes_; }
    [[nodiscard]] std::size_t level_count() const { return level_begin_.empty() ? 0 : level_begin_.size() - 1; }
    [[nodiscard]] std::span<const BvhNode> level(std::size_t k) const {
        return nodes().subspan(level_begin_[k], level_begin_[k + 1] - level_begin_[k]);
    }
    [[nodiscard]] std::span<const Index> order() const { return order_; }
    [[nodiscard]] std::size_t leaf_count() const { return leaf_begin_.empty() ? 0 : leaf_begin_.size() - 1; }
    [[nodiscard]] Index leaf_begin(std::size_t leaf) const { return leaf_begin_[leaf]; }
    [[nodiscard]] std::span<const Index> leaf(std::size_t k) const {
        return order().subspan(leaf_begin_[k], leaf_begin_[k + 1] - leaf_begin_[k]);
    }
    // The stored box at a position of order(); only with BvhOptions::keep_boxes.
    [[nodiscard]] bool keeps_boxes() const { return !boxes_.empty(); }
    [[nodiscard]] const Box& box_at(std::size_t position) const { return boxes_[position]; }
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    void fit(std::span<const Box> boxes);

    BvhFrame frame_;
    Box bounds_;
    bool keep_boxes_ = true;
    double cost_ = 0, built_cost_ = 0;
    std::vector<BvhNode> nodes_;
    std::vector<Index> level_begin_; // one more entry than levels
    std::vector<Index> leaf_begin_;  // one more entry than leaves
    std::vector<Index> order_;
    std::vector<Box> boxes_; // per position
};

// Pairs {a, b} with a < b whose boxes overlap, each once, sorted. Runs in parallel, with the same result for any number
// of threads. Exact (closed boxes) if the tree keeps its boxes, otherwise all pairs of ids in touching leaves.
[[nodiscard]] std::vector<IdPair> overlapping_pairs(const Bvh& tree);
// Pairs {id in a, id in b}, under the same rules.
[[nodiscard]] std::vector<IdPair> overlapping_pairs(const Bvh& a, const Bvh& b);

// The same pairs one by one on the calling thread, without allocation. The order is repeatable but unspecified. The
// visitor returns false to stop; the visit then returns false.
bool visit_overlapping_pairs(const Bvh& tree, CallableRef<bool(Index, Index)> visitor);
bool visit_overlapping_pairs(const Bvh& a, const Bvh& b, CallableRef<bool(Index, Index)> visitor);

// Points, boxes and rays in the frame of a wide tree: floats, widened so that rounding in the float tests of the nodes
// can only cause additional visits. For custom traversals of Bvh::nodes().

// Maximum number of stack entries of a depth-first visit: seven per level, and the children of the last node.
inline constexpr int stack_size = 7 * deepest_level + 8;

// The frame that maps a non-empty box into [-1, 1].
[[nodiscard]] BvhFrame frame_of(const Box& bounds);

struct LocalBox {
    float lower[3], upper[3];

    LocalBox() = default;
    LocalBox(const BvhFrame& frame, const Box& box) {
        const Vec3 low = frame.to_local(box.lower), high = frame.to_local(box.upper);
        for (int axis = 0; axis < 3; ++axis) {
            // Finite, so that the infinite corners of an unused slot stay outside.
            lower[axis] = std::max(float_down(next_down(low[axis])), -FLT_MAX);
            upper[axis] = std::min(float_up(next_up(high[axis])), FLT_MAX);
        }
    }
};

struct LocalPoint {
    float lower[3], upper[3]; // the point, rounded down and up

    LocalPoint(const BvhFrame& frame, const Vec3& point) : scale_(frame.scale) {
        // Squares stay finite. Clamping a point to this range can only make it appear nearer.
        constexpr double far = 0x1p60;
        const Vec3 local = frame.to_local(point);
        for (int axis = 0; axis < 3; ++axis) {
            const float x = static_cast<float>(std::clamp(local[axis], -far, far));
            // Twice the necessary margin, and faster to compute than the next float.
            const float margin = std::abs(x) * 0x1p-22f + FLT_MIN;
            lower[axis] = x - margin;
            upper[axis] = x + margin;
        }
    }

    // Upper bound, rounding included, on the computed squared distance (local) of a box whose exact squared distance
    // (world) is at most `squared_distance`: three squares and two sums, each with a relative error of at most 2^-24,
    // the float itself, and underflow.
    [[nodiscard]] float limit(double squared_distance) const {
        const double local = squared_distance * scale_ * scale_ * (1 + 0x1p-20) + FLT_MIN;
        return static_cast<float>(std::min<double>(local, FLT_MAX));
    }

private:
    double scale_;
};

// Boxes of a small tree in the frame of a large one: local = box * ratio + shift, then widened.
struct Placement {
    float ratio, shift_lower[3], shift_upper[3];

    Placement(const BvhFrame& large, const BvhFrame& small) : ratio(static_cast<float>(large.scale / small.scale)) {
        const Vec3 shift = large.to_local(small.origin);
        for (int axis = 0; axis < 3; ++axis) {
            shift_lower[axis] = float_down(next_down(shift[axis]));
            shift_upper[axis] = float_up(next_up(shift[axis]));
        }
    }
};

// Parametrised by the longest component of the direction, starting where the ray enters the cube of the frame. All
// relevant parameters are then below 2.01, and the rounding error of the origin is below the margin by which each slab
// is widened.
struct LocalRay {
    static constexpr float slack = 1 + 0x1p-20f; // covers the four roundings of an entry or exit parameter

    bool misses = true; // the ray misses the whole tree, or it is invalid: zero or non-finite direction
    bool backward[3];
    float near_origin[3], far_origin[3]; // widened towards an early entry and a late exit
    float inverse[3];                    // 1 / direction, never zero and never infinite
    float origin[3], direction[3];       // rounded to nearest
    double margin = 0;                   // bound on the error of each component of the origin

    LocalRay(const BvhFrame& frame, const Ray& ray);

    // The local parameter of a parameter of the ray, rounded up.
    [[nodiscard]] float limit(double t) const {
        const double from_origin = t * rate_;
        const double local = from_origin - start_ + 0x1p-22 * (from_origin + start_);
        return local < FLT_MAX ? static_cast<float>(local) : FLT_MAX; // also for NaN
    }

private:
    double rate_ = 0;  // local parameters per parameter of the ray
    double start_ = 0; // parameter at which the ray enters the cube
};

} // namespace fathom
