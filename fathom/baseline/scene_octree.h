// Scene octree: pairs of moving objects that share a region of space and overlap.
// Method: Madera, Day & Laycock 2006, section 5. A region is split while it holds two or more objects and the split
// saves pair tests; an object is stored in all regions that it touches. Regions expand and reduce as objects move. Each
// pair is reported in the one region that contains the lower corner of the overlap. PackedTree is at least ten times
// faster if all objects move. A step costs O(moved + regions + pairs); an object costs time for every region it
// touches, so a few very large objects are acceptable, many are not. Not thread-safe: one caller at a time.
#pragma once

#include <fathom/index/broad_phase.h>

#include <array>

namespace fathom {

// Test whether a sphere touches a region: exactly, by the point of the region closest to the centre (Arvo 1990), or by
// the test of the paper, whether the centre is in the region grown by the radius. The latter is faster and keeps a
// sphere in a few additional regions.
enum class SphereTest { closest_point, grown_box };

struct SceneOctreeOptions {
    int level_cap = 8; // levels below the root, 0 to 16
    SphereTest sphere_test = SphereTest::closest_point;
};

class SceneOctree {
public:
    explicit SceneOctree(const SceneOctreeOptions& options = {}); // throws Error{invalid_argument}

    // Updates the regions where objects have moved, appeared or disappeared. Ids are positions. The result equals a
    // build from scratch in the same root cube.
    void update(const SceneObjects& objects);
    // {a, b} with a < b, each once, sorted. `objects` must be those of the last update.
    void find_pairs(const SceneObjects& objects, std::vector<IdPair>& pairs) const;

    [[nodiscard]] std::size_t region_count() const;    // leaves and inner regions
    [[nodiscard]] std::size_t pair_test_count() const; // pairs that share a leaf, summed over the leaves
    [[nodiscard]] int depth() const;                   // of the deepest leaf; 0: the root is not split
    [[nodiscard]] const Box& root() const { return root_; }

private:
    using Cell = std::array<int, 3>;
    // Position of an object in cells of the deepest level.
    struct Placed {
        Cell lower{}, upper{};
        Vec3 center = Vec3::Zero();
        double radius = -1; // negative: a box, or a sphere that is treated as its box
        bool present = false;
    };
    struct Region {
        Index first_child = no_index; // eight in a row
        Index count = 0;              // number of objects that touch it
        bool changed = false;
        std::vector<Index> objects{}; // only in leaves
    };
    // Extent of a region: the cells [begin, begin + size) on each axis.
    struct Block {
        Cell begin{};
        int size = 1, level = 0;

        [[nodiscard]] Block child(int k) const;
        [[nodiscard]] bool holds(const Cell& cell) const;
    };

    [[nodiscard]] Block root_block() const { return {{0, 0, 0}, 1 << options_.level_cap, 0}; }
    [[nodiscard]] Placed place(const SceneObjects& objects, Index id) const;
    [[nodiscard]] bool touches(const Placed& object, const Block& block) const;
    [[nodiscard]] bool same_within(const Placed& a, const Placed& b, const Block& block) const;
    [[nodiscard]] bool choose_root(const SceneObjects& objects);
    void build();
    void move(Index region, const Block& block, Index id, const Placed& before, const Placed& after);
    void revise(Index region, const Block& block);
    void grow(Index region, const Block& block);
    void split(Index region, const Block& block);
    void reduce(Index region);
    void gather(Index region, std::vector<Index>& objects);
    [[nodiscard]] Index new_children();
    template <class Visit>
    void visit_leaves(Index region, const Block& block, const Visit& visit) const;

    SceneOctreeOptions options_;
    Box root_;
    double cells_a_metre_ = 0;
    std::vector<Region> regions_;
    std::vector<Index> free_children_;
    std::vector<Placed> placed_;
    bool has_exact_spheres_ = false;
};

// The octree as the method of a BroadPhase: BroadPhaseOptions{.finder = scene_octree_finder()}. Throws
// Error{invalid_argument} for an invalid level_cap.
[[nodiscard]] std::shared_ptr<PairFinder> scene_octree_finder(const SceneOctreeOptions& options = {});

} // namespace fathom
