// Distribution of primitives among the nodes of a body octree, level by level from the root.
#include <fathom/index/body_octree_build.h>

#include <fathom/base/parallel.h>

#include <algorithm>
#include <numeric>

namespace fathom {

namespace {

constexpr std::size_t node_width = BvhNode::width;
// Levels of regular octants; primitives that are still together below them are halved, which terminates.
constexpr int octant_levels = 24;

struct Part {
    std::size_t begin = 0, end = 0;
    [[nodiscard]] std::size_t size() const { return end - begin; }
};

// At most eight parts.
struct Parts {
    std::array<Part, node_width> all;
    std::size_t count = 0;
    void add(Part part) { all[count++] = part; }
};

Eigen::Array4f twice_center(const BuildBox& box) { return box.lower + box.upper; }

BuildBox hull_of(std::span<const Index> ids, std::span<const BuildBox> boxes) {
    BuildBox hull = boxes[ids[0]];
    for (const Index id : ids) {
        hull.lower = hull.lower.min(boxes[id].lower);
        hull.upper = hull.upper.max(boxes[id].upper);
    }
    return hull;
}

class Splitter {
public:
    Splitter(std::span<const BuildBox> boxes, const BodyOctreeOptions& options)
        : boxes_(boxes), options_(options), order_(boxes.size()) {
        std::iota(order_.begin(), order_.end(), Index{0});
    }
    [[nodiscard]] std::span<Index> ids(Part part) { return std::span(order_).subspan(part.begin, part.size()); }

    // The children of a node at this level (the root's is 0). A single part is a leaf, as are parts of at most
    // leaf_size primitives.
    [[nodiscard]] Parts split(Part part, int level) {
        Parts parts;
        if (options_.level_cap == 0 || part.size() <= options_.leaf_size)
            parts.add(part);
        else if (options_.split == BodySplit::octants && level < octant_levels)
            split_octants(part, parts);
        else
            split_packed(part, parts);
        return parts;
    }
    [[nodiscard]] bool is_leaf(Part part, int level) const { // `level` is that of the part itself
        return part.size() <= options_.leaf_size || (options_.level_cap >= 0 && level >= options_.level_cap);
    }

private:
    // The size of the largest full subtree (leaf_size, 8 leaf_size, 64 leaf_size, ...) of which eight suffice for all.
    [[nodiscard]] std::size_t packed_unit(std::size_t count) const {
        std::size_t unit = options_.leaf_size;
        while (unit * node_width < count) unit *= node_width;
        return unit;
    }

    void split_packed(Part part, Parts& parts) {
        const std::size_t unit = packed_unit(part.size());
        split_median(part, unit, (part.size() + unit - 1) / unit, parts);
    }

    // Splits into `units` parts, all of which except the last are full.
    void split_median(Part part, std::size_t unit, std::size_t units, Parts& parts) {
        if (units == 1) return parts.add(part);
        const std::size_t left = units / 2, cut = left * unit;
        split_across(ids(part), cut, boxes_);
        split_median({part.begin, part.begin + cut}, unit, left, parts);
        split_median({part.begin + cut, part.end}, unit, units - left, parts);
    }

    void split_octants(Part part, Parts& parts) {
        const BuildBox hull = hull_of(ids(part), boxes_);
        const Eigen::Array4f middle = twice_center(hull);
        std::array<Part, node_width> halves{};
        std::size_t count = 1;
        halves[0] = part;
        for (int axis = 0; axis < 3; ++axis) {
            for (std::size_t k = count; k-- > 0;) {
                const std::span<Index> half = ids(halves[k]);
                const auto cut = std::stable_partition(
                    half.begin(), half.end(), [&](Index id) { return twice_center(boxes_[id])[axis] < middle[axis]; });
                const std::size_t at = halves[k].begin + static_cast<std::size_t>(cut - half.begin());
                halves[2 * k + 1] = {at, halves[k].end};
                halves[2 * k] = {halves[k].begin, at};
            }
            count *= 2;
        }
        for (const Part& octant : halves)
            if (octant.size() > 0) parts.add(octant);
        if (parts.count > 1) return;
        parts.count = 0; // all centres in one octant, possibly in one point
        split_median(part, (part.size() + 1) / 2, 2, parts);
    }

    std::span<const BuildBox> boxes_;
    const BodyOctreeOptions& options_;
    std::vector<Index> order_;
};

struct ShapeWriter {
    BvhShape shape;

    void leaf(std::uint32_t& word, std::span<const Index> ids) {
        word = BvhNode::leaf_bit | static_cast<Index>(shape.leaf_begin.size() - 1);
        const auto first = std::ssize(shape.order);
        shape.order.insert(shape.order.end(), ids.begin(), ids.end());
        std::sort(shape.order.begin() + first, shape.order.end());
        shape.leaf_begin.push_back(static_cast<Index>(shape.order.size()));
    }
};

BvhShape split_shape(std::span<const BuildBox> boxes, const BodyOctreeOptions& options) {
    Splitter splitter(boxes, options);
    ShapeWriter writer;
    BvhShape& shape = writer.shape;
    shape.leaf_begin.push_back(0);
    std::vector<Part> level{{0, boxes.size()}}, next;
    std::vector<Parts> parts;
    for (int depth = 0; !level.empty(); ++depth) {
        parts.resize(level.size());
        parallel_tasks(level.size(), [&](std::size_t k) { parts[k] = splitter.split(level[k], depth); });
        shape.level_begin.push_back(static_cast<Index>(shape.children.size()));
        const std::size_t below = shape.children.size() + level.size();
        next.clear();
        for (const Parts& children : parts) {
            auto& words = shape.children.emplace_back();
            words.fill(no_index);
            for (std::size_t k = 0; k < children.count; ++k) {
                const Part child = children.all[k];
                if (splitter.is_leaf(child, depth + 1)) {
                    writer.leaf(words[k], splitter.ids(child));
                } else {
                    words[k] = static_cast<Index>(below + next.size());
                    next.push_back(child);
                }
            }
        }
        level.swap(next);
    }
    shape.level_begin.push_back(static_cast<Index>(shape.children.size()));
    return std::move(shape);
}

// All ids below a child, leaf by leaf.
void gather(const BvhShape& shape, std::uint32_t word, std::vector<Index>& ids) {
    if (word == no_index) return;
    if (!BvhNode::is_leaf(word)) {
        for (const std::uint32_t child : shape.children[word]) gather(shape, child, ids);
        return;
    }
    const std::uint32_t leaf = word & ~BvhNode::leaf_bit;
    ids.insert(ids.end(), shape.order.begin() + shape.leaf_begin[leaf],
               shape.order.begin() + shape.leaf_begin[leaf + 1]);
}

// Turns nodes at the level cap into leaves that hold all their primitives.
BvhShape cut_off(const BvhShape& shape, int level_cap) {
    ShapeWriter writer;
    writer.shape.leaf_begin.push_back(0);
    const std::size_t levels = std::min<std::size_t>(static_cast<std::size_t>(level_cap), shape.level_begin.size() - 1);
    writer.shape.level_begin.assign(shape.level_begin.begin(),
                                    shape.level_begin.begin() + static_cast<std::ptrdiff_t>(levels) + 1);
    writer.shape.children.assign(shape.children.begin(), shape.children.begin() + shape.level_begin[levels]);
    std::vector<Index> ids;
    for (auto& words : writer.shape.children)
        for (std::uint32_t& word : words) {
            if (word == no_index || (!BvhNode::is_leaf(word) && word < writer.shape.children.size())) continue;
            ids.clear();
            gather(shape, word, ids);
            writer.leaf(word, ids);
        }
    return std::move(writer.shape);
}

} // namespace

void split_across(std::span<Index> ids, std::size_t count, std::span<const BuildBox> boxes) {
    Eigen::Array4f lower = twice_center(boxes[ids[0]]), upper = lower;
    for (const Index id : ids) {
        lower = lower.min(twice_center(boxes[id]));
        upper = upper.max(twice_center(boxes[id]));
    }
    int axis = 0;
    (upper - lower).head<3>().maxCoeff(&axis);
    const auto key = [&](Index id) { return std::pair(twice_center(boxes[id])[axis], id); };
    std::nth_element(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(),
                     [&](Index a, Index b) { return key(a) < key(b); });
}

BvhShape build_body_shape(std::span<const BuildBox> boxes, const BodyOctreeOptions& options) {
    if (boxes.empty()) return {};
    if (options.split != BodySplit::surface_area || options.level_cap == 0) return split_shape(boxes, options);
    BvhShape shape = build_shape(boxes, options.leaf_size);
    return options.level_cap > 0 ? cut_off(shape, options.level_cap) : std::move(shape);
}

} // namespace fathom
