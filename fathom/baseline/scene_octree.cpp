// The scene octree. Cells are integers, so that all tests of regions are exact.
#include <fathom/baseline/scene_octree.h>

#include <fathom/base/error.h>
#include <fathom/index/packed_tree.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

std::size_t pair_count(std::size_t objects) { return objects * (objects - (objects > 0)) / 2; }

// A split must never add pair tests, and must save some, unless it only zooms in: all objects in one child, and no pair
// elsewhere. So regions of objects that overlap anyway are not split.
bool worth_a_split(std::size_t objects, const std::array<Index, 8>& in_child) {
    if (objects < 2) return false;
    std::size_t tests = 0;
    bool zooms = false;
    for (const Index n : in_child) {
        tests += pair_count(n);
        zooms = zooms || n == objects;
    }
    return tests < pair_count(objects) || (tests == pair_count(objects) && zooms);
}

} // namespace

SceneOctree::SceneOctree(const SceneOctreeOptions& options) : options_(options), regions_(1) {
    if (options.level_cap < 0 || options.level_cap > 16)
        throw Error(Cause::invalid_argument, "must be 0 to 16", {.element = "option level_cap"});
}

SceneOctree::Block SceneOctree::Block::child(int k) const {
    Block block{begin, size / 2, level + 1};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if ((k >> axis) & 1) block.begin[axis] += block.size;
    return block;
}

bool SceneOctree::Block::holds(const Cell& cell) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (cell[axis] < begin[axis] || cell[axis] >= begin[axis] + size) return false;
    return true;
}

// Objects outside the root are assigned to its outermost cells.
SceneOctree::Placed SceneOctree::place(const SceneObjects& objects, Index id) const {
    Placed placed;
    const Box& box = objects.boxes[id];
    placed.present = !box.empty();
    if (!placed.present) return placed;
    const double last = (1 << options_.level_cap) - 1;
    for (int axis = 0; axis < 3; ++axis) {
        const auto cell = [&](double x) {
            const double at = (x - root_.lower[axis]) * cells_a_metre_;
            // NaN, from an unbounded root, gives cell 0 for all.
            return at > 0 ? static_cast<int>(std::min(at, last)) : 0;
        };
        placed.lower[static_cast<std::size_t>(axis)] = cell(box.lower[axis]);
        placed.upper[static_cast<std::size_t>(axis)] = cell(box.upper[axis]);
    }
    if (options_.sphere_test == SphereTest::closest_point && objects.is_sphere(id) && cells_a_metre_ > 0) {
        placed.center = (objects.spheres[id].center - root_.lower) * cells_a_metre_;
        placed.radius = objects.spheres[id].radius * cells_a_metre_;
    }
    return placed;
}

bool SceneOctree::touches(const Placed& object, const Block& block) const {
    if (!object.present) return false;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (object.upper[axis] < block.begin[axis] || object.lower[axis] >= block.begin[axis] + block.size)
            return false;
    if (object.radius < 0) return true;
    const int cells = 1 << options_.level_cap;
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double c = object.center[static_cast<int>(axis)];
        const int begin = block.begin[axis], end = begin + block.size;
        // The outermost regions are unbounded on their outer side.
        const double gap = std::max({begin > 0 ? begin - c : 0.0, end < cells ? c - end : 0.0, 0.0});
        squared += gap * gap;
    }
    const double reach = object.radius + 1e-9 * (object.radius + object.center.cwiseAbs().maxCoeff() + 1); // rounding
    return squared <= reach * reach;
}

// Whether both positions touch the same regions below: true for boxes whose cells did not change here; unknown for
// spheres.
bool SceneOctree::same_within(const Placed& a, const Placed& b, const Block& block) const {
    if (a.radius >= 0 || b.radius >= 0 || !a.present || !b.present) return false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const int begin = block.begin[axis], end = begin + block.size - 1;
        if (std::clamp(a.lower[axis], begin, end) != std::clamp(b.lower[axis], begin, end)) return false;
        if (std::clamp(a.upper[axis], begin, end) != std::clamp(b.upper[axis], begin, end)) return false;
    }
    return true;
}

// Keeps the root while it contains everything and is not much too large. Returns whether it changed.
bool SceneOctree::choose_root(const SceneObjects& objects) {
    Box all;
    for (const Box& box : objects.boxes)
        if (!box.empty()) all.extend(box);
    if (all.empty()) return false;
    const double half = (0.5 * all.upper - 0.5 * all.lower).maxCoeff(); // the size itself may overflow
    if (root_.contains(all) && root_.half().x() <= 4 * half) return false;
    root_ = Box::around(0.5 * all.lower + 0.5 * all.upper, Vec3::Constant(1.25 * half));
    root_.extend(all); // for rounding, and for a scene of size 0
    const double cells = (1 << options_.level_cap) / root_.size().maxCoeff();
    cells_a_metre_ = std::isfinite(cells) ? cells : 0.0;
    return true;
}

Index SceneOctree::new_children() {
    if (!free_children_.empty()) {
        const Index first = free_children_.back();
        free_children_.pop_back();
        return first;
    }
    regions_.resize(regions_.size() + 8);
    return static_cast<Index>(regions_.size() - 8);
}

// Splits a leaf, and its children in turn, as long as a split pays.
void SceneOctree::grow(Index region, const Block& block) {
    if (block.level >= options_.level_cap || regions_[region].count < 2) return;
    std::array<Index, 8> in_child{};
    for (const Index id : regions_[region].objects)
        for (int k = 0; k < 8; ++k)
            in_child[static_cast<std::size_t>(k)] += touches(placed_[id], block.child(k)) ? 1u : 0u;
    if (worth_a_split(regions_[region].count, in_child)) split(region, block);
}

void SceneOctree::split(Index region, const Block& block) {
    const Index first = new_children();
    const std::vector<Index> objects = std::move(regions_[region].objects);
    regions_[region].objects.clear();
    regions_[region].first_child = first;
    for (int k = 0; k < 8; ++k) {
        Region& child = regions_[first + static_cast<Index>(k)];
        const Block part = block.child(k);
        for (const Index id : objects)
            if (touches(placed_[id], part)) child.objects.push_back(id);
        child.count = static_cast<Index>(child.objects.size());
    }
    for (int k = 0; k < 8; ++k) grow(first + static_cast<Index>(k), block.child(k));
}

void SceneOctree::gather(Index region, std::vector<Index>& objects) {
    Region& r = regions_[region];
    objects.insert(objects.end(), r.objects.begin(), r.objects.end());
    if (r.first_child != no_index) {
        for (Index k = 0; k < 8; ++k) gather(r.first_child + k, objects);
        free_children_.push_back(r.first_child);
    }
    r = Region{};
}

// Turns an inner region into a leaf.
void SceneOctree::reduce(Index region) {
    std::vector<Index> objects;
    gather(region, objects);
    std::sort(objects.begin(), objects.end());
    objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
    regions_[region].count = static_cast<Index>(objects.size());
    regions_[region].objects = std::move(objects);
}

void SceneOctree::move(Index region, const Block& block, Index id, const Placed& before, const Placed& after) {
    const bool was = touches(before, block), is = touches(after, block);
    if ((!was && !is) || (was && is && same_within(before, after, block))) return;
    Region& r = regions_[region];
    r.changed = true;
    r.count += (is ? 1u : 0u) - (was ? 1u : 0u);
    if (r.first_child != no_index) {
        for (int k = 0; k < 8; ++k) move(r.first_child + static_cast<Index>(k), block.child(k), id, before, after);
    } else if (is && !was) {
        r.objects.push_back(id);
    } else if (was && !is) {
        *std::find(r.objects.begin(), r.objects.end(), id) = r.objects.back();
        r.objects.pop_back();
    }
}

void SceneOctree::revise(Index region, const Block& block) {
    if (!regions_[region].changed) return;
    regions_[region].changed = false;
    const Index first = regions_[region].first_child;
    if (first == no_index) return grow(region, block);
    std::array<Index, 8> in_child{};
    for (Index k = 0; k < 8; ++k) in_child[k] = regions_[first + k].count;
    if (!worth_a_split(regions_[region].count, in_child)) return reduce(region);
    for (int k = 0; k < 8; ++k) revise(first + static_cast<Index>(k), block.child(k));
}

void SceneOctree::build() {
    regions_.assign(1, Region{});
    free_children_.clear();
    for (std::size_t k = 0; k < placed_.size(); ++k)
        if (placed_[k].present) regions_[0].objects.push_back(static_cast<Index>(k));
    regions_[0].count = static_cast<Index>(regions_[0].objects.size());
    grow(0, root_block());
}

void SceneOctree::update(const SceneObjects& objects) {
    const std::size_t count = objects.boxes.size();
    const bool new_root = choose_root(objects);
    std::vector<Placed> now(std::max(count, placed_.size())); // objects beyond the count have been removed
    has_exact_spheres_ = false;
    for (std::size_t k = 0; k < count; ++k) {
        now[k] = place(objects, static_cast<Index>(k));
        has_exact_spheres_ = has_exact_spheres_ || now[k].radius >= 0;
    }
    const bool mostly_new = count > 2 * placed_.size();
    placed_.resize(now.size());
    if (!new_root && !mostly_new)
        for (std::size_t k = 0; k < now.size(); ++k)
            if (placed_[k].present || now[k].present) move(0, root_block(), static_cast<Index>(k), placed_[k], now[k]);
    now.resize(count);
    placed_ = std::move(now);
    new_root || mostly_new ? build() : revise(0, root_block());
}

template <class Visit>
void SceneOctree::visit_leaves(Index region, const Block& block, const Visit& visit) const {
    const Region& r = regions_[region];
    if (r.first_child == no_index) return visit(r, block);
    for (int k = 0; k < 8; ++k) visit_leaves(r.first_child + static_cast<Index>(k), block.child(k), visit);
}

void SceneOctree::find_pairs(const SceneObjects& objects, std::vector<IdPair>& pairs) const {
    FoundPairs found;
    const auto owns = [&](const Block& block, Index a, Index b) {
        const Placed &pa = placed_[a], &pb = placed_[b];
        // The corner of two boxes may lie in a region that an exact sphere does not touch.
        if (pa.radius >= 0 || pb.radius >= 0) return true;
        Cell corner;
        for (std::size_t axis = 0; axis < 3; ++axis) corner[axis] = std::max(pa.lower[axis], pb.lower[axis]);
        return block.holds(corner);
    };
    visit_leaves(0, root_block(), [&](const Region& leaf, const Block& block) {
        for (std::size_t i = 0; i < leaf.objects.size(); ++i)
            for (std::size_t j = i + 1; j < leaf.objects.size(); ++j) {
                const Index a = std::min(leaf.objects[i], leaf.objects[j]),
                            b = std::max(leaf.objects[i], leaf.objects[j]);
                if (objects.overlap(a, b) && owns(block, a, b)) found.push(a, b);
            }
    });
    if (!has_exact_spheres_) return sort_pairs({&found, 1}, objects.boxes.size(), pairs);
    pairs.clear();
    for (std::size_t k = 0; k < found.count; ++k) pairs.push_back({found.first[k], found.second[k]});
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

std::size_t SceneOctree::region_count() const { return regions_.size() - 8 * free_children_.size(); }

std::size_t SceneOctree::pair_test_count() const {
    std::size_t tests = 0;
    visit_leaves(0, root_block(), [&](const Region& leaf, const Block&) { tests += pair_count(leaf.objects.size()); });
    return tests;
}

int SceneOctree::depth() const {
    int deepest = 0;
    visit_leaves(0, root_block(), [&](const Region&, const Block& block) { deepest = std::max(deepest, block.level); });
    return deepest;
}

namespace {

class SceneOctreeFinder final : public PairFinder {
public:
    explicit SceneOctreeFinder(const SceneOctreeOptions& options) : octree_(options) {}

    void find_pairs(const SceneObjects& objects, std::vector<IdPair>& pairs) override {
        octree_.update(objects);
        octree_.find_pairs(objects, pairs);
    }

private:
    SceneOctree octree_;
};

} // namespace

std::shared_ptr<PairFinder> scene_octree_finder(const SceneOctreeOptions& options) {
    return std::make_shared<SceneOctreeFinder>(options);
}

} // namespace fathom
