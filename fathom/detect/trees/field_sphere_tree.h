// A field made ready to meet others: a tree of balls that certainly hold all of its inside, {f <= 0}.
// Method: an octree of cells that `range` cannot clear, each given the smallest ball we know round what may be inside;
// as the boxes of Liu et al. 2024, section 4.1, but proven, at many scales, and without anything to tune. Grids use
// their pyramid. Build: some 50 ms of CPU for a grid of 256 cells, one to ten seconds for a network, O(cells of the
// finest level that touch the surface). Immutable, thread-safe.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/field/field.h>

#include <span>
#include <vector>

namespace fathom {

struct FieldSphereTreeOptions {
    int levels =
        0; // halvings, 1 to 10; 0: to blocks of four cells of a grid (never finer), six of a network, else four
    std::size_t max_nodes = 0; // the tree ends early rather than grow past this; 0: 200,000, and a million for networks
};

// A cell of the octree and the ball round the inside in it, in the frame and unit of the solid's tree.
struct FieldSphereNode {
    float center[3] = {0, 0, 0};
    float radius = 0; // rounded up: inside points of the cell lie in the ball
    Index first = 0;  // of its children, which lie side by side; a leaf has none
    std::uint8_t children = 0;
    std::uint8_t octant = 0;    // of its parent's cell; bit k is the upper half of axis k
    bool center_inside = false; // field(centre) <= 0, as it answers
    bool full = false;          // all of the cell is inside
};

// A plane over the inside in a node's ball: normal . (x - centre) <= offset for all of it, in the unit of the tree.
struct SolidCap {
    float normal[3] = {0, 0, 0};
    float offset = 0; // the radius where nothing better is known
};

// How far from its centre a ball reaches along a direction when all beyond a plane is cut off: `offset` of the plane
// from the centre, `along` the cosine between its normal and the direction.
[[nodiscard]] double capped_reach(double radius, double offset, double along);

// |field - true distance| near the surface (m); infinity where the field is no distance.
[[nodiscard]] double error_near_surface(const Field& field);

class FieldSphereTree {
public:
    // Keeps the field alive. A field without finite bounds (a plane) has no tree, and meets those that have one. A grid
    // that is inside at its border ends there: what its field says beyond is not in the tree. Throws
    // Error{invalid_argument} for options out of range.
    explicit FieldSphereTree(FieldPtr field, const FieldSphereTreeOptions& options = {});

    [[nodiscard]] const Field& field() const { return *field_; }
    [[nodiscard]] bool bounded() const { return bounded_; }
    [[nodiscard]] bool empty() const { return bounded_ && nodes_.empty(); } // nothing is inside, proven
    [[nodiscard]] const Box& bounds() const { return bounds_; }             // of the inside (m, field's frame)
    [[nodiscard]] double surface_error() const { return surface_error_; }   // error_near_surface()

    // How far from a point the solid is for certain.
    [[nodiscard]] const ClearanceProof& clearance() const { return clearance_; }
    // Every point of the ball is outside, where field(p) == value: by the field or, for networks, by the tree where
    // that can tell.
    [[nodiscard]] bool clears(const Vec3& p, double value, double radius) const {
        return tree_tells_ ? tree_clears(p, radius) || (radius < leaf_side_ && clearance_.clears(p, value, radius))
                           : clearance_.clears(p, value, radius);
    }

    [[nodiscard]] const Box& root() const {
        return root_;
    } // the cube of node 0; the cells of its children are its octants
    [[nodiscard]] std::span<const FieldSphereNode> nodes() const { return nodes_; } // node 0 is the root
    [[nodiscard]] Sphere ball(const FieldSphereNode& node) const {
        return {center(node), static_cast<double>(node.radius) * unit_};
    }
    [[nodiscard]] Vec3 center(const FieldSphereNode& node) const {
        return origin_ + unit_ * Vec3f(node.center[0], node.center[1], node.center[2]).cast<double>();
    }
    // How far the inside in a node's ball reaches from its centre along a unit direction (m).
    [[nodiscard]] double reach(const FieldSphereNode& node, const Vec3& direction) const;
    [[nodiscard]] std::size_t bytes() const {
        return nodes_.size() * (sizeof(FieldSphereNode) + sizeof(SolidCap)) + clearance_.bytes();
    }

private:
    struct Builder;

    [[nodiscard]] bool tree_clears(const Vec3& p, double radius) const;

    FieldPtr field_;
    ClearanceProof clearance_;
    bool bounded_ = false;
    bool tree_tells_ = false; // what the field alone hardly can
    Box bounds_, root_;
    double leaf_side_ = 0; // of the finest cells (m)
    double surface_error_ = 0;
    Vec3 origin_ = Vec3::Zero();
    double unit_ = 1; // a power of two (m)
    std::vector<FieldSphereNode> nodes_;
    std::vector<SolidCap> caps_; // of each node
};

} // namespace fathom
