// Construction of the topology of a wide tree: a binary tree of binned surface-area splits down to single boxes, then
// the cheapest grouping of its nodes into leaves and nodes of eight. Method: Wald 2007 (binning), Ylitie, Karras &
// Laine 2017 (collapse). All thresholds depend only on sizes, never on the number of threads.
#include <fathom/index/bvh_build.h>

#include <fathom/base/parallel.h>
#include <fathom/index/bvh.h>

#include <numeric>

namespace fathom {

namespace {

constexpr int width = BvhNode::width;
constexpr int max_bins = 32;
// Ranges up to this size are one task; larger ones are split in parallel passes.
constexpr std::size_t alone_size = 1 << 13;
constexpr std::size_t pass_chunk = 1 << 13;
constexpr float infinity = std::numeric_limits<float>::infinity();

struct Bounds {
    Eigen::Array4f lower = Eigen::Array4f::Constant(infinity), upper = Eigen::Array4f::Constant(-infinity);

    void extend(const Eigen::Array4f& low, const Eigen::Array4f& high) {
        lower = lower.min(low);
        upper = upper.max(high);
    }
    void extend(const Bounds& other) { extend(other.lower, other.upper); }
    [[nodiscard]] float half_area() const {
        const Eigen::Array4f s = upper - lower;
        return s[0] * s[1] + s[1] * s[2] + s[2] * s[0];
    }
};

// A box with its id stored as bits in the fourth lane of its lower corner.
struct Item {
    BuildBox box;
    // Twice the centre, which serves equally well for binning.
    [[nodiscard]] Eigen::Array4f center() const { return box.lower + box.upper; }
};
static_assert(sizeof(Item) == 32);

// A node of the binary tree over items [begin, begin + count). Its left child is the next node; the right one follows
// the 2 * left.count - 1 nodes of the left.
struct BinaryNode {
    float half_area;
    Index begin, count;
};

struct RangeBounds {
    Bounds boxes, centers;

    void extend(const Item& item) {
        boxes.extend(item.box.lower, item.box.upper);
        centers.extend(item.center(), item.center());
    }
};

// Assignment of centres to bins along each axis.
struct Binning {
    Eigen::Array4f start, factor;
    int count;

    Binning(const Bounds& centers, std::size_t items)
        : start(centers.lower), count(static_cast<int>(std::clamp<std::size_t>(items, 4, max_bins))) {
        const Eigen::Array4f size = centers.upper - centers.lower;
        // Slightly less than count, so that the last centre stays in the last bin.
        factor = (size > 1e-30f).select(static_cast<float>(count) * 0.99999f / size, 0.0f);
        factor[3] = 0; // the lane of the ids
    }
    [[nodiscard]] bool splits(int axis) const { return factor[axis] > 0; }
    [[nodiscard]] Eigen::Array4i bins(const Item& item) const {
        return ((item.center() - start) * factor).cast<int>().max(0).min(count - 1);
    }
    [[nodiscard]] int bin(const Item& item, int axis) const { return bins(item)[axis]; }
};

struct Bins {
    Bounds bounds[3][max_bins];
    Index counts[3][max_bins] = {};

    void add(const Item& item, const Eigen::Array4i& bins) {
        for (int axis = 0; axis < 3; ++axis) {
            bounds[axis][bins[axis]].extend(item.box.lower, item.box.upper);
            ++counts[axis][bins[axis]];
        }
    }
    void add(const Bins& other, int count) {
        for (int axis = 0; axis < 3; ++axis)
            for (int k = 0; k < count; ++k) {
                bounds[axis][k].extend(other.bounds[axis][k]);
                counts[axis][k] += other.counts[axis][k];
            }
    }
};

struct Split {
    float cost = infinity;
    int axis = -1;
    int bin = 0; // last bin of the left side
};

void improve(Split& best, const Bins& bins, int axis, int count) {
    std::array<float, max_bins> right_cost;
    Bounds right;
    Index right_count = 0;
    for (int k = count - 1; k > 0; --k) {
        right.extend(bins.bounds[axis][k]);
        right_count += bins.counts[axis][k];
        right_cost[static_cast<std::size_t>(k)] =
            right_count ? right.half_area() * static_cast<float>(right_count) : infinity;
    }
    Bounds left;
    Index left_count = 0;
    for (int k = 0; k + 1 < count; ++k) {
        left.extend(bins.bounds[axis][k]);
        left_count += bins.counts[axis][k];
        if (!left_count) continue;
        const float cost =
            left.half_area() * static_cast<float>(left_count) + right_cost[static_cast<std::size_t>(k) + 1];
        if (cost < best.cost) best = {cost, axis, k};
    }
}

Split best_split(const Bins& bins, const Binning& binning) {
    Split best;
    for (int axis = 0; axis < 3; ++axis)
        if (binning.splits(axis)) improve(best, bins, axis, binning.count);
    return best;
}

struct Task {
    std::size_t begin, end;
    Index node;
    int depth;
};

class BinaryBuilder {
public:
    explicit BinaryBuilder(std::span<const BuildBox> boxes)
        : items_(boxes.size()), ids_(boxes.size()), nodes_(2 * boxes.size() - 1) {
        std::iota(ids_.begin(), ids_.end(), Index{0});
        parallel_for(boxes.size(), pass_chunk, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                items_[k].box = boxes[k];
                items_[k].box.lower[3] = std::bit_cast<float>(ids_[k]);
            }
        });
    }

    void build();
    [[nodiscard]] std::span<const BinaryNode> nodes() const { return nodes_; }
    [[nodiscard]] Index id(std::size_t position) const { return ids_[position]; }

private:
    void build_alone(const Task& root);
    [[nodiscard]] std::size_t cut_alone(const Task& task);
    [[nodiscard]] std::size_t cut_together(const Task& task);
    [[nodiscard]] std::size_t partition_together(const Task& task, const Binning& binning, const Split& split);
    [[nodiscard]] std::pair<Task, Task> children(const Task& task, std::size_t middle) const;
    void set_node(const Task& task, const Bounds& bounds) {
        // The constant gives boxes without area a cost above zero; otherwise all topologies would be equally good.
        nodes_[task.node] = {bounds.half_area() + 1e-10f, static_cast<Index>(task.begin),
                             static_cast<Index>(task.end - task.begin)};
    }

    std::vector<Item> items_, scratch_;
    std::vector<Index> ids_;
    std::vector<BinaryNode> nodes_;
};

std::pair<Task, Task> BinaryBuilder::children(const Task& task, std::size_t middle) const {
    const Index left = task.node + 1;
    const Index right = task.node + static_cast<Index>(2 * (middle - task.begin));
    return {{task.begin, middle, left, task.depth + 1}, {middle, task.end, right, task.depth + 1}};
}

std::size_t BinaryBuilder::cut_alone(const Task& task) {
    RangeBounds range;
    for (std::size_t k = task.begin; k < task.end; ++k) range.extend(items_[k]);
    set_node(task, range.boxes);
    const std::size_t count = task.end - task.begin, middle = task.begin + count / 2;
    if (count <= 2 || task.depth >= halving_depth) return middle;
    const Binning binning(range.centers, count);
    Bins bins;
    for (std::size_t k = task.begin; k < task.end; ++k) bins.add(items_[k], binning.bins(items_[k]));
    const Split split = best_split(bins, binning);
    if (split.axis < 0) return middle;
    const auto first = items_.begin();
    const auto cut =
        std::partition(first + static_cast<std::ptrdiff_t>(task.begin), first + static_cast<std::ptrdiff_t>(task.end),
                       [&](const Item& item) { return binning.bin(item, split.axis) <= split.bin; });
    return static_cast<std::size_t>(cut - first);
}

void BinaryBuilder::build_alone(const Task& root) {
    std::vector<Task> stack{root};
    while (!stack.empty()) {
        const Task task = stack.back();
        stack.pop_back();
        const std::size_t middle = cut_alone(task);
        if (task.end - task.begin == 1) continue;
        const auto [left, right] = children(task, middle);
        stack.push_back(right);
        stack.push_back(left);
    }
}

std::size_t BinaryBuilder::cut_together(const Task& task) {
    const std::size_t count = task.end - task.begin;
    const auto merge = [](RangeBounds a, const RangeBounds& b) {
        a.boxes.extend(b.boxes);
        a.centers.extend(b.centers);
        return a;
    };
    const RangeBounds range = parallel_reduce(
        count, pass_chunk, RangeBounds{},
        [&](std::size_t begin, std::size_t end) {
            RangeBounds part;
            for (std::size_t k = begin; k < end; ++k) part.extend(items_[task.begin + k]);
            return part;
        },
        merge);
    set_node(task, range.boxes);
    if (task.depth >= halving_depth) return task.begin + count / 2;
    const Binning binning(range.centers, count);
    const auto add = [&](std::size_t begin, std::size_t end) {
        Bins part;
        for (std::size_t k = task.begin + begin; k < task.begin + end; ++k)
            part.add(items_[k], binning.bins(items_[k]));
        return part;
    };
    const Bins bins = parallel_reduce(count, pass_chunk, Bins{}, add, [&](Bins a, const Bins& b) {
        a.add(b, binning.count);
        return a;
    });
    const Split split = best_split(bins, binning);
    return split.axis < 0 ? task.begin + count / 2 : partition_together(task, binning, split);
}

// Stable: items keep their order on both sides, independent of the threads.
std::size_t BinaryBuilder::partition_together(const Task& task, const Binning& binning, const Split& split) {
    const std::size_t count = task.end - task.begin, chunks = (count + pass_chunk - 1) / pass_chunk;
    const auto goes_left = [&](const Item& item) { return binning.bin(item, split.axis) <= split.bin; };
    std::vector<std::size_t> left_begin(chunks + 1, 0);
    parallel_for(count, pass_chunk, [&](std::size_t begin, std::size_t end) {
        const auto first = items_.begin() + static_cast<std::ptrdiff_t>(task.begin);
        left_begin[begin / pass_chunk + 1] = static_cast<std::size_t>(std::count_if(
            first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end), goes_left));
    });
    std::partial_sum(left_begin.begin(), left_begin.end(), left_begin.begin());
    const std::size_t middle = left_begin.back();
    parallel_for(count, pass_chunk, [&](std::size_t begin, std::size_t end) {
        std::size_t left = left_begin[begin / pass_chunk], right = middle + begin - left;
        for (std::size_t k = begin; k < end; ++k) {
            const Item& item = items_[task.begin + k];
            scratch_[goes_left(item) ? left++ : right++] = item;
        }
    });
    parallel_for(count, pass_chunk, [&](std::size_t begin, std::size_t end) {
        std::copy(scratch_.begin() + static_cast<std::ptrdiff_t>(begin),
                  scratch_.begin() + static_cast<std::ptrdiff_t>(end),
                  items_.begin() + static_cast<std::ptrdiff_t>(task.begin + begin));
    });
    return task.begin + middle;
}

void BinaryBuilder::build() {
    std::vector<Task> waiting{{0, items_.size(), 0, 0}}, alone;
    if (items_.size() > alone_size) scratch_.resize(items_.size());
    while (!waiting.empty()) {
        const Task task = waiting.back();
        waiting.pop_back();
        if (task.end - task.begin <= alone_size) {
            alone.push_back(task);
            continue;
        }
        const auto [left, right] = children(task, cut_together(task));
        waiting.push_back(right);
        waiting.push_back(left);
    }
    parallel_tasks(alone.size(), [&](std::size_t k) { build_alone(alone[k]); });
    for (std::size_t k = 0; k < items_.size(); ++k) ids_[k] = std::bit_cast<Index>(items_[k].box.lower[3]);
}

// For every binary node: the minimal cost of covering it by at most k subtrees, each of them a leaf or a wide node, and
// the distribution of the k between its two children.
class Collapse {
public:
    Collapse(std::span<const BinaryNode> nodes, Index leaf_size);

    // The binary nodes below `root` that become the children of its wide node.
    void children_of(Index root, std::vector<Index>& out) const;
    [[nodiscard]] bool is_leaf(Index node) const { return plans_[node].leaf; }

private:
    static constexpr float node_cost = 1.0f, leaf_cost = 1.0f;

    struct Plan {
        float cost[width];                  // [k]: cost with at most k subtrees; [0] unused
        std::uint8_t left_share[width + 1]; // [k]: subtrees of the left child; 0 if one subtree fewer is as cheap
        bool leaf;
    };

    [[nodiscard]] Index right_of(Index node) const { return node + 2 * nodes_[node + 1].count; }
    void plan(Index node, Index leaf_size);
    void collect(Index node, int subtrees, std::vector<Index>& out) const;

    std::span<const BinaryNode> nodes_;
    std::vector<Plan> plans_;
};

Collapse::Collapse(std::span<const BinaryNode> nodes, Index leaf_size) : nodes_(nodes), plans_(nodes.size()) {
    for (std::size_t k = nodes.size(); k-- > 0;) plan(static_cast<Index>(k), leaf_size);
}

void Collapse::plan(Index node, Index leaf_size) {
    Plan& mine = plans_[node];
    const BinaryNode& binary = nodes_[node];
    const float as_leaf = binary.count <= leaf_size ? leaf_cost * binary.half_area : infinity;
    mine.leaf = true;
    std::fill(std::begin(mine.left_share), std::end(mine.left_share), std::uint8_t{0});
    std::fill(std::begin(mine.cost), std::end(mine.cost), as_leaf);
    if (binary.count == 1) return;
    const Plan &left = plans_[node + 1], &right = plans_[right_of(node)];
    float shared[width + 1];
    std::uint8_t share[width + 1];
    for (int k = 2; k <= width; ++k) {
        shared[k] = infinity;
        share[k] = 1;
        for (int a = 1; a < k; ++a) {
            const float cost = left.cost[a] + right.cost[k - a];
            if (cost < shared[k]) shared[k] = cost, share[k] = static_cast<std::uint8_t>(a);
        }
    }
    const float as_node = node_cost * binary.half_area + shared[width];
    mine.leaf = as_leaf <= as_node;
    mine.left_share[width] = share[width];
    mine.cost[1] = std::min(as_leaf, as_node);
    for (int k = 2; k < width; ++k) {
        mine.cost[k] = std::min(mine.cost[k - 1], shared[k]);
        if (shared[k] < mine.cost[k - 1]) mine.left_share[k] = share[k];
    }
}

void Collapse::collect(Index node, int subtrees, std::vector<Index>& out) const {
    while (subtrees > 1 && plans_[node].left_share[subtrees] == 0) --subtrees;
    if (subtrees <= 1) return out.push_back(node);
    const int share = plans_[node].left_share[subtrees];
    collect(node + 1, share, out);
    collect(right_of(node), subtrees - share, out);
}

void Collapse::children_of(Index root, std::vector<Index>& out) const {
    out.clear();
    if (is_leaf(root)) return out.push_back(root);
    const int share = plans_[root].left_share[width];
    collect(root + 1, share, out);
    collect(right_of(root), width - share, out);
}

void append_leaf(BvhShape& shape, const BinaryBuilder& builder, const BinaryNode& node) {
    const auto first = std::ssize(shape.order);
    for (Index k = 0; k < node.count; ++k) shape.order.push_back(builder.id(node.begin + k));
    std::sort(shape.order.begin() + first, shape.order.end());
    shape.leaf_begin.push_back(static_cast<Index>(shape.order.size()));
}

} // namespace

BvhShape build_shape(std::span<const BuildBox> boxes, Index leaf_size) {
    BvhShape shape;
    if (boxes.empty()) return shape;
    BinaryBuilder builder(boxes);
    builder.build();
    const Collapse collapse(builder.nodes(), leaf_size);
    shape.order.reserve(boxes.size());
    shape.leaf_begin.push_back(0);
    std::vector<Index> level{0}, next, children;
    while (!level.empty()) {
        shape.level_begin.push_back(static_cast<Index>(shape.children.size()));
        const std::size_t below = shape.children.size() + level.size();
        next.clear();
        for (const Index root : level) {
            collapse.children_of(root, children);
            auto& words = shape.children.emplace_back();
            words.fill(no_index);
            for (std::size_t k = 0; k < children.size(); ++k) {
                if (collapse.is_leaf(children[k])) {
                    words[k] = BvhNode::leaf_bit | static_cast<Index>(shape.leaf_begin.size() - 1);
                    append_leaf(shape, builder, builder.nodes()[children[k]]);
                } else {
                    words[k] = static_cast<Index>(below + next.size());
                    next.push_back(children[k]);
                }
            }
        }
        level.swap(next);
    }
    shape.level_begin.push_back(static_cast<Index>(shape.children.size()));
    return shape;
}

} // namespace fathom
