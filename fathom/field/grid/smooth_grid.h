// Smooth interpolation of a grid: the gradient is continuous, whereas GridField's gradient jumps between cells.
// Method: the triquadratic B-spline on the grid's samples, which is the trilinear field averaged over a cube of one
// cell about the point. Averaging preserves the proofs: values stay in the range of the trilinear field within half a
// cell, and the Lipschitz bound carries over. (Catmull-Rom would interpolate the samples, but overshoots between them.)
// Not for speed (27 samples a query), or for corners and edges (they are rounded by up to half a cell).
#pragma once

#include <fathom/field/grid/grid_field.h>

namespace fathom {

class SmoothGridField final : public Field {
public:
    // Shares the grid's arrays.
    explicit SmoothGridField(const GridField& grid);

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override; // continuous in the domain, including its border
    [[nodiscard]] Interval range(const Box& box) const override;
    [[nodiscard]] double lipschitz() const override;
    [[nodiscard]] double error_bound() const override { return grid_.error_bound() + smoothing_bound(); }
    [[nodiscard]] Box domain() const override { return grid_.domain(); }
    [[nodiscard]] Box bounds() const override { return bounds_; }
    [[nodiscard]] double resolution() const override { return grid_.resolution(); }
    [[nodiscard]] const GridData* grid_data() const override { return grid_.grid_data(); }

    // Upper bound on |distance(p) - grid.distance(p)| in the domain: the mean distance from the centre of a cube, times
    // the Lipschitz bound. Where the field is smooth, the true difference is about cell^2 / 12 times its mean
    // curvature.
    [[nodiscard]] double smoothing_bound() const;
    [[nodiscard]] const GridField& grid() const { return grid_; }

private:
    [[nodiscard]] Sample inside(const Vec3& p) const;

    GridField grid_;
    Box bounds_;
    double rounding_;  // largest difference of a sample between a stored brick and a neighbour that is not stored (m)
    double max_slope_; // Lipschitz bound in the domain
};

} // namespace fathom
