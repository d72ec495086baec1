// The scene octree of many moving objects: which of them share a region, and overlap?
// Method: Madera, Day & Laycock 2006, section 5. Regions split while they hold two or more objects and the split spares
// pair tests; an object lies in all regions that it touches. Regions expand and reduce as objects move. Each pair is
// reported in the one region that holds the lower corner of the overlap. PackedTree is ten times quicker and more where
// all objects move. A step costs O(moved + regions + pairs); an object pays for every region it touches, so few giants
// are fine, many are not. One caller at a time.
#pragma once

#include <fathom/index/bvh.h>

#include <array>

namespace fathom {

// What the broad phases sort: objects known by their boxes or spheres. Closed: touching counts as overlap.
// Brute force over them is the oracle of all others.

// A view. By id; an object with an empty box is not there. `spheres` is empty, or as long as `boxes`: where a radius is
// not negative the object is that sphere, and its box one that holds it (bounds_of_sphere).
struct SceneObjects {
    std::span<const Box> boxes;
    std::span<const Sphere> spheres{};

    [[nodiscard]] bool is_sphere(Index id) const { return !spheres.empty() && spheres[id].radius >= 0; }
    [[nodiscard]] bool overlap(Index a, Index b) const;
};

// Two spheres overlap where the distance of their centres, as computed in doubles, is at most the sum of their radii;
// the boxes are wide enough never to contradict that.
[[nodiscard]] Box bounds_of_sphere(const Sphere& sphere);

// {a, b} with a < b, sorted. O(n^2).
void pairs_by_force(const SceneObjects& objects, std::vector<IdPair>& pairs);

// Whether a sphere touches a region: exactly, by the point of the region closest to the centre (Arvo 1990), or by the
// paper's own test: is the centre in the region grown by the radius? That is quicker and keeps a sphere in a few
// regions too many.
enum class SphereTest { closest_point, grown_box };

struct SceneOctreeOptions {
    int level_cap = 8; // levels below the root, 0 to 16
    SphereTest sphere_test = SphereTest::closest_point;
};

class SceneOctree {
public:
    explicit SceneOctree(const SceneOctreeOptions& options = {}); // throws Error{invalid_argument}

    // The objects as they are now: regions are revised where objects have moved, come or gone. Ids are positions. The
    // result is the tree that a fresh build in the same root cube would give.
    void update(const SceneObjects& objects);
    // {a, b} with a < b, each once, sorted; of the objects of the last update, given again.
    void find_pairs(const SceneObjects& objects, std::vector<IdPair>& pairs) const;

    [[nodiscard]] std::size_t region_count() const;    // leaves and inner regions
    [[nodiscard]] std::size_t pair_test_count() const; // pairs that share a leaf, counted for each leaf
    [[nodiscard]] int depth() const;                   // of the deepest leaf; 0: the root is not split
    [[nodiscard]] const Box& root() const { return root_; }

private:
    using Cell = std::array<int, 3>;
    // Where an object lies, in cells of the deepest level.
    struct Placed {
        Cell lower{}, upper{};
        Vec3 center = Vec3::Zero();
        double radius = -1; // negative: a box, or a sphere that is treated as its box
        bool present = false;
    };
    struct Region {
        Index first_child = no_index; // eight in a row
        Index count = 0;              // of the objects that touch it
        bool changed = false;
        std::vector<Index> objects{}; // of a leaf
    };
    // A region's place: the cells [begin, begin + size) on each axis.
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

} // namespace fathom
