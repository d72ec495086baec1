// Node pairs and primitive pairs from the simultaneous traversal of two body octrees.
#include <fathom/index/body_octree_pairs.h>

#include <fathom/base/parallel.h>
#include <fathom/index/body_octree_walk.h>
#include <fathom/index/packed_tree.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t enough_tasks = 256;

bool with_spheres(const BodyOctree& a, const BodyOctree& b) {
    return a.options().volume == NodeVolume::sphere && b.options().volume == NodeVolume::sphere;
}

// Two trees in the order of the traversal: the one with the larger frame comes first.
struct Ordered {
    bool swapped;
    BodyWalk walk;

    Ordered(const BodyOctree& a, const BodyOctree& b, int level)
        : swapped(b.frame().scale < a.frame().scale), walk{swapped ? b : a, swapped ? a : b, false, with_spheres(a, b),
                                                           level} {}
    explicit Ordered(const BodyOctree& tree) : swapped(false), walk{tree, tree, true, with_spheres(tree, tree), -1} {}
};

bool may_begin(const BodyWalk& walk, BodyWalkStep& first) {
    return !walk.a.empty() && !walk.b.empty() && begin_walk(walk, first);
}

// The whole traversal on this thread; calls report(word of the caller's a, word of b).
std::size_t run(const Ordered& ordered, NodeReport report) {
    const BodyWalk& walk = ordered.walk;
    BodyWalkStep first;
    if (walk.a.empty() || walk.b.empty()) return 0;
    std::size_t tests = 1;
    const auto turned = [&](std::uint32_t x, std::uint32_t y) { return ordered.swapped ? report(y, x) : report(x, y); };
    if (!begin_walk(walk, first)) return tests;
    if (walk.level == 0)
        report(0, 0);
    else
        walk_down(walk, first, turned, tests);
    return tests;
}

bool share_a_point(const BodyOctree& tree, Index p, Index q) {
    for (const Index x : tree.corners(p))
        for (const Index y : tree.corners(q))
            if (x == y) return true;
    return false;
}

// Restores the caller's order of primitive pairs, and filters the pairs of one body.
class PairFilter {
public:
    PairFilter(const Ordered& ordered, bool skip_neighbours, CallableRef<bool(Index, Index)> visitor)
        : ordered_(ordered), skip_(skip_neighbours), visitor_(visitor) {}

    bool operator()(Index p, Index q) const {
        if (!ordered_.walk.self) return ordered_.swapped ? visitor_(q, p) : visitor_(p, q);
        if (skip_ && share_a_point(ordered_.walk.a, p, q)) return true;
        return visitor_(std::min(p, q), std::max(p, q));
    }

private:
    const Ordered& ordered_;
    bool skip_;
    CallableRef<bool(Index, Index)> visitor_;
};

class LeafReport {
public:
    LeafReport(const BodyWalk& walk, CallableRef<bool(Index, Index)> visitor)
        : self_(walk.self), compare_(walk.a, walk.b, visitor) {}

    bool operator()(std::uint32_t a, std::uint32_t b) {
        const Index leaf_a = a & ~BvhNode::leaf_bit, leaf_b = b & ~BvhNode::leaf_bit;
        return self_ && a == b ? compare_.inside(leaf_a) : compare_.leaves(leaf_a, leaf_b);
    }

private:
    bool self_;
    LeafCompare compare_;
};

bool visit(const Ordered& ordered, bool skip_neighbours, CallableRef<bool(Index, Index)> visitor) {
    BodyWalkStep first;
    if (!may_begin(ordered.walk, first)) return true;
    const PairFilter filter(ordered, skip_neighbours, visitor);
    LeafReport report(ordered.walk, filter);
    std::size_t tests = 0;
    return walk_down(ordered.walk, first, report, tests);
}

// Collects the pairs of a traversal in its own list.
struct Collector {
    const Ordered& ordered;
    bool skip_neighbours;

    template <class Run>
    void into(FoundPairs& found, const Run& run_with) const {
        const auto push = [&](Index p, Index q) {
            found.push(p, q);
            return true;
        };
        const PairFilter filter(ordered, skip_neighbours, push);
        LeafReport report(ordered.walk, filter);
        run_with(report);
    }
};

std::vector<IdPair> sorted(std::span<const FoundPairs> pieces, std::size_t ids) {
    std::size_t total = 0;
    for (const FoundPairs& piece : pieces) total += piece.count;
    std::vector<IdPair> pairs;
    if (total > ids / 16) {
        sort_pairs(pieces, ids, pairs);
        return pairs;
    }
    pairs.reserve(total);
    for (const FoundPairs& piece : pieces)
        for (std::size_t k = 0; k < piece.count; ++k) pairs.push_back({piece.first[k], piece.second[k]});
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

std::vector<IdPair> collect(const Ordered& ordered, bool skip_neighbours) {
    const BodyWalk& walk = ordered.walk;
    BodyWalkStep first;
    if (!may_begin(walk, first)) return {};
    const Collector collector{ordered, skip_neighbours};
    std::vector<BodyWalkStep> steps{first}, below;
    std::vector<FoundPairs> found(1);
    collector.into(found[0], [&](LeafReport& report) {
        std::size_t tests = 0;
        while (!steps.empty() && steps.size() < enough_tasks) {
            below.clear();
            for (const BodyWalkStep& step : steps) walk_step(walk, step, report, below, tests);
            steps.swap(below);
        }
    });
    found.resize(1 + steps.size());
    parallel_tasks(steps.size(), [&](std::size_t k) {
        collector.into(found[k + 1], [&](LeafReport& report) {
            std::size_t tests = 0;
            walk_down(walk, steps[k], report, tests);
        });
    });
    return sorted(found, std::max(walk.a.primitive_ids(), walk.b.primitive_ids()));
}

} // namespace

NodeOverlap overlapping_nodes(const BodyOctree& a, const BodyOctree& b, int level) {
    NodeOverlap result;
    result.volume_tests = run(Ordered(a, b, level), [&](std::uint32_t x, std::uint32_t y) {
        result.pairs.push_back({x, y});
        return true;
    });
    std::sort(result.pairs.begin(), result.pairs.end());
    return result;
}

std::vector<IdPair> overlapping_primitives(const BodyOctree& a, const BodyOctree& b) {
    return collect(Ordered(a, b, -1), false);
}

bool visit_overlapping_primitives(const BodyOctree& a, const BodyOctree& b, CallableRef<bool(Index, Index)> visitor) {
    return visit(Ordered(a, b, -1), false, visitor);
}

std::vector<IdPair> overlapping_primitives(const BodyOctree& tree, const SelfPairOptions& options) {
    return collect(Ordered(tree), options.skip_neighbours);
}

bool visit_overlapping_primitives(const BodyOctree& tree, CallableRef<bool(Index, Index)> visitor,
                                  const SelfPairOptions& options) {
    return visit(Ordered(tree), options.skip_neighbours, visitor);
}

} // namespace fathom
