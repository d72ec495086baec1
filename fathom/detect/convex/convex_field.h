// The exact signed distance of a convex body as a field.
// Not for bodies that have an analytic expression with exact distances, which is faster. Cost of a value: outside, one
// GJK; inside, a hull takes one product for each face; an ellipsoid has a closed form; other bodies take an
// expanding polytope. Domain: all space.
#pragma once

#include <fathom/detect/convex/convex_body.h>
#include <fathom/field/field.h>

namespace fathom::convex {

class ConvexField final : public Field {
public:
    explicit ConvexField(Body body);

    [[nodiscard]] double distance(const Vec3& p) const override { return sample(p).distance; }
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    [[nodiscard]] Interval range(const Box& box) const override;
    [[nodiscard]] double lipschitz() const override { return 1; }
    [[nodiscard]] double error_bound() const override { return 0; } // up to rounding
    [[nodiscard]] Box domain() const override;
    [[nodiscard]] Box bounds() const override { return bounds_; }
    [[nodiscard]] FieldTraits traits() const override;
    [[nodiscard]] ValueBounds value_bounds(double level) const override;

private:
    [[nodiscard]] bool in_hull(const Vec3& core, Sample& sample) const;
    // Bound on the rounding error of a value (m) at a point.
    [[nodiscard]] double rounding(const Vec3& p) const;

    Body body_;
    Box bounds_;
};

} // namespace fathom::convex
