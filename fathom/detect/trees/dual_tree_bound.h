// Lower bound on the distance of two shapes by branch and bound over pairs of nodes of their bounding volume
// hierarchies.
// The smallest distance of all open pairs of nodes is a lower bound on the distance of the shapes; opening the closest
// pair raises it. The distance of two nodes is bounded by that of their spheres, and by the separation of their extents
// along directions; for most pairs the direction between the closest known points is best.
// Cost: about 0.1 us a pair, plus the range evaluations of BoundingTree::open(). One thread; deterministic. Unit:
// metres, in the frame of the first shape.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/detect/trees/field_sphere_tree.h>
#include <fathom/detect/trees/triangle_sphere_tree.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace fathom {

// Bounding volume hierarchy of a shape, used for lower bounds on distance.
// For a surface, the nodes are those of its bounding-sphere tree, then its triangles; for a solid, those of its tree; a
// half-space is one node. If finer nodes are requested, the leaves of the solid's tree are subdivided into cells that
// range() does not prove empty. Planes bound the interior of a cell with an error that is quadratic in the cell size:
// - by the slopes of the field in the cell, where they are known;
// - by a large empty sphere about a point far out along the direction to the other shape, whose radius is the value
//   there. It needs no slopes and holds at edges and corners;
// - for a convex solid, by the tangent plane at the point that faces the other shape, which bounds the whole solid.
// The object is a view that caches its subdivisions: it may be used by one thread at a time, and the tree must outlive
// it. Unit: metres, in the shape's frame.

class BoundingTree {
public:
    explicit BoundingTree(const TriangleSphereTree& surface) : surface_(&surface) {}
    // `min_radius`: cells of this radius are not subdivided (m). Infinity: the leaves of the solid's tree are not
    // subdivided. `exact`: null, or Field::in_double() of the solid, which bounds small cells.
    explicit BoundingTree(const FieldSphereTree& solid, double min_radius = HUGE_VAL,
                          std::shared_ptr<const Field> exact = nullptr);
    explicit BoundingTree(const FieldHalfSpace& half_space) : half_space_(half_space) {}

    [[nodiscard]] bool empty() const;
    [[nodiscard]] const std::optional<FieldHalfSpace>& half_space() const { return half_space_; }

    // The direction to the other shape, and a point of this one that faces it; planes of cells that are made later suit
    // this direction.
    void aim(const Vec3& direction, const Vec3& facing);
    void aim(const Vec3& direction) {
        if (direction != direction_) aim(direction, facing_);
    }
    // A point of the shape that extends far along the direction of aim().
    [[nodiscard]] const Vec3& facing() const { return facing_; }

    // Bounding sphere of a node. Node 0 is the root.
    [[nodiscard]] Sphere sphere(Index id) const;
    // Extent of the node from the centre of its sphere along a unit direction (m).
    [[nodiscard]] double reach(Index id, const Vec3& direction) const;
    // The normal of the plane that bounds the node by the slopes of the field (unit); 0 if none is known.
    [[nodiscard]] Vec3 normal(Index id) const;
    // A point of the shape in the node that extends far along a direction; nothing if none is known.
    [[nodiscard]] std::optional<Vec3> point_in(Index id, const Vec3& direction);
    // The corners of the triangle that a node is, if it is one.
    [[nodiscard]] std::optional<std::array<Vec3, 3>> triangle(Index id) const;

    // The children of a node: first to first + count - 1. Together they contain everything that the node contains. If
    // count is 0, the node is a leaf (`last`) or has turned out to be empty (not `last`).
    struct Parts {
        Index first = 0, count = 0;
        bool last = true;
    };
    [[nodiscard]] Parts children(Index id) const; // without subdivision
    [[nodiscard]] Parts open(Index id);
    [[nodiscard]] std::size_t evaluations() const { return evaluations_; } // of the field and its range

private:
    struct Cell {
        Box box{};
        std::array<PlaneOver, 2> planes{}; // by slopes and by a sphere; they bound its interior
        Box octree{};                      // of the solid's nodes: the cell of the octree
        double far = 0;                    // distance of the centre of that sphere (m)
        Parts parts{};
        bool opened = false;
    };
    [[nodiscard]] const Cell& cell(Index id) const { return cells_[id - solid_->nodes().size()]; }
    [[nodiscard]] double reach(const Cell& part, const Vec3& from, const Vec3& direction) const;
    [[nodiscard]] Parts cut(const Box& box, double far);
    Index add_root();
    void add_nodes(const Cell& parent, const Parts& children);
    void add(std::span<const Cell> parts, bool keep);
    [[nodiscard]] const Field& field() const { return exact_ ? *exact_ : solid_->field(); }
    void add_spheres(std::span<Cell> cells, double far);

    const TriangleSphereTree* surface_ = nullptr;
    const FieldSphereTree* solid_ = nullptr;
    std::optional<FieldHalfSpace> half_space_{};
    double min_radius_ = HUGE_VAL;
    std::shared_ptr<const Field> exact_{};
    double exact_below_ = 0; // largest radius of cells that `exact_` bounds (m)
    double size_ = 0;        // of the solid (m)
    bool convex_ = false;    // the field is a convex function
    bool spheres_ = false;   // values far outside prove large empty spheres
    Vec3 direction_ = Vec3::Zero(), facing_ = Vec3::Zero();
    PlaneOver whole_{}; // bounds the whole solid: normal . x <= offset
    std::size_t evaluations_ = 0;
    std::vector<Cell> cells_{};                   // their ids follow those of the solid's nodes
    std::unordered_map<Index, Index> of_nodes_{}; // cells of the solid's nodes that were reached
};

// Unit directions from the first shape to the second, along which pairs of nodes are separated, and the closest points
// so far, in the frame of the first shape (m).
struct Directions {
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
    std::array<Vec3, 3> unit = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    std::size_t count = 0;

    void add(const Vec3& direction) {
        if (count < unit.size() && std::abs(direction.squaredNorm() - 1) < 1e-6) unit[count++] = direction;
    }
};

class DualTreeBound {
public:
    struct Pair {
        double gap = 0; // lower bound on the distance of the two nodes (m)
        Index a = 0, b = 0;
    };

    // Neither tree is empty. The first is not a half-space.
    DualTreeBound(BoundingTree& a, BoundingTree& b, const Pose& b_in_a);

    // Lower bound on the distance of the shapes (m); infinity if no pair is left.
    [[nodiscard]] double bound() const { return std::min(open() ? heap_.front().gap : HUGE_VAL, aside_); }
    [[nodiscard]] bool open() const { return !heap_.empty(); }
    [[nodiscard]] const Pair& nearest() const { return heap_.front(); }
    [[nodiscard]] Vec3 center_a(Index part) const { return a_.sphere(part).center; }
    [[nodiscard]] Vec3 center_b(Index part) const { return b_in_a_ * b_.sphere(part).center; }

    // Replaces the closest pair by pairs of smaller nodes. Pairs at a distance of `sufficient` or more, and pairs of
    // two leaves, are not opened further and only contribute to the bound. Without directions, only spheres are used.
    void open_nearest(double sufficient, const Directions& directions);
    // Lower bound on the distance of two nodes along a direction, raised up to `sufficient` by opening at most `effort`
    // nodes. Each side is bounded alone, which costs the sum of both instead of the pairs. The direction is improved as
    // by Gilbert, Johnson & Keerthi 1988: points of the two shapes that are too close along it turn it.
    [[nodiscard]] double separation(const Pair& pair, Vec3 direction, double sufficient, std::size_t effort);
    // Points near the two shapes that are closer than `sufficient`, if the last call of separation() ended
    // because of them (m, frame of the first shape).
    [[nodiscard]] const std::optional<std::pair<Vec3, Vec3>>& close_points() const { return close_; }
    [[nodiscard]] std::size_t pairs_made() const { return made_; }

private:
    [[nodiscard]] double gap(Index a, Index b, double sufficient, const Directions& directions) const;
    struct Extent;
    enum class Side { apart, close, open };
    [[nodiscard]] Side separates_along(Extent& a, Extent& b, double sufficient, std::size_t& effort);
    void aim(const Vec3& direction); // of both trees
    [[nodiscard]] bool opens_a(const Pair& pair, const Directions& directions) const;
    [[nodiscard]] static double separated(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b,
                                          const Vec3& direction);
    [[nodiscard]] double gap_of_triangle(const std::array<Vec3, 3>& corners, const BoundingTree& other, Index node,
                                         const Vec3& center, const Mat3& to_other) const;

    BoundingTree &a_, &b_;
    Pose b_in_a_;
    Mat3 rotation_; // rotation of b in a's frame
    double slack_;
    std::vector<Pair> heap_;
    std::optional<std::pair<Vec3, Vec3>> close_{};
    double aside_ = HUGE_VAL; // smallest distance of the pairs that are not opened further
    std::size_t made_ = 1;
};

} // namespace fathom
