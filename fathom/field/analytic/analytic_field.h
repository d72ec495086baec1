// Distance by formula: exact shapes, and everything that can be made of them. Paper 2 (Liu et al. 2024),
// section 3. Not for scanned or freely modelled surfaces (take a mesh or grid field), nor for formulas of many thousand
// shapes asked point by point far apart: every query walks the whole formula, unless a box has cut it down
// (tape().shorten()). Cost: some ns an instruction for each block of points; about three times that for samples and
// ranges. Domain: all space.
#pragma once

#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/tape.h>
#include <fathom/field/field.h>

namespace fathom {

class AnalyticField final : public Field {
public:
    // Error{invalid_argument} for a profile of two dimensions; Error{too_large} where the formula is past
    // Graph::max_nodes.
    explicit AnalyticField(AnalyticExpression formula);

    [[nodiscard]] double distance(const Vec3& p) const override;
    // At kinks, where several slopes are right: the first child of a union or intersection, the first of equal axes of
    // a box, the first nearest edge of a polygon, and towards +x in the middle of a ball.
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    void distances(std::span<const Vec3> points, std::span<double> out) const override;
    void samples(std::span<const Vec3> points, std::span<Sample> out) const override;
    [[nodiscard]] Interval range(const Box& box) const override; // several boxes at once are cheaper: ranges()
    void ranges(std::span<const Box> boxes, std::span<Interval> out) const override;
    [[nodiscard]] double lipschitz() const override { return expression_.lipschitz(); }
    // 0 where distance_kind() is exact (rounding apart: tape().rounding_bound()), else infinity.
    [[nodiscard]] double error_bound() const override;
    [[nodiscard]] Box domain() const override;
    [[nodiscard]] Box bounds() const override { return bounds_; }

    [[nodiscard]] DistanceKind distance_kind() const { return expression_.distance_kind(); }
    // The body is convex and the values are its distance: then they are a convex function.
    [[nodiscard]] bool is_convex() const;
    [[nodiscard]] const AnalyticExpression& expression() const { return expression_; }
    [[nodiscard]] const Tape& tape() const { return tape_; }

private:
    AnalyticExpression expression_;
    Tape tape_;
    Box bounds_;
};

} // namespace fathom
