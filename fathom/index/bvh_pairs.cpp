// Overlapping pairs of boxes of one tree or two, by simultaneous traversal, one child against eight per step.
#include <fathom/base/parallel.h>
#include <fathom/index/bvh.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/index/bvh_pairs.cpp"
#include <hwy/foreach_target.h>

#include <fathom/index/bvh_placed-inl.h>

#ifndef FATHOM_INDEX_BVH_PAIRS_ONCE
#define FATHOM_INDEX_BVH_PAIRS_ONCE
namespace fathom {

struct NodePair {
    std::uint32_t a, b;
};

// Reports the pairs of two leaves to a visitor; exact if boxes are kept.
struct PairReport {
    const Bvh &a, &b;
    bool swapped; // a is the second tree of the caller
    CallableRef<bool(Index, Index)> visitor;

    bool pair(Index at_a, Index at_b) const {
        if (a.keeps_boxes() && b.keeps_boxes() && !a.box_at(at_a).overlaps(b.box_at(at_b))) return true;
        const Index first = a.order()[at_a], second = b.order()[at_b];
        const bool turn = &a == &b ? first > second : swapped;
        return turn ? visitor(second, first) : visitor(first, second);
    }
    bool leaves(std::uint32_t leaf_a, std::uint32_t leaf_b) const {
        for (Index i = a.leaf_begin(leaf_a); i < a.leaf_begin(leaf_a + 1); ++i)
            for (Index j = b.leaf_begin(leaf_b); j < b.leaf_begin(leaf_b + 1); ++j)
                if (!pair(i, j)) return false;
        return true;
    }
    bool inside(std::uint32_t leaf) const {
        for (Index i = a.leaf_begin(leaf); i < a.leaf_begin(leaf + 1); ++i)
            for (Index j = i + 1; j < a.leaf_begin(leaf + 1); ++j)
                if (!pair(i, j)) return false;
        return true;
    }
};

} // namespace fathom
#endif

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

// A leaf of one tree against the leaves below a node of the other.
struct LeafBelow {
    const PairReport& report;
    std::uint32_t leaf;
    bool leaf_is_a;

    HWY_ATTR bool operator()(std::uint32_t other) const {
        return leaf_is_a ? report.leaves(leaf, other) : report.leaves(other, leaf);
    }
};

// Two children whose boxes overlap: reports decided pairs, pushes pairs that must be opened.
template <class NodesA, class NodesB, class Push>
HWY_INLINE bool report_or_push(const NodesA& nodes_a, const NodesB& nodes_b, const BvhNode& a, int i, const BvhNode& b,
                               int j, const PairReport& report, const Push& push) {
    const std::uint32_t child_a = a.child[i], child_b = b.child[j];
    const bool leaf_a = BvhNode::is_leaf(child_a), leaf_b = BvhNode::is_leaf(child_b);
    const std::uint32_t number_a = child_a & ~BvhNode::leaf_bit, number_b = child_b & ~BvhNode::leaf_bit;
    if (leaf_a && leaf_b) return report.leaves(number_a, number_b);
    if (leaf_a) {
        LeafBelow below{report, number_a, true};
        return visit_overlapping(nodes_b, child_b, child_box(a, i), below);
    }
    if (leaf_b) {
        LeafBelow below{report, number_b, false};
        return visit_overlapping(nodes_a, child_a, child_box(b, j), below);
    }
    push(NodePair{child_a, child_b});
    return true;
}

template <class NodesB, class Push>
HWY_INLINE bool open_two(const PlainNodes& nodes_a, const NodesB& nodes_b, NodePair pair, const PairReport& report,
                         const Push& push) {
    BvhNode scratch;
    const BvhNode& a = nodes_a.nodes[pair.a];
    const BvhNode& b = nodes_b(pair.b, scratch);
    for (int i = 0; i < node_width && a.child[i] != no_index; ++i)
        for (std::uint32_t found = overlapping_children(b, child_box(a, i)); found; found &= found - 1)
            if (!report_or_push(nodes_a, nodes_b, a, i, b, lowest_bit(found), report, push)) return false;
    return true;
}

// The pairs inside one subtree: each child with itself and with those after it.
template <class Push>
HWY_INLINE bool open_one(const PlainNodes& nodes, std::uint32_t index, const PairReport& report, const Push& push) {
    const BvhNode& node = nodes.nodes[index];
    for (int i = 0; i < node_width && node.child[i] != no_index; ++i) {
        const std::uint32_t child = node.child[i];
        if (!BvhNode::is_leaf(child))
            push(NodePair{child, child});
        else if (!report.inside(child & ~BvhNode::leaf_bit))
            return false;
        for (std::uint32_t found = overlapping_children(node, child_box(node, i)) & (~1u << i); found;
             found &= found - 1)
            if (!report_or_push(nodes, nodes, node, i, node, lowest_bit(found), report, push)) return false;
    }
    return true;
}

template <class Push>
HWY_INLINE bool open_pair(NodePair pair, const PairReport& report, const Push& push) {
    const PlainNodes nodes_a{report.a.nodes()};
    if (&report.a == &report.b) {
        if (pair.a == pair.b) return open_one(nodes_a, pair.a, report, push);
        return open_two(nodes_a, nodes_a, pair, report, push);
    }
    const PlacedNodes nodes_b{report.b.nodes(), Placement(report.a.frame(), report.b.frame())};
    return open_two(nodes_a, nodes_b, pair, report, push);
}

HWY_ATTR bool visit_pairs(NodePair root, const PairReport& report) {
    NodePair stack[64 * deepest_level];
    NodePair* top = stack;
    *top++ = root;
    const auto push = [&](NodePair pair) HWY_ATTR { *top++ = pair; };
    while (top != stack)
        if (!open_pair(*--top, report, push)) return false;
    return true;
}

// One step down from every pair.
HWY_ATTR void open_pairs(std::span<const NodePair> pairs, const PairReport& report, std::vector<NodePair>& below) {
    const auto push = [&](NodePair pair) HWY_ATTR { below.push_back(pair); };
    for (const NodePair& pair : pairs) open_pair(pair, report, push);
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(visit_pairs);
HWY_EXPORT(open_pairs);

namespace {

constexpr std::size_t enough_tasks = 512;

// Counting sort by the first id, then each row separately: linear, and independent of the order of the input.
std::vector<IdPair> sorted(const std::vector<std::vector<IdPair>>& parts, std::size_t first_ids) {
    std::vector<std::size_t> row(first_ids + 1, 0);
    for (const auto& part : parts)
        for (const IdPair& pair : part) ++row[pair[0] + 1];
    for (std::size_t k = 0; k < first_ids; ++k) row[k + 1] += row[k];
    std::vector<IdPair> pairs(row.back());
    std::vector<std::size_t> next(row.begin(), row.end() - 1);
    for (const auto& part : parts)
        for (const IdPair& pair : part) pairs[next[pair[0]]++] = pair;
    parallel_for(first_ids, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(row[k]),
                      pairs.begin() + static_cast<std::ptrdiff_t>(row[k + 1]));
    });
    return pairs;
}

bool apart(const Bvh& a, const Bvh& b) { return a.empty() || b.empty() || !a.bounds().overlaps(b.bounds()); }

// The tree with the larger frame comes first, so that the other's boxes shrink into its frame.
PairReport report_of(const Bvh& a, const Bvh& b, CallableRef<bool(Index, Index)> visitor) {
    if (b.frame().scale < a.frame().scale) return {b, a, true, visitor};
    return {a, b, false, visitor};
}

std::vector<IdPair> collect(const Bvh& a, const Bvh& b) {
    if (apart(a, b)) return {};
    std::vector<std::vector<IdPair>> parts(1);
    const auto into = [](std::vector<IdPair>& part) {
        return [&part](Index first, Index second) {
            part.push_back({first, second});
            return true;
        };
    };
    std::vector<NodePair> tasks{{0, 0}}, below;
    auto first_part = into(parts[0]);
    while (!tasks.empty() && tasks.size() < enough_tasks) {
        below.clear();
        HWY_DYNAMIC_DISPATCH(open_pairs)(tasks, report_of(a, b, first_part), below);
        tasks.swap(below);
    }
    parts.resize(1 + tasks.size());
    parallel_tasks(tasks.size(), [&](std::size_t k) {
        auto part = into(parts[k + 1]);
        HWY_DYNAMIC_DISPATCH(visit_pairs)(tasks[k], report_of(a, b, part));
    });
    return sorted(parts, a.size());
}

} // namespace

std::vector<IdPair> overlapping_pairs(const Bvh& tree) { return collect(tree, tree); }

std::vector<IdPair> overlapping_pairs(const Bvh& a, const Bvh& b) {
    if (&a != &b) return collect(a, b);
    const Bvh copy = b; // a tree against itself as two trees: every pair in both orders, and each id with itself
    return collect(a, copy);
}

bool visit_overlapping_pairs(const Bvh& tree, CallableRef<bool(Index, Index)> visitor) {
    if (tree.empty()) return true;
    return HWY_DYNAMIC_DISPATCH(visit_pairs)({0, 0}, report_of(tree, tree, visitor));
}

bool visit_overlapping_pairs(const Bvh& a, const Bvh& b, CallableRef<bool(Index, Index)> visitor) {
    if (apart(a, b)) return true;
    return HWY_DYNAMIC_DISPATCH(visit_pairs)({0, 0}, report_of(a, b, visitor));
}

} // namespace fathom
#endif
