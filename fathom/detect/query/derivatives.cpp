// Derivatives of query results. First derivatives follow from the closest points and the normal (the envelope theorem);
// those of the closest points from the implicit function theorem.
#include <fathom/detect/query/derivatives.h>

#include <fathom/detect/query/query_pair.h>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

using query::Placed;
using Matrix8 = Eigen::Matrix<double, 8, 8>;
using Vector8 = Eigen::Matrix<double, 8, 1>;

constexpr double probe_step = 1e-4; // of displacements that test uniqueness, relative to the size of the pair, and rad
constexpr double kink = 0.05;       // difference of slopes by which a probe shows that the derivative does not exist

// The derivative of the distance along the normal at these points.
PairDerivative first_order(const Pose& pose_a, const Vec3& point_a, const Pose& pose_b, const Vec3& point_b,
                           const Vec3& normal) {
    return {.a = {-normal, -(point_a - pose_a.translation).cross(normal)},
            .b = {normal, (point_b - pose_b.translation).cross(normal)}};
}

Pose displaced(const Pose& pose, const Vec3& translation, const Vec3& rotation) {
    const double angle = rotation.norm();
    const Quat turn = angle > 0 ? Quat(Eigen::AngleAxisd(angle, rotation / angle)) : Quat(Quat::Identity());
    return {Quat(turn * pose.rotation).normalized(), pose.translation + translation};
}

double size_of(const Shape& a, const Shape& b) {
    const double smaller = std::min(a.bounds().diagonal(), b.bounds().diagonal());
    return std::isfinite(smaller) && smaller > 0 ? smaller : 1;
}

// Whether a value that depends on the pose of B changes as `slope` predicts, in all six directions and both signs. The
// displacement of B suffices, since the value depends on the relative pose alone.
template <class Value>
bool changes_linearly(const Value& value, double at, const PoseDerivative& slope, const Pose& pose, double length) {
    const double angle = length > 0 ? std::min(probe_step, 1.0) : 0;
    for (int axis = 0; axis < 3; ++axis)
        for (const double sign : {1.0, -1.0}) {
            const Vec3 step = sign * Vec3::Unit(axis);
            const double moved = value(displaced(pose, length * step, Vec3::Zero())) - at;
            if (!(std::abs(moved - length * step.dot(slope.translation)) <= kink * length)) return false;
            // Points of the shape within the size of the pair move by about length.
            const double turned = value(displaced(pose, Vec3::Zero(), angle * step)) - at;
            if (!(std::abs(turned - angle * step.dot(slope.rotation)) <= kink * length)) return false;
        }
    return true;
}

// ---- Twice differentiable solids

// A field in a pose, with its second derivatives by central differences of its gradient.
class SmoothSolid {
public:
    SmoothSolid(const Shape& shape, const Pose& pose, double size)
        : field_(*shape.field()), pose_(pose), step_(1e-5 * size) {}

    [[nodiscard]] Sample sample(const Vec3& x) const {
        Sample s = field_.sample(pose_.to_local(x));
        s.gradient = pose_.rotate(s.gradient);
        return s;
    }

    // False: the gradient has a kink nearby.
    [[nodiscard]] bool hessian(const Vec3& x, Mat3& out) const {
        const Vec3 middle = sample(x).gradient;
        for (int k = 0; k < 3; ++k) {
            const Vec3 step = step_ * Vec3::Unit(k);
            const Vec3 above = sample(x + step).gradient, below = sample(x - step).gradient;
            out.col(k) = (above - below) / (2 * step_);
            const double bend = (above - 2 * middle + below).norm();
            if (!(bend <= 1e-4 * std::max((above - below).norm(), 1e-3))) return false;
        }
        out = 0.5 * (out + out.transpose()).eval();
        return true;
    }

    // Changes of the value and of the gradient at x under displacements of the solid: one column for each of the three
    // translations and rotations.
    void displacement(const Vec3& x, const Vec3& gradient, const Mat3& hessian, Eigen::Matrix<double, 1, 6>& value,
                      Eigen::Matrix<double, 3, 6>& slope) const {
        const Vec3 arm = x - pose_.translation;
        for (int k = 0; k < 3; ++k) {
            const Vec3 axis = Vec3::Unit(k), turned = axis.cross(arm);
            value[k] = -gradient[k];
            slope.col(k) = -hessian.col(k);
            value[3 + k] = -gradient.dot(turned);
            slope.col(3 + k) = axis.cross(gradient) - hessian * turned;
        }
    }

private:
    const Field& field_;
    Pose pose_;
    double step_;
};

// The closest points p of A and q of B: f(p) = 0, g(q) = 0, q - p = s grad f(p), p - q = t grad g(q).
class ClosestPair {
public:
    ClosestPair(const SmoothSolid& a, const SmoothSolid& b, const Vec3& p, const Vec3& q) : a_(a), b_(b) {
        x_ << p, q, (q - p).norm(), (q - p).norm();
    }

    [[nodiscard]] Vec3 p() const { return x_.head<3>(); }
    [[nodiscard]] Vec3 q() const { return x_.segment<3>(3); }

    // False: no unique pair of closest points nearby, or fields that are not twice differentiable there.
    [[nodiscard]] bool refine(double size) {
        for (int round = 0; round < 12; ++round) {
            if (!linearize()) return false;
            const Vector8 step = lu_.solve(residual_);
            if (!step.allFinite() || step.head<6>().norm() > 0.1 * size) return false;
            x_ -= step;
            if (step.head<6>().norm() <= 1e-14 * (size + x_.head<6>().norm())) return linearize();
        }
        return false;
    }

    [[nodiscard]] ClosestPointDerivative derivative() const {
        Eigen::Matrix<double, 8, 12> change = Eigen::Matrix<double, 8, 12>::Zero();
        Eigen::Matrix<double, 1, 6> value;
        Eigen::Matrix<double, 3, 6> slope;
        a_.displacement(p(), at_p_.gradient, hessian_p_, value, slope);
        change.block<1, 6>(0, 0) = value;
        change.block<3, 6>(2, 0) = -x_[6] * slope;
        b_.displacement(q(), at_q_.gradient, hessian_q_, value, slope);
        change.block<1, 6>(1, 6) = value;
        change.block<3, 6>(5, 6) = -x_[7] * slope;
        const Eigen::Matrix<double, 8, 12> moved = -lu_.solve(change);
        ClosestPointDerivative d{.point_a = moved.topRows<3>(), .point_b = moved.middleRows<3>(3)};
        const Vec3 between = q() - p();
        const Vec3 n = between.normalized();
        d.normal = (Mat3::Identity() - n * n.transpose()) * (d.point_b - d.point_a) / between.norm();
        return d;
    }

private:
    bool linearize() {
        at_p_ = a_.sample(p());
        at_q_ = b_.sample(q());
        if (!a_.hessian(p(), hessian_p_) || !b_.hessian(q(), hessian_q_)) return false;
        const Vec3 between = q() - p();
        residual_ << at_p_.distance, at_q_.distance, between - x_[6] * at_p_.gradient,
            -between - x_[7] * at_q_.gradient;
        Matrix8 jacobian = Matrix8::Zero();
        jacobian.block<1, 3>(0, 0) = at_p_.gradient.transpose();
        jacobian.block<1, 3>(1, 3) = at_q_.gradient.transpose();
        jacobian.block<3, 3>(2, 0) = -Mat3::Identity() - x_[6] * hessian_p_;
        jacobian.block<3, 3>(2, 3) = Mat3::Identity();
        jacobian.block<3, 1>(2, 6) = -at_p_.gradient;
        jacobian.block<3, 3>(5, 0) = Mat3::Identity();
        jacobian.block<3, 3>(5, 3) = -Mat3::Identity() - x_[7] * hessian_q_;
        jacobian.block<3, 1>(5, 7) = -at_q_.gradient;
        lu_.compute(jacobian);
        return lu_.rcond() > 1e-9;
    }

    const SmoothSolid& a_;
    const SmoothSolid& b_;
    Vector8 x_, residual_;
    Sample at_p_, at_q_;
    Mat3 hessian_p_, hessian_q_;
    Eigen::PartialPivLU<Matrix8> lu_;
};

bool is_smooth(const Shape& shape) { return has_field(shape.kind()) && shape.field()->traits().smooth; }

// Improves the closest points, and their derivative, for smooth solids. Nothing changes if that fails.
void refine_smooth(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double size,
                   DistanceDerivative& out) {
    if (!is_smooth(a) || !is_smooth(b)) return;
    const SmoothSolid solid_a(a, pose_a, size), solid_b(b, pose_b, size);
    ClosestPair pair(solid_a, solid_b, out.point_a, out.point_b);
    if (!pair.refine(size) || pair.p() == pair.q()) return;
    out.point_a = pair.p();
    out.point_b = pair.q();
    out.points = pair.derivative();
}

} // namespace

DistanceDerivative distance_derivative(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                       const DistanceResult& result, const DerivativeOptions& options) {
    DistanceDerivative out;
    out.point_a = result.point_a;
    out.point_b = result.point_b;
    const double size = size_of(a, b);
    Vec3 normal = result.normal;
    if (result.status == Status::disjoint) {
        refine_smooth(a, pose_a, b, pose_b, size, out);
        if (out.points) normal = (out.point_b - out.point_a).normalized();
    }
    static_cast<PairDerivative&>(out) = first_order(pose_a, out.point_a, pose_b, out.point_b, normal);
    if (!options.verify || result.status != Status::disjoint || !std::isfinite(result.upper_bound)) return out;
    // Where the distance is short, the closest points move fast: smaller steps keep the probes in the linear range.
    const double length = std::min(probe_step * size, 1e-2 * result.upper_bound);
    const double tolerance = 0.1 * kink * length;
    const auto value = [&](const Pose& moved) {
        return distance(a, pose_a, b, moved, {.tolerance = tolerance}).upper_bound;
    };
    out.unique = changes_linearly(value, value(pose_b), out.b, pose_b, length);
    return out;
}

PairDerivative depth_derivative(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                const CollideResult& result, const DerivativeOptions& options) {
    if (result.separates == Separates::unknown || !std::isfinite(result.depth) || !(result.depth > 0)) return {};
    const double size = size_of(a, b);
    // The shapes touch at one point after the translation; a little farther they have a distance.
    const double gap = 1e-7 * size;
    const Pose apart{pose_b.rotation, pose_b.translation + (result.depth + gap) * result.normal};
    const DistanceResult touching = distance(a, pose_a, b, apart, {.tolerance = 1e-3 * gap});
    const double along = touching.normal.dot(result.normal);
    if (!(along > 0.5)) return {};
    PairDerivative out = first_order(pose_a, touching.point_a, apart, touching.point_b, -touching.normal / along);
    if (!options.verify) return out;
    const auto value = [&](const Pose& moved) {
        return collide(a, pose_a, b, moved, {.goal = CollideGoal::separation}).depth;
    };
    out.unique = result.unique && changes_linearly(value, result.depth, out.b, pose_b, probe_step * size);
    return out;
}

PairDerivative impact_derivative(const Shape& a, const Motion& motion_a, const Shape& b, const Motion& motion_b,
                                 const SweepResult& result, const DerivativeOptions& options) {
    if (result.status != Status::overlapping || !(result.time > 0)) return {};
    const Mover mover_a(motion_a), mover_b(motion_b);
    const Pose pose_a = mover_a.pose(result.time), pose_b = mover_b.pose(result.time);
    const double size = size_of(a, b);
    const DistanceResult before = distance(a, pose_a, b, pose_b, {.tolerance = 1e-9 * size});
    if (before.status != Status::disjoint) return {};
    const DistanceDerivative d = distance_derivative(a, pose_a, b, pose_b, before, options);
    // Speed of approach at the closest points: those of each body one small time step away.
    constexpr double step = 1e-6;
    const auto velocity = [&](const Mover& mover, const Pose& pose, const Vec3& point) -> Vec3 {
        const Vec3 local = pose.to_local(point);
        return (mover.pose(result.time + step) * local - mover.pose(result.time - step) * local) / (2 * step);
    };
    const Vec3 normal = d.b.translation;
    const double approach = normal.dot(velocity(mover_a, pose_a, d.point_a) - velocity(mover_b, pose_b, d.point_b));
    const double speed = query::approach_speed(a, motion_a, b, motion_b);
    if (!(approach > 1e-3 * speed)) return {};
    PairDerivative out;
    out.unique = d.unique;
    out.a = {d.a.translation / approach, d.a.rotation / approach};
    out.b = {d.b.translation / approach, d.b.rotation / approach};
    return out;
}

} // namespace fathom
