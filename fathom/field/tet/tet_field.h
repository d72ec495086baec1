// A tetrahedral body in its current shape as a field: update() after every step, then ask as of any field.
// Inside: minus the depth, linear in each tetrahedron between nodes whose depths are measured in this shape
// (node_depths.h), so the gradient is constant in it (Marchal et al. 2004, section 5.1). Outside: the exact distance to
// the boundary, or what an attached field says. Any tetrahedra are answered: flat ones hold no points, inverted ones
// are the solids that they are; where several hold a point the deepest answer counts. With flat or inverted ones the
// field may jump, and lipschitz() says so. When not: rigid shapes (a grid answers ten times as fast), or when the
// tetrahedron is known (TetInterpolant needs no search). Cost: update about 0.3 us a tetrahedron, in parallel; a query
// 1 to 2 us; range O(tetrahedra on the border of the box).
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/tet/tet_interpolant.h>

namespace fathom {

struct TetFieldOptions {
    DepthOptions depth{};                             // of the nodes
    DefectHandling defects = DefectHandling::samples; // see tet_interpolant.h
    FieldPtr outer{};                                 // asked outside of the tetrahedra; its frame is the body's
};

class TetField final : public Field {
public:
    // Throws Error as check(mesh) does, and Error{empty} where no tetrahedron has a volume's worth of four different
    // nodes. Volumes should be positive (orient()): negative ones count as inverted.
    explicit TetField(const TetMesh& mesh, const TetFieldOptions& options = {});

    // New positions of the same nodes. Throws Error{non_finite, count_mismatch} and keeps the old shape. Not while
    // another thread asks.
    void update(std::span<const Vec3> positions);

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    [[nodiscard]] Interval range(const Box& box) const override;
    // The steepest tetrahedron's slope, or 1; infinite with flat or inverted tetrahedra and with an outer field, where
    // it may jump.
    [[nodiscard]] double lipschitz() const override { return lipschitz_; }
    // For a body that does not overlap itself. By `exact` 0.61 of the longest edge, that is the linear interpolation of
    // a function of slope 1; the marches may also overstate a node's depth, by no more than the deepest. Infinite with
    // inverted tetrahedra, and where a part has no boundary at all.
    [[nodiscard]] double error_bound() const override { return error_bound_; }
    [[nodiscard]] Box domain() const override;
    [[nodiscard]] Box bounds() const override;

    // Where in the body a point is: the tetrahedron that answers, and the weights of its corners. tetrahedron ==
    // no_index outside.
    struct Spot {
        Index tetrahedron = no_index;
        TetWeights weights{};
    };
    [[nodiscard]] Spot locate(const Vec3& p) const;

    [[nodiscard]] const NodeDepths& depths() const { return depths_; }
    [[nodiscard]] const TetInterpolant& interpolant() const { return interpolant_; }
    [[nodiscard]] std::span<const Vec3> positions() const { return positions_; }
    [[nodiscard]] std::span<const Index> inverted() const {
        return inverted_;
    }                                                                   // tetrahedra of negative volume, ascending
    [[nodiscard]] std::span<const Index> flat() const { return flat_; } // of none
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    struct Place;
    [[nodiscard]] Place place_of(const Vec3& p) const;
    [[nodiscard]] std::array<Vec3, 4> corners(Index tetrahedron) const;
    void fit_location();
    void measure_slopes();
    void set_error_bound(double longest_edge);
    void fit_ranges();
    [[nodiscard]] Interval inside_range(const Box& box) const;
    [[nodiscard]] Interval range_in(Index tetrahedron, const Box& box) const;
    [[nodiscard]] bool touches_inverted(const Box& box) const;

    TetFieldOptions options_;
    std::vector<Vec3> positions_;
    NodeDepths depths_;
    TetInterpolant interpolant_;
    Bvh location_; // of the tetrahedra
    std::vector<Box> boxes_;
    std::vector<std::array<Interval, 8>> node_ranges_; // of distances below each child of location_
    std::vector<Index> inverted_, flat_;
    std::vector<std::int8_t> orientation_;
    double lipschitz_ = 1, error_bound_ = 0;
};

} // namespace fathom
