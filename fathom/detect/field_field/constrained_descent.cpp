// Projected descent with an adaptive step, and Newton's method for the last digits.
#include <fathom/detect/field_field/constrained_descent.h>

#include <Eigen/Dense>

#include <array>
#include <cmath>

namespace fathom::field_field {

namespace {

// Thresholds of convergence, of the size of the smaller body unless stated.
constexpr double least_overshoot = 1e-15; // second step of move_inside() beyond the surface; later ones are longer
constexpr double solved_residual = 4e-16; // of Newton's method, without unit: rounding of the gradients
constexpr double allowed_rise = 1e-12;    // of the value by Newton's method
constexpr double shortest_step = 1e-12;   // of refine()

} // namespace

bool move_inside(const FieldPair& pair, int body, Vec3& x, double size, int& samples) {
    double spare = 0; // distance beyond the surface: the first step reaches it up to rounding
    for (int step = 0; step < 8; ++step, spare = std::max(4 * spare, least_overshoot * size)) {
        const Sample s = pair.sample(body, x);
        ++samples;
        if (s.distance <= 0) return true;
        const double steepness = s.gradient.squaredNorm();
        if (!(steepness > flattest_slope * flattest_slope)) return false; // also NaN
        x -= (s.distance / steepness + spare / std::sqrt(steepness)) * s.gradient;
    }
    return false;
}

namespace {

struct State {
    Vec3 x;
    Sample down; // of the other field
};

// Newton's method on: gradient of the other field + lambda * gradient of the body = 0, body = 0. Second derivatives are
// differences of gradients: they only determine the step, while the gradients determine the solution.
class Polish {
public:
    Polish(const FieldPair& pair, int body, double size) : pair_(pair), body_(body), size_(size), step_(1e-5 * size) {}

    // Accepts a point only if the conditions hold to rounding. Returns false otherwise: the minimum is at a kink.
    bool run(State& state, int& samples) {
        sample_stencil(state.x, samples);
        double lambda =
            -at_body_[0].gradient.dot(at_down_[0].gradient) / std::max(at_body_[0].gradient.squaredNorm(), 1e-300);
        Vec3 x = state.x, best_x = x;
        double best = HUGE_VAL, best_lambda = 0;
        for (int k = 0; k < 7; ++k) {
            const Eigen::Vector4d r = residual(lambda);
            if (!(r.norm() < best)) break;
            best = r.norm(), best_x = x, best_lambda = lambda;
            if (best < solved_residual) break;
            const Eigen::Vector4d move = newton(lambda, r);
            if (!move.allFinite() || move.head<3>().norm() > 0.1 * size_) break;
            x += move.head<3>();
            lambda += move[3] / size_;
            sample_stencil(x, samples);
        }
        // With lambda < 0 the value decreases inward: the surface point is not a minimum.
        if (best > 1e-9 || best_lambda < 0 || !move_inside(pair_, body_, best_x, 1e-6 * size_, samples)) return false;
        const Sample down = pair_.sample(1 - body_, best_x);
        ++samples;
        if (!(down.distance <= state.down.distance + allowed_rise * size_)) return false;
        state = {best_x, down};
        return true;
    }

private:
    static constexpr std::size_t count = 7; // the point, and one on either side along each axis

    void sample_stencil(const Vec3& x, int& samples) {
        std::array<Vec3, count> points;
        points[0] = x;
        for (int axis = 0; axis < 3; ++axis) {
            points[static_cast<std::size_t>(1 + 2 * axis)] = x + step_ * Vec3::Unit(axis);
            points[static_cast<std::size_t>(2 + 2 * axis)] = x - step_ * Vec3::Unit(axis);
        }
        pair_.samples(body_, points, at_body_);
        pair_.samples(1 - body_, points, at_down_);
        samples += 2 * static_cast<int>(count);
    }

    // All quantities are in units of the bodies' size.
    [[nodiscard]] Eigen::Vector4d residual(double lambda) const {
        Eigen::Vector4d r;
        r << at_down_[0].gradient + lambda * at_body_[0].gradient, at_body_[0].distance / size_;
        return r;
    }
    [[nodiscard]] Mat3 curvature(const std::array<Sample, count>& at) const {
        Mat3 h;
        for (int axis = 0; axis < 3; ++axis)
            h.col(axis) = (at[static_cast<std::size_t>(1 + 2 * axis)].gradient -
                           at[static_cast<std::size_t>(2 + 2 * axis)].gradient) /
                          (2 * step_);
        return 0.5 * (h + h.transpose());
    }
    [[nodiscard]] Eigen::Vector4d newton(double lambda, const Eigen::Vector4d& r) const {
        Eigen::Matrix4d j = Eigen::Matrix4d::Zero();
        j.topLeftCorner<3, 3>() = curvature(at_down_) + lambda * curvature(at_body_);
        j.topRightCorner<3, 1>() = at_body_[0].gradient / size_;
        j.bottomLeftCorner<1, 3>() = at_body_[0].gradient.transpose() / size_;
        // If the value is constant along the surface, the regularization keeps the point in place.
        j.topLeftCorner<3, 3>().diagonal().array() += 1e-9 / size_;
        return -j.partialPivLu().solve(r);
    }

    const FieldPair& pair_;
    int body_;
    double size_, step_; // step_: of differences (m)
    std::array<Sample, count> at_body_, at_down_;
};

} // namespace

namespace {

// Step length from the change of the gradient direction over the last step (Barzilai & Borwein 1988).
double next_length(const State& from, const State& to, double length) {
    const Vec3 step_vector = to.x - from.x,
               gradient_change = to.down.gradient.stableNormalized() - from.down.gradient.stableNormalized();
    const double along = step_vector.dot(gradient_change), far = step_vector.squaredNorm();
    return far < 4 * length * along ? std::max(far / along, 0.3 * length) : 4 * length;
}

// The minimum of a distance on the medial axis, such as the centre of a sphere or the core of a torus, is at a kink
// that steps only orbit. It follows from two points with different gradients: both descending rays reach it at the same
// value. Returns false if the gradients are not those of a distance.
bool core_between(const State& a, const State& b, Vec3& core) {
    const Vec3 &g = a.down.gradient, &h = b.down.gradient;
    if (std::abs(g.squaredNorm() - 1) > 1e-6 || std::abs(h.squaredNorm() - 1) > 1e-6 || g.dot(h) > 0.7) return false;
    const Vec3 apart = (a.x - a.down.distance * g) - (b.x - b.down.distance * h);
    const double value = -apart.dot(g - h) / (g - h).squaredNorm();
    core = a.x - (a.down.distance - value) * g;
    return value < std::min(a.down.distance, b.down.distance);
}

// Takes steps that grow while the value decreases and shrink otherwise; stops at steps below `shortest` (m).
void walk_down(const FieldPair& pair, int body, const DescentOptions& options, double length, double shortest,
               int max_steps, State& state, int& samples) {
    for (int step = 0; step < max_steps && state.down.distance > options.sufficient && length >= shortest; ++step) {
        const double steepness = state.down.gradient.norm();
        if (!(steepness > flattest_slope)) break;
        Vec3 y = state.x - length / steepness * state.down.gradient;
        const bool inside = move_inside(pair, body, y, options.size, samples);
        const Sample next = inside ? pair.sample(1 - body, y) : Sample{HUGE_VAL, Vec3::Zero()};
        samples += inside;
        if (Vec3 core; inside && core_between(state, {y, next}, core)) {
            const Sample there = pair.sample(1 - body, core);
            samples += 2;
            if (pair.sample(body, core).distance <= 0 &&
                there.distance < std::min(state.down.distance, next.distance)) {
                state = {core, there};
                length *= 0.3;
                continue;
            }
        }
        const double moved = (y - state.x).norm();
        const bool lower = next.distance < state.down.distance;
        length = lower ? next_length({state.x, state.down}, {y, next}, length) : 0.3 * length;
        if (lower) state = {y, next};
        if (inside && moved < shortest) break;
    }
}

} // namespace

Descent descend(const FieldPair& pair, int body, const Vec3& start, const DescentOptions& options) {
    Descent result;
    State state{start, {}};
    if (!move_inside(pair, body, state.x, options.size, result.samples)) return result;
    state.down = pair.sample(1 - body, state.x);
    ++result.samples;
    const double first = std::clamp(std::abs(state.down.distance), 0.01 * options.size, 0.25 * options.size);
    walk_down(pair, body, options, first, options.tolerance * options.size, options.max_steps, state, result.samples);
    result.polished = options.polish && Polish(pair, body, options.size).run(state, result.samples);
    result.point = state.x;
    result.value = state.down.distance;
    result.gradient = state.down.gradient;
    return result;
}

void refine(const FieldPair& pair, int body, double size, Descent& end) {
    State state{end.point, {end.value, end.gradient}};
    walk_down(pair, body, {.size = size}, 1e-4 * size, shortest_step * size, 240, state, end.samples);
    end.point = state.x;
    end.value = state.down.distance;
    end.gradient = state.down.gradient;
}

} // namespace fathom::field_field
