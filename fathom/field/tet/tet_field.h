// A tetrahedral body in its current shape as a field: call update() after every step, then query it as any field.
// Inside, the value is minus the depth, linear in each tetrahedron between nodes whose depths are measured in the
// current shape (node_depths.h), so the gradient is constant in it (Marchal et al. 2004, section 5.1). Outside, it is
// the exact distance to the boundary, or the value of an attached field. All tetrahedra are allowed: flat ones contain
// no points, inverted ones count as solid; if several contain a point, the deepest value is used. With flat or inverted
// ones the field may be discontinuous, and lipschitz() reports it. Not for rigid shapes (a grid is ten times as fast),
// or if the tetrahedron is known (TetInterpolant needs no search). Cost: update about 0.3 us per tetrahedron, in
// parallel; a query 1 to 2 us; range O(tetrahedra on the border of the box).
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/tet/tet_interpolant.h>

namespace fathom {

struct TetFieldOptions {
    DepthOptions depth{};                             // of the nodes
    DefectHandling defects = DefectHandling::samples; // see tet_interpolant.h
    FieldPtr outer{};                                 // evaluated outside of the tetrahedra, in the body's frame
};

class TetField final : public Field {
public:
    // Throws Error as check(mesh) does, and Error{empty} if no tetrahedron has four different nodes and a volume.
    // Volumes should be positive (orient()): negative ones count as inverted.
    explicit TetField(const TetMesh& mesh, const TetFieldOptions& options = {});

    // Sets new positions of the same nodes. Throws Error{non_finite, count_mismatch} and keeps the old shape. Not while
    // another thread queries the field.
    void update(std::span<const Vec3> positions);

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    [[nodiscard]] Interval range(const Box& box) const override;
    // The slope of the steepest tetrahedron, or 1 if that is larger; infinite with flat or inverted tetrahedra and with
    // an outer field, where the field may be discontinuous.
    [[nodiscard]] double lipschitz() const override { return lipschitz_; }
    // For a body that does not overlap itself. With `exact` it is 0.61 of the longest edge, the error of linear
    // interpolation of a function of slope 1; the marches may also overestimate a node's depth, by no more than the
    // largest depth. Infinite with inverted tetrahedra, and if a part has no boundary.
    [[nodiscard]] double error_bound() const override { return error_bound_; }
    [[nodiscard]] Box domain() const override;
    [[nodiscard]] Box bounds() const override;

    // Location of a point in the body: the tetrahedron whose value is used, and the barycentric weights of its corners.
    // tetrahedron == no_index outside.
    struct Spot {
        Index tetrahedron = no_index;
        TetWeights weights{};
    };
    [[nodiscard]] Spot locate(const Vec3& p) const;

    [[nodiscard]] const NodeDepths& depths() const { return depths_; }
    [[nodiscard]] const TetInterpolant& interpolant() const { return interpolant_; }
    [[nodiscard]] std::span<const Vec3> positions() const { return positions_; }
    // Tetrahedra of negative volume, ascending.
    [[nodiscard]] std::span<const Index> inverted() const { return inverted_; }
    [[nodiscard]] std::span<const Index> flat() const { return flat_; } // tetrahedra without volume
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
    Bvh location_; // over the tetrahedra
    std::vector<Box> boxes_;
    std::vector<std::array<Interval, 8>> node_ranges_; // ranges of distance below each child of location_
    std::vector<Index> inverted_, flat_;
    std::vector<std::int8_t> orientation_;
    double lipschitz_ = 1, error_bound_ = 0;
};

} // namespace fathom
