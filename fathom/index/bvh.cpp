// Construction and refit of Bvh, and conversion of queries to its frame.
#include <fathom/index/bvh.h>

#include <fathom/base/error.h>
#include <fathom/base/interval.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/index/bvh_build.h>

#include <fmt/format.h>

namespace fathom {

namespace {

constexpr std::size_t query_chunk = 4096;
// Ids must leave the leaf bit free, and their bits must not form a NaN during the build.
constexpr std::size_t max_boxes = 0x7f000000;

void check_boxes(std::span<const Box> boxes) {
    const auto bad = [&](std::size_t k) {
        return !boxes[k].lower.allFinite() || !boxes[k].upper.allFinite() || boxes[k].empty();
    };
    const std::size_t first = parallel_reduce(
        boxes.size(), query_chunk, boxes.size(),
        [&](std::size_t begin, std::size_t end) {
            while (begin < end && !bad(begin)) ++begin;
            return begin < end ? begin : boxes.size();
        },
        [](std::size_t a, std::size_t b) { return std::min(a, b); });
    if (first == boxes.size()) return;
    const bool finite = boxes[first].lower.allFinite() && boxes[first].upper.allFinite();
    throw Error(finite ? Cause::invalid_argument : Cause::non_finite,
                finite ? "the lower corner is above the upper corner" : "a corner is NaN or infinite",
                {.element = "box", .index = static_cast<std::int64_t>(first)});
}

Box bounds_of(std::span<const Box> boxes) {
    return parallel_reduce(
        boxes.size(), query_chunk, Box{},
        [&](std::size_t begin, std::size_t end) {
            Box box;
            for (std::size_t k = begin; k < end; ++k) box.extend(boxes[k]);
            return box;
        },
        [](const Box& a, const Box& b) { return hull(a, b); });
}

// One unit outward before rounding to float, for the rounding of the change of frame itself.
float local_lower(const BvhFrame& frame, const Box& box, int axis) {
    return float_down(next_down((box.lower[axis] - frame.origin[axis]) * frame.scale));
}
float local_upper(const BvhFrame& frame, const Box& box, int axis) {
    return float_up(next_up((box.upper[axis] - frame.origin[axis]) * frame.scale));
}

std::vector<BuildBox> local_boxes(std::span<const Box> boxes, const BvhFrame& frame) {
    std::vector<BuildBox> local(boxes.size());
    parallel_for(boxes.size(), query_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            local[k].lower[3] = local[k].upper[3] = 0;
            for (int axis = 0; axis < 3; ++axis) {
                local[k].lower[axis] = local_lower(frame, boxes[k], axis);
                local[k].upper[axis] = local_upper(frame, boxes[k], axis);
            }
        }
    });
    return local;
}

void set_child_box(BvhNode& node, int slot, const BvhFrame& frame, const Box& box) {
    for (int axis = 0; axis < 3; ++axis) {
        node.lower[axis][slot] = local_lower(frame, box, axis);
        node.upper[axis][slot] = local_upper(frame, box, axis);
    }
}

void set_child_box(BvhNode& node, int slot, const BvhNode& child) {
    for (int axis = 0; axis < 3; ++axis) {
        node.lower[axis][slot] = *std::min_element(child.lower[axis], child.lower[axis] + BvhNode::width);
        node.upper[axis][slot] = *std::max_element(child.upper[axis], child.upper[axis] + BvhNode::width);
    }
}

double child_area(const BvhNode& node, int slot) {
    std::array<double, 3> size;
    for (std::size_t axis = 0; axis < 3; ++axis)
        size[axis] = static_cast<double>(node.upper[axis][slot]) - static_cast<double>(node.lower[axis][slot]);
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

double total_child_area(std::span<const BvhNode> nodes) {
    return parallel_reduce(
        nodes.size(), query_chunk, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t k = begin; k < end; ++k)
                for (int slot = 0; slot < BvhNode::width; ++slot)
                    if (nodes[k].child[slot] != no_index) sum += child_area(nodes[k], slot);
            return sum;
        },
        [](double a, double b) { return a + b; });
}

double half_area(const Box& box, double scale) {
    const Vec3 s = (box.upper - box.lower) * scale;
    return s.x() * s.y() + s.y() * s.z() + s.z() * s.x();
}

} // namespace

Bvh::Bvh(std::span<const Box> boxes, const BvhOptions& options) : keep_boxes_(options.keep_boxes) {
    if (options.leaf_size < 1 || options.leaf_size > 64)
        throw Error(Cause::invalid_argument, fmt::format("leaf_size is {}, expected 1 to 64", options.leaf_size));
    if (boxes.size() > max_boxes)
        throw Error(Cause::too_large, fmt::format("{} boxes exceed the limit of {}", boxes.size(), max_boxes));
    check_boxes(boxes);
    if (boxes.empty()) return;
    BvhShape shape = build_shape(local_boxes(boxes, frame_of(bounds_of(boxes))), options.leaf_size);
    level_begin_ = std::move(shape.level_begin);
    leaf_begin_ = std::move(shape.leaf_begin);
    order_ = std::move(shape.order);
    nodes_.resize(shape.children.size());
    for (std::size_t k = 0; k < nodes_.size(); ++k)
        std::copy(shape.children[k].begin(), shape.children[k].end(), nodes_[k].child);
    fit(boxes);
    built_cost_ = cost_;
}

void Bvh::refit(std::span<const Box> boxes) {
    if (boxes.size() != size())
        throw Error(Cause::count_mismatch, fmt::format("expected {1} boxes, got {0}", boxes.size(), size()));
    check_boxes(boxes);
    if (!empty()) fit(boxes);
}

void Bvh::fit(std::span<const Box> boxes) {
    bounds_ = bounds_of(boxes);
    frame_ = frame_of(bounds_);
    if (keep_boxes_) {
        boxes_.resize(boxes.size());
        parallel_for(size(), query_chunk, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) boxes_[k] = boxes[order_[k]];
        });
    }
    const auto fit_child = [&](BvhNode& node, int slot) {
        const std::uint32_t child = node.child[slot];
        if (child == no_index) {
            for (int axis = 0; axis < 3; ++axis) {
                node.lower[axis][slot] = std::numeric_limits<float>::infinity();
                node.upper[axis][slot] = -std::numeric_limits<float>::infinity();
            }
        } else if (BvhNode::is_leaf(child)) {
            Box box;
            for (const Index id : leaf(child & ~BvhNode::leaf_bit)) box.extend(boxes[id]);
            set_child_box(node, slot, frame_, box);
        } else {
            set_child_box(node, slot, nodes_[child]);
        }
    };
    for (std::size_t k = level_count(); k-- > 0;)
        parallel_for(level(k).size(), 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t node = level_begin_[k] + begin; node < level_begin_[k] + end; ++node)
                for (int slot = 0; slot < BvhNode::width; ++slot) fit_child(nodes_[node], slot);
        });
    const double whole = half_area(bounds_, frame_.scale);
    cost_ = whole > 0 ? total_child_area(nodes_) / whole : 0.0;
}

std::size_t Bvh::memory_bytes() const {
    return nodes_.size() * sizeof(BvhNode) + boxes_.size() * sizeof(Box) +
           (order_.size() + leaf_begin_.size() + level_begin_.size()) * sizeof(Index);
}

// Choice of the frame of a tree, and conversion of a ray to it.

namespace {

constexpr double cube = 1 + 0x1p-10; // half side of a cube that contains every node box, with a margin

// Parameter at which o + t d enters the cube; infinity if it never does.
double entry(const Vec3& o, const Vec3& d) {
    if (o.cwiseAbs().maxCoeff() <= cube) return 0;
    double enter = 0, leave = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
        if (std::abs(d[axis]) < 0x1p-60) {
            if (std::abs(o[axis]) > cube) return std::numeric_limits<double>::infinity();
            continue;
        }
        const double a = (-cube - o[axis]) / d[axis], b = (cube - o[axis]) / d[axis];
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
    }
    return enter <= leave ? enter : std::numeric_limits<double>::infinity();
}

} // namespace

BvhFrame frame_of(const Box& bounds) {
    // Halves first: the size of a box may overflow even if its corners do not.
    const Vec3 half = 0.5 * bounds.upper - 0.5 * bounds.lower;
    int exponent = 0;
    std::frexp(half.maxCoeff(), &exponent);
    // Beyond these limits the square of the scale would leave the range of double.
    exponent = half.maxCoeff() > 0 ? std::clamp(exponent, -500, 1023) : 0;
    return {0.5 * bounds.upper + 0.5 * bounds.lower, std::ldexp(1.0, -std::min(exponent, 1022))};
}

LocalRay::LocalRay(const BvhFrame& frame, const Ray& ray) {
    const double longest = ray.direction.cwiseAbs().maxCoeff();
    if (!(longest > 0) || !ray.direction.allFinite() || !ray.origin.allFinite()) return;
    const Vec3 o = frame.to_local(ray.origin), d = ray.direction / longest;
    start_ = entry(o, d);
    if (!(start_ < std::numeric_limits<double>::infinity())) return;
    misses = false;
    rate_ = longest * frame.scale;
    // A rate outside the range of double carries no information on parameters: no box may be skipped because of it.
    if (!(rate_ > 1e-290)) rate_ = std::numeric_limits<double>::infinity();
    margin = 0x1p-22 + rounding_error(16) * (o.cwiseAbs().maxCoeff() + start_);
    for (int axis = 0; axis < 3; ++axis) {
        const double entered = o[axis] + start_ * d[axis];
        const double signed_margin = d[axis] < 0 ? -margin : margin;
        backward[axis] = d[axis] < 0;
        near_origin[axis] = static_cast<float>(entered + signed_margin);
        far_origin[axis] = static_cast<float>(entered - signed_margin);
        const double steep = std::max(std::abs(d[axis]), 0x1p-60);
        inverse[axis] = static_cast<float>(d[axis] < 0 ? -1 / steep : 1 / steep);
        origin[axis] = static_cast<float>(entered);
        direction[axis] = static_cast<float>(d[axis]);
    }
}

} // namespace fathom
