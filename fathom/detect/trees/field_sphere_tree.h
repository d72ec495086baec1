// Bounding-sphere tree over the interior {f <= 0} of a field; conservative.
// Method: an octree of the cells that `range` does not prove empty, each with the smallest known bounding sphere of its
// interior part. It serves as the boxes of Liu et al. 2024, section 4.1, but is proven, has many scales and needs no
// parameters. Grids use their min/max pyramid.
// Cost of construction: O(cells of the finest level that touch the surface); about 50 ms of CPU for a grid of 256 cells
// a side, one to ten seconds for a neural field. Immutable and thread-safe.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/field/field.h>

#include <span>
#include <vector>

namespace fathom {

struct FieldSphereTreeOptions {
    // Number of subdivisions, 1 to 10. 0: as Field::octree() states (for a grid down to blocks of four cells a side and
    // never finer, six subdivisions for a neural field, four for other fields).
    int levels = 0;
    // Limit on nodes: subdivision stops before it is exceeded. 0: 200,000, and a million for neural fields.
    std::size_t max_nodes = 0;
};

// A cell of the octree and the bounding sphere of the interior in it, in the frame and length unit of the tree.
struct FieldSphereNode {
    float center[3] = {0, 0, 0};
    float radius = 0; // rounded up: all interior points of the cell lie in the sphere
    Index first = 0;  // first child; children are consecutive, and a leaf has none
    std::uint8_t children = 0;
    std::uint8_t octant = 0;    // octant of the parent's cell; bit k is the upper half of axis k
    bool center_inside = false; // field(centre) <= 0, as evaluated
    bool full = false;          // the whole cell is inside
};

// A plane that bounds the interior in a node's sphere: normal . (x - centre) <= offset, in the length unit of the tree.
struct SolidCap {
    float normal[3] = {0, 0, 0};
    float offset = 0; // the radius if no better bound is known
};

// Extent of a sphere from its centre along a direction after it is cut by a plane: `offset` is the distance of the
// plane from the centre, `along` the cosine between its normal and the direction.
[[nodiscard]] double capped_reach(double radius, double offset, double along);

class FieldSphereTree {
public:
    // Keeps the field alive. An unbounded field (a half-space) has no tree, but can be tested against fields that have
    // one. A grid that is inside at its border ends there: the extension of its field beyond the domain is not in the
    // tree. Throws Error{invalid_argument} for options out of range.
    explicit FieldSphereTree(FieldPtr field, const FieldSphereTreeOptions& options = {});

    [[nodiscard]] const Field& field() const { return *field_; }
    [[nodiscard]] bool bounded() const { return bounded_; }
    [[nodiscard]] bool empty() const { return bounded_ && nodes_.empty(); } // the interior is proven empty
    [[nodiscard]] const Box& bounds() const { return bounds_; }             // of the interior (m, field's frame)
    [[nodiscard]] double surface_error() const { return surface_error_; }   // Field::near_error_bound()

    // Proofs that spheres contain no interior point.
    [[nodiscard]] const ClearanceProof& clearance() const { return clearance_; }
    // Whether every point of the sphere is proven to be outside, if field(p) == value: by the field or, for neural
    // fields, by the tree.
    [[nodiscard]] bool clears(const Vec3& p, double value, double radius) const {
        return tree_is_tighter_ ? tree_clears(p, radius) || (radius < leaf_side_ && clearance_.clears(p, value, radius))
                                : clearance_.clears(p, value, radius);
    }

    // The cube of node 0; the cells of its children are its octants.
    [[nodiscard]] const Box& root() const { return root_; }
    [[nodiscard]] std::span<const FieldSphereNode> nodes() const { return nodes_; } // node 0 is the root
    [[nodiscard]] Sphere sphere(const FieldSphereNode& node) const {
        return {center(node), static_cast<double>(node.radius) * unit_};
    }
    [[nodiscard]] Vec3 center(const FieldSphereNode& node) const {
        return origin_ + unit_ * Vec3f(node.center[0], node.center[1], node.center[2]).cast<double>();
    }
    // Extent of the interior in a node's sphere from its centre along a unit direction (m).
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
    bool tree_is_tighter_ = false; // the tree proves more than the field alone
    Box bounds_, root_;
    double leaf_side_ = 0; // side of the finest cells (m)
    double surface_error_ = 0;
    Vec3 origin_ = Vec3::Zero();
    double unit_ = 1; // length unit, a power of two (m)
    std::vector<FieldSphereNode> nodes_;
    std::vector<SolidCap> caps_; // by node
};

} // namespace fathom
