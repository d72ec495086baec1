// The frame of a pair of convex cores, and Newton's method for directions of least height.
#include <fathom/detect/convex/difference.h>

#include <fathom/base/rounding.h>

#include <algorithm>
#include <cmath>

namespace fathom::convex {

namespace {

constexpr int max_newton_steps = 16;
constexpr int max_changes = 12;          // of the set of active pieces
constexpr double max_turn = 0.3;         // of the direction in one step (radians)
constexpr double least_share = -1e-10;   // of an active point; below it the point is not active
constexpr double converged_turn = 1e-11; // of the direction: convergence is quadratic
constexpr double least_pivot = 1e-13;    // of the largest number of a matrix; smaller ones count as 0

Pose core_pose(const Body& body, const Pose& pose) { return body.placed ? pose * body.placement : pose; }

// Solves the first equations of a linear system. The result is infinite if there is no solution.
template <int Size>
Eigen::Vector4d solution(const Eigen::Matrix4d& matrix, const Eigen::Vector4d& right) {
    using Square = Eigen::Matrix<double, Size, Size>;
    const Square part = matrix.topLeftCorner<Size, Size>();
    const double largest = part.cwiseAbs().maxCoeff();
    if (!(largest > 0)) return Eigen::Vector4d::Constant(HUGE_VAL);
    Eigen::Vector4d step = Eigen::Vector4d::Zero();
    const Eigen::PartialPivLU<Square> factors(part);
    if (factors.matrixLU().diagonal().cwiseAbs().minCoeff() > least_pivot * largest)
        step.head<Size>() = factors.solve(right.head<Size>());
    else // in a valley of equal heights, which bodies of revolution have, the shortest step is taken
        step.head<Size>() = part.completeOrthogonalDecomposition().solve(right.head<Size>());
    return step;
}

// Active pieces: support points of the difference whose heights are equal at the minimum.
class Active {
public:
    Active(const Difference& difference, const Vec3& start) : normal(start), d_(&difference) {}

    void add(const DifferencePoint& point, double share) {
        for (int k = 0; k < simplex.count; ++k)
            if (simplex.points[k].same_pieces(point)) {
                simplex.shares[k] += share;
                return;
            }
        simplex.points[simplex.count] = point;
        simplex.shares[simplex.count++] = share;
    }

    void remove(int k) {
        --simplex.count;
        std::swap(simplex.points[k], simplex.points[simplex.count]);
        std::swap(simplex.shares[k], simplex.shares[simplex.count]);
        double sum = 0;
        for (int i = 0; i < simplex.count; ++i) sum += simplex.shares[i] = std::max(simplex.shares[i], 0.0);
        for (int i = 0; i < simplex.count; ++i) simplex.shares[i] = sum > 0 ? simplex.shares[i] / sum : 1;
        if (!(sum > 0) && simplex.count > 1)
            for (int i = 0; i < simplex.count; ++i) simplex.shares[i] = 1.0 / simplex.count;
    }

    // Solves the conditions for the present pieces. False if the equations are singular or do not converge.
    [[nodiscard]] bool solve() {
        for (int step = 0; step < max_newton_steps; ++step) {
            const double turned = newton_step();
            if (!(turned < HUGE_VAL)) return false;
            if (turned <= converged_turn) break;
        }
        evaluate();
        return true;
    }

    [[nodiscard]] int least() const {
        return static_cast<int>(std::min_element(simplex.shares, simplex.shares + simplex.count) - simplex.shares);
    }

    Simplex simplex{};
    Vec3 normal;

private:
    // Support points of the pieces at the normal; their derivatives, weighted by the shares.
    Mat3 evaluate() {
        Mat3 derivative = Mat3::Zero();
        const Vec3 inner = -(d_->turn.transpose() * normal);
        for (int k = 0; k < simplex.count; ++k) {
            DifferencePoint& p = simplex.points[k];
            const PiecePoint a = piece_point(d_->a, p.piece_a, normal), b = piece_point(d_->b, p.piece_b, inner);
            p.a = a.point, p.b = d_->turn * b.point + d_->move, p.w = p.a - p.b;
            derivative += simplex.shares[k] * (a.derivative + d_->turn * b.derivative * d_->turn.transpose());
        }
        return derivative;
    }

    // Returns the angle by which the direction turned, or infinity if the equations have no solution.
    double newton_step() {
        const Mat3 derivative = evaluate();
        Eigen::Matrix<double, 3, 2> tangents;
        tangents.col(0) = any_perpendicular(normal);
        tangents.col(1) = normal.cross(tangents.col(0));
        const Vec3 mean = simplex.mean();
        const int extra = simplex.count - 1;
        Eigen::Matrix4d matrix = Eigen::Matrix4d::Zero();
        Eigen::Vector4d right = Eigen::Vector4d::Zero();
        matrix.topLeftCorner<2, 2>() = tangents.transpose() * derivative * tangents;
        matrix(0, 0) -= normal.dot(mean), matrix(1, 1) -= normal.dot(mean);
        right.head<2>() = -(tangents.transpose() * mean);
        for (int k = 0; k < extra; ++k) {
            const Vec3 across = simplex.points[k + 1].w - simplex.points[0].w;
            matrix.row(2 + k).head<2>() = across.transpose() * tangents;
            matrix.col(2 + k).head<2>() = matrix.row(2 + k).head<2>().transpose();
            right[2 + k] = -normal.dot(across);
        }
        const Eigen::Vector4d step = extra == 0   ? solution<2>(matrix, right)
                                     : extra == 1 ? solution<3>(matrix, right)
                                                  : solution<4>(matrix, right);
        if (!step.allFinite()) return HUGE_VAL;
        const double turned = step.head<2>().norm(), factor = turned > max_turn ? max_turn / turned : 1;
        normal = (normal + factor * (tangents * step.head<2>())).normalized();
        for (int k = 0; k < extra; ++k) {
            simplex.shares[k + 1] += factor * step[2 + k];
            simplex.shares[0] -= factor * step[2 + k];
        }
        return turned;
    }

    const Difference* d_;
};

// Solves for the active pieces, leaving out those with a negative share.
bool solve_active(Active& active) {
    for (int change = 0; change < 3; ++change) {
        if (!active.solve()) {
            if (active.simplex.count == 1) return false;
            active.remove(active.least());
            continue;
        }
        const int least = active.least();
        if (active.simplex.count == 1 || active.simplex.shares[least] >= least_share) return true;
        active.remove(least);
    }
    return false;
}

// Adds a piece to three active ones: the one of them is dropped without which the others have positive shares.
bool exchange(Active& active, const DifferencePoint& point) {
    for (int dropped = 0; dropped < 3; ++dropped) {
        Active other = active;
        other.simplex.points[dropped] = point;
        if (!other.solve() || other.simplex.shares[other.least()] < least_share) continue;
        active = other;
        return true;
    }
    return false;
}

} // namespace

Difference::Difference(const Body& body_a, const Pose& pose_a, const Body& body_b, const Pose& pose_b)
    : a(body_a), b(body_b), core_a(core_pose(body_a, pose_a)) {
    // The difference of the positions first: its error does not grow with the distance from the origin of the world.
    Vec3 apart = pose_b.translation - pose_a.translation;
    double placements = 0;
    if (a.placed) apart -= pose_a.rotation * a.placement.translation, placements += a.placement.translation.norm();
    if (b.placed) apart += pose_b.rotation * b.placement.translation, placements += b.placement.translation.norm();
    size = a.extent + b.extent + apart.norm() + a.radius + b.radius;
    rounding = position_rounding(size, placements);
    // The rotation of a point does not matter.
    if (a.core == Core::point) core_a.rotation.setIdentity();
    const auto axes_b = [&] { return core_pose(body_b, pose_b).rotation.toRotationMatrix(); };
    if (a.core == Core::point) {
        move = apart;
        turn = b.core == Core::point ? Mat3(Mat3::Identity()) : axes_b();
    } else {
        const Mat3 axes_a = core_a.rotation.toRotationMatrix();
        move.noalias() = axes_a.transpose() * apart;
        if (b.core == Core::point)
            turn.setIdentity();
        else
            turn.noalias() = axes_a.transpose() * axes_b();
    }
}

Direction refined(const Difference& difference, const Simplex& near, const Vec3& normal) {
    Active active(difference, normal);
    for (int k = 0; k < near.count; ++k)
        if (near.shares[k] > 0 && active.simplex.count < 3) active.add(near.points[k], near.shares[k]);
    Direction best;
    if (active.simplex.count == 0) return best;
    for (int change = 0; change < max_changes; ++change) {
        if (!solve_active(active)) break;
        const DifferencePoint top = difference.certainly_farthest(active.normal);
        const double height = top.w.dot(active.normal);
        if (height < best.height) best = {active.normal, height, active.simplex.on_a(), active.simplex.on_b()};
        if (height <= active.simplex.mean().dot(active.normal) + difference.rounding) break;
        if (active.simplex.count < 3)
            active.add(top, 0);
        else if (!exchange(active, top))
            break;
    }
    return best;
}

} // namespace fathom::convex
