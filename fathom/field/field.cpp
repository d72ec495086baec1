// Defaults of Field: batches evaluate points and boxes one by one, and descriptions state what holds for every field.
#include <fathom/field/field.h>

#include <fathom/base/rounding.h>
#include <fathom/field/plane_over.h>

#include <algorithm>
#include <cmath>

namespace fathom {

void Field::distances(std::span<const Vec3> points, std::span<double> out) const {
    std::transform(points.begin(), points.end(), out.begin(), [this](const Vec3& p) { return distance(p); });
}

void Field::samples(std::span<const Vec3> points, std::span<Sample> out) const {
    std::transform(points.begin(), points.end(), out.begin(), [this](const Vec3& p) { return sample(p); });
}

void Field::ranges(std::span<const Box> boxes, std::span<Interval> out) const {
    std::transform(boxes.begin(), boxes.end(), out.begin(), [this](const Box& box) { return range(box); });
}

FieldTraits Field::traits() const { return {.distance_like = std::isfinite(error_bound())}; }

ValueBounds Field::value_bounds(double /*level*/) const {
    ValueBounds bounds{.lipschitz = lipschitz()};
    // The distance to a field with jumps may jump too, so the error bound is used only with a finite Lipschitz bound.
    const Box box = domain();
    const bool everywhere = (box.lower.array() == -HUGE_VAL).all() && (box.upper.array() == HUGE_VAL).all();
    if (everywhere && std::isfinite(bounds.lipschitz)) bounds.near_error = bounds.far_error = error_bound();
    return bounds;
}

Box Field::level_bounds(double level) const {
    if (!(level > 0)) return bounds();
    const double error = error_bound();
    if (!std::isfinite(error)) return {Vec3::Constant(-HUGE_VAL), Vec3::Constant(HUGE_VAL)};
    // Beyond its domain a field may be as small as the distance to the domain, at the border as small as its error
    // allows.
    return bounds().empty() ? domain().grown(level) : bounds().grown(outward(2 * level + error));
}

Index Field::feature_at(const Vec3& /*p*/) const { return no_index; }

std::shared_ptr<const FieldSlopes> Field::slopes() const { return nullptr; }

bool Field::plane_ranges(std::span<const Box> /*boxes*/, std::span<Interval> /*out*/, std::span<PlaneOver> /*planes*/,
                         const Vec3& /*facing*/) const {
    return false;
}

FieldOctree Field::octree() const {
    const Box box = bounds();
    return {.root = Box::around(box.center(), Vec3::Constant(std::max(0.5 * box.size().maxCoeff(), 1e-300)))};
}

void Field::octree_ranges(std::span<const Box> boxes, std::span<Interval> out) const { ranges(boxes, out); }

// ---- Values, gradients and ranges of a field outside its domain.

Sample beyond_domain(const Vec3& p, const Vec3& nearest, const Sample& inside) {
    if (nearest == p) return inside;
    // A step along the border moves `nearest`; a step away from the border only widens the gap.
    Vec3 along = inside.gradient;
    for (int k = 0; k < 3; ++k)
        if (nearest[k] != p[k]) along[k] = 0;
    const double result = beyond_domain(p, nearest, inside.distance);
    if (inside.distance < 0) return {result, along + (p - nearest).normalized()};
    return {result, (inside.distance * along + (p - nearest)) / result};
}

Interval beyond_domain(const Box& box, const Box& domain, const Interval& values) {
    // Smallest and largest distance of the box's points beyond the domain, per axis.
    const Vec3 least = (domain.lower - box.upper).cwiseMax(box.lower - domain.upper).cwiseMax(0.0);
    const Vec3 most = (domain.lower - box.lower).cwiseMax(box.upper - domain.upper).cwiseMax(0.0);
    const Interval gap = widened({least.norm(), most.norm()}, 8);
    const Interval outside =
        sqrt(square(gap) + square(Interval(std::max(0.0, values.lower), std::max(0.0, values.upper))));
    Interval result = values.upper >= 0 ? outside : Interval::none();
    if (values.lower < 0) result = hull(result, Interval(values.lower, std::min(0.0, values.upper)) + gap);
    return widened(result, 8);
}

} // namespace fathom
