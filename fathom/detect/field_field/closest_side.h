// One of two shapes whose closest points are searched: projection of points onto it, planes over it and its nodes.
// Used by closest_points_field_field.cpp alone. Metres; one thread.
#pragma once

#include <fathom/detect/field_field/closest_points_field_field.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace fathom::field_field {

inline constexpr double least_slope = 1e-10; // gradients of at most this length give no direction
inline constexpr double beyond_surface =
    1e-15; // of the size: second step of a projection beyond the surface; later ones are longer

// A shape in its own frame: projection of points, and normals.
class ClosestSide {
public:
    ClosestSide(const ClosestBody& body, const ClosestOptions& options)
        : body_(body), exact_(exact_of(body, options.tolerance)),
          parts_(body.half_space ? BoundingTree(*body.half_space)
                 : body.surface  ? BoundingTree(*body.surface)
                                 : BoundingTree(*body.solid, 0.01 * options.tolerance, exact_)) {}

    [[nodiscard]] BoundingTree& parts() { return parts_; }
    [[nodiscard]] const ClosestBody& body() const { return body_; }
    [[nodiscard]] double size() const {
        return body_.half_space ? HUGE_VAL
               : body_.surface  ? 2 * parts_.sphere(0).radius
                                : body_.solid->bounds().size().maxCoeff();
    }
    [[nodiscard]] std::size_t evaluations() const { return evaluations_ + parts_.evaluations(); }
    // Whether project() finds the closest point of the shape.
    [[nodiscard]] bool is_distance() const { return body_.solid == nullptr || field().error_bound() < 1e-9 * size(); }

    // Moves x to a point of the shape: the closest one, or for a field a nearby one. False if that fails.
    bool project(Vec3& x, double size) {
        ++evaluations_;
        if (body_.half_space) {
            x -= std::max(0.0, body_.half_space->normal.dot(x) - body_.half_space->offset) * body_.half_space->normal;
            return true;
        }
        if (body_.surface) {
            const ClosestPoint near = body_.tree->closest(x);
            x = near.point;
            return near.found();
        }
        return project_on_field(x, size);
    }

    // A plane that bounds the shape near x: normal . y <= offset. The tangent plane of a field at x; for the others,
    // the plane through the point closest to `other`, a point of the other shape.
    [[nodiscard]] PlaneOver plane(const Vec3& x, const Vec3& other) {
        ++evaluations_;
        if (body_.half_space) return {body_.half_space->normal, body_.half_space->offset};
        if (body_.surface) {
            const Vec3 closest = body_.tree->closest(other).point, normal = (other - closest).stableNormalized();
            return {normal, normal.dot(closest)};
        }
        const Sample s = field().sample(x);
        const double steepness = s.gradient.norm();
        if (!(steepness > least_slope)) return {};
        return {s.gradient / steepness, (s.gradient.dot(x) - s.distance) / steepness};
    }

    // Unit normal at a surface point; 0 for triangles, where the direction between two closest points serves as well.
    [[nodiscard]] Vec3 normal(const Vec3& x) {
        if (body_.half_space) return body_.half_space->normal;
        if (body_.surface) return Vec3::Zero();
        ++evaluations_;
        return field().sample(x).gradient.stableNormalized();
    }

    // Moves x to a point of the solid in double, if its field computes in single precision and has accepted x. False if
    // it stays where it is.
    bool settle(Vec3& x, double size) {
        if (exact_ || body_.solid == nullptr || body_.surface || body_.half_space) return false;
        exact_ = body_.solid->field().in_double();
        Vec3 inside = x;
        if (!exact_ || exact_->distance(x) <= 0 || !project(inside, size)) return false;
        x = inside;
        return true;
    }

private:
    static std::shared_ptr<const Field> exact_of(const ClosestBody& body, double tolerance) {
        if (body.solid == nullptr || body.surface || body.half_space) return nullptr;
        const Field& field = body.solid->field();
        return tolerance < least_single_tolerance(field) ? field.in_double() : nullptr;
    }
    [[nodiscard]] const Field& field() const { return exact_ ? *exact_ : body_.solid->field(); }

    // Newton steps into the solid, a step along the tangent plane to the point closest to x, and back to the surface by
    // the secant through the last two values.
    bool project_on_field(Vec3& x, double size) {
        const Field& field = this->field();
        const Vec3 from = x;
        Sample s = field.sample(x);
        ++evaluations_;
        if (s.distance <= 0) return true;
        Vec3 outside = x;
        double above = s.distance, spare = 0; // spare: distance beyond the surface
        for (int step = 0; step < 8 && s.distance > 0; ++step, spare = std::max(4 * spare, beyond_surface * size)) {
            const double steepness = s.gradient.squaredNorm();
            if (!(steepness > least_slope * least_slope)) return false; // also NaN
            outside = x, above = s.distance;
            x -= (s.distance / steepness + spare / std::sqrt(steepness)) * s.gradient;
            s = field.sample(x);
            ++evaluations_;
            const Vec3 normal = s.gradient.stableNormalized();
            const Vec3 aside = (from - x) - normal.dot(from - x) * normal;
            if (step == 1 && aside.norm() > 1e-3 * (from - x).norm()) {
                x += aside;
                s = field.sample(x);
                ++evaluations_;
            }
        }
        if (!(s.distance <= 0)) return false;
        // The point is inside by the error of the last step.
        for (int step = 0; step < 3 && s.distance < -1e-13 * size && above > 0; ++step) {
            const double share = std::min(1.0, above / (above - s.distance) * (1 + 1e-9));
            const Vec3 middle = outside + share * (x - outside);
            const double value = field.distance(middle);
            ++evaluations_;
            if (value <= 0)
                x = middle, s.distance = value;
            else
                outside = middle, above = value;
        }
        return true;
    }

    ClosestBody body_;
    std::shared_ptr<const Field> exact_; // null: the field of the solid
    BoundingTree parts_;
    std::size_t evaluations_ = 0;
};

} // namespace fathom::field_field
