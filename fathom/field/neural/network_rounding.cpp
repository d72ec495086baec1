// How far the float arithmetic of a network can be from its exact value.
#include <fathom/field/neural/network_rounding.h>

#include <fathom/field/neural/activation_error.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

constexpr double unit = 0x1p-24;             // of a float
constexpr double above = 1 + 1e-9;           // covers the roundings of this analysis itself
constexpr double smallest = 0x1p-126;        // what may be lost below the normal floats, each time
constexpr Eigen::Index largest_square = 256; // of the matrices whose norm is worth some products

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// The largest stretch: |W| <= (sum of the n eighth powers of its singular values)^(1/8), from W W^T squared.
double spectral_bound(const Matrix& weights) {
    const double plain = std::min(weights.norm(), std::sqrt(weights.cwiseAbs().rowwise().sum().maxCoeff() *
                                                            weights.cwiseAbs().colwise().sum().maxCoeff()));
    if (std::min(weights.rows(), weights.cols()) > largest_square || !(plain > 0)) return plain;
    const Matrix scaled = weights / plain;
    const Matrix square =
        weights.rows() < weights.cols() ? Matrix(scaled * scaled.transpose()) : Matrix(scaled.transpose() * scaled);
    const Matrix fourth = square * square;
    // The products are off by far less than what is added here.
    return plain * std::pow(fourth.norm() + 1e-12 * static_cast<double>(weights.size()), 0.25);
}

double steepest(const DenseLayer& layer) {
    const double parameter = static_cast<double>(layer.parameter);
    if (layer.activation == Activation::sine) return parameter;
    return layer.activation == Activation::elu ? std::max(1.0, parameter) : 1.0;
}

// |activation(z)| for |z| up to this.
double largest_value(const DenseLayer& layer, double z) {
    const double parameter = static_cast<double>(layer.parameter);
    switch (layer.activation) {
    case Activation::tanh:
    case Activation::sine:
        return 1;
    case Activation::elu:
        return std::max(z, parameter * std::min(z, 1.0));
    case Activation::softplus:
        return z + std::log(2.0) / parameter;
    default:
        return z;
    }
}

double own_error(const DenseLayer& layer, double value) {
    if (layer.activation == Activation::none || layer.activation == Activation::relu) return 0;
    return activation_error * std::max(1.0, value);
}

// Numbers between two layers: how large each is, and bounds on the size and on the error of all together, as lengths.
struct State {
    Vector largest;
    double length = 0;
    double error = 0;
};

State encoded(const Network& network) {
    const PositionalEncoding& e = network.encoding;
    const Vec3 far = ((network.domain.lower - network.center)
                          .cwiseAbs()
                          .cwiseMax((network.domain.upper - network.center).cwiseAbs()) /
                      network.scale) *
                     above;
    const Vec3 moved = (unit * above * far).array() + smallest; // by rounding to float
    State state{Vector::Ones(e.outputs())};
    double squares = e.point_first ? moved.squaredNorm() : 0.0;
    if (e.point_first) state.largest.head<3>() = far;
    double factor = static_cast<double>(e.scale);
    for (int k = 0; k < e.frequencies; ++k, factor *= 2) {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(factor * far[axis] * above <= largest_sine_argument))
                squares = std::numeric_limits<double>::infinity();
            squares += 2 * std::pow(factor * moved[axis] + activation_error, 2);
        }
    }
    state.length = state.largest.norm();
    state.error = std::sqrt(squares) * above;
    return state;
}

State joined(const State& a, const State& b) {
    State both{Vector(a.largest.size() + b.largest.size()), std::hypot(a.length, b.length),
               std::hypot(a.error, b.error)};
    both.largest << a.largest, b.largest;
    return both;
}

State through(const DenseLayer& layer, const State& in) {
    const Eigen::Map<const Eigen::Matrix<float, -1, -1, Eigen::RowMajor>> stored(layer.weights.data(), layer.outputs,
                                                                                 layer.inputs);
    const Matrix weights = stored.cast<double>();
    const Vector biases = Eigen::Map<const Eigen::VectorXf>(layer.biases.data(), layer.outputs).cast<double>();
    const double stretch = spectral_bound(weights) * above, terms = layer.inputs + 2;
    const double gamma = terms * unit / (1 - terms * unit);
    State out{Vector(layer.outputs)};
    double squares = 0;
    for (Eigen::Index o = 0; o < layer.outputs; ++o) {
        const Vector row = weights.row(o).cwiseAbs();
        const double sum =
            (std::min(row.dot(in.largest), row.norm() * in.length) + std::abs(biases[o])) * above; // of sizes
        const double rounding = gamma * (sum + row.norm() * in.error) + terms * smallest;
        const double reached = sum + rounding + row.norm() * in.error; // by the computed sum
        const bool lost = !(reached < 1e38) || (layer.activation == Activation::sine &&
                                                !(reached * steepest(layer) <= largest_sine_argument));
        out.largest[o] = largest_value(layer, sum);
        const double local = steepest(layer) * rounding + own_error(layer, largest_value(layer, reached));
        squares += lost ? std::numeric_limits<double>::infinity() : local * local;
    }
    out.length = out.largest.norm() * above;
    // All others are 0 at 0.
    if (layer.activation != Activation::softplus)
        out.length = std::min(out.length, steepest(layer) * (stretch * in.length + biases.norm()) * above);
    out.error = (steepest(layer) * stretch * in.error + std::sqrt(squares)) * above;
    return out;
}

} // namespace

double rounding_bound(const Network& network) {
    const State point = encoded(network);
    State now = point;
    for (const DenseLayer& layer : network.layers) now = through(layer, layer.skip_input ? joined(now, point) : now);
    return network.scale * now.error * above;
}

} // namespace fathom
