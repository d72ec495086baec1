// Edits of a body octree: primitives are added, removed and changed; only the path from a leaf to the root is refitted.
#include <fathom/base/error.h>
#include <fathom/index/body_octree.h>
#include <fathom/index/body_octree_build.h>
#include <fathom/index/bvh.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom {

namespace {

float half_area(const float* size) { return size[0] * size[1] + size[1] * size[2] + size[2] * size[0]; }

// Growth of a child's box if it is extended by another box; ties are decided by the smaller box.
std::pair<float, float> growth(const BvhNode& node, std::uint32_t slot, const LocalBox& box) {
    float now[3], then[3];
    for (int axis = 0; axis < 3; ++axis) {
        now[axis] = node.upper[axis][slot] - node.lower[axis][slot];
        then[axis] =
            std::max(node.upper[axis][slot], box.upper[axis]) - std::min(node.lower[axis][slot], box.lower[axis]);
    }
    return {half_area(then) - half_area(now), half_area(now)};
}

} // namespace

void BodyOctree::remove(Index primitive) {
    if (!holds(primitive))
        throw Error(Cause::index_out_of_range, "does not exist or was already removed",
                    {.element = "primitive", .index = primitive});
    take_out(primitive);
    leaf_of_[primitive] = no_index;
    ++edits_;
}

void BodyOctree::change(Index primitive, std::span<const Index> corners) {
    if (!holds(primitive))
        throw Error(Cause::index_out_of_range, "does not exist", {.element = "primitive", .index = primitive});
    check_new_corners(primitive, corners);
    take_out(primitive);
    std::copy(corners.begin(), corners.end(),
              corners_.begin() + static_cast<std::ptrdiff_t>(primitive * corners_each_));
    put_in(primitive);
    ++edits_;
}

void BodyOctree::add(Index primitive, std::span<const Index> corners) {
    if (primitive > primitive_ids() || holds(primitive))
        throw Error(Cause::index_out_of_range,
                    fmt::format("is neither a removed id nor the next id, {}", primitive_ids()),
                    {.element = "primitive", .index = primitive});
    check_new_corners(primitive, corners);
    if (primitive == primitive_ids()) {
        leaf_of_.push_back(no_index);
        corners_.resize(corners_.size() + corners_each_);
    }
    std::copy(corners.begin(), corners.end(),
              corners_.begin() + static_cast<std::ptrdiff_t>(primitive * corners_each_));
    put_in(primitive);
    ++edits_;
}

void BodyOctree::check_new_corners(Index primitive, std::span<const Index> corners) const {
    if (corners.size() != corners_each_)
        throw Error(Cause::count_mismatch, fmt::format("expected {1} corners, got {0}", corners.size(), corners_each_),
                    {.element = "primitive", .index = primitive});
    check_corners(corners, primitive);
}

Index BodyOctree::add_points(std::span<const Vec3> points) {
    for (std::size_t k = 0; k < points.size(); ++k)
        if (!is_finite(points[k]))
            throw Error(Cause::non_finite, "a coordinate is NaN or infinite",
                        {.element = "point", .index = static_cast<std::int64_t>(k)});
    if (point_count_ + points.size() >= no_index)
        throw Error(Cause::too_large, "the number of points exceeds the range of 32-bit indices");
    const Index first = static_cast<Index>(point_count_);
    starts_.append(points);
    if (swept_) ends_.append(points);
    point_count_ += points.size();
    return first;
}

std::uint32_t BodyOctree::child_count(Index node) const {
    std::uint32_t count = 0;
    while (count < BvhNode::width && nodes_[node].child[count] != no_index) ++count;
    return count;
}

void BodyOctree::fit_path(Index node) {
    list_rounds(node);
    const BodyFit view = fit_view();
    for (; node != no_index; node = node_places_[node].node) fit_nodes(view, node, node + 1);
    fit_crown();
}

Index BodyOctree::nearest_leaf(const Box& box) const {
    const LocalBox local(frame_, box);
    std::uint32_t word = 0;
    while (!BvhNode::is_leaf(word)) {
        const BvhNode& node = nodes_[word];
        std::uint32_t best = 0;
        for (std::uint32_t slot = 1; slot < child_count(word); ++slot)
            if (growth(node, slot, local) < growth(node, best, local)) best = slot;
        word = node.child[best];
    }
    return word & ~BvhNode::leaf_bit;
}

void BodyOctree::put_list(std::vector<Index>& pool, Piece& piece, std::span<const Index> list) {
    if (list.size() > piece.room) {
        // A leaf that moves gets spare capacity, so that it moves rarely; its old range is reclaimed at the next build.
        const std::size_t room = piece.room > 0 ? 2 * list.size() : list.size();
        piece.begin = static_cast<Index>(pool.size());
        piece.room = static_cast<Index>((room + 3) / 4 * 4);
        pool.resize(pool.size() + piece.room, 0);
    }
    piece.count = static_cast<Index>(list.size());
    std::copy(list.begin(), list.end(), pool.begin() + piece.begin);
}

void BodyOctree::fill_leaf(Index leaf, std::span<const Index> primitives) {
    std::vector<Index> distinct;
    for (const Index primitive : primitives) {
        leaf_of_[primitive] = leaf;
        distinct.insert(distinct.end(), corners(primitive).begin(), corners(primitive).end());
    }
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    put_list(listed_primitives_, leaf_primitives_[leaf], primitives);
    put_list(listed_points_, leaf_points_[leaf], distinct);
    const Piece& piece = leaf_points_[leaf];
    std::fill(listed_points_.begin() + piece.begin + piece.count, listed_points_.begin() + piece.begin + piece.room,
              distinct[0]);
}

Index BodyOctree::new_leaf() {
    if (!free_leaves_.empty()) {
        const Index leaf = free_leaves_.back();
        free_leaves_.pop_back();
        return leaf;
    }
    leaf_places_.emplace_back();
    leaf_primitives_.emplace_back();
    leaf_points_.emplace_back();
    return static_cast<Index>(leaf_places_.size() - 1);
}

// A freed node may be reused only below a parent with a smaller index: the order of the fit depends on that.
Index BodyOctree::new_node(Index parent) {
    BvhNode empty{};
    std::fill(std::begin(empty.child), std::end(empty.child), no_index);
    const auto fits = std::find_if(free_nodes_.begin(), free_nodes_.end(), [&](Index node) { return node > parent; });
    if (fits != free_nodes_.end()) {
        const Index node = *fits;
        free_nodes_.erase(fits);
        nodes_[node] = empty;
        return node;
    }
    nodes_.push_back(empty);
    if (options_.volume == NodeVolume::sphere) spheres_.emplace_back();
    node_places_.emplace_back();
    node_rounds_.emplace_back();
    return static_cast<Index>(nodes_.size() - 1);
}

bool BodyOctree::may_deepen(Index node) const {
    int level = 2; // level of the leaves below a new child of the root
    for (; node_places_[node].node != no_index; node = node_places_[node].node) ++level;
    return level <= deepest_edit && (options_.level_cap < 0 || level <= options_.level_cap);
}

// Halves a leaf: the second half becomes its sibling, or both move below a new node.
void BodyOctree::split_leaf(Index leaf, std::span<const Index> primitives) {
    const Place place = leaf_places_[leaf];
    const std::uint32_t children = child_count(place.node);
    if (options_.level_cap == 0 || (children == BvhNode::width && !may_deepen(place.node)))
        return fill_leaf(leaf, primitives);
    std::vector<BuildBox> boxes(primitives.size());
    std::vector<Index> order(primitives.size()), ids;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const LocalBox box(frame_, primitive_box(primitives[k]));
        boxes[k].lower << box.lower[0], box.lower[1], box.lower[2], 0.0f;
        boxes[k].upper << box.upper[0], box.upper[1], box.upper[2], 0.0f;
        order[k] = static_cast<Index>(k);
    }
    const std::size_t half = order.size() / 2;
    split_across(order, half, boxes);
    for (const Index k : order) ids.push_back(primitives[k]);
    std::sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(half));
    std::sort(ids.begin() + static_cast<std::ptrdiff_t>(half), ids.end());
    const Index other = new_leaf();
    if (children < BvhNode::width) {
        set_child(place.node, children, BvhNode::leaf_bit | other);
    } else {
        const Index node = new_node(place.node);
        set_child(place.node, place.slot, node);
        set_child(node, 0, BvhNode::leaf_bit | leaf);
        set_child(node, 1, BvhNode::leaf_bit | other);
    }
    fill_leaf(leaf, std::span(ids).first(half));
    fill_leaf(other, std::span(ids).subspan(half));
    if (leaf_places_[leaf].node != place.node) list_rounds(place.node); // the caller lists the rounds of the new node
}

// The last child of the node takes the empty slot; a node without children is removed too.
void BodyOctree::drop_child(Place place) {
    const std::uint32_t last = child_count(place.node) - 1;
    set_child(place.node, place.slot, nodes_[place.node].child[last]);
    set_child(place.node, last, no_index);
    const Place above = node_places_[place.node];
    if (last > 0 || above.node == no_index) return fit_path(place.node);
    if (place.node >= level_begin_.back()) free_nodes_.push_back(place.node);
    drop_child(above);
}

void BodyOctree::take_out(Index primitive) {
    const Index home = leaf_of_[primitive];
    --live_;
    std::vector<Index> left;
    for (const Index id : leaf(home))
        if (id != primitive) left.push_back(id);
    if (!left.empty()) {
        fill_leaf(home, left);
        return fit_path(leaf_places_[home].node);
    }
    free_leaves_.push_back(home);
    drop_child(leaf_places_[home]);
}

void BodyOctree::put_in(Index primitive) {
    ++live_;
    const Box box = primitive_box(primitive);
    leaf_of_[primitive] = 0; // any value except no_index, for build()
    if (live_ == 1) {        // no tree yet
        set_frame(box, 0);
        return build();
    }
    const Index home = nearest_leaf(box);
    std::vector<Index> held(leaf(home).begin(), leaf(home).end());
    held.insert(std::upper_bound(held.begin(), held.end(), primitive), primitive);
    if (held.size() > options_.leaf_size)
        split_leaf(home, held);
    else
        fill_leaf(home, held);
    // Beyond the frame the float tests are invalid for rays, and far beyond it for everything.
    const double reach =
        std::max(frame_.to_local(box.lower).cwiseAbs().maxCoeff(), frame_.to_local(box.upper).cwiseAbs().maxCoeff());
    if (reach > 1) {
        Box all;
        for (std::size_t k = 0; k < point_count_; ++k) {
            all.extend(points()[k]);
            if (swept_) all.extend(ends()[k]);
        }
        set_frame(all, margin_);
        list_rounds(leaf_places_[home].node);
        return fit();
    }
    fit_path(leaf_places_[home].node);
}

} // namespace fathom
