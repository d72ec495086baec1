// Field of an analytic expression: exact primitives and all operations on them (Liu et al. 2024, section 3).
// Not for scanned or freely modelled surfaces (use a mesh or grid field), nor for expressions of many thousand shapes
// evaluated at scattered single points: every query evaluates the whole expression, unless it was shortened for a box
// (tape().shorten()). Cost: a few ns per instruction for each block of points; about three times that for samples and
// ranges. Domain: all space.
#pragma once

#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/field.h>

#include <memory>

namespace fathom {

class Tape;

class AnalyticField final : public Field {
public:
    // Throws Error{invalid_argument} for a two-dimensional profile, and Error{too_large} if the expression has more
    // than Graph::max_nodes operations.
    explicit AnalyticField(AnalyticExpression expression);

    [[nodiscard]] double distance(const Vec3& p) const override;
    // At kinks, where several gradients are valid, the result is that of the first child of a union or intersection,
    // the first of equal axes of a box, the first nearest edge of a polygon, and +x at the centre of a sphere.
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    void distances(std::span<const Vec3> points, std::span<double> out) const override;
    void samples(std::span<const Vec3> points, std::span<Sample> out) const override;
    [[nodiscard]] Interval range(const Box& box) const override; // for several boxes ranges() is cheaper
    void ranges(std::span<const Box> boxes, std::span<Interval> out) const override;
    [[nodiscard]] double lipschitz() const override { return expression_.lipschitz(); }
    // 0 if distance_kind() is exact (up to rounding: tape().rounding_bound()), otherwise infinity.
    [[nodiscard]] double error_bound() const override;
    [[nodiscard]] Box domain() const override;
    [[nodiscard]] Box bounds() const override { return bounds_; }

    [[nodiscard]] FieldTraits traits() const override;
    [[nodiscard]] ValueBounds value_bounds(double level) const override;
    [[nodiscard]] Box level_bounds(double level) const override;
    // The planes follow from bounds on the gradients over the boxes.
    bool plane_ranges(std::span<const Box> boxes, std::span<Interval> out, std::span<PlaneOver> planes,
                      const Vec3& facing) const override;
    [[nodiscard]] const AnalyticExpression* analytic_expression() const override { return &expression_; }
    [[nodiscard]] std::optional<FieldHalfSpace> half_space() const override;

    [[nodiscard]] DistanceKind distance_kind() const { return expression_.distance_kind(); }
    // True if the body is convex and the values are its distance; the field is then a convex function.
    [[nodiscard]] bool is_convex() const;
    [[nodiscard]] const AnalyticExpression& expression() const { return expression_; }
    [[nodiscard]] const Tape& tape() const { return *tape_; }

private:
    AnalyticExpression expression_;
    std::shared_ptr<const Tape> tape_;
    Box bounds_;
};

} // namespace fathom
