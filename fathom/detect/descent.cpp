// Room: detect. Projected descent with its own step, and Newton's method for the last digits.
#include <fathom/detect/descent.h>

#include <Eigen/Dense>

#include <cmath>

namespace fathom {

bool move_inside(const FieldPair& pair, int body, Vec3& x, double size, int& samples) {
    double spare = 0; // beyond the surface: the first step lands on it but for rounding
    for (int step = 0; step < 8; ++step, spare = std::max(4 * spare, 1e-15 * size)) {
        const Sample s = pair.sample(body, x);
        ++samples;
        if (s.distance <= 0) return true;
        const double steepness = s.gradient.squaredNorm();
        if (!(steepness > 1e-20)) return false; // also NaN
        x -= (s.distance / steepness + spare / std::sqrt(steepness)) * s.gradient;
    }
    return false;
}

namespace {

struct State {
    Vec3 x;
    Sample down; // of the other field
};

// Newton on: gradient of the other field + lambda * gradient of the body = 0, body = 0. Second derivatives by differences of
// gradients: they steer, the gradients decide.
class Polish {
public:
    Polish(const FieldPair& pair, int body, double size) : pair_(pair), body_(body), step_(1e-5 * size) {}

    // Takes over a point only where the conditions hold better than before.
    void run(State& state, int& samples) const {
        Vec3 x = state.x;
        double lambda = 0, before = residual(x, lambda, true).norm();
        samples += 2;
        bool better = false;
        for (int k = 0; k < 8; ++k) {
            Eigen::Vector4d move;
            samples += 14;
            if (!newton(x, lambda, move)) return;
            const Vec3 y = x + move.head<3>();
            double next_lambda = lambda + move[3];
            const double after = residual(y, next_lambda, false).norm();
            if (!(after < before)) break;
            x = y, lambda = next_lambda, before = after, better = true;
            if (after < 1e-15) break;
        }
        if (!better || before > 1e-9) return;
        if (!move_inside(pair_, body_, x, step_, samples)) return;
        const Sample down = pair_.sample(1 - body_, x);
        ++samples;
        if (down.distance <= state.down.distance + 1e-9 * step_) state = {x, down};
    }

private:
    [[nodiscard]] Eigen::Vector4d residual(const Vec3& x, double& lambda, bool fit) const {
        const Sample body = pair_.sample(body_, x), down = pair_.sample(1 - body_, x);
        if (fit) lambda = -body.gradient.dot(down.gradient) / std::max(body.gradient.squaredNorm(), 1e-300);
        Eigen::Vector4d r;
        r << down.gradient + lambda * body.gradient, body.distance / (1e5 * step_);
        return r;
    }

    [[nodiscard]] Mat3 curvature(int which, const Vec3& x) const {
        Mat3 h;
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 e = step_ * Vec3::Unit(axis);
            h.col(axis) = (pair_.sample(which, x + e).gradient - pair_.sample(which, x - e).gradient) / (2 * step_);
        }
        return 0.5 * (h + h.transpose());
    }

    [[nodiscard]] bool newton(const Vec3& x, double lambda, Eigen::Vector4d& move) const {
        const Sample body = pair_.sample(body_, x), down = pair_.sample(1 - body_, x);
        Eigen::Matrix4d j = Eigen::Matrix4d::Zero();
        j.topLeftCorner<3, 3>() = curvature(1 - body_, x) + lambda * curvature(body_, x);
        j.topRightCorner<3, 1>() = body.gradient;
        j.bottomLeftCorner<1, 3>() = body.gradient.transpose();
        Eigen::Vector4d r;
        r << down.gradient + lambda * body.gradient, body.distance;
        // Where both are flat along the surface the least of the possible moves is right.
        move = -j.completeOrthogonalDecomposition().solve(r);
        return move.allFinite();
    }

    const FieldPair& pair_;
    int body_;
    double step_; // of differences (m)
};

} // namespace

Descent descend(const FieldPair& pair, int body, const Vec3& start, const DescentOptions& options) {
    Descent result;
    State state{start, {}};
    if (!move_inside(pair, body, state.x, options.size, result.samples)) return result;
    const auto down = [&](const Vec3& x) {
        ++result.samples;
        return pair.sample(1 - body, x);
    };
    state.down = down(state.x);
    double length = std::clamp(std::abs(state.down.distance), 0.01 * options.size, 0.25 * options.size);
    for (int step = 0; step < options.most_steps && state.down.distance > options.enough; ++step) {
        const double steepness = state.down.gradient.norm();
        if (!(steepness > 1e-10)) break;
        Vec3 y = state.x - length / steepness * state.down.gradient;
        const bool inside = move_inside(pair, body, y, options.size, result.samples);
        const Sample next = inside ? down(y) : Sample{HUGE_VAL, Vec3::Zero()};
        const double way = (y - state.x).norm();
        if (next.distance < state.down.distance) {
            state = {y, next};
            length *= 1.5;
        } else {
            length *= 0.3;
        }
        if (length < options.tolerance * options.size || (inside && way < options.tolerance * options.size)) break;
    }
    if (options.polish) Polish(pair, body, options.size).run(state, result.samples);
    result.point = state.x;
    result.value = state.down.distance;
    result.gradient = state.down.gradient;
    return result;
}

} // namespace fathom
