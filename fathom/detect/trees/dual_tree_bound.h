// Pairs of parts of two shapes, the nearest first: how far are the shapes apart at least?
// The least gap of all pairs that are left is a bound on the distance, and opening the nearest pair raises it. Parts
// are apart by the gap of their balls, and by what is left between them along any direction: that of the nearest points
// known is the best for most. Cost: some 0.1 us a pair, and what BoundingTree::open() asks. One thread; deterministic.
// In the frame of the first shape (m).
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/trees/field_sphere_tree.h>
#include <fathom/detect/trees/triangle_sphere_tree.h>

#include <unordered_map>
#include <vector>

namespace fathom {

// What a shape is made of, in parts within parts, each with bounds that hold all of it: what bounds on
// distances are made from. Of a surface the nodes of its balls, then its triangles; of a solid the nodes of its tree.
// Where finer parts are wanted, the leaves of that tree are cut on into cells that range() does not clear, and the
// slopes in a cell tell by a plane how far its inside reaches: looser than a square of its size only where slopes are
// not known. A view that remembers what it cut: one thread at a time; what it views must outlive it. In the shape's
// frame (m).

class BoundingTree {
public:
    explicit BoundingTree(const TriangleSphereTree& surface) : surface_(&surface) {}
    // `finest`: cells of this radius are not cut (m); infinity: the leaves of the solid's tree are the last parts.
    explicit BoundingTree(const FieldSphereTree& solid, double finest = HUGE_VAL) : solid_(&solid), finest_(finest) {}

    [[nodiscard]] bool empty() const { return surface_ ? surface_->size() == 0 : solid_->nodes().empty(); }

    // Part 0 is all of it.
    [[nodiscard]] Sphere ball(Index id) const;
    // How far the part reaches from the centre of its ball along a unit direction (m).
    [[nodiscard]] double reach(Index id, const Vec3& direction) const;

    // Parts that together hold what this one holds: first to first + count - 1. None: it is one of the last, or, where
    // it is not, nothing is in it after all.
    struct Parts {
        Index first = 0, count = 0;
        bool last = true;
    };
    [[nodiscard]] Parts open(Index id);
    [[nodiscard]] bool is_leaf_of_solid(Index id) const {
        return solid_ && id < solid_->nodes().size() && solid_->nodes()[id].children == 0;
    }
    [[nodiscard]] std::size_t ranges_asked() const { return ranges_asked_; }

private:
    struct Cell {
        Box box;
        PlaneOver plane{}; // its inside
        Parts parts{};
        bool opened = false;
    };
    [[nodiscard]] const Cell& cell(Index id) const { return cells_[id - solid_->nodes().size()]; }
    [[nodiscard]] static Sphere round(const Cell& cell);
    [[nodiscard]] Parts cut(const Box& box);

    const TriangleSphereTree* surface_ = nullptr;
    const FieldSphereTree* solid_ = nullptr;
    double finest_ = HUGE_VAL;
    std::size_t ranges_asked_ = 0;
    std::vector<Cell> cells_{};                    // their numbers follow those of the solid's nodes
    std::unordered_map<Index, Parts> of_leaves_{}; // of the solid's tree
};

class DualTreeBound {
public:
    struct Pair {
        double gap = 0; // at least (m)
        Index a = 0, b = 0;
    };

    // Neither tree is empty.
    DualTreeBound(BoundingTree& a, BoundingTree& b, const Pose& b_in_a);

    // No point of one shape is nearer to the other (m); infinity where nothing is left.
    [[nodiscard]] double bound() const { return std::min(open() ? heap_.front().gap : HUGE_VAL, aside_); }
    [[nodiscard]] bool open() const { return !heap_.empty(); }
    [[nodiscard]] const Pair& nearest() const { return heap_.front(); }
    [[nodiscard]] Vec3 center_a(Index part) const { return a_.ball(part).center; }
    [[nodiscard]] Vec3 center_b(Index part) const { return b_in_a_ * b_.ball(part).center; }

    // Puts pairs of smaller parts in place of the nearest; those that are `enough` apart are only remembered by the
    // bound, as is a pair of two last parts. `way`: unit, from a to b, or zero where none is known.
    void open_nearest(double enough, const Vec3& way);
    [[nodiscard]] std::size_t pairs_made() const { return made_; }

private:
    [[nodiscard]] double gap(Index a, Index b, double enough, const Vec3& way) const;

    BoundingTree &a_, &b_;
    Pose b_in_a_;
    Mat3 turn_; // of b in a's frame
    double slack_;
    std::vector<Pair> heap_;
    double aside_ = HUGE_VAL; // the least gap of pairs that are not opened
    std::size_t made_ = 1;
};

} // namespace fathom
