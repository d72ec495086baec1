// Values and ranges of the distance to a convex body.
#include <fathom/detect/convex/convex_field.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/convex/convex_pair.h>

#include <algorithm>
#include <cmath>

namespace fathom::convex {

ConvexField::ConvexField(Body body) : body_(std::move(body)), bounds_(body_.bounds()) {}

// Inside a polyhedron the nearest point of the surface is on the plane that is nearest.
bool ConvexField::in_hull(const Vec3& core, Sample& sample) const {
    if (body_.core != Core::hull || body_.hull->dimension < 3) return false;
    double largest = -HUGE_VAL;
    for (const HullPlane& plane : body_.hull->planes) {
        const double value = plane.normal.dot(core) - plane.offset;
        if (value > largest) largest = value, sample.gradient = plane.normal;
    }
    sample.distance = largest - body_.radius;
    sample.gradient = body_.placement.rotate(sample.gradient);
    return largest <= 0;
}

Sample ConvexField::sample(const Vec3& p) const {
    Sample result;
    if (in_hull(body_.placement.to_local(p), result)) return result;
    const Body point = sphere(0);
    const Pose here, there = Pose::from_translation(p);
    const PairDistance found = signed_distance({body_, here}, {point, there});
    return {found.lower + found.rounding, found.normal};
}

double ConvexField::rounding(const Vec3& p) const {
    return 4 * position_rounding(body_.extent, body_.radius, body_.placement.translation.norm(), p.norm());
}

Interval ConvexField::range(const Box& box) const {
    if (box.empty()) return Interval::none();
    const Vec3 center = box.center();
    if (!is_finite(center) || !is_finite(box)) return Interval::all();
    const double value = distance(center), reach = outward(0.5 * box.diagonal()) + rounding(center);
    return {value - reach, value + reach};
}

Box ConvexField::domain() const { return {Vec3::Constant(-infinity), Vec3::Constant(infinity)}; }

FieldTraits ConvexField::traits() const {
    return {.cost = EvaluationCost::search,
            .convex = true,
            .smooth = true,
            .distance_like = true,
            .range_is_by_value = true};
}

ValueBounds ConvexField::value_bounds(double level) const {
    ValueBounds bounds = Field::value_bounds(level);
    bounds.jump = std::max(bounds.jump, 2 * rounding(4 * bounds_.lower.cwiseAbs().cwiseMax(bounds_.upper.cwiseAbs())));
    bounds.near_error = std::max(bounds.near_error, bounds.jump);
    bounds.far_error = std::max(bounds.far_error, bounds.jump);
    return bounds;
}

} // namespace fathom::convex
