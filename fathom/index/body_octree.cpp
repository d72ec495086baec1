// Checks, construction and updates of a body octree, and its volumes in world coordinates.
#include <fathom/index/body_octree.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/index/body_octree_build.h>
#include <fathom/index/bvh.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t point_chunk = 8192;
constexpr std::size_t node_chunk = 64;
constexpr std::size_t max_primitives = 0x7f000000; // leaf numbers must leave the leaf bit free

void check_options(const BodyOctreeOptions& options, int corners_each) {
    if (corners_each < 1 || corners_each > 4)
        throw Error(Cause::invalid_argument, fmt::format("corners_each is {}, expected 1 to 4", corners_each));
    if (options.leaf_size < 1 || options.leaf_size > 64)
        throw Error(Cause::invalid_argument, fmt::format("leaf_size is {}, expected 1 to 64", options.leaf_size));
    if (!(options.rebuild_at == 0 || options.rebuild_at > 1))
        throw Error(Cause::invalid_argument,
                    fmt::format("rebuild_at is {}, expected 0 or a value above 1", options.rebuild_at));
}

void check_margin(double margin) {
    if (!(margin >= 0 && std::isfinite(margin)))
        throw Error(Cause::invalid_argument,
                    fmt::format("margin is {}, expected a finite number of at least 0", margin));
}

struct CheckedBounds {
    Box box;
    std::size_t bad = no_index; // index of the first non-finite point
};

CheckedBounds bounds_of_points(std::span<const Vec3> points) {
    return parallel_reduce(
        points.size(), point_chunk, CheckedBounds{},
        [&](std::size_t begin, std::size_t end) {
            CheckedBounds found;
            for (std::size_t k = begin; k < end; ++k) {
                found.box.extend(points[k]);
                if (!is_finite(points[k])) found.bad = std::min(found.bad, k);
            }
            return found;
        },
        [](const CheckedBounds& a, const CheckedBounds& b) {
            return CheckedBounds{hull(a.box, b.box), std::min(a.bad, b.bad)};
        });
}

// Bounds of the points. Throws Error if a point is not finite.
Box checked_bounds(std::span<const Vec3> points) {
    const CheckedBounds found = bounds_of_points(points);
    if (found.bad != no_index)
        throw Error(Cause::non_finite, "a coordinate is NaN or infinite",
                    {.element = "point", .index = static_cast<std::int64_t>(found.bad)});
    return found.box;
}

double longest_side(const BvhNode& crown) {
    double side = 0;
    for (int axis = 0; axis < 3; ++axis)
        side = std::max(side, static_cast<double>(crown.upper[axis][0]) - static_cast<double>(crown.lower[axis][0]));
    return side;
}

double farthest_side(const BvhNode& crown) {
    double side = 0;
    for (int axis = 0; axis < 3; ++axis)
        side = std::max({side, -static_cast<double>(crown.lower[axis][0]), static_cast<double>(crown.upper[axis][0])});
    return side;
}

double half_area(const BvhNode& crown) {
    Vec3 size;
    for (int axis = 0; axis < 3; ++axis)
        size[axis] = static_cast<double>(crown.upper[axis][0]) - static_cast<double>(crown.lower[axis][0]);
    return size.x() * size.y() + size.y() * size.z() + size.z() * size.x();
}

} // namespace

BodyOctree::BodyOctree(std::span<const Vec3> points, std::span<const Index> corners, int corners_each,
                       const BodyOctreeOptions& options)
    : options_(options) {
    check_options(options, corners_each);
    corners_each_ = static_cast<std::size_t>(corners_each);
    point_count_ = points.size();
    if (points.size() >= no_index || corners.size() / corners_each_ > max_primitives)
        throw Error(Cause::too_large, fmt::format("{} points and {} corners exceed the range of 32-bit indices",
                                                  points.size(), corners.size()));
    if (corners.size() % corners_each_ != 0)
        throw Error(Cause::count_mismatch,
                    fmt::format("{} corners are not a multiple of {}", corners.size(), corners_each));
    check_corners(corners, 0);
    const Box bounds = checked_bounds(points);
    if (options.storage == PointStorage::copies)
        starts_.own.assign(points.begin(), points.end());
    else
        starts_ = {{}, points, true};
    corners_.assign(corners.begin(), corners.end());
    live_ = corners.size() / corners_each_;
    leaf_of_.assign(live_, 0); // any value except no_index: build() assigns the leaves
    set_frame(bounds, 0);
    build();
}

void BodyOctree::check_corners(std::span<const Index> corners, Index first_primitive) const {
    for (std::size_t k = 0; k < corners.size(); ++k)
        if (corners[k] >= point_count_)
            throw Error(
                Cause::index_out_of_range,
                fmt::format("refers to point {}, but there are {}", corners[k], point_count_),
                {.element = "primitive", .index = static_cast<std::int64_t>(first_primitive + k / corners_each_)});
}

void BodyOctree::update(std::span<const Vec3> points, double margin) { move_points(points, {}, margin); }

void BodyOctree::update_swept(std::span<const Vec3> starts, std::span<const Vec3> ends, double margin) {
    if (ends.size() != point_count_)
        throw Error(Cause::count_mismatch,
                    fmt::format("expected {1} end positions, got {0}", ends.size(), point_count_));
    move_points(starts, ends, margin);
    swept_ = true;
}

void BodyOctree::move_points(std::span<const Vec3> starts, std::span<const Vec3> ends, double margin) {
    if (starts.size() != point_count_)
        throw Error(Cause::count_mismatch, fmt::format("expected {1} points, got {0}", starts.size(), point_count_));
    check_margin(margin);
    const bool swept = !ends.empty();
    // Every pass over the points is expensive: the pass that checks them also copies them, and their bounds are
    // computed only if the checks may fail, or the fit has shown that the body has left its frame.
    const bool tame = margin < 1e150 && stage(starts, staged_) && (!swept || stage(ends, staged_ends_));
    const Box bounds = tame ? Box{} : checked_frame(starts, ends, margin);
    take(starts, staged_, starts_);
    if (swept) take(ends, staged_ends_, ends_);
    swept_ = swept;
    margin_ = margin;
    if (tame && frame_fits_) fit();
    if (!tame || !frame_fits_) {
        set_frame(tame ? hull(bounds_of_points(starts).box, bounds_of_points(ends).box) : bounds, margin);
        fit();
    }
    if (options_.rebuild_at > 0 && decay() > options_.rebuild_at) build();
}

// Bounds of the points. Throws Error if a point is not finite or the size of the box exceeds the range of double.
Box BodyOctree::checked_frame(std::span<const Vec3> starts, std::span<const Vec3> ends, double margin) const {
    Box bounds = hull(checked_bounds(starts), checked_bounds(ends));
    if (point_count_ > 0 && !is_finite(bounds.grown(margin).size()))
        throw Error(Cause::too_large,
                    fmt::format("the bounds of the points with a margin of {} exceed the range of double", margin));
    return bounds;
}

// Whether the points passed the fast check. Copies them unless the tree uses views.
bool BodyOctree::stage(std::span<const Vec3> points, std::vector<Vec3>& copies) const {
    const bool copy = options_.storage == PointStorage::copies;
    if (copy) copies.resize(points.size());
    return parallel_reduce(
               points.size(), point_chunk, 1,
               [&](std::size_t begin, std::size_t end) {
                   return are_tame(points.subspan(begin, end - begin), copy ? copies.data() + begin : nullptr) ? 1 : 0;
               },
               [](int a, int b) { return a & b; }) != 0;
}

void BodyOctree::take(std::span<const Vec3> points, std::vector<Vec3>& copies, PointList& list) const {
    list.is_view = options_.storage == PointStorage::views;
    list.viewed = list.is_view ? points : std::span<const Vec3>{};
    if (list.is_view) return list.own.clear();
    list.own.swap(copies);
}

void BodyOctree::PointList::append(std::span<const Vec3> points) {
    if (is_view) own.assign(viewed.begin(), viewed.end());
    own.insert(own.end(), points.begin(), points.end());
    is_view = false;
}

double BodyOctree::decay() const {
    const double edited = live_ > 0 ? static_cast<double>(edits_) / static_cast<double>(live_) : 0.0;
    return (built_cost_ > 0 ? cost_ / built_cost_ : 1.0) + edited;
}

// With some margin for movement: a new frame costs a second pass over the points.
void BodyOctree::set_frame(const Box& bounds, double margin) {
    frame_ = bounds.empty() ? BvhFrame{} : frame_of(bounds.grown(margin));
    frame_.scale = std::max(0.25 * frame_.scale, 0x1p-1022);
}

Box BodyOctree::primitive_box(Index primitive) const {
    Box box;
    for (const Index point : corners(primitive)) {
        box.extend(points()[point]);
        if (swept_) box.extend(ends()[point]);
    }
    return box.grown(margin_);
}

void BodyOctree::build() {
    std::vector<Index> ids;
    ids.reserve(live_);
    for (Index k = 0; k < primitive_ids(); ++k)
        if (holds(k)) ids.push_back(k);
    std::vector<BuildBox> boxes(ids.size());
    parallel_for(ids.size(), point_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Box box = primitive_box(ids[k]);
            boxes[k].lower << frame_.to_local(box.lower).cast<float>(), 0.0f;
            boxes[k].upper << frame_.to_local(box.upper).cast<float>(), 0.0f;
        }
    });
    BvhShape shape = build_body_shape(boxes, options_);
    for (Index& id : shape.order) id = ids[id];
    nodes_.assign(shape.children.size(), BvhNode{});
    spheres_.assign(options_.volume == NodeVolume::sphere ? nodes_.size() : 0, SphereGroup{});
    node_places_.assign(nodes_.size(), Place{});
    leaf_places_.assign(shape.leaf_begin.empty() ? 0 : shape.leaf_begin.size() - 1, Place{});
    for (Index k = 0; k < nodes_.size(); ++k)
        for (std::uint32_t slot = 0; slot < BvhNode::width; ++slot) set_child(k, slot, shape.children[k][slot]);
    level_begin_ = std::move(shape.level_begin);
    list_leaves(shape.leaf_begin, shape.order);
    free_nodes_.clear();
    free_leaves_.clear();
    edits_ = 0;
    ++builds_;
    fit();
    built_cost_ = cost_;
}

void BodyOctree::list_leaves(std::span<const Index> leaf_begin, std::span<const Index> order) {
    const std::size_t leaves = leaf_places_.size();
    leaf_primitives_.assign(leaves, Piece{});
    leaf_points_.assign(leaves, Piece{});
    listed_primitives_.clear();
    listed_primitives_.reserve(order.size());
    listed_points_.clear();
    listed_points_.reserve(2 * order.size());
    node_rounds_.assign(nodes_.size(), Piece{});
    listed_rounds_.reserve(rounds_ahead + 2 * order.size());
    listed_rounds_.assign(rounds_ahead, 0);
    for (Index leaf = 0; leaf < leaves; ++leaf)
        fill_leaf(leaf, order.subspan(leaf_begin[leaf], leaf_begin[leaf + 1] - leaf_begin[leaf]));
    for (Index node = 0; node < nodes_.size(); ++node) list_rounds(node);
}

void BodyOctree::list_rounds(Index node) {
    std::array<std::span<const Index>, BvhNode::width> lists{};
    std::size_t rounds = 0;
    Index any = no_index; // any point, for children without points of their own
    for (std::uint32_t slot = 0; slot < child_count(node); ++slot) {
        const std::uint32_t word = nodes_[node].child[slot];
        if (!BvhNode::is_leaf(word)) continue;
        lists[slot] = leaf_points(word & ~BvhNode::leaf_bit);
        rounds = std::clamp(lists[slot].size(), rounds, std::max(rounds, max_rounds));
        if (any == no_index) any = lists[slot][0];
    }
    std::vector<Index> ids(rounds * lists.size());
    for (std::size_t k = 0; k < ids.size(); ++k) {
        const std::span<const Index> list = lists[k % lists.size()];
        const std::size_t round = k / lists.size();
        ids[k] = list.empty() ? any : list[round < list.size() ? round : 0];
    }
    put_list(listed_rounds_, node_rounds_[node], ids);
    node_rounds_[node].count = static_cast<Index>(rounds);
}

BodyFit BodyOctree::fit_view() {
    return {frame_,
            margin_in(frame_, margin_),
            points().data(),
            swept_ ? ends().data() : nullptr,
            leaf_points_.data(),
            listed_points_.data(),
            node_rounds_.data(),
            listed_rounds_.data(),
            options_.sphere_rule,
            nodes_.data(),
            spheres_.empty() ? nullptr : spheres_.data()};
}

// Nodes added by edits first, from the last to the first, since each is stored after its parent; then the levels, from
// the lowest.
void BodyOctree::fit() {
    if (nodes_.empty()) return;
    const BodyFit view = fit_view();
    double areas = fit_nodes(view, level_begin_.back(), nodes_.size());
    for (std::size_t k = level_begin_.size() - 1; k-- > 0;) {
        const std::size_t first = level_begin_[k], count = level_begin_[k + 1] - first;
        areas += parallel_reduce(
            count, node_chunk, 0.0,
            [&](std::size_t begin, std::size_t end) { return fit_nodes(view, first + begin, first + end); },
            [](double a, double b) { return a + b; });
    }
    fit_crown();
    // Otherwise floats would be too coarse for the body, or the tests invalid.
    frame_fits_ = longest_side(crown_) >= 0x1p-5 && farthest_side(crown_) <= 1;
    const double whole = half_area(crown_);
    cost_ = live_ > 0 && whole > 0 ? areas / whole : 0.0;
}

void BodyOctree::fit_crown() {
    crown_ = {};
    std::fill(std::begin(crown_.child), std::end(crown_.child), no_index);
    if (live_ > 0) crown_.child[0] = 0;
    fit_above(fit_view(), crown_, spheres_.empty() ? nullptr : &sphere_crown_);
}

BodyOctree::Place BodyOctree::place_of(std::uint32_t word) const {
    return BvhNode::is_leaf(word) ? leaf_places_[word & ~BvhNode::leaf_bit] : node_places_[word];
}

void BodyOctree::set_child(Index node, std::uint32_t slot, std::uint32_t word) {
    nodes_[node].child[slot] = word;
    if (word == no_index) return;
    (BvhNode::is_leaf(word) ? leaf_places_[word & ~BvhNode::leaf_bit] : node_places_[word]) = {node, slot};
}

// No additional outward step is needed: the float is at or below (x - origin) * scale for every x of the node, so the
// value it represents is at or below x, and rounding to double keeps that order.
Box BodyOctree::box_of(std::uint32_t word) const {
    const Place place = place_of(word);
    const BvhNode& node = place.node == no_index ? crown_ : nodes_[place.node];
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.lower[axis] = frame_.origin[axis] + static_cast<double>(node.lower[axis][place.slot]) / frame_.scale;
        box.upper[axis] = frame_.origin[axis] + static_cast<double>(node.upper[axis][place.slot]) / frame_.scale;
    }
    return box;
}

// Far from the origin the centre itself is rounded: the radius is enlarged accordingly.
Sphere BodyOctree::sphere_of(std::uint32_t word) const {
    const Place place = place_of(word);
    const SphereGroup& group = place.node == no_index ? sphere_crown_ : spheres_[place.node];
    Sphere sphere;
    for (int axis = 0; axis < 3; ++axis)
        sphere.center[axis] = frame_.origin[axis] + static_cast<double>(group.center[axis][place.slot]) / frame_.scale;
    sphere.radius = static_cast<double>(group.radius[place.slot]) / frame_.scale * (1 + rounding_error(32)) +
                    sphere.center.cwiseAbs().sum() * rounding_error(4);
    return sphere;
}

int BodyOctree::depth() const {
    std::vector<int> level(nodes_.size(), 0); // level of the node; its children are one level deeper
    int deepest = 0;
    for (Index k = 0; k < nodes_.size(); ++k) {
        const Index parent = node_places_[k].node;
        if (parent != no_index) level[k] = level[parent] + 1;
        if (nodes_[k].child[0] != no_index) deepest = std::max(deepest, level[k] + 1);
    }
    return deepest;
}

std::size_t BodyOctree::memory_bytes() const {
    const auto bytes = [](const auto&... lists) { return (... + (lists.capacity() * sizeof(lists[0]))); };
    return bytes(corners_, leaf_of_, starts_.own, ends_.own, staged_, staged_ends_, nodes_, spheres_, level_begin_,
                 node_places_, leaf_places_, leaf_primitives_, leaf_points_, listed_primitives_, listed_points_,
                 node_rounds_, listed_rounds_, free_nodes_, free_leaves_);
}

} // namespace fathom
