// Lower bound on the distance of two shapes by branch and bound over pairs of nodes of their bounding volume
// hierarchies.
// The smallest distance of all open pairs of nodes is a lower bound on the distance of the shapes; opening the closest
// pair raises it. The distance of two nodes is bounded by that of their spheres, and by the separation of their extents
// along a direction; for most pairs the direction between the closest known points is best.
// Cost: about 0.1 us a pair, plus the range evaluations of BoundingTree::open(). One thread; deterministic. Unit:
// metres, in the frame of the first shape.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/trees/field_sphere_tree.h>
#include <fathom/detect/trees/triangle_sphere_tree.h>

#include <unordered_map>
#include <vector>

namespace fathom {

// Bounding volume hierarchy of a shape, used for lower bounds on distance.
// For a surface, the nodes are those of its bounding-sphere tree, then its triangles; for a solid, those of its tree.
// If finer nodes are requested, the leaves of the solid's tree are subdivided into cells that range() does not prove
// empty. The slopes in a cell give a plane that bounds its interior; the error of that bound is quadratic in the cell
// size unless the slopes are unknown.
// The object is a view that caches its subdivisions: it may be used by one thread at a time, and the tree must outlive
// it. Unit: metres, in the shape's frame.

class BoundingTree {
public:
    explicit BoundingTree(const TriangleSphereTree& surface) : surface_(&surface) {}
    // `min_radius`: cells of this radius are not subdivided (m). Infinity: the leaves of the solid's tree are not
    // subdivided.
    explicit BoundingTree(const FieldSphereTree& solid, double min_radius = HUGE_VAL)
        : solid_(&solid), min_radius_(min_radius) {}

    [[nodiscard]] bool empty() const { return surface_ ? surface_->size() == 0 : solid_->nodes().empty(); }

    // Bounding sphere of a node. Node 0 is the root.
    [[nodiscard]] Sphere sphere(Index id) const;
    // Extent of the node from the centre of its sphere along a unit direction (m).
    [[nodiscard]] double reach(Index id, const Vec3& direction) const;

    // The children of a node: first to first + count - 1. Together they contain everything that the node contains. If
    // count is 0, the node is a leaf (`last`) or has turned out to be empty (not `last`).
    struct Parts {
        Index first = 0, count = 0;
        bool last = true;
    };
    [[nodiscard]] Parts open(Index id);
    [[nodiscard]] bool is_leaf_of_solid(Index id) const {
        return solid_ && id < solid_->nodes().size() && solid_->nodes()[id].children == 0;
    }
    [[nodiscard]] std::size_t range_evaluations() const { return range_evaluations_; }

private:
    struct Cell {
        Box box;
        PlaneOver plane{}; // bounds its interior
        Parts parts{};
        bool opened = false;
    };
    [[nodiscard]] const Cell& cell(Index id) const { return cells_[id - solid_->nodes().size()]; }
    [[nodiscard]] static Sphere round(const Cell& cell);
    [[nodiscard]] Parts cut(const Box& box);

    const TriangleSphereTree* surface_ = nullptr;
    const FieldSphereTree* solid_ = nullptr;
    double min_radius_ = HUGE_VAL;
    std::size_t range_evaluations_ = 0;
    std::vector<Cell> cells_{};                    // their ids follow those of the solid's nodes
    std::unordered_map<Index, Parts> of_leaves_{}; // children of the leaves of the solid's tree
};

class DualTreeBound {
public:
    struct Pair {
        double gap = 0; // lower bound on the distance of the two nodes (m)
        Index a = 0, b = 0;
    };

    // Neither tree is empty.
    DualTreeBound(BoundingTree& a, BoundingTree& b, const Pose& b_in_a);

    // Lower bound on the distance of the shapes (m); infinity if no pair is left.
    [[nodiscard]] double bound() const { return std::min(open() ? heap_.front().gap : HUGE_VAL, aside_); }
    [[nodiscard]] bool open() const { return !heap_.empty(); }
    [[nodiscard]] const Pair& nearest() const { return heap_.front(); }
    [[nodiscard]] Vec3 center_a(Index part) const { return a_.sphere(part).center; }
    [[nodiscard]] Vec3 center_b(Index part) const { return b_in_a_ * b_.sphere(part).center; }

    // Replaces the closest pair by pairs of smaller nodes. Pairs at a distance of `sufficient` or more, and pairs of
    // two leaves, are not opened further and only contribute to the bound. `direction`: unit direction from a to b, or
    // zero if none is known.
    void open_nearest(double sufficient, const Vec3& direction);
    [[nodiscard]] std::size_t pairs_made() const { return made_; }

private:
    [[nodiscard]] double gap(Index a, Index b, double sufficient, const Vec3& direction) const;

    BoundingTree &a_, &b_;
    Pose b_in_a_;
    Mat3 rotation_; // rotation of b in a's frame
    double slack_;
    std::vector<Pair> heap_;
    double aside_ = HUGE_VAL; // smallest distance of the pairs that are not opened further
    std::size_t made_ = 1;
};

} // namespace fathom
