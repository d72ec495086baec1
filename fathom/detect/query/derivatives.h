// Derivatives of the distance, the penetration depth and the time of impact of two shapes with respect to their poses,
// and of closest points with respect to the same; for planners, trajectory optimization and calibration.
// A small displacement of a shape is a translation v (m) and a rotation vector w (rad), both in world axes; the
// rotation is about the origin of the frame of the shape: a point x of the shape at pose P moves by v + w x (x -
// P.translation). A derivative exists where the closest pair is unique. `unique` reports it: the functions query the
// shapes again, moved a little (12 queries of distance; of depth for convex shapes and expressions, whose depth is a
// minimum). Thread-safe. Errors as those of distance() and collide().
#pragma once

#include <fathom/detect/query/query.h>

#include <array>
#include <optional>

namespace fathom {

// Derivative of a number with respect to the displacement of one shape: its change is translation . v + rotation . w.
struct PoseDerivative {
    Vec3 translation = Vec3::Zero(); // per metre
    Vec3 rotation = Vec3::Zero();    // per radian
};

// Derivative of a number with respect to the displacements of both shapes.
struct PairDerivative {
    PoseDerivative a, b;
    bool unique = false; // verified; false: it does not exist (a and b are then one-sided), or was not verified
};

// Derivatives of the closest points and of the unit normal from A to B (world) with respect to the displacements.
// Columns: translation and rotation of A, translation and rotation of B.
struct ClosestPointDerivative {
    using Matrix = Eigen::Matrix<double, 3, 12>;
    Matrix point_a = Matrix::Zero(), point_b = Matrix::Zero(), normal = Matrix::Zero();
};

struct DerivativeOptions {
    bool verify = true; // test whether the derivative exists; otherwise `unique` stays false
};

struct DistanceDerivative : PairDerivative {
    // The closest points, improved by Newton's method where `points` is present (m, world).
    Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
    // For two disjoint solids whose fields are twice differentiable at the closest points.
    std::optional<ClosestPointDerivative> points{};
};

// Derivative of the distance of two disjoint shapes; `result` is their distance(). Overlapping shapes: that of minus
// the local depth at the witness points of the result, with unique = false; use depth_derivative().
[[nodiscard]] DistanceDerivative distance_derivative(const Shape& a, const Pose& pose_a, const Shape& b,
                                                     const Pose& pose_b, const DistanceResult& result,
                                                     const DerivativeOptions& options = {});

// Derivative of the penetration depth; `result` is the collide() of the shapes with the goal separation. All zero, and
// not unique, if no separating translation was found. Where the depth is a searched one and not a minimum, the
// derivative is that of the local minimum that was found.
[[nodiscard]] PairDerivative depth_derivative(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                              const CollideResult& result, const DerivativeOptions& options = {});

// Derivative of the time of impact with respect to displacements of whole motions: all poses of a motion are displaced
// alike, about the origin of the frame of the shape at the time of impact. `result` is the sweep() of the motions. All
// zero, and not unique, if they do not touch, touch from the start on, or graze each other.
[[nodiscard]] PairDerivative impact_derivative(const Shape& a, const Motion& motion_a, const Shape& b,
                                               const Motion& motion_b, const SweepResult& result,
                                               const DerivativeOptions& options = {});

} // namespace fathom
