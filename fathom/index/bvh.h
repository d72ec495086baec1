// A wide bounding volume hierarchy over boxes and ids: which boxes meet a box, a ray, a ball, or one
// another? Method: binned surface-area splits (Wald 2007), collapsed into nodes of eight by dynamic programming (Ylitie
// et al. 2017); a visit tests eight float boxes, rounded outward, in one SIMD step. Not for points in millions (a grid
// is quicker). Build O(n log n), a visit O(log n + found). Visits are const, thread-safe and allocate nothing.
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
    Index leaf_size = 1; // most boxes of a leaf, 1 to 64; a caller who tests its own primitives eight at a time wants 8
    bool keep_boxes = true; // 48 bytes a box; without them an answer holds all ids of every leaf that it touches
};

// The frame of the node boxes: local = (world - origin) * scale. The scale is a power of two that brings everything
// into
// [-1, 1], so that floats serve metres and light years alike, near the origin and far from it.
struct BvhFrame {
    Vec3 origin = Vec3::Zero();
    double scale = 1;

    [[nodiscard]] Vec3 to_local(const Vec3& world) const { return (world - origin) * scale; }
};

// Eight children. An unused slot has child == no_index and an inside-out box, which no visit can meet.
struct alignas(64) BvhNode {
    static constexpr int width = 8;
    static constexpr std::uint32_t leaf_bit = 0x80000000u;

    float lower[3][width]; // [axis][child], in the frame of the tree, rounded outward
    float upper[3][width];
    std::uint32_t child[width]; // index of a node, or leaf_bit | number of a leaf

    [[nodiscard]] static bool is_leaf(std::uint32_t child_word) { return (child_word & leaf_bit) != 0; }
};

class Bvh {
public:
    Bvh() = default; // holds nothing; every visit ends at once
    // Throws Error (non_finite, invalid_argument, too_large) naming the first box that is empty or not finite.
    // The same boxes give the same bytes for any number of threads.
    explicit Bvh(std::span<const Box> boxes, const BvhOptions& options = {});

    // New boxes for the same ids, the same shape of tree. O(n), in parallel. Visits stay right whatever moved, but slow
    // down as the tree decays. Not while another thread visits.
    void refit(std::span<const Box> boxes);
    // Expected cost of a visit (sum of child areas over the area of all) now over that at the build: 1 when fresh. Past
    // about 1.5 a new build pays.
    [[nodiscard]] double decay() const { return built_cost_ > 0 ? cost_ / built_cost_ : 1.0; }

    [[nodiscard]] std::size_t size() const { return order_.size(); }
    [[nodiscard]] bool empty() const { return order_.empty(); }
    [[nodiscard]] const Box& bounds() const { return bounds_; } // of all boxes, world

    // visitor(id) for every id whose box overlaps `box` (closed, exact), in no promised but repeatable order; it
    // returns false to stop. The visit returns false when stopped.
    bool visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const;
    // visitor(leaf) for every leaf whose box overlaps `box`, and perhaps some that miss by rounding: for callers who
    // keep primitives of their own in the order of the leaves.
    bool visit_overlapping_leaves(const Box& box, CallableRef<bool(std::uint32_t)> visitor) const;
    // visitor(id) for every id whose box the ray meets at a parameter in [0, t_max], about near to far, and perhaps
    // some that it misses by rounding. It returns the new t_max (the old one, or less once it has a hit); less than 0
    // stops.
    bool visit_ray(const Ray& ray, double t_max, CallableRef<double(Index)> visitor) const;
    // visitor(id) for every id whose box is within the radius of `point`, about near to far, and perhaps some that miss
    // by rounding. It returns the new squared radius (the old one, or less); less than 0 stops.
    bool visit_nearest(const Vec3& point, double squared_radius, CallableRef<double(Index)> visitor) const;

    // The tree itself, for walks of one's own. Nodes lie level by level, node 0 is the root; leaf k holds the ids
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
    // The kept box of a position of order(); only with BvhOptions::keep_boxes.
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
    std::vector<Index> level_begin_; // one more than levels
    std::vector<Index> leaf_begin_;  // one more than leaves
    std::vector<Index> order_;
    std::vector<Box> boxes_; // by position
};

using IdPair = std::array<Index, 2>;

// Pairs {a, b} with a < b whose boxes overlap, each once, sorted. In parallel, the same for any number of threads.
// Exact (closed boxes) where the tree keeps its boxes, else with pairs of touching leaves too.
[[nodiscard]] std::vector<IdPair> overlapping_pairs(const Bvh& tree);
// Pairs {id in a, id in b}, the same way.
[[nodiscard]] std::vector<IdPair> overlapping_pairs(const Bvh& a, const Bvh& b);

// The same pairs one by one on the calling thread, in no promised but repeatable order, without allocation; the visitor
// returns false to stop, and the visit then returns false.
bool visit_overlapping_pairs(const Bvh& tree, CallableRef<bool(Index, Index)> visitor);
bool visit_overlapping_pairs(const Bvh& a, const Bvh& b, CallableRef<bool(Index, Index)> visitor);

// Points, boxes and rays as a wide tree sees them: floats in its frame, widened so that the float tests of
// the nodes can be wrong only towards a visit. For walks of one's own over Bvh::nodes().

// Entries that a depth-first visit may have to keep: seven a level, and the children of the last node.
inline constexpr int stack_size = 7 * deepest_level + 8;

// The frame that brings a box that is not empty into [-1, 1].
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

    LocalPoint(const BvhFrame& frame, const Vec3& point) : scale(frame.scale) {
        constexpr double far = 0x1p60; // squares stay finite; a point that is moved in to here only looks nearer
        const Vec3 local = frame.to_local(point);
        for (int axis = 0; axis < 3; ++axis) {
            const float x = static_cast<float>(std::clamp(local[axis], -far, far));
            const float margin =
                std::abs(x) * 0x1p-22f + FLT_MIN; // twice what it must be, and quicker than the next float
            lower[axis] = x - margin;
            upper[axis] = x + margin;
        }
    }

    // A box at a true squared distance (world) of at most this has a computed one (local) of at most the answer: three
    // squares and two sums, each off by at most 2^-24, the float itself, and what underflows.
    [[nodiscard]] float limit(double squared_distance) const {
        const double local = squared_distance * scale * scale * (1 + 0x1p-20) + FLT_MIN;
        return static_cast<float>(std::min<double>(local, FLT_MAX));
    }

private:
    double scale;
};

// How boxes of a small tree read in the frame of a large one: local = box * ratio + shift, then widened.
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

// Parametrised by the longest component of its direction, from where it enters the frame's cube on. That leaves every
// parameter that matters below 2.01, and rounding of the origin below the margin by which each slab is widened.
struct LocalRay {
    static constexpr float slack = 1 + 0x1p-20f; // covers the four roundings of an entry and of an exit

    bool misses = true; // the whole tree, or it is not a ray: no direction, or not finite
    bool backward[3];
    float near_origin[3], far_origin[3]; // widened towards an early entry and a late exit
    float inverse[3];                    // 1 / direction, never zero and never infinite
    float origin[3], direction[3];       // to nearest
    double margin = 0;                   // each component of the origin is off by at most this

    LocalRay(const BvhFrame& frame, const Ray& ray);

    // The local parameter for a parameter of the ray, rounded up.
    [[nodiscard]] float limit(double t) const {
        const double from_origin = t * rate_;
        const double local = from_origin - start_ + 0x1p-22 * (from_origin + start_);
        return local < FLT_MAX ? static_cast<float>(local) : FLT_MAX; // also where it is not a number
    }

private:
    double rate_ = 0;  // local parameters in one of the ray
    double start_ = 0; // where the ray enters the cube
};

} // namespace fathom
